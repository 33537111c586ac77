internal import Hardware
internal import Media
internal import Sound

/// Leaves out of a take what is quiet for long: of a pause of more than 0.7 s some 0.3 s are heard, with fades where it is
/// cut.
///
/// A pause is where nothing rises above the sound's own noise (`VoiceDetector`). Before the first voice only what is really
/// quiet counts, so that a take of rain is no pause. The end of a pause is looked for in bounded pieces while its
/// beginning is heard: of an hour of silence half a minute is left. Media worker only.
final class PauseShortener {
  private enum Phase {
    /// What is read is heard.
    case passing
    /// It has been quiet for a while; what is read waits, in case it is for long.
    case searching
    /// It is for long: what is read is left out.
    case cutting
  }

  private let reader: TakeReader
  private let format: PCMFormat
  private var detector: VoiceDetector
  private var phase = Phase.passing
  /// The frame that is read next, and the first one that was read without a jump.
  private var next: Int
  private var from: Int
  /// The beginning of a pause that is cut, faded out, from the frame `cutAt`; it is heard before what waits.
  private var fading: ArraySlice<Float> = []
  private var cutAt = 0
  /// The last frames that were read and have not been heard.
  private var waiting: ArraySlice<Float> = []
  private var place: HeardPlace
  private var hasHeardVoice = false
  /// Peak since the last voice.
  private var loudest: Float = 0
  private var isAtEnd = false
  private var chunk: [Float]

  /// Heard of a pause before it can be cut, and left before the voice that ends it.
  private static let head = Duration.milliseconds(200)
  private static let tail = Duration.milliseconds(100)
  /// What is not longer is left alone.
  private static let longest = Duration.milliseconds(700)
  private static let fade = Duration.milliseconds(5)
  /// A voice is known so long after it began.
  private static let delay = Duration.milliseconds(60)
  /// Looked at in one reading.
  private static let piece = Duration.milliseconds(600)
  private static let chunkFrames = 256
  /// −44 dBFS.
  private static let quiet: Float = 0.0063

  /// - Parameter reader: of which all is read through this, unless `release` has been called.
  init(_ reader: TakeReader) {
    self.reader = reader
    format = reader.format
    next = reader.next
    from = reader.next
    place = HeardPlace(at: reader.next)
    detector = VoiceDetector(format: reader.format)
    chunk = Array(repeating: 0, count: Self.chunkFrames * reader.format.channels)
  }

  /// - Returns: frames read; 0 at the end only; nil: not yet.
  func read(into target: UnsafeMutablePointer<Float>, frames: Int) throws(MediaError) -> Int? {
    if reader.next != next { restart() }
    var budget = format.frames(in: Self.piece)
    while true {
      switch phase {
      case .passing:
        if !fading.isEmpty || !waiting.isEmpty { return give(target, frames) }
        guard !isAtEnd else { return 0 }
        guard !isPause(of: Self.head) else {
          phase = .searching
          continue
        }
        guard let got = try look(into: target, frames: frames) else { return nil }
        place.add(got, from: Double(next - got), rate: 1)
        return got
      case .searching, .cutting:
        if isAtEnd || !isPause(of: .zero) {
          join()
        } else if budget > 0 {
          guard let looked = try searchOn() else {
            let hasSome = !fading.isEmpty || phase == .searching && !waiting.isEmpty
            return hasSome ? give(target, frames) : nil
          }
          budget -= looked
        } else if !fading.isEmpty || phase == .searching {
          return give(target, frames)
        } else {
          target.update(repeating: 0, count: frames * format.channels)
          place.add(frames, from: Double(firstWaiting), rate: 1)
          return frames
        }
      }
    }
  }

  /// The frame that was read so many frames ago.
  func frame(behind held: Double) -> Double { place.frame(pending: Int(held.rounded())) }

  /// The reader is somewhere else: nothing that waits is heard any more.
  func restart() {
    (next, from) = (reader.next, reader.next)
    (fading, waiting, phase) = ([], [], .passing)
    place = HeardPlace(at: next)
    detector = VoiceDetector(format: format)
    loudest = 0
    isAtEnd = false
  }

  /// Has the reader go on with the first frame that has not been heard.
  func release() throws(MediaError) {
    // It has gone on without this.
    guard reader.next == next else { return restart() }
    let frame = fading.isEmpty ? firstWaiting : cutAt
    if frame != reader.next { try reader.seek(to: frame) }
    restart()
  }

  private var firstWaiting: Int { next - waiting.count / format.channels }

  private func isPause(of length: Duration) -> Bool {
    !detector.isVoice && (hasHeardVoice || loudest < Self.quiet)
      && next - max(from, detector.end) >= format.frames(in: length)
  }

  /// Reads, and listens to what it is.
  private func look(into target: UnsafeMutablePointer<Float>, frames: Int) throws(MediaError) -> Int? {
    guard let got = try reader.read(into: target, frames: frames) else { return nil }
    detector.add(target, frames: got, at: next)
    next = reader.next
    isAtEnd = got == 0
    if detector.isVoice {
      hasHeardVoice = true
      loudest = 0
    } else {
      for index in 0..<got * format.channels { loudest = max(loudest, abs(target[index])) }
    }
    return got
  }

  /// - Returns: frames looked at; nil: none are there yet.
  private func searchOn() throws(MediaError) -> Int? {
    let got = try chunk.withUnsafeMutableBufferPointer { buffer throws(MediaError) in
      try buffer.baseAddress.map { base throws(MediaError) in try look(into: base, frames: Self.chunkFrames) } ?? 0
    }
    guard let got else { return nil }
    waiting += chunk.prefix(got * format.channels)
    if phase == .searching, isPause(of: Self.longest) { cut() }
    if phase == .cutting { drop(upTo: next - format.frames(in: Self.tail + Self.delay)) }
    return got
  }

  /// What waits is the middle of a long pause.
  private func cut() {
    phase = .cutting
    cutAt = firstWaiting
    let frames = min(format.frames(in: Self.fade), waiting.count / format.channels)
    var beginning = Array(waiting.prefix(frames * format.channels))
    GainRamp.fadeOut(&beginning, frames: frames, channels: format.channels)
    fading = beginning[...]
    waiting = waiting.dropFirst(frames * format.channels)
  }

  /// A voice has been found, or the end.
  private func join() {
    defer { phase = .passing }
    guard phase == .cutting else { return }
    drop(upTo: (detector.isVoice ? detector.onset : next) - format.frames(in: Self.tail))
    var rest = Array(waiting)
    let frames = min(format.frames(in: Self.fade), rest.count / format.channels)
    GainRamp.fadeIn(&rest, frames: frames, channels: format.channels)
    waiting = rest[...]
  }

  private func drop(upTo frame: Int) { waiting = waiting.dropFirst(max(0, frame - firstWaiting) * format.channels) }

  /// Gives what waits.
  private func give(_ target: UnsafeMutablePointer<Float>, _ frames: Int) -> Int {
    let isFading = !fading.isEmpty
    let source = isFading ? fading : waiting
    let count = min(frames, source.count / format.channels)
    for (index, sample) in source.prefix(count * format.channels).enumerated() { target[index] = sample }
    place.add(count, from: Double(isFading ? cutAt : firstWaiting), rate: 1)
    if isFading {
      fading = fading.dropFirst(count * format.channels)
      cutAt += count
    } else {
      waiting = waiting.dropFirst(count * format.channels)
    }
    return count
  }
}
