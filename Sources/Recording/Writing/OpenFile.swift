internal import Hardware
internal import JSON
internal import Media
internal import Proof
internal import Sealing

/// The file of a recording being written: its container, and when that is due to be flushed and synced. Storage lane only.
final class OpenFile {
  let id: String
  let opening: RecordingOpening
  private let place: RecordingPlace
  private var body: FileBody
  private let pace: Pace
  /// Seconds in fragments that are not synced yet.
  private var unsynced = 0.0
  /// Whether any of its media is durable.
  private(set) var isDurable = false
  /// Frames of sound that were in complete fragments at the last sync.
  private var syncedFrames = 0
  private var isRefused = false
  /// What goes to its end is being written.
  private(set) var isFinishing = false
  /// It has been told that nothing comes of it.
  var isToldLost = false
  /// The marks that go into a sealed file: what is written of its end is not written anew for others.
  private var lastMarks: [TakeMark]?

  /// How often it is written.
  private struct Pace {
    /// Least media in a fragment, seconds.
    var fragment: Double
    /// The first packet is not waited with.
    var isFirstAtOnce: Bool

    init(_ opening: RecordingOpening) {
      switch opening.kind {
      case .take, .safety:
        // The storage is woken for some 0.2 s of sound; a little less, for packets and periods have lengths of their own.
        fragment = 0.15
        isFirstAtOnce = true
      case .clip, .spool:
        // A bit less than half a second, for pictures have lengths of their own.
        fragment = opening.isSlow ? 0 : 0.45
        isFirstAtOnce = false
      }
    }
  }

  /// Most media that is written without a sync, seconds, while there is more in the pipe.
  private static let backlogSeconds = 0.5
  /// Most that is buffered, bytes: what comes in a burst is written in pieces.
  private static let bufferBytes = 1 << 20

  init(_ place: RecordingPlace, opening: RecordingOpening) {
    id = place.id
    self.place = place
    self.opening = opening
    pace = Pace(opening)
    var written = place
    if let proof = place.proof { written.file = proof.tap(place.file) }
    body = FileBody(written, opening)
  }

  /// Puts the header on the medium.
  func begin() throws(StorageError) {
    try body.begin()
    try place.file.sync()
    place.proof?.begin(holes: body.changing)
  }

  /// Writes what is signed. What the storage does not take waits, and costs the recording nothing.
  ///
  /// - Throws: stalls only.
  func keepProof() throws(StorageError) {
    do throws(StorageError) { try place.proof?.write() } catch {
      if case .stalled = error.kind { throw error }
    }
  }

  /// The next signed record is to name a mark or a gap.
  func note(mark frame: Int, title: String?) {
    var mark: JSONValue = ["frame": .integer(frame)]
    if let title { mark["title"] = .string(title) }
    place.proof?.note("marks", mark)
  }

  func note(_ gap: CaptureGap) {
    place.proof?.note(
      "gaps", ["frame": .integer(gap.frame), "frames": .integer(gap.frames), "reason": .string(gap.reason)])
  }

  func append(picture: UnsafeRawBufferPointer, tick: Int, delay: Int, isKeyframe: Bool) {
    body.append(picture: picture, tick: tick, delay: delay, isKeyframe: isKeyframe)
  }

  func append(sound: UnsafeRawBufferPointer) { body.append(sound: sound) }

  /// Writes a fragment if there is enough for one, and makes what was written durable.
  ///
  /// - Parameter hasMore: whether more waits in the pipe. Then one sync serves several fragments: a card whose syncs take
  ///   longer than the media of a fragment must not fall behind, and the past comes all at once.
  /// - Returns: whether its first media has become durable now.
  func flushIfDue(hasMore: Bool, _ clock: any DeviceClock) throws(StorageError) -> Bool {
    let buffered = body.bufferedSeconds
    let isFirst = pace.isFirstAtOnce && !isDurable
    if buffered > 0 && (isFirst || buffered >= pace.fragment) || body.bufferedBytes >= Self.bufferBytes {
      try body.flush()
      unsynced += buffered
    }
    place.sealed?.settle(to: body.settledBytes)
    guard unsynced > 0, !isDurable || !hasMore || unsynced >= Self.backlogSeconds else { return false }
    try place.file.sync()
    unsynced = 0
    syncedFrames = body.storedFrames
    place.proof?.settle(to: body.settledBytes, seconds: body.settledSeconds, at: clock.anchor)
    defer { isDurable = true }
    return !isDurable
  }

  /// Goes on after the storage refused to hold more: it ends with what was flushed.
  func refuse() {
    guard !isRefused else { return }
    isRefused = true
    body.dropBuffered()
  }

  /// Whether any of it can be shown or heard up to here.
  var hasBegun: Bool { opening.kind.isTake ? body.storedFrames > 0 : !body.isEmpty }

  /// Whether nothing can be shown or heard of it: of a refused one what is in the file counts, not what was to be.
  func isEmpty(_ ending: RecordingEnding) -> Bool { opening.kind.isTake ? kept(of: ending).frames == 0 : body.isEmpty }

