internal import Hardware
internal import Media
internal import Recording
internal import Sound

/// The files of one take, and which packets of its one encoder go into which. Media lane only.
///
/// A file that ends, because it is long or large enough, is followed by one that goes on with the next frame. Lossless ones
/// have an encoder each. A decoder of AAC or Opus needs packets before the one it is to put out, and a packet holds frames
/// of both files: so the packets about the seam go into both, and each file's head says which frames of them are its own.
/// A safety take goes along.
final class TakeFiles {
  private struct Part {
    var number: Int
    /// Frames of the take before it.
    var start: Int
    /// Of a safety take nobody asks for it.
    var loudness: LoudnessMeter?
    var receipt: Receipt
    /// Counters of the microphone when it began.
    var counters: SoundCounters
    /// First packet of the encoder that is in it, and the last one, once it is known where it ends.
    var firstPacket = 0
    var lastPacket = Int.max
    /// Frames of it, once they are known.
    var frames = 0
    /// Bytes that were sent to it, with what its container adds.
    var bytes = 0
  }

  /// A mark of sound that is not encoded yet.
  private struct Mark {
    var frame: Int
    var title: String?
    var told: MarkReply?
  }

  private(set) var encoder: SoundEncoder
  private let settings: RecordingSettings
  private let format: PCMFormat
  private let pipe: RecordingPipe
  private var encoding: TakeEncoding
  private let requestedRate: Int
  /// Name of the microphone that the next file begins with.
  private var source: String
  /// Frames of a file; `Int.max`: all that come.
  private let length: Int
  /// Most bytes of a file.
  private let largest: Int
  private var open: Part
  /// The take's frame that the present file ends before; `Int.max`: not known yet.
  private var openEnd: Int
  /// The file before, of which packets are still in the encoder.
  private var closing: Part?
  /// Packets that the encoder has given, and the last of them, where a file to come begins with more than one.
  private var packets = 0
  private var recent: [[UInt8]] = []
  /// Gaps that lie in files to come.
  private var gapsToCome: [CaptureGap] = []
  private var marksToCome: [Mark] = []
  /// What goes along, while it does; this one's kind is `safety` then.
  var safety: SafetyLine?
  private let kind: RecordingKind

  /// What tables and marks may add to a file in the end.
  private static let tailBytes = 64 << 10

  /// What is known of the first frame of a file.
  struct Beginning {
    /// When it was at the converter, and what the wall clock showed then.
    var instant: Instant
    var wall: WallTime
    /// When the take was asked for, and the frames from before that.
    var pressed: Instant
    var preRecordedFrames: Int
    var counters: SoundCounters
    /// What the microphone's device runs at, Hz.
    var granted: Int
    /// What the clocks show now.
    var anchor: Receipt.Anchor
  }

  /// Begins the first file.
  init(
    number: Int, settings: RecordingSettings, format: PCMFormat, pipe: RecordingPipe, source: String,
    beginning: Beginning, kind: RecordingKind = .take
  ) throws(MediaError) {
    self.kind = kind
    self.settings = settings
    self.format = format
    encoder = try Self.makeEncoder(settings.encoding, settings, format)
    encoding = settings.encoding
    requestedRate = settings.sampleRate
    self.pipe = pipe
    self.source = source
    length = settings.splitSeconds > 0 ? settings.splitSeconds * format.sampleRate : .max
    largest = settings.splitMB > 0 ? settings.splitMB << 20 : .max
    openEnd = length
    open = Part(
      number: number + (kind == .safety ? RecordingOpening.safety : 0), start: 0,
      loudness: kind == .safety ? nil : LoudnessMeter(format: format), receipt: Receipt(),
      counters: beginning.counters)
    announce(beginning, track: encoder.track, continues: nil)
  }

  private static func makeEncoder(_ encoding: TakeEncoding, _ settings: RecordingSettings, _ format: PCMFormat)
    throws(MediaError) -> SoundEncoder
  {
    try SoundEncoder(
      encoding: encoding, format: format, bits: settings.fileBits, bitrateKbps: settings.bitrateKbps,
      coder: settings.coder)
  }

  /// Goes on with another coder, within the present file.
  func use(_ coder: AACCoder, isCheaper: Bool) throws(MediaError) {
    try encoder.use(coder)
    if isCheaper { open.receipt.sound.coderFalls += 1 } else { open.receipt.sound.coderClimbs += 1 }
    open.receipt.sound.coder = coder.rawValue
    safety?.use(coder, isCheaper: isCheaper)
  }

  /// Number of the file that the sound goes into now.
  var number: Int { open.number }

  /// The present file ends before this frame of the take: what is told of later ones goes into the next.
  func endFile(before frame: Int) {
    openEnd = min(openEnd, frame)
    safety?.endFile()
  }

  /// Frames that the present file still takes, of a take that has `frames` so far; of a large one none.
  func room(after frames: Int) -> Int {
    if frames > open.start, largest != .max, open.bytes + encoder.chunkBytes + Self.tailBytes >= largest {
      openEnd = min(openEnd, frames)
    }
    return openEnd == .max ? .max : openEnd - frames
  }

