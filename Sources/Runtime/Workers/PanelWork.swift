internal import Appliance
internal import Hardware
internal import Library

/// Something that is done to several takes, one after the other. Storage lane only.
final class PanelWork: @unchecked Sendable {
  private let work: TakesWork
  private let ids: [String]
  private var next = 0
  private var done = 0
  private var failed = 0
  private var told = 0
  /// The take that was deleted last.
  private var deleted: TakeReference?

  init(_ work: TakesWork, on ids: [String]) {
    self.work = work
    self.ids = ids
  }

  /// All of it is done, or nobody wants it any more.
  var isOver: Bool { next >= ids.count }

  func giveUp() { next = ids.count }

  /// The next take. One to which it cannot be done is passed over.
  ///
  /// - Returns: how much is done, in percent; `nil`: as much as was told before.
  /// - Throws: if the storage stalls; the step is to be taken again.
  func step(_ library: Library, _ storage: StorageWorker) throws(LibraryError) -> Int? {
    guard !isOver else { return nil }
    let id = ids[next]
    do throws(LibraryError) {
      try perform(id, library, storage)
      done += 1
    } catch {
      if error.stalledUntil != nil { throw error }
      failed += 1
    }
    next += 1
    let percent = next * 100 / ids.count
    guard percent > told else { return nil }
    told = percent
    return percent
  }

  private func perform(_ id: String, _ library: Library, _ storage: StorageWorker) throws(LibraryError) {
    switch work {
    case .delete:
      guard let reference = library.reference(library.wholeTake(id)) else { throw .notFound(id) }
      try library.delete(id, joining: done > 0, now: storage.now)
      deleted = reference
    case .favourite(let isOn):
      try library.setFavourite(id, isOn)
      storage.news.tellChanged(id, in: library)
    case .protect(let isProtected): try storage.protect(id, isProtected, in: library)
    // The stick's own worker does that.
    case .export: break
    }
  }

  /// What came of it; of a delete also how to undo it.
  func tellEnd(_ storage: StorageWorker) {
    storage.news.tell(.worked(work, done: done, failed: failed))
    if let deleted { storage.news.tell(.deleted(deleted, number: done)) }
  }
}
