public import Hardware
internal import Media

/// Takes clips out of the pipe and makes their files, so that each can be played at every instant.
///
/// A fragment is written for every half second and made durable at once. Whatever the storage does, the steps can be
/// repeated: a stall loses nothing, a full card ends a clip with what is on it. Storage lane only.
public final class ClipStorer {
  /// What the storer tells the control loop.
  public enum Event: Sendable {
    /// The file exists, under its temporary name.
    case started(clip: Int, id: String)
    /// Complete, durable and visible (`onCaptureCompleted`).
    case saved(ClipReceipt)
    /// The storage takes no more; give this to `ClipRecorder.abandon`. The clip ends with what is on it.
    case refused(clip: Int, reason: String, text: String)
    /// Nothing came of the clip, or its file could not be completed (recovery will try at the next start).
    case failed(clip: Int?, code: String, text: String)
    /// A snapshot is there: its path in the data directory.
    case picture(path: String)
  }

  private enum Stage {
    /// The file is still to be made.
    case creating(ClipOpening)
    /// It exists, its header is still to be written.
    case opening(StoredClip)
    case open(StoredClip)
    /// The storage refused; samples are thrown away until the end comes.
    case refused(StoredClip, reason: String)
    case finishing(StoredClip, ClipEnding, reason: String?)
    case completing(ClipReceipt)
    /// Nothing can be shown of it.
    case discarding(id: String)
    /// No clip came of it; everything up to its end is thrown away.
    case skipping
  }

  private let pipe: ClipPipe
  private let store: any ClipStore
  private let spool: any SpoolStore
  private let clock: any DeviceClock
  private let tell: (Event) -> Void
  /// Clips by number; few at a time.
  private var stages: [Int: Stage] = [:]
  /// The clip that has work of its own to do before the next item is taken.
  private var current: Int?
  private var snapshot: (bytes: [UInt8], takenAt: WallTime)?
  /// Clips that are pieces of the spool: nothing is told of them, unless the storage refuses them.
  private var spooled: Set<Int> = []
  private var clearsSpool = false

  public init(
    pipe: ClipPipe, store: any ClipStore, spool: any SpoolStore, clock: any DeviceClock,
    report: @escaping (Event) -> Void
  ) {
    self.spool = spool
    self.pipe = pipe
    self.store = store
    self.clock = clock
    tell = report
  }

  private func files(of number: Int) -> any ClipFiling { spooled.contains(number) ? spool : store }

  private func report(_ news: Event, of number: Int) {
    if case .refused = news { return tell(news) }
    if !spooled.contains(number) { tell(news) }
  }