  /// Whether what a chunk is encoded to fits into the pipe. Beside a safety take half of it is all that is used.
  var hasRoom: Bool {
    guard let safety else { return encoder.hasRoom(in: pipe, copies: copies) }
    return hasHalf && safety.hasHalf
  }
  /// The same for two, in half the pipe.
  var hasHalf: Bool { pipe.queuedBytes <= pipe.capacity / 2 && encoder.hasRoom(in: pipe, copies: 2 * copies) }
  /// Whether a safety take can be ended.
  var hasRoomForEnd: Bool { encoder.hasRoom(in: pipe, copies: copies) }
  private var copies: Int { closing == nil ? 1 : 2 }

  /// Encodes a chunk that lies in the present file.
  ///
  /// - Parameter position: frames of the take before it.
  func encode(_ samples: UnsafePointer<Float>, frames: Int, at position: Int) throws(MediaError) {
    open.loudness?.add(samples, frames: frames)
    try encoder.encode(samples, frames: frames) { send($0, frames: $1) }
    safety?.encode(frames: frames)
    if !marksToCome.isEmpty { sendMarks(upTo: position + frames) }
  }

  /// Goes on in another file with the take's frame `frames`, which is the next to be encoded.
  ///
  /// - Parameter new: the encoding of that file, and those after it, if it is another one.
  func split(at frames: Int, _ beginning: Beginning, as new: TakeEncoding? = nil) throws(MediaError) {
    if encoder.overlap == nil || new != nil {
      let next = try Self.makeEncoder(new ?? encoding, settings, format)
      try encoder.finish { send($0, frames: $1) }
      encoder = next
      encoding = new ?? encoding
      if let closing { end(closing, reason: .split) }
      closing = nil
      recent = []
    }
    var ended = open
    if new != nil { ended.receipt.sound.coderFalls += 1 }
    ended.frames = frames - ended.start
    ended.receipt.end = beginning.instant
    complete(
      &ended.receipt, frames: ended.frames, counters: beginning.counters, since: ended.counters, beginning.anchor)
    var track = encoder.track
    open = Part(
      number: ended.number + 1, start: frames,
      loudness: kind == .safety ? nil : LoudnessMeter(format: encoder.format), receipt: Receipt(),
      counters: beginning.counters)
    open.receipt.part = ended.receipt.part + 1
    openEnd = length == .max ? .max : frames + length
    var known = packets
    if let (unit, lead) = encoder.overlap {
      // Packet n decodes to the frames from n × unit − priming on, given `lead` before it.
      let place = frames + track.primingFrames
      ended.lastPacket = (place + unit - 1) / unit - 1
      open.firstPacket = max(0, place / unit - lead)
      known = max(open.firstPacket, packets - recent.count)
      track.primingFrames = place - open.firstPacket * unit
      closing = ended
    } else {
      end(ended, reason: .split)
    }
    announce(beginning, track: track, continues: ended.number)
    for packet in recent.suffix(max(0, packets - known)) {
      packet.withUnsafeBytes { pipe.append(sound: $0, to: open.number, frames: track.codec.packetFrames) }
    }
    let gaps = gapsToCome
    gapsToCome = []
    for gap in gaps { put(gap) }
    sendMarks(upTo: frames)
    safety?.split(beginning, as: new)
  }

  /// Ends the take, which has `frames` frames.
  ///
  /// - Parameter tell: is told why it ends before the storage can have completed it.
  func finish(
    frames: Int, reason: StopReason, at end: Instant, counters: SoundCounters, _ anchor: Receipt.Anchor,
    tell: (StopReason) -> Void = { _ in }
  ) throws(MediaError) {
    var failure: MediaError?
    do throws(MediaError) { try encoder.finish { send($0, frames: $1) } } catch { failure = error }
    sendMarks(upTo: .max)
    if let closing { self.end(closing, reason: .split) }
    closing = nil
    open.frames = frames - open.start
    open.receipt.end = end
    complete(&open.receipt, frames: open.frames, counters: counters, since: open.counters, anchor)
    tell(failure == nil ? reason : .error)
    self.end(open, reason: failure == nil ? reason : .error)
    endSafety(reason: reason, at: end, counters: counters, anchor)
    if let failure { throw failure }
  }

  /// Ends the safety take with what it has.
  func endSafety(reason: StopReason, at end: Instant, counters: SoundCounters, _ anchor: Receipt.Anchor) {
    safety?.finish(reason: reason, at: end, counters: counters, anchor)
    safety = nil
  }

  /// Sends a mark to the file that it lies in, once that is known.
  ///
  /// - Parameter encoded: frames of the take so far.
  /// - Returns: the frame of that file, as far as it can be told, and the frames of those before it.
  func mark(
    at frame: Int, title: String?, encoded: Int, told: MarkReply? = nil
  ) -> (frame: Int, before: Int) {
    let part = part(of: frame)
    marksToCome.append(Mark(frame: frame, title: title, told: told))
    sendMarks(upTo: encoded)
    let before = frame < openEnd ? part.start : openEnd
    return (max(0, frame - before), before)
  }

