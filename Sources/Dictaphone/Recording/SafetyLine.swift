internal import Hardware
internal import Media
internal import Recording
internal import Sound

/// The safety take beside a take: the same frames, before automatic gain and limiter, at -12 dB, in files of their own.
/// What becomes of it never harms the take: its past is encoded once the take's own is on its way. Media lane only.
final class SafetyLine {
  /// What the take has had, and this one not yet.
  private enum Piece {
    case sound(from: Int, frames: Int, Fades)
    case silence(frames: Int)
    case split(TakeFiles.Beginning, TakeEncoding?)
    case coder(AACCoder, isCheaper: Bool)
    case gap(CaptureGap)
    case change(at: Int, to: String)
    case gain(Float)
  }

  private let sound: ShapedSound
  private var make: (() throws(MediaError) -> TakeFiles)?
  private var files: TakeFiles?
  private let buffer: UnsafeMutablePointer<Float>
  private let channels: Int
  private var waiting: [Piece] = []
  /// Whether the take has had what this one has not. Once it has caught up, both go along.
  private(set) var isBehind = true
  /// The frame of the capture that `encode` begins with; none: silence.
  private var upcoming: (frame: Int, fades: Fades)?
  /// Frames that are encoded.
  private(set) var written = 0
  /// Why it cannot go on.
  private var complaint: String?

  init(_ input: CaptureInput, gain: Float, files make: @escaping () throws(MediaError) -> TakeFiles) {
    sound = ShapedSound(input, gain: gain, isSafety: true)
    self.make = make
    channels = input.format.channels
    buffer = .allocate(capacity: CaptureInput.chunkFrames * channels)
    buffer.initialize(repeating: 0, count: CaptureInput.chunkFrames * channels)
  }

  deinit { buffer.deallocate() }

  /// The oldest frame of the capture that it still needs.
  var oldest: Int? {
    for case .sound(let frame, _, _) in waiting { return frame }
    return nil
  }

  /// Says which frames of the capture `encode` is about.
  func read(from frame: Int, _ fades: Fades) { upcoming = (frame, fades) }

  /// Encodes a chunk that the take has had.
  func encode(frames: Int) {
    let piece = upcoming.map { Piece.sound(from: $0.frame, frames: frames, $0.fades) } ?? .silence(frames: frames)
    upcoming = nil
    put(piece)
  }

  /// The take goes on in another file, and this one with it.
  func endFile() { if !isBehind { files?.endFile(before: written) } }

  func split(_ beginning: TakeFiles.Beginning, as new: TakeEncoding?) { put(.split(beginning, new)) }

  func use(_ coder: AACCoder, isCheaper: Bool) { put(.coder(coder, isCheaper: isCheaper)) }

  func tell(_ gap: CaptureGap) { put(.gap(gap)) }

  func change(at frame: Int, to name: String) { put(.change(at: frame, to: name)) }

  func setGain(_ gain: Float) { put(.gain(gain)) }

  /// Does a piece of what waits, at most a chunk.
  ///
  /// - Returns: frames that were encoded.
  func catchUp() -> Int {
    if let make {
      self.make = nil
      attempt { () throws(MediaError) in self.files = try make() }
    }
    var frames = 0
    if !waiting.isEmpty {
      var piece = waiting.removeFirst()
      if case .sound(let first, let count, let fades) = piece {
        frames = min(count, CaptureInput.chunkFrames)
        piece = .sound(from: first, frames: frames, fades)
        if frames < count { waiting.insert(.sound(from: first + frames, frames: count - frames, fades), at: 0) }
      } else if case .silence(let count) = piece {
        frames = count
      }
      perform(piece)
    }
    isBehind = !waiting.isEmpty
    return frames
  }

  private func put(_ piece: Piece) {
    guard isBehind else { return perform(piece) }
    if case .sound(let next, let more, let fades) = piece, fades.areNone, let last = waiting.last,
      case .sound(let first, let count, let before) = last, before.areNone, first + count == next
    {
      waiting[waiting.count - 1] = .sound(from: first, frames: count + more, fades)
    } else {
      waiting.append(piece)
    }
  }

  private func perform(_ piece: Piece) {
    switch piece {
    case .sound(let frame, let frames, let fades):
      let count = sound.read(from: frame, into: buffer, frames: frames)
      (buffer + count * channels).update(repeating: 0, count: (frames - count) * channels)
      fades.apply(to: buffer, from: frame, frames)
      encode(frames)
    case .silence(let frames):
      buffer.update(repeating: 0, count: frames * channels)
      encode(frames)
    case .split(let beginning, let new):
      attempt { () throws(MediaError) in try files?.split(at: written, beginning, as: new) }
    case .coder(let coder, let isCheaper):
      attempt { () throws(MediaError) in try files?.use(coder, isCheaper: isCheaper) }
    case .gap(let gap): files?.tell(gap)
    case .change(let frame, let name): files?.change(at: frame, to: name)
    case .gain(let gain): sound.setGain(gain)
    }
  }

  private func encode(_ frames: Int) {
    attempt { () throws(MediaError) in
      try files?.encode(buffer, frames: frames, at: written)
      written += frames
    }
  }

  func finish(reason: StopReason, at end: Instant, counters: SoundCounters, _ anchor: Receipt.Anchor) {
    let reason = complaint == nil && waiting.isEmpty ? reason : .error
    waiting = []
    attempt { () throws(MediaError) in
      try files?.finish(frames: written, reason: reason, at: end, counters: counters, anchor)
    }
  }

  /// It is not to go on.
  func refuse(_ text: String) { complaint = complaint ?? text }

  /// Why it has to end now, if it has to: for its own sake, or before the take loses sound.
  func mustEnd(isPressing: Bool) -> String? {
    complaint ?? (isPressing ? "card or processor are too slow for both" : nil)
  }

  /// Whether there is half of the pipe for two, and the other half for the take alone.
  var hasHalf: Bool { files?.hasHalf ?? true }

  private func attempt(_ work: () throws(MediaError) -> Void) {
    do throws(MediaError) { try work() } catch { refuse("the encoder failed: \(error)") }
  }
}
