internal import Appliance
internal import Clips
internal import Console
internal import Hardware
internal import JSON
internal import Library
internal import Panel
internal import Threads

// What is asked of the files of clips: by the machine, and by the console.
extension StorageWorker {
  func clipWindow(start: Int, count: Int) {
    let listing = BetweenSteps<ClipListing?>(nil)
    let answer = ControlLaneReply(inbox) { [inbox] (page: Result<LibraryReport, CommandFailure>) in
      if case .success(let report) = page { inbox.post(.library(report)) }
    }
    goOn(answer) { library throws(LibraryError) in
      let pages = listing.value ?? library.clips.listing(offset: start, limit: count)
      listing.value = pages
      return try pages.step().map { page in
        .clipWindow(start: start, clips: page.clips.map { TakeReference($0) }, count: page.total)
      }
    }
  }

  /// Has cards made for clips of the list, one after the other: whatever else the storage has to do comes in between.
  ///
  /// - Parameter room: bytes of decoded pictures at a time.
  func clipCards(
    from start: Int, count: Int, known: Set<String>, room: Int, then: @escaping ([String: ClipCard]) -> Void
  ) {
    let answer = ControlLaneReply(inbox) { (made: Result<[String: ClipCard], CommandFailure>) in
      if case .success(let cards) = made { then(cards) }
    }
    submitClips { [self] clips throws(LibraryError) in
      for id in clips.ids(offset: start, limit: count) where !known.contains(id) {
        let making = BetweenSteps<ClipThumbnails?>(nil)
        goOn(answer) { [storage] library throws(LibraryError) in
          if making.value == nil { making.value = try library.clips.thumbnail(of: id, on: storage, room: room) }
          guard let picture = making.value?.step() else { return nil }
          return [id: ClipCard(made: TakeName(id)?.createdAt, thumbnail: picture)]
        }
      }
    } onFailure: { _ in
    }
  }

  /// Reads a receipt, and hands it over on the control lane.
  func receipt(of id: String, then: @escaping (JSONValue) -> Void) {
    let answer = ControlLaneReply(inbox) { [inbox] (receipt: Result<JSONValue, CommandFailure>) in
      switch receipt {
      case .success(let receipt): then(receipt)
      case .failure(let error): inbox.post(.library(.failed(code: error.code.rawValue, text: error.message)))
      }
    }
    self.receipt(of: id, answer) { $0 }
  }
}
