public import Hardware
internal import Media

/// Takes packets out of the pipe and makes the take's file of them, so that it is playable at every instant.
///
/// A fragment is written every 0.2 s of sound and made durable at once. Whatever the storage does, the steps
/// can be repeated: a stall loses nothing, a full card ends the take with what is on it. Storage worker only.
public final class TakeStorer {
  /// What the storer tells the control loop.
  public enum Event: Sendable {
    case started(id: String, sampleRate: Int, preRecordedFrames: Int)
    /// The storage takes no more sound; the take must end. `full` or an I/O error's sentence.
    case refused(TakeStopReason, text: String)
    /// Complete and durable.
    case saved(id: String, frames: Int, sampleRate: Int, reason: TakeStopReason, bytes: Int)
    /// The metadata of the take just saved could not be written.
    case unnoted(TakeStopReason, text: String)
    /// No file could be made, or completed.
    case failed(code: String, text: String)
  }

  private enum Stage {
    case idle
    /// The file is still to be made.
    case creating(TakeOpening)
    /// It exists, its header is still to be written.
    case opening(StoredTake)
    case open(StoredTake)
    /// An order is still to be carried out on the open take.
    case ordered(StoredTake, TakeOrder)
    /// The storage refused; sound is thrown away until the end comes.
    case refused(StoredTake, TakeStopReason)
    case finishing(StoredTake, TakeEnding)
    case completing(StoredTake, TakeEnding)
    /// Not a frame of sound came: nothing of it stays.
    case discarding
    /// No take came of it; everything up to its end is thrown away.
    case skipping
  }

  private let pipe: TakePipe
  private let store: any TakeStore
  private let report: (Event) -> Void
  private var stage = Stage.idle

  public init(pipe: TakePipe, store: any TakeStore, report: @escaping (Event) -> Void) {
    self.pipe = pipe
    self.store = store
    self.report = report
  }

  /// Whether a take is being written.
  public var isBusy: Bool { if case .idle = stage { false } else { true } }

  /// Writes everything that is in the pipe.
  ///
  /// - Returns: when to try again, if the storage stalls.
  public func step() -> Instant? {
    while true {
      do throws(StorageError) {
        guard try advance() else { return nil }
      } catch {
        if case .stalled(let until) = error.kind { return until }
        handle(error)
      }
    }
  }

  /// One piece of work; false when the pipe is empty.
  private func advance() throws(StorageError) -> Bool {
    switch stage {
    case .idle: return takeNextOpening()
    case .creating(let opening): try create(opening)
    case .opening(var take):
      try take.begin()
      stage = .open(take)
      report(
        .started(
          id: take.id, sampleRate: take.opening.pcm.sampleRate, preRecordedFrames: take.opening.preRecordedFrames))
    case .open(let take): return try write(take)
    case .ordered(let take, let order):
      try carryOut(order)
      stage = .open(take)
    case .refused(let take, let reason): return skipToEnd(of: take, reason)
    case .finishing(let take, let ending) where ending.frames == 0:
      take.close()
      stage = .discarding
    case .finishing(var take, let ending):
      stage = .completing(try take.finish(ending), ending)
    case .completing(let take, let ending): try complete(take, ending)
    case .discarding: try discard()
    case .skipping: return skipToEnd()
    }
    return true
  }

  private func takeNextOpening() -> Bool {
    guard let item = pipe.next() else { return false }
    if case .order(.begin(let opening)) = item { stage = .creating(opening) }
    return true
  }

  private func create(_ opening: TakeOpening) throws(StorageError) {
    let place = try store.begin(opening)
    stage = .opening(StoredTake(place, opening: opening))
  }

  private func write(_ open: StoredTake) throws(StorageError) -> Bool {
    var take = open
    // The state is kept whatever is thrown: the container holds on to what it could not write.
    defer { if case .open = stage { stage = .open(take) } }
    try take.flushIfDue(hasMore: pipe.queuedBytes > 0)
    guard let item = pipe.next() else { return false }
    switch item {
    case .packet(let frames): take.append(pipe.packet, frames: frames)
    case .order(.end(let ending)): stage = .finishing(take, ending)
    case .order(let order):
      if case .mark(let frame, let title) = order { take.mark(frame: frame, title: title) }
      stage = .ordered(take, order)
    }
    return true
  }

  private func carryOut(_ order: TakeOrder) throws(StorageError) {
    switch order {
    case .mark(let frame, let title): try store.addMark(frame: frame, title: title)
    case .gap(let frame, let frames, let reason): try store.addGap(frame: frame, frames: frames, reason: reason)
    case .begin, .end: break
    }
  }

  private func complete(_ take: StoredTake, _ ending: TakeEnding) throws(StorageError) {
    var kept = ending
    kept.frames = take.keptFrames(of: ending)
    try store.complete(kept, fileBytes: take.bytes)
    stage = .idle
    report(
      .saved(
        id: take.id, frames: kept.frames, sampleRate: take.opening.pcm.sampleRate, reason: ending.reason,
        bytes: take.bytes))
  }

  private func discard() throws(StorageError) {
    try store.discard()
    stage = .idle
    report(.failed(code: "empty", text: "no take was made: it ended before its first sound"))
  }

  private func skipToEnd(of take: StoredTake, _ reason: TakeStopReason) -> Bool {
    guard let item = pipe.next() else { return false }
    guard case .order(.end(var ending)) = item else { return true }
    ending.reason = reason
    stage = .finishing(take, ending)
    return true
  }

  private func skipToEnd() -> Bool {
    guard let item = pipe.next() else { return false }
    if case .order(.end) = item { stage = .idle }
    return true
  }

  /// The storage said no for good.
  private func handle(_ error: StorageError) {
    let isFull = error.kind == .full
    let reason: TakeStopReason = isFull ? .storageFull : .error
    let text = isFull ? "the storage is full; the take is kept up to here" : "\(error)"
    switch stage {
    case .idle, .skipping: break
    case .discarding:
      // An empty file stays behind; the next start removes it.
      stage = .idle
      report(.failed(code: "empty", text: "no take was made, and its empty file could not be removed: \(error)"))
    case .creating:
      stage = .skipping
      report(.failed(code: isFull ? "storage-full" : "internal", text: "no take was made: \(error)"))
    case .opening(let take), .open(let take):
      stage = .refused(take.refused(), reason)
      report(.refused(reason, text: text))
    case .ordered(let take, _):
      // A mark or gap that could not be noted must not end the take.
      stage = .open(take)
    case .refused, .finishing:
      // The tables did not fit even in the reserve: the file stays as fragments, playable; start-up completes it.
      guard case .finishing(let take, var ending) = stage else { return }
      take.close()
      if ending.reason != .storageFull { ending.reason = reason }
      stage = .completing(take.refused(), ending)
    case .completing(let take, let ending):
      // The sound is complete and listed; its notes are written as soon as the storage takes them.
      stage = .idle
      report(
        .saved(
          id: take.id, frames: take.keptFrames(of: ending), sampleRate: take.opening.pcm.sampleRate,
          reason: ending.reason, bytes: take.bytes))
      report(
        .unnoted(isFull ? .storageFull : .error, text: "the sound of \(take.id) is safe, its notes are not: \(error)"))
    }
  }
}
