internal import Streaming

/// Stereo sound of one timeline that waits to be mixed, with its epochs. One thread; grows to what is put in.
struct FrameStore {
  private var samples: [Float] = []
  /// Floats at the front that are used up.
  private var used = 0
  /// What follows must rise from silence.
  private var isEndFaded = false
  /// The first frame that is there.
  private(set) var start = 0
  /// Where epochs begin, and their source's time there; the first one reaches to the front.
  private var epochs: [(start: Int, epoch: Int, sourceTime: Int64)] = []

  /// The frame after the last one that is there.
  var end: Int { start + count }
  var count: Int { (samples.count - used) / 2 }
  var isEmpty: Bool { count == 0 }

  /// A joint is faded over 5 ms on both sides: two epochs have nothing to do with each other.
  private static let jointFrames = 240

  /// Appends a block if it goes on where the store ends, or the store is empty.
  mutating func append(_ block: SoundBlock) -> Bool {
    if isEmpty {
      clear()
      start = block.start
    } else if block.start != end {
      return false
    }
    let isNew = epochs.last.map { $0.epoch != block.epoch } ?? true
    if isNew {
      epochs.append((block.start, block.epoch, block.sourceTime))
      fadeEnd()
    }
    let isJoint = isNew || isEndFaded
    isEndFaded = false
    let first = samples.count
    samples.append(contentsOf: block.samples.prefix(block.frames * 2))
    if isJoint { fade(first, rising: true) }
    return true
  }

  /// Copies frames from `frame` on; what is not there is silence.
  func copy(from frame: Int, into target: UnsafeMutablePointer<Float>, frames: Int) {
    let low = max(frame, start)
    let high = min(frame + frames, end)
    for index in 0..<(2 * frames) { target[index] = 0 }
    guard low < high else { return }
    samples.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      (target + 2 * (low - frame)).update(from: base + used + 2 * (low - start), count: 2 * (high - low))
    }
  }

  /// Forgets what lies before `frame`.
  mutating func drop(before frame: Int) {
    let gone = min(max(0, frame - start), count)
    used += 2 * gone
    start += gone
    while epochs.count > 1, epochs[1].start <= start { epochs.removeFirst() }
    if used > 96_000 {
      samples.removeFirst(used)
      used = 0
    }
  }

  mutating func clear() {
    samples.removeAll(keepingCapacity: true)
    used = 0
    start = 0
    epochs = []
    isEndFaded = false
  }

  /// The epoch at `frame`, if that is there.
  func epoch(at frame: Int) -> Int? {
    guard frame >= start, frame < end else { return nil }
    return epochs.last { $0.start <= frame }?.epoch
  }

  /// Where the next epoch begins after `frame`, as far as is known.
  func epochEnd(after frame: Int) -> Int? { epochs.first { $0.start > frame }?.start }

  /// The source's time at `frame`, in ticks of 90 kHz, reckoned from the beginning of its epoch.
  func sourceTime(at frame: Int, epoch: Int) -> Int64? {
    guard let entry = epochs.last(where: { $0.epoch == epoch }) else { return nil }
    // 48 kHz and 90 kHz are as 8 to 15; rounded to the nearest tick.
    let ticks = Int64(((frame - entry.start) * 15 + (frame >= entry.start ? 4 : -4)) / 8)
    return entry.sourceTime &+ ticks
  }

  /// The mean square of the samples in a range.
  func power(_ range: Range<Int>) -> Float {
    let part = range.clamped(to: start..<max(start, end))
    guard !part.isEmpty else { return 0 }
    var sum: Float = 0
    for index in (used + 2 * (part.lowerBound - start))..<(used + 2 * (part.upperBound - start)) {
      sum += samples[index] * samples[index]
    }
    return sum / Float(part.count)
  }

  /// Where the sound is quietest within a range, in steps of 20 ms.
  func quietest(in range: Range<Int>) -> Int {
    var best = range.upperBound
    var least = Float.infinity
    for place in stride(from: range.lowerBound, to: range.upperBound - 960, by: 960) {
      let power = power(place..<(place + 960))
      if power < least {
        least = power
        best = place + 480
      }
    }
    return best
  }

  /// Cross-fades with equal power from another store to this one, over `frames` from `frame` on.
  ///
  /// What neither has is silence; samples that are not there are not made.
  mutating func fadeIn(at frame: Int, frames: Int, from other: FrameStore) {
    for place in max(frame, start)..<max(frame, start, min(frame + frames, end)) {
      let weight = Float(place - frame) / Float(frames)
      let index = used + 2 * (place - start)
      for channel in 0...1 {
        let before =
          place >= other.start && place < other.end
          ? other.samples[other.used + 2 * (place - other.start) + channel] : 0
        samples[index + channel] = samples[index + channel] * weight.squareRoot() + before * (1 - weight).squareRoot()
      }
    }
  }

  /// Fades the last 5 ms away: there is nothing after them, or something else.
  mutating func fadeEnd() {
    guard !isEndFaded else { return }
    fade(max(used, samples.count - 2 * Self.jointFrames), rising: false)
    isEndFaded = true
  }

  private mutating func fade(_ first: Int, rising: Bool) {
    let frames = min(Self.jointFrames, (samples.count - first) / 2)
    for frame in 0..<frames {
      let gain = Float(rising ? frame : frames - 1 - frame) / Float(frames)
      samples[first + 2 * frame] *= gain
      samples[first + 2 * frame + 1] *= gain
    }
  }
}
