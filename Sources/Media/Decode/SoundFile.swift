internal import CFFmpeg
public import Hardware

/// A sound file (AAC, ALAC, WAV, FLAC, MP3, Opus, Vorbis) as interleaved samples, sample-exact at every place.
///
/// Position 0 is the first audible frame: what codecs put before it and pad behind the end is cut off. Sound that is
/// missing in the middle comes out as silence of the right length. Owned by one thread at a time; every call blocks
/// on the medium and allocates, so it belongs on the media worker. Damaged input throws, it never traps.
public final class SoundFile {
  public let path: String
  /// What is in the file. `bits` is 16 for lossy codecs.
  public let format: PCMFormat
  /// What `read` gives; all positions and lengths count frames of it.
  public let outputFormat: PCMFormat
  /// Such as `aac`, `pcm_s16le`, `flac`, `mp3`, `opus`, `vorbis`.
  public let codecName: String
  /// Length, if the file says so or has been read to its end.
  public private(set) var totalFrames: Int?
  /// Frames from where all that is in the file begins to position 0. What is shorter than codecs put before a sound is
  /// none, and what is longer than a gap may be is a damaged time stamp.
  public let lead: Int
  /// The frame that `read` gives next.
  public private(set) var position = 0

  private let decoder: FrameDecoder
  private var resampler: Resampler?
  /// The native frame that goes into the resampler next.
  private var fed = 0
  /// A decoded frame that waits behind silence.
  private var waiting: Int?
  /// Output frames to throw away after a seek.
  private var surplus = 0
  private var isDrained = false

  /// Opens a file and decodes its first frame.
  ///
  /// - Parameters:
  ///   - path: absolute, or relative to the working directory; local files only.
  ///   - name: by which its kind is told where its content does not; `nil`: the path's.
  ///   - output: rate and channels (1 or 2) wanted; `nil` for those of the file.
  ///   - track: number of the stream in the file, as `MediaTracks` tells it; `nil` for the one that players take.
  public init(path: String, name: String? = nil, output: PCMFormat? = nil, track: Int? = nil) throws(MediaError) {
    self.path = path
    decoder = try FrameDecoder(path: path, name: name, track: track)
    format = PCMFormat(sampleRate: decoder.sampleRate, channels: decoder.channels, bits: decoder.bits)
    outputFormat = output ?? format
    codecName = decoder.codecName
    guard (1000...768_000).contains(outputFormat.sampleRate), (1...8).contains(outputFormat.channels) else {
      throw MediaError(
        .unsupported, subject: path, operation: "convert",
        reason: "\(outputFormat.sampleRate) Hz with \(outputFormat.channels) channels; ask for 1000 to 768000 Hz")
    }
    lead = (100_000...60_000_000).contains(decoder.lead) ? decoder.lead * outputFormat.sampleRate / 1_000_000 : 0
    totalFrames = decoder.totalFrames.map { outputFrames(ofNative: $0) }
  }

  /// Number of the stream in the file, as `MediaTracks` tells it; `nil`: it has one only.
  public var track: Int? { decoder.trackNumber }

  /// Packets so far that could not be decoded; they were replaced by silence.
  public var damagedPackets: Int { decoder.damagedPackets }

  /// Why `read` has found an end that is not the file's; `nil` where it has not.
  public var cut: MediaError? {
    guard isDrained, decoder.hasMore else { return nil }
    return MediaError(
      .unsupported, subject: path, operation: "read", reason: "what follows is in another codec or at another rate")
  }

  /// Reads up to `frames` frames from `position` on.
  ///
  /// - Parameter target: room for `frames` × `outputFormat.channels` samples.
  /// - Returns: frames read; 0 only at the end.
  public func read(into target: UnsafeMutablePointer<Float>, frames: Int) throws(MediaError) -> Int {
    let wanted = min(frames, totalFrames.map { $0 - position } ?? frames)
    let channels = outputFormat.channels
    var done = 0
    while done < wanted {
      guard let resampler, resampler.count > 0 else {
        if try refill() { continue }
        break
      }
      if surplus > 0 {
        let dropped = min(surplus, resampler.count)
        resampler.first += dropped
        resampler.count -= dropped
        surplus -= dropped
        continue
      }
      let count = min(wanted - done, resampler.count)
      (target + done * channels).update(from: resampler.samples + resampler.first * channels, count: count * channels)
      resampler.first += count
      resampler.count -= count
      done += count
    }
    if done < wanted { done += close(into: target + done * channels, missing: wanted - done, from: position + done) }
    position += done
    return done
  }

