internal import Appliance
internal import Hardware
internal import Library
internal import Threads

// The marks of complete takes, as keys and console change them. Whatever has changed them, the control loop is told.
extension StorageWorker {
  /// Tells the control loop the marks of a take. Storage lane only.
  func tellMarks(of id: String, in library: Library) throws(LibraryError) {
    let take = try library.showWhole(id)
    inbox.post(
      .library(
        .marks(
          take: id,
          take.bookmarks.prefix(MarkList.most).map { mark in
            MarkReference(
              id: mark.id, frame: mark.place(sampleRate: take.audio.sampleRate), title: mark.title ?? "")
          })))
  }

  /// Marks a take in the player.
  func mark(_ id: String, frame: Int, title: String?, at wall: WallTime) {
    change(id) { [inbox] library throws(LibraryError) in
      guard let take = library.summary(id) else { throw .notFound(id) }
      let mark = Bookmark(
        takeID: id, frame: frame, sampleRate: take.sampleRate, ordinal: take.bookmarkCount + 1, title: title,
        createdAt: wall)
      try library.addBookmark(id, mark)
      try self.tellMarks(of: id, in: library)
      inbox.post(.marked(id: id, frame: frame))
    }
  }

  func move(_ mark: MarkReference, of id: String) {
    change(id) { library throws(LibraryError) in
      let take = try library.showWhole(id)
      guard var moved = take.bookmarks.first(where: { $0.id == mark.id }) else { return }
      moved.move(to: mark.frame, sampleRate: take.audio.sampleRate)
      try library.addBookmark(id, moved)
      try self.tellMarks(of: id, in: library)
    }
  }

  func removeMark(_ mark: String, of id: String) {
    change(id) { library throws(LibraryError) in
      try library.removeBookmark(id, bookmarkID: mark)
      try self.tellMarks(of: id, in: library)
    }
  }

  /// Brings back the mark that was removed last.
  func restoreMark() {
    change("the take") { library throws(LibraryError) in
      try self.tellMarks(of: try library.restoreBookmark(), in: library)
    }
  }

  private func change(_ id: String, _ work: @escaping @Sendable (Library) throws(LibraryError) -> Void) {
    submit(work) { [inbox] error in
      inbox.post(.library(.failed(code: error.code, text: "the marks of \(id) are as they were: \(error)")))
    }
  }
}
