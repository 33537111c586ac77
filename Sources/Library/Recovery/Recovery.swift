internal import Hardware

/// Puts in order what the last run, a crash or another computer has left, a bounded piece at a time. Storage worker only.
///
/// What fails for good is reported and never stops the rest.
final class Recovery {
  private let disk: Disk
  private let names: Names
  private let queue: RecoveryQueue
  private let log: RecoveryLog
  private let note: ExaminationNote
  private let takes: TakeRecovery
  private let sounds: SoundRepair
  private let clips: ClipRecovery
  /// False: the library is left alone, and the note of the starts that died stays for now.
  private var isExamining = true

  init(
    disk: Disk, names: Names, queue: RecoveryQueue, log: RecoveryLog, note: ExaminationNote, takes: TakeRecovery,
    sounds: SoundRepair, clips: ClipRecovery
  ) {
    self.disk = disk
    self.names = names
    self.queue = queue
    self.log = log
    self.note = note
    self.takes = takes
    self.sounds = sounds
    self.clips = clips
  }

  /// Begins with what a start has found; nil: nothing is examined, and the note of that stays.
  func begin(_ plan: RecoveryPlan?, sentences: [String]) {
    queue.removeAll()
    for item in plan?.items ?? [] { queue.add(item) }
    for id in plan?.trusted ?? [] { log.trust(id) }
    log.begin(known: plan?.well.count { !$0.isNoSound } ?? 0, sentences: sentences)
    isExamining = plan != nil
    if plan == nil { log.count { $0.isFinished = true } }
  }

  /// Does the most urgent piece, or a part of it that is bounded in time.
  ///
  /// - Parameter isRecording: looking into what is listed already waits until the open take is complete, unless somebody
  ///   has it before him.
  /// - Returns: whether there was something to do now.
  func step(isRecording: Bool) throws(LibraryError) -> Bool {
    guard let item = queue.next else {
      if isExamining { try note.finish() }
      if !log.report.isFinished {
        sounds.rest()
        log.count { $0.isFinished = true }
      }
      return false
    }
    switch item {
    case .inspect where isRecording, .look where isRecording && !queue.isNextWanted: return false
    default: break
    }
    try noteReading(of: item)
    do {
      guard try attend(to: item) else { return true }
    } catch {
      if error.stalledUntil != nil { throw error }
      log.count { $0.failures += 1 }
      try fallBack(on: item, after: error)
    }
    try note.settle()
    queue.finish(item)
    log.publishNotes()
    return true
  }

  /// What is read here may end the program; what is read apart may not.
  private func noteReading(of item: RecoveryItem) throws(LibraryError) {
    if case .look = item, sounds.examinesApart { return }
    guard let path = item.examined else { return }
    try note.mark(path) { queue.upcoming(ExaminationNote.batch).compactMap(\.examined) }
  }

  /// - Returns: whether it is done.
  private func attend(to item: RecoveryItem) throws(LibraryError) -> Bool {
    switch item {
    case .finishSalvage(let id): try sounds.finishSalvage(id)
    case .discard(let path):
      guard try isOurs(path) else { break }
      try names.keep()
      try disk.removeIfPresent(path)
      log.count { $0.leftoversRemoved += 1 }
    case .restore(let name, let path): try disk.moveIfPresent(Trash.path(name), to: path)
    case .take(let id): return try takes.examine(id, thoroughly: false)
    case .inspect(let id), .look(let id): return try takes.examine(id, thoroughly: true)
    case .renumber(let sidecar, let ids): try takes.renumber(ids, sharing: sidecar)
    case .clipPart(let id): return try clips.complete(id)
    case .clipReceipt(let id): return try clips.settleReceipt(id)
    case .ringPiece(let piece): try clips.adopt(piece)
    case .orphan(let name): try sounds.setAsideOrphan(name)
    case .orphanReceipt(let name): try clips.removeReceipt(name)
    case .leftover(let path):
      try disk.removeIfPresent(path)
      log.note("\(path) was a leftover of an interrupted write and was removed.")
      log.count { $0.leftoversRemoved += 1 }
    }
    return true
  }

  /// Whether a file that a delete may have left is the device's.
  private func isOurs(_ path: String) throws(LibraryError) -> Bool {
    guard !path.hasPrefix("\(Trash.directory)/"), let name = path.utf8.split(separator: UInt8(ascii: "/")).last else {
      return true
    }
    return TakeName.isOurs(String(Substring(name))) ? true : try Receipts(disk).isOwn(path)
  }

  /// A take that cannot be mended is at least listed, as far as it can be understood without writing.
  private func fallBack(on item: RecoveryItem, after error: LibraryError) throws(LibraryError) {
    switch item {
    case .take(let id), .inspect(let id), .look(let id):
      log.note("\(id) could not be checked and stays as it is (\(error)).")
      try takes.listUnchecked(id)
    case .renumber(_, let ids):
      for id in ids {
        log.note("\(id) shares its number with another take (\(error)).")
        try takes.listUnchecked(id)
      }
    case .finishSalvage(let name), .discard(let name), .restore(let name, _), .clipPart(let name),
      .clipReceipt(let name), .ringPiece(let name), .orphan(let name), .orphanReceipt(let name), .leftover(let name):
      log.note("\(name) could not be dealt with and stays as it is (\(error)).")
    }
  }
}