  /// Goes to a frame, exactly: `read` then gives the same samples as reading from the start would.
  ///
  /// - Parameter frame: cut to 0…`totalFrames`; where that is not known, to some years.
  public func seek(toFrame frame: Int) throws(MediaError) {
    let target = min(max(0, frame), totalFrames ?? FrameDecoder.mostFrames)
    guard target != position || isDrained else { return }
    // A short way ahead is quicker to decode than to look up, and costs no new filter history.
    let ahead = target - position
    waiting = nil
    isDrained = false
    if let staged = resampler?.count, surplus == 0, ahead >= 0, ahead <= staged {
      resampler?.first += ahead
      resampler?.count -= ahead
      position = target
      return
    }
    position = target
    try begin(at: start(notBehind: .max))
    try decoder.seek(to: fed)
  }

  /// The native frame to begin with for `position`: one where both rates meet, early enough for the filter to have its
  /// whole history.
  private func start(notBehind most: Int) -> Int {
    let (native, output) = steps
    let history = native == output ? 0 : 128 * max(1, native / max(1, output)) / native + 1
    return max(0, min(position / output, most / native) - history) * native
  }

  /// Frames, native and output, after which both rates meet again.
  private var steps: (native: Int, output: Int) {
    let divisor = Self.greatestDivisor(format.sampleRate, outputFormat.sampleRate)
    return (format.sampleRate / divisor, outputFormat.sampleRate / divisor)
  }

  private func begin(at start: Int) throws(MediaError) {
    fed = start
    surplus = position - start / steps.native * steps.output
    try resampler?.reset(subject: path)
  }

  /// Decodes and converts something.
  ///
  /// - Returns: false at the end.
  private func refill() throws(MediaError) -> Bool {
    if isDrained { return false }
    if waiting == nil { waiting = try decoder.next() }
    guard let start = waiting else {
      isDrained = true
      try resampler?.drain(subject: path)
      return true
    }
    let content = decoder.frame.pointer.pointee
    let resampler = try converter(for: Resampler.Source(content))
    if start > fed {
      // Silence that is thrown away after a seek need not be converted.
      let place = surplus > 0 ? self.start(notBehind: start) : 0
      if place > fed { try begin(at: place) }
      fed += try resampler.convertSilence(frames: start - fed, subject: path)
      return true
    }
    waiting = nil
    let offset = fed - start
    let count = Int(content.nb_samples)
    guard offset < count else { return true }
    try resampler.convert(decoder.frame.pointer, offset: offset, subject: path)
    fed = start + count
    return true
  }

  /// The resampler, made anew when the stream changes its shape in the middle.
  private func converter(for source: Resampler.Source) throws(MediaError) -> Resampler {
    if let resampler, resampler.source == source { return resampler }
    let new = try Resampler(
      source: source, outputRate: outputFormat.sampleRate, outputChannels: outputFormat.channels, subject: path)
    resampler = new
    return new
  }

  /// Settles the length at the end: pads the few frames that rounding in the resampler may leave out, or notes
  /// where a file of unknown length ended.
  private func close(into target: UnsafeMutablePointer<Float>, missing: Int, from end: Int) -> Int {
    guard let total = totalFrames else {
      if surplus == 0 { totalFrames = end }
      return 0
    }
    let short = total - end
    guard outputFormat.sampleRate != format.sampleRate, short <= 64, decoder.totalFrames.map({ fed >= $0 }) == true
    else { return 0 }
    let count = min(short, missing)
    target.update(repeating: 0, count: count * outputFormat.channels)
    return count
  }

  /// Native frames as output frames, rounded up.
  private func outputFrames(ofNative frames: Int) -> Int {
    let product = ClaimedNumber(frames) * ClaimedNumber(outputFormat.sampleRate) + ClaimedNumber(format.sampleRate - 1)
    return product.within(0...Int.max).map { $0 / format.sampleRate } ?? frames
  }

  private static func greatestDivisor(_ left: Int, _ right: Int) -> Int {
    var (a, b) = (left, right)
    while b != 0 { (a, b) = (b, a % b) }
    return max(1, a)
  }
}