  /// Whether a clip is being written.
  public var isBusy: Bool { stages.keys.contains { !spooled.contains($0) } || snapshot != nil }

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
    if let (bytes, takenAt) = snapshot {
      let name = try store.keepPicture(bytes, createdAt: takenAt)
      snapshot = nil
      tell(.picture(path: "clips/\(name)"))
      return true
    }
    if clearsSpool {
      try spool.clear()
      clearsSpool = false
      return true
    }
    if let number = current, let stage = stages[number] {
      try work(on: number, stage)
      return true
    }
    // What was appended last may make a fragment due, or a sync.
    for number in stages.keys.sorted() { try flush(number) }
    guard let item = pipe.next() else { return false }
    take(item)
    return true
  }

  private func flush(_ number: Int) throws(StorageError) {
    guard case .open(var clip) = stages[number] else { return }
    // The state is kept whatever is thrown: the container holds on to what it could not write. Meanwhile the clip is here
    // alone, lest its buffers be copied.
    stages[number] = .skipping
    defer { stages[number] = .open(clip) }
    failing = number
    try clip.flushIfDue(hasMore: pipe.queuedBytes > 0)
  }

  /// The clip that a thrown error is about.
  private var failing: Int?

  private func take(_ item: ClipPipe.Item) {
    switch item {
    case .picture(let number, let tick, let isKeyframe):
      guard case .open(var clip) = stages[number] else { return }
      // Without this the array of the container would be copied.
      stages[number] = .skipping
      clip.appendPicture(pipe.sample, tick: tick, isKeyframe: isKeyframe)
      stages[number] = .open(clip)
    case .sound(let number):
      guard case .open(var clip) = stages[number] else { return }
      stages[number] = .skipping
      clip.appendSound(pipe.sample)
      stages[number] = .open(clip)
    case .order(.begin(let opening)):
      stages[opening.clip] = .creating(opening)
      if opening.isSpool { spooled = spooled.filter { stages[$0] != nil }.union([opening.clip]) }
      current = opening.clip
    case .order(.end(let ending)): end(ending)
    case .order(.clearSpool): clearsSpool = true
    case .order(.snapshot(let order)): snapshot = picture(order).map { ($0, order.takenAt) }
    }
  }

  private func end(_ ending: ClipEnding) {
    switch stages[ending.clip] {
    case .open(let clip):
      stages[ending.clip] = clip.isEmpty ? .discarding(id: clip.id) : .finishing(clip, ending, reason: nil)
      current = ending.clip
    case .refused(let clip, let reason):
      stages[ending.clip] = clip.isEmpty ? .discarding(id: clip.id) : .finishing(clip, ending, reason: reason)
      current = ending.clip
    default: stages[ending.clip] = nil
    }
  }

  private func work(on number: Int, _ stage: Stage) throws(StorageError) {
    failing = number
    switch stage {
    case .creating(let opening):
      let (id, file) = try files(of: number).begin(
        createdAt: opening.description.createdAt, receipt: opening.receipt.document)
      stages[number] = .opening(StoredClip(id: id, file: file, opening: opening))
    case .opening(var clip):
      try clip.begin()
      stages[number] = .open(clip)
      current = nil
      report(.started(clip: number, id: clip.id), of: number)
    case .finishing(var clip, let ending, let reason):
      defer { if case .finishing = stages[number] { stages[number] = .finishing(clip, ending, reason: reason) } }
      try clip.finish(ending, reason: reason)
      var receipt = clip.receipt
      receipt.durableAt = clock.now
      receipt.anchors.append(ClipReceipt.Anchor(instant: receipt.durableAt, wall: clock.wallNow))
      stages[number] = .completing(receipt)
    case .completing(let receipt):
      try files(of: number).complete(receipt.id, receipt: receipt.document)
      close(number)
      report(.saved(receipt), of: number)
    case .discarding(let id):
      try files(of: number).discard(id)
      close(number)
      report(
        .failed(clip: number, code: "empty", text: "no clip was made: it ended before its first picture"), of: number)
    case .open, .refused, .skipping: current = nil
    }
  }

  private func close(_ number: Int) {
    stages[number] = nil
    if current == number { current = nil }
  }

  /// The storage said no for good.
  private func handle(_ error: StorageError) {
    let isFull = error.kind == .full
    let reason = isFull ? "storage-full" : "error"
    let code = isFull ? "storage-full" : "internal"
    if snapshot != nil {
      snapshot = nil
      return tell(.failed(clip: nil, code: code, text: "the picture was not kept: \(error)"))
    }
    if clearsSpool {
      // What is left over is looked at by the next start.
      clearsSpool = false
      return
    }
    guard let number = failing, let stage = stages[number] else { return }
    switch stage {
    case .creating:
      stages[number] = .skipping
      current = nil
      report(.failed(clip: number, code: code, text: "no clip was made: \(error)"), of: number)
      report(.refused(clip: number, reason: reason, text: "\(error)"), of: number)
    case .opening(var clip), .open(var clip):
      clip.refuse()
      stages[number] = .refused(clip, reason: reason)
      current = nil
      report(
        .refused(
          clip: number, reason: reason,
          text: isFull ? "the storage is full; the clip is kept up to here" : "\(error)"), of: number)
    case .finishing(let clip, _, _):
      // The tables did not fit even in the reserve: the file stays as fragments; the next start completes it.
      clip.close()
      files(of: number).abandon(clip.id)
      close(number)
      report(
        .failed(
          clip: number, code: code, text: "\(clip.id) is kept, and will be completed at the next start: \(error)"),
        of: number
      )
    case .completing(let receipt):
      files(of: number).abandon(receipt.id)
      close(number)
      report(
        .failed(clip: number, code: code, text: "\(receipt.id) is whole, and will appear at the next start: \(error)"),
        of: number)
    case .discarding:
      close(number)
      report(
        .failed(clip: number, code: "empty", text: "no clip was made, and its empty file stays: \(error)"), of: number)
    case .refused, .skipping: current = nil
    }
  }

  /// The JPEG of a snapshot: the camera's own, or decoded from its group and encoded again.
  private func picture(_ order: SnapshotOrder) -> [UInt8]? {
    guard let last = order.pictures.last else { return nil }
    if order.codec == .mjpeg { return JPEGTables.complete(last) }
    do throws(MediaError) {
      let decoder = try VideoDecoder(order.codec)
      var found: Picture?
      for bytes in order.pictures {
        var failure: MediaError?
        bytes.withUnsafeBytes { raw in
          do throws(MediaError) { try decoder.decode(raw) { found = $0 } } catch { failure = error }
        }
        if let failure { throw failure }
      }
      try decoder.finish { found = $0 }
      guard let found else {
        tell(.failed(clip: nil, code: "unsupported", text: "the picture was not kept: it could not be decoded"))
        return nil
      }
      return try JPEGEncoder.encode(found)
    } catch {
      tell(.failed(clip: nil, code: "internal", text: "the picture was not kept: \(error)"))
      return nil
    }
  }
}