  /// Another microphone is heard from a frame of the present file on.
  func change(at frame: Int, to name: String) {
    source = name
    open.receipt.sound.changes.append(Receipt.SourceChange(frame: max(0, frame - open.start), source: name))
    safety?.change(at: frame, to: name)
  }

  private func part(of frame: Int) -> Part { closing.flatMap { frame < open.start ? $0 : nil } ?? open }

  private func sendMarks(upTo encoded: Int) {
    for mark in marksToCome where mark.frame <= encoded {
      let part = part(of: mark.frame)
      let place = max(0, mark.frame - part.start)
      pipe.append(.mark(recording: part.number, frame: place, title: mark.title, told: mark.told))
    }
    marksToCome.removeAll { $0.frame <= encoded }
  }

  /// Sends a gap to the file, or the files, that it lies in.
  func tell(_ gap: CaptureGap) {
    put(gap)
    safety?.tell(gap)
  }

  private func put(_ gap: CaptureGap) {
    let part = part(of: gap.frame)
    let limit = part.number == open.number ? openEnd : open.start
    guard gap.frame < limit else { return gapsToCome.append(gap) }
    let frames = min(gap.frames, limit - gap.frame)
    let place = CaptureGap(frame: max(0, gap.frame - part.start), frames: frames, reason: gap.reason)
    pipe.append(.gap(recording: part.number, place))
    if part.number == open.number {
      open.receipt.sound.lostFrames += frames
    } else {
      closing?.receipt.sound.lostFrames += frames
    }
    guard frames < gap.frames else { return }
    put(CaptureGap(frame: gap.frame + frames, frames: gap.frames - frames, reason: gap.reason))
  }

  // MARK: Down the pipe

  private func send(_ packet: UnsafeRawBufferPointer, frames: Int) {
    let index = packets
    packets += 1
    if let lead = encoder.overlap?.packets, lead > 1 {
      if recent.count > lead { recent.removeFirst() }
      recent.append(Array(packet))
    }
    open.bytes += packet.count + encoder.overheadBytes
    if index >= open.firstPacket { pipe.append(sound: packet, to: open.number, frames: frames) }
    guard let part = closing else { return }
    if index <= part.lastPacket { pipe.append(sound: packet, to: part.number, frames: frames) }
    guard index >= part.lastPacket else { return }
    closing = nil
    end(part, reason: .split)
  }

  private func announce(_ beginning: Beginning, track: SoundTrack, continues: Int?) {
    open.receipt.number = open.number % RecordingOpening.safety
    open.receipt.continues = continues.map { $0 % RecordingOpening.safety }
    open.receipt.start = beginning.instant
    open.receipt.pressedAt = beginning.pressed
    open.receipt.anchors = [beginning.anchor]
    open.receipt.sound.sampleRate = encoder.format.sampleRate
    open.receipt.sound.requestedRate = requestedRate
    open.receipt.sound.grantedRate = beginning.granted
    open.receipt.sound.channels = encoder.format.channels
    open.receipt.sound.bitrateKbps = track.bitrateKbps
    open.receipt.sound.coder = encoder.coder?.rawValue
    var opening = RecordingOpening(
      number: open.number, kind: kind, sound: track, createdAt: beginning.wall, receipt: open.receipt)
    opening.encoding = encoding
    opening.continues = continues
    let preRecorded = min(beginning.preRecordedFrames, length)
    // Of a file that begins before the press, too, it counts when that was: none is older than the one before it.
    let lead = encoder.format.duration(ofFrames: beginning.preRecordedFrames)
    opening.take = TakeOpening(
      pressedInstant: continues == nil ? beginning.pressed : beginning.instant + lead,
      pressedAt: WallTime(nanosecondsSince1970: beginning.wall.nanosecondsSince1970 + lead.nanoseconds),
      preRecordedFrames: preRecorded, source: source)
    pipe.append(.begin(opening))
  }

  private func complete(
    _ receipt: inout Receipt, frames: Int, counters: SoundCounters, since: SoundCounters, _ anchor: Receipt.Anchor
  ) {
    receipt.sound.frames = frames
    receipt.duration = Double(frames) / Double(encoder.format.sampleRate)
    receipt.xruns.device = counters.xruns - since.xruns
    receipt.xruns.ring = counters.ringOverflows - since.ringOverflows
    receipt.lastMediaAt = anchor.instant
    receipt.anchors.append(anchor)
  }

  private func end(_ part: Part, reason: StopReason) {
    var receipt = part.receipt
    receipt.stopReason = reason.rawValue
    var ending = RecordingEnding(number: part.number, reason: reason, frames: part.frames, receipt: receipt)
    ending.integratedLUFS = part.loudness?.integratedLUFS
    ending.truePeakDBTP = part.loudness?.truePeakDBTP
    pipe.append(.end(ending))
  }
}
