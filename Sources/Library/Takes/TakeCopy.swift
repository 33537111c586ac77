internal import Hardware

/// A take that is being copied, a piece at a time: another take of the same sound, with what is known of it. Storage lane
/// only.
///
/// The sound is durable under a temporary name before its notes are written, and gets its own name last: a power cut leaves
/// the whole copy or none.
public final class TakeCopy: @unchecked Sendable {
  private let source: String
  private let disk: Disk
  private let index: Index
  private let metadata: Metadata
  private let names: Names
  private let chapters: Chapters
  private var work: Work?

  private struct Work {
    let name: TakeName
    /// The source as it was at the beginning.
    let before: StorageEntry
    let from: any StoredFile
    /// Nil once it is complete.
    var to: (any StoredFile)?
    var meta: FileMeta
    var copied = 0
    /// The notes of the copy, once they are written.
    var sidecar: StorageEntry?

    var temporary: String { TakePath.sound(name.file) + ".tmp" }
  }

  private static let piece = 256 << 10
  /// As much is made durable at a time: one sync of a gigabyte would keep the take that is being recorded waiting.
  private static let synced = 1 << 20
  /// What has to be left beside the sound, for its notes.
  private static let margin = 1 << 20

  init(_ source: String, disk: Disk, index: Index, metadata: Metadata, names: Names, chapters: Chapters) {
    self.source = source
    self.disk = disk
    self.index = index
    self.metadata = metadata
    self.names = names
    self.chapters = chapters
  }

  deinit { close() }

  /// Bytes that are copied, and of how many.
  public var progress: (done: Int, total: Int) { (work?.copied ?? 0, work?.before.size ?? 0) }

  /// Does the next piece of the work. After a stall call again.
  ///
  /// - Returns: what is known of the new take when it is there; `nil` while there is more to be done.
  public func step() throws(LibraryError) -> FileMeta? {
    do throws(LibraryError) {
      // The chapters of the source are not to be written anew while it is read.
      chapters.postpone()
      guard let work else {
        try begin()
        return nil
      }
      if work.copied < work.before.size {
        try copyPiece()
        return nil
      }
      return try finish()
    } catch {
      if error.stalledUntil == nil { giveUp() }
      throw error
    }
  }

  /// Leaves nothing of a copy that has not been finished.
  public func giveUp() {
    guard let work else { return }
    close()
    self.work = nil
    // What stays goes at the next start.
    for path in [TakePath.sidecar(work.name.file), TakePath.backup(work.name.file), work.temporary] {
      try? disk.removeIfPresent(path)
    }
  }

  private func begin() throws(LibraryError) {
    guard let record = index[source] else { throw .notFound(source) }
    guard !metadata.isOpen(source) else { throw .busy(source) }
    guard TakeName.isOurs(source), !record.isPending, !record.isUnreadable else {
      throw .badArgument("\(source) was not made by the device, which copies only its own takes; copy it on a computer")
    }
    let count = index.parts(with: source).count
    guard count == 1 else {
      throw .badArgument("\(source) is one of \(count) files of a take; the device copies only takes of one file")
    }
    var meta = try metadata.read(source)
    guard let before = try disk.entry(TakePath.sound(source)) else { throw .notFound(source) }
    let free = try disk.space().free
    guard free >= before.size + Self.margin else {
      throw .storage(
        StorageError(
          .full, operation: "be copied: it has \(before.size) bytes and \(max(0, free)) are free", path: source))
    }
    let from = try disk.open(TakePath.sound(source), writable: false)
    do throws(LibraryError) {
      let (name, to) = try create(createdAt: meta.createdAt, TakeName.split(source).suffix)
      let shown = meta.displayName == TakeName.split(source).stem ? "Take \(record.session)" : meta.displayName
      meta.displayName = Self.name(ofCopy: shown)
      meta.id = name.file
      meta.session = name.number
      meta.isProtected = false
      work = Work(name: name, before: before, from: from, to: to, meta: meta)
    } catch {
      from.close()
      throw error
    }
  }

  private func create(
    createdAt: WallTime, _ suffix: String
  ) throws(LibraryError) -> (TakeName, any StoredFile) {
    try names.give(createdAt: createdAt, fileExtension: String(suffix.dropFirst())) {
      name throws(LibraryError) -> (TakeName, any StoredFile)? in
      for path in [TakePath.sound(name.file), TakePath.sidecar(name.file), TakePath.backup(name.file)]
      where try disk.entry(path) != nil { return nil }
      do throws(LibraryError) { return (name, try disk.create(TakePath.sound(name.file) + ".tmp")) } catch {
        guard error.storageKind == .alreadyExists else { throw error }
        return nil
      }
    }
  }

  /// Longer names are cut where a character ends, and say so.
  private static func name(ofCopy name: String) -> String {
    var name = name
    guard name.utf8.count > Library.longestName - 5 else { return name + " copy" }
    while name.utf8.count > Library.longestName - 8 { name.removeLast() }
    return name + "… copy"
  }

  private func copyPiece() throws(LibraryError) {
    guard var work, let to = work.to else { return }
    let wanted = min(Self.piece, work.before.size - work.copied)
    var bytes = [UInt8](repeating: 0, count: wanted)
    let count = try disk.read(into: &bytes, from: work.from, at: work.copied)
    guard count > 0 else { throw changed }
    if count < wanted { bytes.removeLast(wanted - count) }
    try disk.write(bytes, to: to, at: work.copied)
    work.copied += count
    self.work = work
    if work.copied % Self.synced == 0 { try disk.sync(to) }
  }

  private func finish() throws(LibraryError) -> FileMeta {
    guard var work else { throw .notFound(source) }
    let id = work.name.file
    if let to = work.to {
      // Somebody has changed what was being read.
      if let now = try disk.entry(TakePath.sound(source)), now != work.before { throw changed }
      try disk.sync(to)
      try disk.syncDirectory(TakePath.recordings)
      to.close()
      work.to = nil
      self.work = work
    }
    if work.sidecar == nil {
      work.sidecar = try metadata.write(work.meta, id: id, withBackup: true)
      self.work = work
    }
    try disk.moveIfPresent(work.temporary, to: TakePath.sound(id))
    let sound = try disk.entry(TakePath.sound(id))
    try index.enter(TakeRecord(work.meta, id: id, sound: sound, sidecar: work.sidecar, verified: true))
    try names.keep()
    close()
    self.work = nil
    return work.meta
  }

  private var changed: LibraryError {
    .cancelled("\(source) has been changed while it was copied: nothing of the copy stays; copy it again")
  }

  private func close() {
    work?.from.close()
    work?.to?.close()
  }
}
