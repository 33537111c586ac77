internal import CSwresample

/// A step of a `RateFilter`: libswresample between two rates, and what it has made that nobody has read.
///
/// What it makes lies where the input lies: frame n is the input at `n · from / to`, and before the input there is silence.
/// All memory is allocated when it is made. One thread.
struct RateStage: ~Copyable, @unchecked Sendable {
  private let channels: Int
  /// Frames that come out for `down` that go in.
  private let up: Int
  private let down: Int
  private var context: OpaquePointer?
  /// Frames that must have gone in behind the place of a frame before it comes out.
  private var lag = 0
  /// Since the beginning of the sound: frames that went in, that libswresample has made, and that were read. What is made
  /// below 0 is of the silence before.
  private var written = 0
  private var made = 0
  private var taken = 0
  /// Interleaved, from frame `taken` to frame `made`.
  private let waiting: UnsafeMutablePointer<Float>
  private let capacity: Int
  /// More than libswresample makes at a time beyond what the rates say.
  private static var spareFrames: Int { 64 }
  /// Samples of the input that the filter spans.
  private let span: Int
  private let silence: UnsafeMutablePointer<Float>
  /// Frames that libswresample gets at a time: its own memory grows by the longest piece.
  private static var pieceFrames: Int { 1024 }

  /// - Parameters:
  ///   - from: rate of what is written, Hz.
  ///   - to: rate of what is read, Hz.
  ///   - channels: interleaved, 1 or 2.
  ///   - frames: most of the input that wait to be read.
  ///   - kernel: what it lets through.
  init(from: Int, to: Int, channels: Int, frames: Int, kernel: RateKernel) {
    let common = RateFilter.divisor(from, to)
    (up, down) = (to / common, from / common)
    self.channels = channels
    capacity = (max(frames, Self.pieceFrames) * up + down - 1) / down + Self.spareFrames
    waiting = .allocate(capacity: capacity * channels)
    waiting.initialize(repeating: 0, count: capacity * channels)
    silence = .allocate(capacity: Self.pieceFrames * channels)
    silence.initialize(repeating: 0, count: Self.pieceFrames * channels)
    span = kernel.span(isUp: up > down) * max(up, down) / up
    context = Self.open(from: from, to: to, phases: up, channels: channels, kernel)
  }

  /// To be called once, before anything else.
  ///
  /// - Returns: false if libswresample has no filter between the rates.
  mutating func begin() -> Bool {
    guard context != nil else { return false }
    findLag()
    reset()
    return true
  }

  deinit {
    var closing = context
    swr_free(&closing)
    waiting.deallocate()
    silence.deallocate()
  }

  private static func open(from: Int, to: Int, phases: Int, channels: Int, _ kernel: RateKernel) -> OpaquePointer? {
    var context: OpaquePointer?
    var input = AVChannelLayout()
    av_channel_layout_default(&input, Int32(channels))
    var output = input
    swr_alloc_set_opts2(
      &context, &output, AV_SAMPLE_FMT_FLT, Int32(to), &input, AV_SAMPLE_FMT_FLT, Int32(from), 0, nil)
    for (name, value) in kernel.options(isUp: to > from) { mynah_resampler_option(context, name, value) }
    // A table of the phases that there are, and no other ones.
    mynah_resampler_option(context, "exact_rational", 1)
    mynah_resampler_option(context, "phase_shift", Double(Int.bitWidth - (phases - 1).leadingZeroBitCount))
    if swr_init(context) < 0 { swr_free(&context) }
    return context
  }

  /// Frames of the input that can be written now.
  var room: Int {
    @_noLocks @_noAllocation get { max(0, (capacity - waits - Self.spareFrames) * down / up) }
  }

  /// Frames that wait to be read.
  private var waits: Int {
    @_noLocks @_noAllocation get { max(0, made) - taken }
  }

  /// Frames that were written and are not in the output yet.
  var held: Double { Double(written) - Double(taken * down) / Double(up) }

  /// The same, in whole frames.
  var wholeHeld: Int {
    @_noLocks @_noAllocation get { max(0, written - taken * down / up) }
  }

  /// Frames of input without which `frames` more cannot be read.
  @_noLocks @_noAllocation
  func missing(for frames: Int) -> Int {
    guard frames > 0 else { return 0 }
    return max(0, (taken + frames - 1) * down / up + lag + 1 - written)
  }

  /// Appends frames, at most `room`.
  @_noLocks @_noAllocation
  mutating func write(_ samples: UnsafePointer<Float>, frames: Int) {
    let count = min(frames, room)
    var done = 0
    while done < count {
      let some = min(Self.pieceFrames, count - done)
      push(samples + done * channels, frames: some)
      done += some
    }
  }

  /// Fills `target` with up to `frames` frames.
  ///
  /// - Returns: how many there were.
  @_noLocks @_noAllocation
  mutating func read(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let count = min(frames, waits)
    guard count > 0 else { return 0 }
    Self.copy(count * channels, from: waiting, to: target)
    Self.copy((waits - count) * channels, from: waiting + count * channels, to: waiting)
    taken += count
    return count
  }

  /// Forgets everything, for sound that does not continue: silence takes its place, up to where a frame that goes in lies
  /// on one that comes out.
  @_noLocks @_noAllocation
  mutating func reset() {
    taken = max(0, made)
    var rest = 2 * span
    rest += (down - (written + rest) % down) % down
    while rest > 0 {
      let count = min(rest, Self.pieceFrames)
      push(silence, frames: count)
      rest -= count
      taken = max(0, made)
    }
    made -= written / down * up
    (written, taken) = (0, 0)
  }

  @_noLocks @_noAllocation
  private mutating func push(_ samples: UnsafePointer<Float>, frames: Int) {
    written += frames
    let start = waiting + waits * channels
    let got = convert(samples, frames, into: start)
    made += got
    // What is of the silence before the beginning is dropped.
    let early = max(0, got - max(0, made))
    guard early > 0 else { return }
    Self.copy((got - early) * channels, from: start + early * channels, to: start)
  }

  /// To somewhere else, or to the front.
  @_noLocks @_noAllocation
  private static func copy(_ count: Int, from source: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>) {
    for sample in 0..<count { target[sample] = source[sample] }
  }

  @_noLocks @_noAllocation
  private func convert(_ samples: UnsafePointer<Float>, _ frames: Int, into target: UnsafeMutablePointer<Float>) -> Int
  {
    Int(
      max(
        0,
        mynah_resample_float(
          context, target, Int32(truncatingIfNeeded: capacity - waits), samples, Int32(truncatingIfNeeded: frames))))
  }

  /// Looks when frames come out, one by one: libswresample does not tell. Behind its beginning, which it fills with a mirror.
  private mutating func findLag() {
    var place = 0
    for frame in 0..<(3 * span + 2 * down) {
      let got = convert(silence, 1, into: waiting)
      place += got
      if got > 0 { lag = frame - (place - 1) * down / up }
    }
    // As long pieces as there will be: afterwards libswresample has the memory that it needs.
    for _ in 0..<3 { place += convert(silence, Self.pieceFrames, into: waiting) }
    written = 3 * span + 2 * down + 3 * Self.pieceFrames
    made = place
  }
}
