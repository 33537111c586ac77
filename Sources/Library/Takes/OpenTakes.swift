internal import Hardware

/// Takes on their way from REC to STOP: their files, and what is known of them so far. Storage worker only.
///
/// Files of one take are written in such an order that a crash between any two writes leaves either the old or the new,
/// or something that recovery completes. After a stall the same call is made again.
final class OpenTakes {
  private let disk: Disk
  private let index: Index
  private let metadata: Metadata
  private let names: Names
  private let notices: Notices
  /// A take whose file exists and whose metadata could not be written yet because the medium stalled.
  private var pending: Pending?

  private struct Pending {
    var plan: FileMeta
    var name: TakeName
    var file: any StoredFile
  }

  init(disk: Disk, index: Index, metadata: Metadata, names: Names, notices: Notices) {
    self.disk = disk
    self.index = index
    self.metadata = metadata
    self.names = names
    self.notices = notices
  }

  func begin(
    _ plan: FileMeta, fileExtension: String, beside main: String?, author: String?
  ) throws(LibraryError) -> (meta: FileMeta, file: any StoredFile) {
    if let unused = pending, unused.plan != plan {
      pending = nil
      unused.file.close()
      try notices.attempt("An unused file stays behind") { () throws(LibraryError) in
        try disk.removeIfPresent(TakePath.sound(unused.name.file))
      }
    }
    let new: Pending
    if let pending { new = pending } else { new = try createFile(plan, fileExtension, beside: main, author) }
    pending = new
    let id = new.name.file
    var meta = plan
    meta.id = id
    meta.displayName = new.name.stem
    meta.session = new.name.number
    meta.inProgress = true
    do {
      try metadata.write(meta, id: id, withBackup: false)
    } catch {
      if error.stalledUntil == nil {
        // No take without metadata: give the name back as if nothing had been.
        pending = nil
        new.file.close()
        do { try disk.removeIfPresent(TakePath.sound(id)) } catch {
          notices.warn("\(id) stays behind, empty: \(error)")
        }
      }
      throw error
    }
    pending = nil
    metadata.setOpen(id, meta)
    index.show(TakeRecord(meta, id: id, sound: nil, sidecar: nil, verified: false))
    return (meta, new.file)
  }

  func update(_ id: String, _ meta: FileMeta) throws(LibraryError) {
    guard let current = metadata.ofOpen(id) else { throw .notFound(id) }
    var merged = Self.merge(meta, edited: current)
    merged.inProgress = true
    try replace(id, merged)
  }

  /// Adds a mark, which is not written yet.
  func mark(_ id: String, _ mark: Bookmark) throws(LibraryError) {
    guard let old = metadata.ofOpen(id) else { throw .notFound(id) }
    var meta = old
    meta.put(mark)
    try Self.check(meta, after: old)
    know(id, meta)
  }

  /// Writes what marks were added; what cannot be written waits for the end of the take.
  func keepMarks(_ id: String) throws(LibraryError) {
    guard let meta = metadata.ofOpen(id) else { throw .notFound(id) }
    try metadata.write(meta, id: id, withBackup: false)
  }

  /// Replaces what is known of a take that is being recorded; what cannot be written waits for the end of the take.
  private func replace(_ id: String, _ meta: FileMeta) throws(LibraryError) {
    know(id, meta)
    try metadata.write(meta, id: id, withBackup: false)
  }

  private func know(_ id: String, _ meta: FileMeta) {
    metadata.setOpen(id, meta)
    index.show(TakeRecord(meta, id: id, sound: nil, sidecar: nil, verified: false))
  }

  /// What people say of it: kept on return, or nothing has changed.
  func edit(_ id: String, from old: FileMeta, to new: FileMeta) throws(LibraryError) {
    try Self.check(new, after: old)
    do throws(LibraryError) { try replace(id, new) } catch {
      if error.stalledUntil == nil { know(id, old) }
      throw error
    }
  }

  /// Whether there is room for more marks, so that the end of the take can be written, too.
  private static func check(_ new: FileMeta, after old: FileMeta) throws(LibraryError) {
    let weight = new.weightOfMarks
    guard weight > FileMeta.heaviestMarks, weight > old.weightOfMarks else { return }
    throw .badArgument("\(new.id) has \(old.bookmarks.count) marks: there is no room for more until it is saved")
  }

