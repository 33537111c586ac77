internal import Hardware

/// Takes and clips on their way into the trash and back, as the lists know them. Storage worker only.
final class Deleting {
  private let trash: Trash
  private let index: Index
  private let clipIndex: ClipIndex
  private let clips: ClipLibrary
  private let metadata: Metadata

  init(trash: Trash, index: Index, clipIndex: ClipIndex, clips: ClipLibrary, metadata: Metadata) {
    self.trash = trash
    self.index = index
    self.clipIndex = clipIndex
    self.clips = clips
    self.metadata = metadata
  }

  /// - Parameters:
  ///   - isClip: no take of this name is meant.
  ///   - joining: what is in the trash stays there, and comes back with it.
  func delete(_ id: String, isClip: Bool, joining: Bool, expires: Instant) throws(LibraryError) {
    if !trash.isMoving(id) {
      let whole = isClip ? id : index.parts(with: id).first?.id ?? id
      let item = try deletable(whole, isClip ? [] : index.files(with: whole), expires: expires)
      try finish()
      guard try trash.canMove(item) else {
        try forget(item)
        throw .notFound(id)
      }
      if !joining { trash.hasMany ? try trash.doom() : try trash.empty() }
      // What goes for good would take along what comes under its name.
      while trash.dooms(item), try trash.emptyNext() {}
      trash.put(item)
    }
    try finish()
  }

  /// Brings back what came into the trash last.
  ///
  /// - Returns: its id; nil if there is nothing.
  func undeleteNext() throws(LibraryError) -> String? {
    try finish()
    guard let item = try trash.takeOut() else { return nil }
    switch item.content {
    case .take(let parts): for part in parts { try index.enter(part) }
    case .clip(let record): clipIndex.enter(record)
    }
    trash.drop()
    return item.id
  }

  /// Moves what has not been moved yet, and takes it from the lists.
  func finish() throws(LibraryError) {
    guard let item = try trash.moveIn() else { return }
    try forget(item)
    trash.settle()
  }

  /// Takes it from the lists.
  private func forget(_ item: Trash.Item) throws(LibraryError) {
    switch item.content {
    case .take(let parts):
      for part in parts.reversed() {
        try index.forget(part.id)
        metadata.stopWaiting(part.id)
      }
    case .clip: clipIndex.forget(item.id)
    }
  }

  private func deletable(
    _ id: String, _ parts: [TakeRecord], expires: Instant
  ) throws(LibraryError) -> Trash.Item {
    guard !parts.contains(where: { metadata.isOpen($0.id) }), !clipIndex.isOpen(id) else { throw .busy(id) }
    if !parts.isEmpty {
      guard !parts.contains(where: \.isProtected) else { throw .protected(id) }
      let isOwn = TakeName.isOurs(id) && parts.first?.isForeign == false
      let hasNotes = isOwn ? true : try metadata.ofStranger(id) != nil
      return Trash.Item(id: id, content: .take(parts), expires: expires, hasNotes: hasNotes)
    }
    guard let clip = clips.summary(id), let record = clipIndex[id] else { throw .notFound(id) }
    guard !clip.isProtected else { throw .protected(id) }
    return Trash.Item(id: id, content: .clip(record), expires: expires, hasNotes: try clips.hasOwnReceipt(id))
  }
}

extension Library {
  /// Brings back, name, marks, receipt and all, what was deleted last, or what was left of that. After a stall call
  /// again.
  ///
  /// - Returns: the id of what was deleted last.
  @discardableResult
  public func undelete() throws(LibraryError) -> String {
    var last: String?
    while let id = try undeleteNext() { last = last ?? id }
    guard let last else { throw .nothingDeleted }
    return last
  }
}
