internal import Hardware

/// What people say about takes: names, tags, marks, favourites, protection. Storage worker only.
final class TakeEditor {
  private let disk: Disk
  private let index: Index
  private let metadata: Metadata
  private let open: OpenTakes

  init(disk: Disk, index: Index, metadata: Metadata, open: OpenTakes) {
    self.disk = disk
    self.index = index
    self.metadata = metadata
    self.open = open
  }

  /// All that is known of a take; a file from elsewhere has metadata only once people have said something about it.
  func show(_ id: String) throws(LibraryError) -> FileMeta {
    guard let record = index[id] else { throw .notFound(id) }
    guard !TakeName.isOurs(id) || record.isForeign else { return try metadata.read(id) }
    guard var meta = try metadata.ofStranger(id) else { return record.meta }
    // The notes are of when somebody said something of it; what is in the file now is what was seen last.
    let sound = record.meta
    (meta.audio, meta.frames) = (sound.audio, sound.frames)
    return meta
  }

  func rename(_ id: String, to name: String) throws(LibraryError) -> FileMeta {
    let name = try Self.validated(name, what: "A name")
    return try edit(id) { meta in meta.displayName = name }
  }

  func setTags(_ id: String, _ tags: [String]) throws(LibraryError) -> FileMeta {
    guard tags.count <= Library.mostTags else {
      throw .badArgument("A take can have \(Library.mostTags) tags, not \(tags.count)")
    }
    var unique: [String] = []
    var seen: Set<String> = []
    for tag in tags {
      let tag = try Self.validated(tag, what: "A tag")
      if seen.insert(tag.lowercased()).inserted { unique.append(tag) }
    }
    return try edit(id) { meta in meta.userTags = unique }
  }

  func setFavourite(_ id: String, _ favourite: Bool) throws(LibraryError) -> FileMeta {
    try edit(id) { meta in meta.favourite = favourite }
  }

  func protect(_ id: String, _ isProtected: Bool) throws(LibraryError) -> FileMeta {
    try edit(id) { meta in meta.isProtected = isProtected }
  }

  /// A take that began before the clock was set: when it really began. Its marks move with it.
  func date(_ id: String, _ time: WallTime) throws(LibraryError) -> FileMeta {
    try edit(id) { meta in
      let late = time.nanosecondsSince1970 &- meta.createdAt.nanosecondsSince1970
      for index in meta.bookmarks.indices where !meta.bookmarks[index].createdAt.isPlausible {
        let old = meta.bookmarks[index].createdAt.nanosecondsSince1970
        meta.bookmarks[index].createdAt = WallTime(nanosecondsSince1970: old &+ late).wholeSeconds
      }
      meta.createdAt = time.wholeSeconds
    }
  }

  func updatePosition(_ id: String, _ seconds: Double) throws(LibraryError) -> FileMeta {
    guard seconds >= 0, seconds <= FileMeta.longestSeconds else {
      throw .badArgument("A position is 0 or more seconds, not \(seconds)")
    }
    return try edit(id, withBackup: false) { meta in meta.lastPlayedPosition = seconds }
  }

  func addBookmark(_ id: String, _ bookmark: Bookmark) throws(LibraryError) -> FileMeta {
    guard bookmark.time >= 0, bookmark.time <= FileMeta.longestSeconds else {
      throw .badArgument("A mark's time is 0 or more seconds, not \(bookmark.time)")
    }
    var bookmark = bookmark
    bookmark.title = try bookmark.title.map { title throws(LibraryError) in
      try Self.validated(title, what: "A title")
    }
    if let note = bookmark.note, note.utf8.count > Library.longestNote {
      throw .badArgument("A note has at most \(Library.longestNote) bytes, not \(note.utf8.count)")
    }
    return try edit(id) { meta in
      meta.put(bookmark)
      meta.hasNewMarks = hasPlaceForMarks(id)
    }
  }

  func removeBookmark(_ id: String, bookmarkID: String) throws(LibraryError) -> FileMeta {
    try edit(id) { meta in
      meta.bookmarks.removeAll { $0.id == bookmarkID }
      meta.hasNewMarks = hasPlaceForMarks(id)
    }
  }

  /// Whether marks of a finished file go into it, too.
  private func hasPlaceForMarks(_ id: String) -> Bool {
    TakeName.isOurs(id) && !TakeName.isSealed(id) && !metadata.isOpen(id) && index[id]?.isForeign != true
  }

  /// Changes a take's metadata.
  ///
  /// - Parameter withBackup: false for what may be lost with a damaged file (the last position).
  private func edit(
    _ id: String, withBackup: Bool = true, _ change: (inout FileMeta) throws(LibraryError) -> Void
  ) throws(LibraryError) -> FileMeta {
    guard let record = index[id] else { throw .notFound(id) }
    let old = try show(id)
    var meta = old
    try change(&meta)
    if metadata.isOpen(id) {
      try open.edit(id, from: old, to: meta)
      return meta
    }
    var sidecar: StorageEntry?
    do { sidecar = try metadata.write(meta, id: id, withBackup: withBackup) } catch {
      guard case .storage(let fault) = error, fault.code == Self.nameTooLong else { throw error }
      throw .unreadable(path: id, reason: "its name is too long to keep notes beside it; give the file a shorter one")
    }
    if sidecar == nil { sidecar = try disk.entry(TakePath.sidecar(id)) }
    metadata.stopWaiting(id)
    var changed = TakeRecord(meta, id: id, sound: nil, sidecar: sidecar, verified: record.verified)
    changed.size = record.size
    changed.modified = record.modified
    changed.isUnreadable = record.isUnreadable
    try index.enter(changed)
    return meta
  }

  /// ENAMETOOLONG: other programs' files may have names of 255 bytes.
  private static let nameTooLong: Int32 = 36

  /// Text that people typed: trimmed, not empty, not too long, nothing that would upset a terminal.
  private static func validated(_ text: String, what: String) throws(LibraryError) -> String {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { throw .badArgument("\(what) cannot be empty") }
    let trimmed = String(scalars[first...last])
    guard trimmed.utf8.count <= Library.longestName else {
      throw .badArgument("\(what) has at most \(Library.longestName) bytes, not \(trimmed.utf8.count)")
    }
    let isPrintable = trimmed.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
      default: true
      }
    }
    guard isPrintable else { throw .badArgument("\(what) cannot contain control characters") }
    return trimmed
  }
}
