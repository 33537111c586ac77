internal import Hardware

/// The work that waits, a piece at a time: recovery, the trash when its time is over, metadata and dates that could not be
/// written before, files that could not be completed, chapters, the catalogue when it has grown. Storage worker only.
final class Upkeep {
  private let state: StateStore
  private let trash: Trash
  private let deleting: Deleting
  private let index: Index
  private let metadata: Metadata
  private let dates: TakeDates
  private let chapters: Chapters
  private let queue: RecoveryQueue
  private let note: ExaminationNote
  private let recovery: Recovery
  private let takes: TakeRecovery
  private let requested: RequestedRepair
  private let notices: Notices
  /// Something could not be written; not tried again before then, or before something else has changed.
  private var pausedUntil: Instant?
  /// Takes that the storage would not let be written or completed: all the rest goes before them, until then.
  private var putOff: (takes: Set<String>, until: Instant?) = ([], nil)
  /// How long the next such take is put off.
  private var patience = Upkeep.pause
  /// When chapters are written next.
  private var chaptersDue: Instant?

  /// How long it rests after a failure.
  private static let pause = Duration.seconds(5)
  private static let longestPatience = Duration.seconds(60)

  init(
    state: StateStore, trash: Trash, deleting: Deleting, index: Index, metadata: Metadata, dates: TakeDates,
    chapters: Chapters, queue: RecoveryQueue, note: ExaminationNote, recovery: Recovery, takes: TakeRecovery,
    requested: RequestedRepair, notices: Notices
  ) {
    self.state = state
    (self.trash, self.deleting, self.index, self.metadata) = (trash, deleting, index, metadata)
    (self.dates, self.chapters, self.queue, self.note) = (dates, chapters, queue, note)
    (self.recovery, self.takes, self.requested, self.notices) = (recovery, takes, requested, notices)
  }

  /// Something has changed: what could not be written is tried again.
  func resume() {
    pausedUntil = nil
    putOff = ([], nil)
    patience = Self.pause
  }

  /// Does one piece. While a take is being recorded it leaves the storage alone as far as it can.
  ///
  /// - Returns: when to be called again, if nothing else happens.
  func step(now: Instant) -> Instant? {
    do {
      if let until = pausedUntil, now >= until { pausedUntil = nil }
      if let until = putOff.until, now >= until { putOff = ([], nil) }
      if try advance(now: now) { return now }
    } catch {
      if let until = error.stalledUntil { return until }
      let pause = now + Self.pause
      pausedUntil = pause
      notices.warn(error.description)
      // What is due and has failed is due still.
      return pause
    }
    // Dates wait for the end of what is being recorded, and for the pause: to come back for them sooner has no end.
    let dated = metadata.isRecording || pausedUntil != nil ? nil : dates.due
    return [trash.expires, pausedUntil, putOff.until, chaptersDue, dated].compactMap { $0 }.min()
  }

  /// - Returns: whether there was something to do.
  private func advance(now: Instant) throws(LibraryError) -> Bool {
    chaptersDue = nil
    try note.live(now)
    if note.hasLived { for sentence in try state.takeIn() { notices.warn(sentence) } }
    if trash.isMoving() {
      try deleting.finish()
      resume()
      return true
    }
    if let expires = trash.expires, now >= expires {
      try trash.doom()
      resume()
    }
    if try trash.emptyNext() { return true }
    if pausedUntil == nil, let id = metadata.waiting(but: putOff.takes) {
      try attempt(id, now) { () throws(LibraryError) in try takes.writeWaiting(id) }
      return true
    }
    if pausedUntil == nil, !metadata.isRecording, try dates.step(now: now) { return true }
    if requested.isUnderWay { return false }
    if try recovery.step(isRecording: metadata.isRecording) { return true }
    guard queue.next == nil, !metadata.isRecording, pausedUntil == nil else { return false }
    if let id = metadata.unfinished.filter({ index[$0] != nil && !putOff.takes.contains($0) }).min() {
      try attempt(id, now) { () throws(LibraryError) in try takes.finish(id) }
      return true
    }
    // A file that looks like ours may be a stranger's: a start that dies of it is to be known.
    chaptersDue = try chapters.step(now: now) { path throws(LibraryError) in try note.mark(path) { [] } }
    if chaptersDue == now { return true }
    return try index.tidy()
  }

  /// A take that cannot be written or completed holds up no other.
  private func attempt(_ id: String, _ now: Instant, _ work: () throws(LibraryError) -> Void) throws(LibraryError) {
    do throws(LibraryError) { try work() } catch {
      if error.stalledUntil != nil { throw error }
      notices.warn(error.description)
      putOff.takes.insert(id)
      putOff.until = now + patience
      patience = min(Self.longestPatience, patience * 2)
    }
  }
}
