internal import Hardware

/// What was deleted last, a take or a clip or several together, until it goes for good. Storage worker only.
///
/// Its files are moved one by one, what holds sound or pictures first: after a crash half-way the order tells the next
/// start whether it was on its way in or out.
final class Trash {
  static let directory = "trash"

  /// What lies in the trash.
  struct Item {
    enum Content {
      /// Its parts, in their order.
      case take([TakeRecord])
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

    /// Its files, in the order in which they come back. They go in the opposite order of parts: whenever the power goes,
    /// the first parts are where they belong, and the rest follows them.
    fileprivate var names: [String] { sounds.flatMap(names(of:)) }
    fileprivate var namesGoing: [String] { sounds.reversed().flatMap(names(of:)) }

    fileprivate var sounds: [String] { if case .take(let parts) = content { parts.map(\.id) } else { [id] } }

    fileprivate func names(of sound: String) -> [String] {
      hasNotes ? [sound, Sidecar.name(sound), Sidecar.backup(sound), ProofName.of(sound)] : [sound]
    }
  }

  private let disk: Disk
  private let names: Names
  private let notices: Notices
  private var items: [Item] = []
  /// What goes for good, one after the other: nobody waits for that.
  private var doomed: [Item] = []
  /// Some files of the last may still be where they were.
  private var isMoving = false

  init(_ disk: Disk, names: Names, notices: Notices) {
    self.disk = disk
    self.names = names
    self.notices = notices
  }

  static func path(_ name: String) -> String { "\(directory)/\(name)" }

  /// The ids of what `takeOut` would bring back, the last first to come.
  var undoable: [String] { isMoving ? [] : items.map(\.id) }
  /// Whether this, or, where that is not said, anything is on its way into the trash.
  func isMoving(_ id: String? = nil) -> Bool {
    isMoving && (id.map { items.last?.sounds.contains($0) == true } ?? true)
  }
  var expires: Instant? { items.last?.expires }
  /// One take goes at once, many as there is time.
  var hasMany: Bool { items.count + doomed.count > 1 }

  /// Whether anything of a take or clip that is to be deleted is there: somebody may have removed it on a computer.
  func canMove(_ item: Item) throws(LibraryError) -> Bool {
    for sound in item.sounds { if try disk.entry("\(item.directory)/\(sound)") != nil { return true } }
    return false
  }

  /// Whether a file that goes for good has the name of one of these: takes and clips, and what others bring, may be called
  /// alike.
  func dooms(_ item: Item) -> Bool {
    guard !doomed.isEmpty else { return false }
    let names = Set(item.names)
    return doomed.contains { $0.names.contains(where: names.contains) }
  }

  /// Names what is to be deleted, too; `moveIn` does it. What goes for good has been emptied before.
  func put(_ item: Item) {
    items.append(item)
    isMoving = true
  }

  /// Moves what has not been moved yet.
  ///
  /// - Returns: what is in the trash now, and has to be taken from the lists before `settle`; nil if nothing is on its
  ///   way.
  func moveIn() throws(LibraryError) -> Item? {
    guard let item = items.last, isMoving else { return nil }
    do {
      for name in item.namesGoing { try moveIn(name, from: item.directory) }
    } catch {
      if error.stalledUntil == nil {
        // Not half of it in each place: bring back what has been moved.
        for name in item.names {
          do { try disk.moveIfPresent(Self.path(name), to: "\(item.directory)/\(name)") } catch {
            notices.warn("\(name) stays in the trash: \(error)")
          }
        }
        items.removeLast()
        isMoving = false
      }
      throw error
    }
    return item
  }

  /// The lists know that what was on its way is gone.
  func settle() { isMoving = false }

  /// Brings back what came into the trash last.
  ///
  /// - Returns: what has to be put into the lists again before `drop`; nil if there is nothing.
  func takeOut() throws(LibraryError) -> Item? {
    guard let item = items.last, !isMoving else { return nil }
    for name in item.names { try disk.moveIfPresent(Self.path(name), to: "\(item.directory)/\(name)") }
    // Somebody has emptied the trash.
    for sound in item.sounds where try disk.entry("\(item.directory)/\(sound)") == nil { throw .notFound(sound) }
    return item
  }

  /// What was taken out is no more in the trash.
  func drop() { items.removeLast() }

  /// Removes what is in the trash for good.
  func empty() throws(LibraryError) {
    try doom()
    while try emptyNext() {}
  }

  /// What is in the trash does not come back; `emptyNext` removes it.
  func doom() throws(LibraryError) {
    guard !items.isEmpty, !isMoving else { return }
    try names.keep()
    doomed += items
    items = []
  }

  /// Removes one of what goes for good.
  ///
  /// - Returns: whether there was one.
  func emptyNext() throws(LibraryError) -> Bool {
    guard let item = doomed.last else { return false }
    // What tells of it goes first: of what is left without it nobody thinks that it is whole.
    for name in item.sounds.reversed().flatMap({ item.names(of: $0).dropFirst() + [$0] }) {
      try notices.attempt("\(Self.path(name)) could not be removed") { () throws(LibraryError) in
        try disk.removeIfPresent(Self.path(name))
      }
    }
    doomed.removeLast()
    return true
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