  /// - Parameter isUnfinished: its file could not be completed; its notes say `inProgress` until it is.
  func complete(_ id: String, _ meta: FileMeta, isUnfinished: Bool) throws(LibraryError) -> FileMeta {
    guard let current = metadata.ofOpen(id) else { throw .notFound(id) }
    var final = Self.merge(meta, edited: current)
    final.inProgress = isUnfinished
    if isUnfinished { metadata.keepUnfinished(id) }
    // Marks of sound that the storage did not take any more: the take ends before them.
    let end = Double(final.frames) / Double(max(1, final.audio.sampleRate))
    for index in final.bookmarks.indices where final.bookmarks[index].time > end {
      final.bookmarks[index].time = end
      final.bookmarks[index].frame = final.frames
    }
    let found: StorageEntry?
    do {
      found = try disk.entry(TakePath.sound(id))
    } catch {
      // What cannot be looked at now is there all the same.
      if error.stalledUntil == nil { wait(id, final, nil) }
      throw error
    }
    guard let sound = found else {
      if let absence = disk.absence {
        // Nobody has removed it: it is wherever all the rest is, and its notes wait for that.
        wait(id, final, nil)
        throw .storage(absence)
      }
      metadata.close(id)
      index.hide(id)
      throw .notFound(TakePath.sound(id))
    }
    final.setLength(frames: final.frames, fileSizeBytes: sound.size)
    let sidecar: StorageEntry?
    do {
      sidecar = try metadata.write(final, id: id, withBackup: true)
    } catch {
      if error.stalledUntil == nil { wait(id, final, sound) }
      throw error
    }
    try notices.attempt("The directory could not be synced") { () throws(LibraryError) in
      try disk.syncDirectory(TakePath.recordings)
    }
    try index.enter(TakeRecord(final, id: id, sound: sound, sidecar: sidecar, verified: !isUnfinished))
    try names.keep()
    metadata.close(id)
    return final
  }

  /// It has ended, and its notes are written as soon as the storage takes them; it is listed with them.
  private func wait(_ id: String, _ meta: FileMeta, _ sound: StorageEntry?) {
    metadata.close(id)
    metadata.keepWaiting(id, meta)
    index.show(TakeRecord(meta, id: id, sound: sound, sidecar: nil, verified: !meta.inProgress))
  }

  func discard(_ id: String) throws(LibraryError) {
    guard metadata.isOpen(id) else { throw .notFound(id) }
    do throws(LibraryError) {
      try names.keep()
      // The sound last: without metadata an empty file is a leftover, metadata without sound would be a puzzle.
      try disk.removeIfPresent(TakePath.sidecar(id))
      try disk.removeIfPresent(ProofName.of(TakePath.sound(id)))
      try disk.removeIfPresent(TakePath.sound(id))
    } catch {
      // What stays behind is for the next start: nothing is recorded any more, and what waits for that may go on.
      if error.stalledUntil == nil {
        metadata.close(id)
        index.hide(id)
      }
      throw error
    }
    metadata.close(id)
    index.hide(id)
  }

  /// Creates a file under the next free number, or that of the take that it is to lie beside. Nothing that exists is
  /// touched.
  private func createFile(
    _ plan: FileMeta, _ fileExtension: String, beside main: String?, _ author: String?
  ) throws(LibraryError) -> Pending {
    if let main {
      guard var name = TakeName(main) else { throw .notFound(main) }
      name.isSafety = true
      guard let new = try createFile(plan, name) else { throw .badArgument("there is a \(name.file) already") }
      return new
    }
    return try names.give(createdAt: plan.createdAt, fileExtension: fileExtension, author: author) {
      name throws(LibraryError) in try createFile(plan, name)
    }
  }

  private func createFile(_ plan: FileMeta, _ name: TakeName) throws(LibraryError) -> Pending? {
    // Metadata may lie about without its sound, or for a sound of another format.
    guard try disk.entry(TakePath.sidecar(name.file)) == nil, try disk.entry(TakePath.backup(name.file)) == nil
    else { return nil }
    do throws(LibraryError) {
      return Pending(plan: plan, name: name, file: try disk.create(TakePath.sound(name.file)))
    } catch {
      guard error.storageKind == .alreadyExists else { throw error }
      return nil
    }
  }

  /// The recorder's metadata with what people have set meanwhile.
  private static func merge(_ meta: FileMeta, edited: FileMeta) -> FileMeta {
    var merged = meta
    merged.id = edited.id
    merged.displayName = edited.displayName
    merged.userTags = edited.userTags
    merged.favourite = edited.favourite
    merged.isProtected = edited.isProtected
    merged.custom = edited.custom
    merged.bookmarks = edited.bookmarks
    for mark in meta.bookmarks where !edited.bookmarks.contains(where: { $0.id == mark.id }) { merged.put(mark) }
    return merged
  }
}
