internal import Appliance
internal import Hardware
internal import Library
internal import Recording
internal import Threads

/// The marks of complete takes, as keys change them; the control loop is told. Any thread; the work is the storage lane's.
struct PanelMarks {
  private let storage: StorageWorker

  init(_ storage: StorageWorker) { self.storage = storage }

  /// Marks a take in the player.
  func mark(_ id: String, frame: Int, title: String?, at wall: WallTime, told: MarkReply?) {
    change(id, told: told) { [storage] library throws(LibraryError) in
      guard let take = library.summary(id) else { throw .notFound(id) }
      let mark = Bookmark(
        takeID: id, frame: frame, sampleRate: take.sampleRate, ordinal: take.bookmarkCount + 1, title: title,
        createdAt: wall)
      try library.addBookmark(id, mark)
      try storage.news.tellMarks(of: id, in: library)
      storage.inbox.post(.marked(id: id, frame: frame))
    }
  }

  func move(_ mark: MarkReference, of id: String) {
    change(id) { [storage] library throws(LibraryError) in
      let take = try library.showWhole(id)
      guard var moved = take.bookmarks.first(where: { $0.id == mark.id }) else { return }
      moved.move(to: mark.frame, sampleRate: take.audio.sampleRate)
      try library.addBookmark(id, moved)
      try storage.news.tellMarks(of: id, in: library)
    }
  }

  func removeMark(_ mark: String, of id: String) {
    change(id) { [storage] library throws(LibraryError) in
      try library.removeBookmark(id, bookmarkID: mark)
      try storage.news.tellMarks(of: id, in: library)
    }
  }

  /// Brings back the mark that was removed last.
  func restoreMark() {
    change("the take") { [storage] library throws(LibraryError) in
      try storage.news.tellMarks(of: try library.restoreBookmark(), in: library)
    }
  }

  private func change(
    _ id: String, told: MarkReply? = nil, _ work: @escaping @Sendable (Library) throws(LibraryError) -> Void
  ) {
    storage.submit { library throws(LibraryError) in
      try work(library)
      told?(nil)
    } onFailure: { [storage] error in
      told?((error.code, "\(error)"))
      storage.news.tell(.failed(code: error.code, text: "the marks of \(id) are as they were: \(error)"))
    }
  }
}
