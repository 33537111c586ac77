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
    submitClips { [inbox] clips throws(LibraryError) in
      let page = clips.list(offset: start, limit: count)
      inbox.post(
        .library(.clipWindow(start: start, clips: page.clips.map { TakeReference($0) }, count: page.total)))
    } onFailure: { _ in
    }
  }

  /// Has cards made for clips of the list, one after the other: whatever else the storage has to do comes in between.
  func clipCards(
    from start: Int, count: Int, known: Set<String>, then: @escaping ([String: ClipCard]) -> Void
  ) {
    let answer = ControlLaneReply(inbox, then)
    submitClips { clips throws(LibraryError) in
      for clip in clips.list(offset: start, limit: count).clips where !known.contains(clip.id) {
        self.submitClips { clips throws(LibraryError) in
          let card = ClipCard(
            caption: ClipNames.time(clip.id), thumbnail: try clips.thumbnail(of: clip.id, on: self.storage))
          answer.send([clip.id: card])
        } onFailure: { _ in
        }
      }
    } onFailure: { _ in
    }
  }

  /// Reads a receipt, and hands it over on the control lane.
  func receipt(of id: String, then: @escaping (JSONValue) -> Void) {
    let answer = ControlLaneReply(inbox, then)
    submitClips { clips throws(LibraryError) in
      answer.send(try clips.receipt(of: id))
    } onFailure: { [inbox] error in
      inbox.post(.library(.failed(code: error.code, text: "\(error)")))
    }
  }
}
