/// Mends the take or clip that somebody asks for, in bounded pieces. Storage worker only.
final class RequestedRepair {
  private let disk: Disk
  private let index: Index
  private let metadata: Metadata
  private let queue: RecoveryQueue
  private let log: RecoveryLog
  private let note: ExaminationNote
  private let sounds: SoundRepair
  private let takes: TakeRecovery
  private let clips: ClipRecovery
  private let clipIndex: ClipIndex
  /// The take or clip in hand.
  private var underWay: String?

  init(
    disk: Disk, index: Index, metadata: Metadata, queue: RecoveryQueue, log: RecoveryLog, note: ExaminationNote,
    sounds: SoundRepair, takes: TakeRecovery, clips: ClipRecovery, clipIndex: ClipIndex
  ) {
    self.clips = clips
    self.clipIndex = clipIndex
    self.disk = disk
    self.index = index
    self.metadata = metadata
    self.queue = queue
    self.log = log
    self.note = note
    self.sounds = sounds
    self.takes = takes
  }

  /// Recovery waits, for there is one pair of hands.
  var isUnderWay: Bool { underWay != nil }

  /// Does a piece; call again with the same id while it gives nil.
  ///
  /// - Returns: sentences about what was done.
  func step(_ id: String) throws(LibraryError) -> [String]? {
    // One after the other, if several are asked for.
    if let other = underWay, other != id { return nil }
    underWay = nil
    guard !metadata.isOpen(id) else { throw .busy(id) }
    if try isClip(id) { return try stepClip(id) }
    // An id is a file name, never a path to somewhere else.
    guard !id.utf8.contains(UInt8(ascii: "/")), TakePath.isSound(id) || index[id] != nil else { throw .notFound(id) }
    if index[id] == nil, try disk.entry(TakePath.sound(id)) == nil, try disk.entry(TakePath.salvage(id)) == nil {
      throw .notFound(id)
    }
    if TakeName.isOurs(id), try metadata.file(TakePath.backup(id)).meta == nil,
      let meta = try metadata.file(TakePath.sidecar(id)).meta, !meta.inProgress
    {
      try metadata.write(meta, id: id, withBackup: true)
      log.note("The backup of \(id)'s metadata was written again.")
    }
    if TakeName.isOurs(id) || !sounds.examinesApart { try note.mark(TakePath.sound(id)) { [] } }
    guard try takes.examine(id, thoroughly: true) else {
      underWay = id
      return nil
    }
    if queue.next == nil { try note.finish() } else { try note.settle() }
    return log.drainNotes()
  }

  /// A clip that is listed, unless there is a take of its name.
  private func isClip(_ id: String) throws(LibraryError) -> Bool {
    guard clipIndex[id] != nil, index[id] == nil else { return false }
    return try disk.entry(TakePath.sound(id)) == nil
  }

  private func stepClip(_ id: String) throws(LibraryError) -> [String]? {
    if TakeName.isOurs(id) { try note.mark(ClipPath.clip(id)) { [] } }
    guard try clips.mend(id) else {
      underWay = id
      return nil
    }
    if queue.next == nil { try note.finish() } else { try note.settle() }
    return log.drainNotes()
  }
}