  /// How it ends, of what is in the file.
  func kept(of ending: RecordingEnding) -> RecordingEnding {
    guard isRefused else { return ending }
    var kept = ending
    kept.frames = min(ending.frames, body.storedFrames)
    if opening.pictures != nil {
      kept.endTick = min(ending.endTick, body.storedTicks)
      let rate = opening.sound?.pcm.sampleRate ?? 0
      if rate > 0 {
        let shown = max(0, kept.endTick - opening.skippedTicks)
        kept.frames = min(kept.frames, shown * rate / PictureTrack.timescale)
        kept.endTick = min(kept.endTick, opening.skippedTicks + kept.frames * PictureTrack.timescale / rate)
      }
    }
    kept.adjustReceipt(opening)
    return kept
  }

  /// How a take ends whose file cannot be completed, of what can be played of it.
  ///
  /// - Parameter reason: why it ends there.
  func left(of ending: RecordingEnding, _ reason: StopReason) -> RecordingEnding {
    refuse()
    // Of a sealed one what was not synced is nowhere.
    let isThere = place.sealed?.isSynced ?? true
    let stored = isThere ? body.storedFrames : min(syncedFrames, body.storedFrames)
    var left = ending
    left.frames = min(ending.frames, stored)
    // One that goes on in another file may lack nothing but its tables.
    let goesOn = ending.reason == .split && left.frames == ending.frames
    if ending.reason != .storageFull, !goesOn { left.reason = reason }
    left.fileBytes = bytes
    left.receipt.id = id
    return kept(of: left)
  }

  /// Does a piece of completing the file, with the reserve if need be, and closes it in the end; a piece that throws can
  /// be repeated.
  ///
  /// - Parameter marks: for its cue points or chapters.
  /// - Returns: how it ended; nil while there is more to do.
  func finishStep(
    _ ending: RecordingEnding, marks: [TakeMark], _ clock: any DeviceClock
  ) throws(StorageError) -> RecordingEnding? {
    isFinishing = true
    place.proof?.stopHearing(seconds: body.settledSeconds, at: clock.anchor)
    place.file.usesReserve = true
    place.scratch?.usesReserve = true
    var kept = kept(of: ending)
    let isOrdinary = ending.reason == (opening.kind.isTake ? .user : .postRoll)
    let marks = lastMarks ?? marks
    if let sealed = place.sealed {
      sealed.beginEnd()
      lastMarks = marks
    }
    let hasMore = try body.finishStep(
      kept, marks: marks.map { TakeMark(frame: min($0.frame, kept.frames), label: $0.label) },
      comment: isOrdinary ? "" : "stopped: \(kept.reason.rawValue)")
    guard !hasMore else { return nil }
    if let sealed = place.sealed { try sealed.seal() } else { try place.file.sync() }
    guard try !hashRest() else { return nil }
    kept.fileBytes = bytes
    kept.receipt.fileBytes = kept.fileBytes
    if let facts = body.facts { kept.receipt.state(facts) }
    close()
    return kept
  }

  /// Hashes a piece of what of the finished file is not signed yet; a file that cannot be read back has no end in its proof.
  private func hashRest() throws(StorageError) -> Bool {
    do throws(StorageError) { return try place.proof?.hashRest(of: place.file) ?? false } catch {
      if case .stalled = error.kind { throw error }
      return false
    }
  }

  /// Gives the files back, as they are.
  func close() {
    place.file.close()
    place.scratch?.close()
  }

  /// Bytes of the file now.
  var bytes: Int { place.sealed?.storedBytes ?? place.file.size }
}

extension RecordingOpening {
  /// The file of the same take that it goes on from.
  var takeBefore: Int? { kind.isTake ? continues : nil }
}

extension RecordingEnding {
  /// It was to go on in another file, and does not.
  mutating func breakOff(_ new: StopReason) {
    guard reason == .split else { return }
    reason = new
    receipt.stopReason = new.rawValue
  }

  /// Has the receipt say what is in the file, not what was to be.
  fileprivate mutating func adjustReceipt(_ opening: RecordingOpening) {
    receipt.sound.frames = frames
    let ticks = max(0, endTick - opening.skippedTicks)
    receipt.duration =
      opening.pictures != nil
      ? Double(ticks) / Double(PictureTrack.timescale) : Double(frames) / Double(max(1, opening.pcm.sampleRate))
    // A time-lapse ends with its last picture.
    let steps = max(0, (Double(ticks) / Double(Receipt.lapseTicks)).rounded() - 1)
    let seconds = receipt.timeLapseSeconds.map { $0 * steps }
    receipt.end = receipt.start + .nanoseconds(Int64((seconds ?? receipt.duration) * 1e9))
    receipt.stopReason = reason.rawValue
  }
}

extension DeviceClock {
  /// What both clocks show now.
  var anchor: ProofAnchor { ProofAnchor(monotonic: now, wall: wallNow) }
}
