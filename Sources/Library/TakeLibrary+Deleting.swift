public import Hardware

extension TakeLibrary {
  /// How long a delete can be undone.
  public static let undoTime: Duration = .seconds(10)

  /// Moves a take to the trash, from where `undelete` brings it back until the next delete or for 10 s. What was in the
  /// trash goes for good. After a stall call again with the same id.
  public func delete(_ id: String, now: Instant) throws(LibraryError) {
    if trash?.record.id != id || trash?.isMoving == false {
      guard active[id] == nil else { throw .busy(id) }
      guard let record = index[id] else { throw .notFound(id) }
      try finishDelete()
      try emptyTrash()
      trash = TrashedTake(record: record, expires: now + Self.undoTime, isMoving: true)
    }
    try finishDelete()
  }

  /// Brings the last deleted take back. After a stall call again.
  ///
  /// - Returns: its id.
  @discardableResult
  public func undelete() throws(LibraryError) -> String {
    try finishDelete()
    guard let trashed = trash else { throw .notFound("A deleted take that could be brought back") }
    let id = trashed.record.id
    // The sound first: see `planTrash`.
    try disk.moveIfPresent(TakePath.trashed(id), to: TakePath.sound(id))
    try disk.moveIfPresent(TakePath.trashed(TakePath.sidecarName(id)), to: TakePath.sidecar(id))
    try disk.moveIfPresent(TakePath.trashed("\(TakePath.sidecarName(id)).bak"), to: TakePath.backup(id))
    try enter(trashed.record)
    trash = nil
    return id
  }

  /// The id of the take that `undelete` would bring back.
  public var undoable: String? { trash.flatMap { $0.isMoving ? nil : $0.record.id } }

  /// Removes what is in the trash for good. After a stall call again.
  public func emptyTrash() throws(LibraryError) {
    try finishDelete()
    guard let trashed = trash else { return }
    let id = trashed.record.id
    try keepCounter()
    for name in [TakePath.sidecarName(id), "\(TakePath.sidecarName(id)).bak", id] {
      try attempt("\(TakePath.trashed(name)) could not be removed") { () throws(LibraryError) in
        try disk.removeIfPresent(TakePath.trashed(name))
      }
    }
    trash = nil
    isPaused = false
  }

  /// Moves what has not been moved yet of the take being deleted.
  func finishDelete() throws(LibraryError) {
    guard let trashed = trash, trashed.isMoving else { return }
    let id = trashed.record.id
    let names = [id, TakePath.sidecarName(id), "\(TakePath.sidecarName(id)).bak"]
    do {
      for name in names { try moveToTrash(name) }
    } catch {
      if error.stalledUntil == nil {
        // Not half a take in each place: bring back what has been moved.
        for name in names {
          do { try disk.moveIfPresent(TakePath.trashed(name), to: "\(TakePath.recordings)/\(name)") } catch {
            warn("\(name) stays in the trash: \(error)")
          }
        }
        trash = nil
      }
      throw error
    }
    try attempt("The catalogue will be made anew") { () throws(LibraryError) in
      try catalogue.append(.remove(id))
    }
    index.remove(id)
    unsaved[id] = nil
    trash?.isMoving = false
    isPaused = false
  }

  private func moveToTrash(_ name: String) throws(LibraryError) {
    let source = "\(TakePath.recordings)/\(name)"
    do {
      try disk.moveIfPresent(source, to: TakePath.trashed(name))
    } catch {
      // Of an earlier delete that could not be emptied, and due to go anyway.
      guard error.storageKind == .alreadyExists else { throw error }
      try disk.removeIfPresent(TakePath.trashed(name))
      try disk.moveIfPresent(source, to: TakePath.trashed(name))
    }
  }
}
