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
  private let origin: Origin
  private let takes: TakeRecovery
  private let sounds: SoundRepair
  private let clips: ClipRecovery
  /// Two starts have ended with the same file in hand, though another process found nothing in it.
  private var isCertain = false
  /// False: the library is left alone, and the note of the starts that died stays for now.
  private(set) var isExamining = true

  init(
    disk: Disk, names: Names, queue: RecoveryQueue, log: RecoveryLog, note: ExaminationNote, origin: Origin,
    takes: TakeRecovery, sounds: SoundRepair, clips: ClipRecovery
  ) {
    self.origin = origin
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
  ///
  /// - Parameter isCertain: two starts have ended with the file in hand that the plan suspects.
  func begin(_ plan: RecoveryPlan?, sentences: [String], isCertain: Bool = false) {
    self.isCertain = isCertain
    queue.removeAll()
    for item in plan?.items ?? [] { queue.add(item) }
    for id in plan?.trusted ?? [] { log.trust(id) }
    log.begin(known: plan?.well.count { !$0.isNoTake } ?? 0, sentences: sentences)
    isExamining = plan != nil
    if plan == nil { log.count { $0.isFinished = true } }
  }

  /// Looks at what is new, too. What is left over and in the trash may be of the work in hand, and is for the next start.
  func goOn(with plan: RecoveryPlan) {
    for id in plan.trusted { log.trust(id) }
    for item in plan.items {
      switch item {
      case .take, .look, .renumber, .clipPart: queue.add(item)
      default: break
      }
    }
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
    case .finishSalvage(let id): if try origin.isOwnSalvage(id) { try sounds.finishSalvage(id) }
    case .discard(let path):
      guard try isOurs(path) else { break }
      try names.keep()
      try disk.removeIfPresent(path)
      log.count { $0.leftoversRemoved += 1 }
    case .restore(let name, let path): try disk.moveIfPresent(Trash.path(name), to: path)
    case .take(let id): return try takes.examine(id, thoroughly: false)
    case .inspect(let id): return try takes.examine(id, thoroughly: true)
    case .look(let path):
      guard let id = TakePath.id(path) else { return try clips.look(at: ClipPath.name(path)) }
      return try takes.examine(id, thoroughly: true)
    case .renumber(let sidecar, let ids): try takes.renumber(ids, sharing: sidecar)
    case .clipPart(let id): return try clips.complete(id)
    case .clipReceipt(let id): return try clips.settleReceipt(id)
    case .ringPiece(let piece): try clips.adopt(piece)
    case .orphan(let name): if try origin.isOwnOrphan(name) { try sounds.setAsideOrphan(name) }
    case .orphanReceipt(let name): if try origin.isOwnReceipt(name) { try clips.removeReceipt(name) }
    case .suspected(let item): return try examineApart(item)
    case .leftover(let path):
      guard try origin.isLeftover(path) else { break }
      try disk.removeIfPresent(path)
      log.note("\(path) was a leftover of an interrupted write and was removed.")
      log.count { $0.leftoversRemoved += 1 }
    }
    return true
  }

  /// Has another process look at what the last start may have died of. What that comes back from is no danger, whatever a
  /// note on the card says, and is examined as ever; what it dies of goes to `_Corrupted/`, if it is the device's; and what
  /// it does not come to an end with is left unread by this start.
  private func examineApart(_ item: RecoveryItem) throws(LibraryError) -> Bool {
    guard let path = item.examined, try disk.entry(path) != nil else {
      queue.add(item)
      return true
    }
    guard sounds.examinesApart, !isCertain else {
      try leaveUnread(item)
      return true
    }
    guard let found = try sounds.look(at: path) else { return false }
    guard case .unanswered(let reason, let died) = found else {
      queue.add(item)
      return true
    }
    switch item {
    case .take(let id), .inspect(let id):
      if died, try origin.isOwn(id) { try takes.setAside(id, reason: reason) } else { try leaveUnread(item) }
    case .clipPart(let id):
      if died, try origin.isOwnPart(id) { try clips.setAside(id, reason: reason) } else { try leaveUnread(item) }
    default: try leaveUnread(item)
    }
    return true
  }

  private func leaveUnread(_ item: RecoveryItem) throws(LibraryError) {
    guard let path = item.examined else { return }
    log.note("\(path): the last start ended while it was looked at; this one leaves it unread, where it is.")
    if let id = TakePath.id(path) { try takes.listUnread(id) }
  }

  /// Whether a file that a delete may have left is the device's.
  private func isOurs(_ path: String) throws(LibraryError) -> Bool {
    let (folder, name) = path.pathParts
    guard folder != Trash.directory else { return true }
    guard TakeName.isOurs(name) else { return try Receipts(disk).isOwn(path) }
    guard Sidecar.isOne(name) else { return true }
    return folder == ClipPath.clips ? try origin.isOwnReceipt(name) : try origin.isOwnOrphan(name)
  }

  /// A take that cannot be mended is at least listed, as far as it can be understood without writing.
  private func fallBack(on item: RecoveryItem, after error: LibraryError) throws(LibraryError) {
    switch item {
    case .look(let path) where TakePath.id(path) == nil:
      log.note("\(path) could not be looked at (\(error)).")
    case .take(let name), .inspect(let name), .look(let name):
      let id = TakePath.id(name) ?? name
      log.note("\(id) could not be checked and stays as it is (\(error)).")
      try takes.listUnchecked(id)
    case .renumber(_, let ids):
      for id in ids {
        log.note("\(id) shares its number with another take (\(error)).")
        try takes.listUnchecked(id)
      }
    case .suspected(let item): try fallBack(on: item, after: error)
    case .finishSalvage(let name), .discard(let name), .restore(let name, _), .clipPart(let name),
      .clipReceipt(let name), .ringPiece(let name), .orphan(let name), .orphanReceipt(let name), .leftover(let name):
      log.note("\(name) could not be dealt with and stays as it is (\(error)).")
    }
  }
}
