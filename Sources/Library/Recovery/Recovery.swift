internal import Hardware

/// Puts in order what the last run, a crash or another computer has left, a bounded piece at a time. Storage worker only.
///
/// What fails for good is reported and never stops the rest.
final class Recovery {
  private let disk: Disk
  private let names: Names
  private let queue: RecoveryQueue
  private let log: RecoveryLog
  private let takes: TakeRecovery
  private let sounds: SoundRepair
  private let clips: ClipRecovery

  init(
    disk: Disk, names: Names, queue: RecoveryQueue, log: RecoveryLog, takes: TakeRecovery, sounds: SoundRepair,
    clips: ClipRecovery
  ) {
    self.disk = disk
    self.names = names
    self.queue = queue
    self.log = log
    self.takes = takes
    self.sounds = sounds
    self.clips = clips
  }

  /// Begins with what a start has found.
  func begin(_ plan: RecoveryPlan, sentences: [String]) {
    queue.removeAll()
    for item in plan.items { queue.add(item) }
    for id in plan.trusted { log.trust(id) }
    log.begin(known: plan.well.count, sentences: sentences)
  }

  /// Does the most urgent piece.
  ///
  /// - Parameter isRecording: looking into sounds that are listed already waits until the open take is complete.
  /// - Returns: whether there was something to do now.
  func step(isRecording: Bool) throws(LibraryError) -> Bool {
    guard let item = queue.next else {
      log.count { $0.isFinished = true }
      return false
    }
    if case .inspect = item, isRecording { return false }
    do {
      try attend(to: item)
    } catch {
      if error.stalledUntil != nil { throw error }
      log.count { $0.failures += 1 }
      try fallBack(on: item, after: error)
    }
    queue.finish(item)
    log.publishNotes()
    return true
  }

  private func attend(to item: RecoveryItem) throws(LibraryError) {
    switch item {
    case .finishSalvage(let id): try sounds.finishSalvage(id)
    case .discard(let path):
      try names.keep()
      try disk.removeIfPresent(path)
      log.count { $0.leftoversRemoved += 1 }
    case .restore(let name, let path): try disk.moveIfPresent(Trash.path(name), to: path)
    case .take(let id): try takes.examine(id, thoroughly: false)
    case .inspect(let id): try takes.examine(id, thoroughly: true)
    case .renumber(let sidecar, let ids): try takes.renumber(ids, sharing: sidecar)
    case .clipPart(let id): try clips.complete(id)
    case .clipReceipt(let id): try clips.settleReceipt(id)
    case .ringPiece(let piece): try clips.adopt(piece)
    case .orphan(let name): try sounds.setAsideOrphan(name)
    case .orphanReceipt(let name): try clips.removeReceipt(name)
    case .leftover(let path):
      try disk.removeIfPresent(path)
      log.note("\(path) was a leftover of an interrupted write and was removed.")
      log.count { $0.leftoversRemoved += 1 }
    }
  }

  /// A take that cannot be mended is at least listed, as far as it can be understood without writing.
  private func fallBack(on item: RecoveryItem, after error: LibraryError) throws(LibraryError) {
    switch item {
    case .take(let id), .inspect(let id):
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
