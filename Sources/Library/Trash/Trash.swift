internal import Hardware

/// What was deleted last, a take or a clip, until it goes for good. Storage worker only.
///
/// Its files are moved one by one, what holds sound or pictures first: after a crash half-way the order tells the next
/// start whether it was on its way in or out.
final class Trash {
  static let directory = "trash"

  /// What lies in the trash.
  struct Item {
    enum Content {
      case take(TakeRecord)
      case clip(ClipRecord)
    }

    let id: String
    let content: Content
    /// When it goes for good.
    let expires: Instant
    /// Whether what lies beside it is the device's.
    let hasNotes: Bool

    /// The directory it comes from.
    fileprivate var directory: String {
      switch content {
      case .take: TakePath.recordings
      case .clip: ClipPath.clips
      }
    }

    /// Its files, in the order in which they move.
    fileprivate var names: [String] { hasNotes ? [id, Sidecar.name(id), Sidecar.backup(id)] : [id] }
  }

  private let disk: Disk
  private let names: Names
  private let notices: Notices
  private var item: Item?
  /// Some of its files may still be where they were.
  private var isMoving = false

  init(_ disk: Disk, names: Names, notices: Notices) {
    self.disk = disk
    self.names = names
    self.notices = notices
  }

  static func path(_ name: String) -> String { "\(directory)/\(name)" }

  /// The id of what `takeOut` would bring back.
  var undoable: String? { isMoving ? nil : item?.id }
  /// What is on its way into the trash.
  var moving: String? { isMoving ? item?.id : nil }
  var expires: Instant? { item?.expires }

  /// Names what is to be deleted; `moveIn` does it. What was in the trash has been emptied before.
  func put(_ item: Item) {
    self.item = item
    isMoving = true
  }

  /// Moves what has not been moved yet.
  ///
  /// - Returns: what is in the trash now, and has to be taken from the lists before `settle`; nil if nothing is on its
  ///   way.
  func moveIn() throws(LibraryError) -> Item? {
    guard let item, isMoving else { return nil }
    do {
      for name in item.names { try moveIn(name, from: item.directory) }
    } catch {
      if error.stalledUntil == nil {
        // Not half of it in each place: bring back what has been moved.
        for name in item.names {
          do { try disk.moveIfPresent(Self.path(name), to: "\(item.directory)/\(name)") } catch {
            notices.warn("\(name) stays in the trash: \(error)")
          }
        }
        self.item = nil
        isMoving = false
      }
      throw error
    }
    return item
  }

  /// The lists know that what was on its way is gone.
  func settle() { isMoving = false }

  /// Brings back what is in the trash.
  ///
  /// - Returns: what has to be put into the lists again before `clear`; nil if there is nothing.
  func takeOut() throws(LibraryError) -> Item? {
    guard let item, !isMoving else { return nil }
    for name in item.names { try disk.moveIfPresent(Self.path(name), to: "\(item.directory)/\(name)") }
    return item
  }

  /// The trash is empty.
  func clear() { item = nil }

  /// Removes what is in the trash for good.
  func empty() throws(LibraryError) {
    guard let item, !isMoving else { return }
    try names.keep()
    // What tells of it goes first: of what is left without it nobody thinks that it is whole.
    for name in item.names.dropFirst() + [item.id] {
      try notices.attempt("\(Self.path(name)) could not be removed") { () throws(LibraryError) in
        try disk.removeIfPresent(Self.path(name))
      }
    }
    self.item = nil
  }

  private func moveIn(_ name: String, from directory: String) throws(LibraryError) {
    let source = "\(directory)/\(name)"
    do {
      try disk.moveIfPresent(source, to: Self.path(name))
    } catch {
      // Of an earlier delete that could not be emptied, and due to go anyway.
      guard error.storageKind == .alreadyExists else { throw error }
      try disk.removeIfPresent(Self.path(name))
      try disk.moveIfPresent(source, to: Self.path(name))
    }
  }
}
