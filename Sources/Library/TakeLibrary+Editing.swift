internal import Hardware

extension TakeLibrary {
  /// Longest display name, title or tag in bytes of UTF-8.
  public static let longestName = 200
  /// Longest note of a bookmark in bytes of UTF-8.
  public static let longestNote = 4000
  /// Most tags of a take.
  public static let mostTags = 64

  /// Gives a take another name for people. Its file keeps its own, which is its identity.
  ///
  /// - Parameter name: 1 to 200 bytes without control characters; blanks around it are dropped.
  @discardableResult
  public func rename(_ id: String, to name: String) throws(LibraryError) -> FileMeta {
    let name = try Self.validated(name, what: "A name")
    return try edit(id) { meta in meta.displayName = name }
  }

  /// Replaces a take's tags; equal ones (without regard to case) count once.
  @discardableResult
  public func setTags(_ id: String, _ tags: [String]) throws(LibraryError) -> FileMeta {
    guard tags.count <= Self.mostTags else {
      throw .badArgument("A take can have \(Self.mostTags) tags, not \(tags.count)")
    }
    var unique: [String] = []
    var seen: Set<String> = []
    for tag in tags {
      let tag = try Self.validated(tag, what: "A tag")
      if seen.insert(tag.lowercased()).inserted { unique.append(tag) }
    }
    return try edit(id) { meta in meta.userTags = unique }
  }

  @discardableResult
  public func setFavourite(_ id: String, _ favourite: Bool) throws(LibraryError) -> FileMeta {
    try edit(id) { meta in meta.favourite = favourite }
  }

  /// Keeps where playing stopped.
  ///
  /// - Parameter seconds: from the start of the take, 0 or more.
  @discardableResult
  public func updatePosition(_ id: String, _ seconds: Double) throws(LibraryError) -> FileMeta {
    guard seconds >= 0, seconds <= FileMeta.longestSeconds else {
      throw .badArgument("A position is 0 or more seconds, not \(seconds)")
    }
    return try edit(id, withBackup: false) { meta in meta.lastPlayedPosition = seconds }
  }

  /// Adds a mark, or replaces the one with the same id; marks stay in the order of time.
  @discardableResult
  public func addBookmark(_ id: String, _ bookmark: Bookmark) throws(LibraryError) -> FileMeta {
    guard bookmark.time >= 0, bookmark.time <= FileMeta.longestSeconds else {
      throw .badArgument("A mark's time is 0 or more seconds, not \(bookmark.time)")
    }
    var bookmark = bookmark
    bookmark.title = try bookmark.title.map { title throws(LibraryError) in
      try Self.validated(title, what: "A title")
    }
    if let note = bookmark.note, note.utf8.count > Self.longestNote {
      throw .badArgument("A note has at most \(Self.longestNote) bytes, not \(note.utf8.count)")
    }
    return try edit(id) { meta in
      meta.bookmarks.removeAll { $0.id == bookmark.id }
      meta.bookmarks.append(bookmark)
      meta.bookmarks.sort { ($0.time, $0.id) < ($1.time, $1.id) }
    }
  }

  /// Takes a mark away; one that is not there is fine.
  @discardableResult
  public func removeBookmark(_ id: String, bookmarkID: String) throws(LibraryError) -> FileMeta {
    try edit(id) { meta in meta.bookmarks.removeAll { $0.id == bookmarkID } }
  }

  /// Text that people typed: trimmed, not empty, not too long, nothing that would upset a terminal.
  private static func validated(_ text: String, what: String) throws(LibraryError) -> String {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { throw .badArgument("\(what) cannot be empty") }
    let trimmed = String(scalars[first...last])
    guard trimmed.utf8.count <= longestName else {
      throw .badArgument("\(what) has at most \(longestName) bytes, not \(trimmed.utf8.count)")
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
