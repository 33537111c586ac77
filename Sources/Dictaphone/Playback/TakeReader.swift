internal import Hardware
internal import Media
internal import Sound

/// A file in the order in which it is heard: to its end, or from A to B over and over. Media worker only.
final class TakeReader {
  let file: any PlayedSound
  /// The frame that is read next.
  private(set) var next = 0
  /// What is repeated.
  var loop: Range<Int>? {
    didSet { file.keep(from: loop.map { max(0, $0.lowerBound - joint(of: $0)) }) }
  }
  /// The sound around a joint, as far as it has not been read.
  private var joint: ArraySlice<Float> = []
  /// Where it last went from and to.
  private var jump: Range<Int>?

  /// What comes before B fades into what comes before A for 5 ms: the repetition is as long as from A to B, to the frame.
  private static let fadesASecond = 200
  /// A loop takes 100 ms at least.
  private static let loopsASecond = 10

  init(_ file: any PlayedSound) { self.file = file }

  var format: PCMFormat { file.outputFormat }

  func seek(to frame: Int) throws(MediaError) {
    joint = []
    jump = nil
    try file.seek(toFrame: frame)
    next = frame
  }

  /// A loop between two frames, whichever comes first, within the file and not too short.
  func loop(between one: Int, and other: Int) -> Range<Int> {
    let shortest = format.sampleRate / Self.loopsASecond
    let end = min(max(one, other, min(one, other) + shortest), file.totalFrames ?? .max)
    return max(0, min(one, other, end - shortest))..<end
  }

  /// What two ends of a loop have in common, in frames.
  private func joint(of loop: Range<Int>) -> Int { min(format.sampleRate / Self.fadesASecond, loop.count / 2) }

  /// - Returns: frames read; 0 at the end only; nil: not yet.
  func read(into target: UnsafeMutablePointer<Float>, frames: Int) throws(MediaError) -> Int? {
    var frames = frames
    if let loop, joint.isEmpty, next < loop.upperBound {
      let start = loop.upperBound - joint(of: loop)
      if next < start { frames = min(frames, start - next) } else if try !fade(around: loop) { return nil }
    }
    guard joint.isEmpty else {
      let count = min(frames, joint.count / format.channels)
      for (index, sample) in joint.prefix(count * format.channels).enumerated() { target[index] = sample }
      joint = joint.dropFirst(count * format.channels)
      next += count
      if joint.isEmpty, let jump { next = jump.lowerBound }
      return count
    }
    guard let got = try file.read(into: target, frames: frames) else { return nil }
    next += got
    return got
  }

  /// Makes the sound from here to the end of the loop, and goes to its beginning.
  ///
  /// - Returns: false: it is not there yet.
  private func fade(around loop: Range<Int>) throws(MediaError) -> Bool {
    let frames = loop.upperBound - next
    let lead = min(frames, loop.lowerBound)
    guard try file.has(next..<loop.upperBound), try file.has(loop.lowerBound - lead..<loop.lowerBound) else {
      return false
    }
    var before = try samples(frames)
    try file.seek(toFrame: loop.lowerBound - lead)
    var after = [Float](repeating: 0, count: (frames - lead) * format.channels) + (try samples(lead))
    GainRamp.fadeOut(&before, frames: frames, channels: format.channels)
    GainRamp.fadeIn(&after, frames: frames, channels: format.channels)
    joint = zip(before, after).map { $0 + $1 }[...]
    jump = loop
    return true
  }

  /// As many frames as are asked for; silence behind the end.
  private func samples(_ frames: Int) throws(MediaError) -> [Float] {
    var samples = [Float](repeating: 0, count: frames * format.channels)
    var done = 0
    while done < frames {
      let got = try samples.withUnsafeMutableBufferPointer { buffer throws(MediaError) in
        try buffer.baseAddress.map { base throws(MediaError) in
          try file.read(into: base + done * format.channels, frames: frames - done)
        } ?? 0
      }
      guard let got, got > 0 else { break }
      done += got
    }
    return samples
  }

  /// The frame that was read so many frames ago.
  func frame(behind held: Double) -> Double {
    let frame = Double(next) - held
    guard let jump, joint.isEmpty, frame < Double(jump.lowerBound) else { return frame }
    return Double(jump.upperBound - jump.lowerBound) + frame
  }
}

/// Which frame of a file is heard, of what has been written to the speaker at this speed and that, with jumps between.
struct HeardPlace {
  private var stretches: [(start: Int, frame: Double, rate: Double)]
  private var written = 0

  init(at frame: Int) { stretches = [(0, Double(frame), 1)] }

  /// - Parameters:
  ///   - frames: written to the speaker.
  ///   - frame: of the file, the first of them.
  ///   - rate: frames of the file for each.
  mutating func add(_ frames: Int, from frame: Double, rate: Double) {
    if let last = stretches.last, last.rate != rate || abs(self.frame(pending: 0) - frame) > 0.5 {
      if last.start == written { stretches.removeLast() }
      stretches.append((written, frame, rate))
      // The speaker is never so far behind.
      if stretches.count > 128 { stretches.removeFirst(64) }
    }
    written += frames
  }

  /// - Parameter pending: frames that were written and have not been heard.
  func frame(pending: Int) -> Double {
    let heard = written - pending
    guard let stretch = stretches.last(where: { $0.start <= heard }) ?? stretches.first else { return 0 }
    return stretch.frame + Double(heard - stretch.start) * stretch.rate
  }
}
