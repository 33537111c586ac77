internal import CFFmpeg

/// Decodes segments one after the other, as one sound.
///
/// Decoder and rate converter live on from segment to segment, so that joins are not heard: within a run no frame is
/// missing or doubled. Sound that is missing by the time stamps is silence of the same length, and what comes twice is
/// cut. One thread; `next` decodes one packet and never blocks. Any bytes are answered.
public final class StreamDecoder {
  public static let sampleRate = 48_000
  /// Time stamps may be off by this much before they are believed: rounding and jitter are no gaps.
  private static let tolerance: Int64 = 90_000 / 100
  /// Beyond it, a gap is a jump; 90 kHz ticks.
  private let longestGap: Int64
  private static let longestOverlap: Int64 = 90_000 * 10
  private static let mostExtradata: Int32 = 64 << 10

  private let wantsPictures: Bool
  private let frame: LibavFrame
  private var demuxer: SegmentDemuxer?
  private var split = SplitSound()
  private var codec: LibavCodec?
  private var codecExtradata: [UInt8] = []
  /// What the container said of rate, channels, bits and blocks: of PCM, nothing else does.
  private var codecShape: [Int32] = []
  private var units: AccessUnits?
  private var resampler: Resampler?
  private var ready: [StreamPiece] = []

  // The run: since the last jump or reset.
  private var anchor: Int64?
  /// Frames that came out since `anchor`, at 48 kHz.
  private var made: Int64 = 0
  /// Frames that went in since `base`, at `rate`.
  private var base: Int64 = 0
  private var fed: Int64 = 0
  private var rate: Int64 = Int64(StreamDecoder.sampleRate)

  private var pendingTime: Int64?
  private var isFed = false
  private var hasFrame = false
  private var frameOffset = 0
  private var silence: Int64 = 0
  private var hadSound = false
  private var failures = 0
  /// Where the sound of this segment, and of the one before, begins.
  private var began: Int64?
  private var previousBegan: Int64?
  private var longestStep: Int64?
  /// What may still come that was heard before, until the first sound that was not.
  private var mayRepeat: Int64?
  /// Sound of this segment was heard before, and has been cut.
  public private(set) var hasRepeated = false

  /// What was missing between sounds by their time stamps, for which silence stands: 90 kHz ticks in all.
  public private(set) var missing: Int64 = 0
  /// Packets that could not be decoded; silence stands for them.
  public private(set) var damagedPackets = 0

  /// - Parameters:
  ///   - pictures: whether H.264 is wanted too; if not, it is not even parsed.
  ///   - longestGap: seconds of missing sound that silence stands for; more is a jump.
  public init(pictures: Bool, longestGap: Double = 60) throws(MediaError) {
    guard let frame = LibavFrame() else { throw Libav.outOfMemory("stream", "open") }
    self.frame = frame
    self.longestGap = Int64(max(0.01, min(3600, longestGap)) * 90_000)
    wantsPictures = pictures
  }

  /// Bytes of the segment that is being decoded.
  public var heldBytes: Int { demuxer?.heldBytes ?? 0 }
  /// The last segment ends in the midst of sound, which waits for the next one.
  public var holdsSound: Bool { split.isHolding }
  /// Where the sound of this run goes on, in 90 kHz ticks; `nil` before its first.
  public var expectedTime: Int64? { anchor == nil ? nil : expected }

  /// Takes the next segment; `next` gives what is in it.
  ///
  /// - Parameters:
  ///   - initialization: the media initialisation section (EXT-X-MAP), or nothing.
  ///   - name: what errors call it.
  ///   - place: of its first byte, if it is a range of a larger resource.
  ///   - seconds: how long it is; time stamps that leave out more than that have jumped.
  ///   - mayRepeat: seconds from its beginning on, also into those behind it, that may have been heard already; else
  ///     time that goes back there begins anew.
  /// - Throws: if it is no segment at all. The decoder is as before then.
  public func begin(
    _ bytes: [UInt8], initialization: [UInt8], name: String, place: Int? = nil, seconds: Double? = nil,
    mayRepeat: Double? = nil
  ) throws(MediaError) {
    demuxer = nil
    if mayRepeat != nil || !split.goesOn(in: bytes) { decodeHeld() }
    var bytes = bytes
    if let place, !initialization.isEmpty { FragmentBase.move(&bytes, from: place, to: initialization.count) }
    let held = split.take(from: &bytes, initialization: initialization)
    demuxer = try SegmentDemuxer(
      bytes, initialization: held.isEmpty ? initialization : held, name: name, wantsPictures: wantsPictures)
    pendingTime = demuxer?.firstTime
    hadSound = false
    failures = 0
    units = nil
    previousBegan = began
    began = nil
    (self.mayRepeat, hasRepeated) = (mayRepeat.map { Self.ticks($0, least: 0) } ?? self.mayRepeat, false)
    longestStep = seconds.map { Self.ticks($0, least: 1) + Self.tolerance * 50 }
  }

  /// Of time stamps, for what a list claims: an hour at most.
  private static func ticks(_ seconds: Double, least: Double) -> Int64 {
    Int64(max(least, min(seconds, 3600)) * 90_000)
  }

  /// The next piece; `nil` when the segment is over.
  ///
  /// - Throws: `damaged` if there was sound in the segment, and none of it could be decoded.
  public func next() throws(MediaError) -> StreamPiece? {
    while true {
      if !ready.isEmpty { return ready.removeFirst() }
      if silence > 0 {
        try feedSilence()
      } else if hasFrame {
        hasFrame = false
        try convertFrame()
      } else if isFed {
        try receive()
      } else if let demuxer {
        guard let packet = demuxer.read() else {
          try close(demuxer)
          return nil
        }
        switch packet {
        case .sound: try send(demuxer)
        case .picture: takePicture(demuxer)
        }
      } else {
        return nil
      }
    }
  }

  /// Puts silence where a segment is missing. What its real length is beyond that, the next time stamp tells.
  ///
  /// - Parameter seconds: 0…3600.
  public func skip(seconds: Double) throws(MediaError) {
    decodeHeld()
    if let codec { avcodec_flush_buffers(codec.pointer) }
    isFed = false
    guard anchor != nil else { return }
    silence += Int64(min(max(0, seconds), 3600) * Double(rate))
  }

  /// Ends the run: the next sound is at wherever its time stamp says.
  ///
  /// - Returns: what the rate converter still held.
  public func finishRun() throws(MediaError) -> StreamSound? {
    demuxer = nil
    decodeHeld()
    while silence > 0 { try feedSilence() }
    try drain()
    var tail: StreamSound?
    for case .sound(let sound) in ready {
      tail = tail.map { StreamSound(time: $0.time, samples: $0.samples + sound.samples) } ?? sound
    }
    forget()
    return tail
  }

  /// Forgets everything, as after a seek.
  public func reset() {
    demuxer = nil
    resampler = nil
    forget()
  }

  /// Nothing comes that goes on with what the last segment ends in the midst of.
  private func decodeHeld() {
    let held = split.flush()
    guard !held.isEmpty,
      let rest = try? SegmentDemuxer(held, initialization: [], name: "stream", wantsPictures: false)
    else { return }
    demuxer = rest
    var pieces: [StreamPiece] = []
    while let piece = try? next() { pieces.append(piece) }
    demuxer = nil
    ready = pieces
  }

  private func forget() {
    split.forget()
    if let codec { avcodec_flush_buffers(codec.pointer) }
    ready = []
    anchor = nil
    began = nil
    previousBegan = nil
    pendingTime = nil
    isFed = false
    hasFrame = false
    silence = 0
  }

  private func close(_ finished: SegmentDemuxer) throws(MediaError) {
    demuxer = nil
    guard !hadSound else { return }
    guard !finished.isSoundProtected else { throw MediaError.protected(finished.name) }
    if failures == 0, !finished.hasSound, let codec = finished.refused {
      throw MediaError(
        .unsupported, subject: finished.name, operation: "decode",
        reason: "no decoder for its sound, \(codec), is built in")
    }
    guard failures > 0 else { return }
    throw MediaError(
      .damaged, subject: finished.name, operation: "decode", reason: "none of its sound can be decoded")
  }

  private var expected: Int64 { base + fed * 90_000 / rate }

  // MARK: Packets

  private func send(_ demuxer: SegmentDemuxer) throws(MediaError) {
    guard let parameters = demuxer.soundParameters else { return }
    guard !demuxer.isProtected else { throw MediaError.protected(demuxer.name) }
    let codec = try decoder(for: parameters, name: demuxer.name)
    if let time = demuxer.time { pendingTime = time }
    let status = avcodec_send_packet(codec.pointer, demuxer.current)
    guard status < 0, status != ffmpeg_error_again() else {
      isFed = true
      return
    }
    fail()
  }

  private func receive() throws(MediaError) {
    guard let codec else {
      isFed = false
      return
    }
    let status = avcodec_receive_frame(codec.pointer, frame.pointer)
    guard status >= 0 else {
      isFed = false
      if status != ffmpeg_error_again(), status != ffmpeg_error_eof() { fail() }
      return
    }
    let content = frame.pointer.pointee
    guard content.nb_samples > 0, (1...8).contains(content.ch_layout.nb_channels),
      (1000...768_000).contains(content.sample_rate)
    else { return fail() }
    hadSound = true
    try place(content)
  }

  private func fail() {
    failures += 1
    damagedPackets += 1
    // The next time stamp tells how much is missing.
  }

  private func decoder(
    for parameters: UnsafeMutablePointer<AVCodecParameters>, name: String
  ) throws(MediaError) -> LibavCodec {
    let content = parameters.pointee
    // It is looked at with every packet.
    guard content.extradata_size <= Self.mostExtradata else {
      throw MediaError(
        .damaged, subject: name, operation: "decode",
        reason: "\(content.extradata_size) bytes of what a decoder has to know; at most \(Self.mostExtradata) are read")
    }
    let extradata = Array(UnsafeBufferPointer(start: content.extradata, count: Int(max(0, content.extradata_size))))
    let isPlain = av_get_exact_bits_per_sample(content.codec_id) > 0
    let shape =
      isPlain
      ? [content.sample_rate, content.ch_layout.nb_channels, content.bits_per_coded_sample, content.block_align] : []
    if let codec, codec.pointer.pointee.codec_id == content.codec_id, codecExtradata == extradata, codecShape == shape {
      return codec
    }
    guard let found = avcodec_find_decoder(content.codec_id) else {
      throw MediaError(
        .unsupported, subject: name, operation: "decode",
        reason: "no decoder for \(String(cString: avcodec_get_name(content.codec_id))) is built in")
    }
    guard let codec = LibavCodec(found) else { throw Libav.outOfMemory(name, "decode") }
    var status = avcodec_parameters_to_context(codec.pointer, parameters)
    // What codecs put before the first frame is in every segment's description, but must not be cut from every segment.
    codec.pointer.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
    if status >= 0 { status = avcodec_open2(codec.pointer, found, nil) }
    guard status >= 0 else { throw Libav.error(status, subject: name, operation: "open the decoder") }
    self.codec = codec
    codecExtradata = extradata
    codecShape = shape
    return codec
  }

  private func takePicture(_ demuxer: SegmentDemuxer) {
    guard let time = demuxer.time, let parameters = demuxer.pictureParameters?.pointee, !demuxer.isProtected else {
      return
    }
    let units =
      self.units
      ?? AccessUnits(
        extradata: UnsafeBufferPointer(start: parameters.extradata, count: Int(max(0, parameters.extradata_size))))
    self.units = units
    let packet = demuxer.current.pointee
    guard let bytes = units.bytes(packet) else { return }
    ready.append(
      .picture(StreamPicture(time: time, bytes: bytes, isKeyframe: packet.flags & AV_PKT_FLAG_KEY != 0)))
  }

  // MARK: Where decoded sound belongs, and its way to 48 kHz

  /// Decides where a decoded frame belongs.
  private func place(_ content: AVFrame) throws(MediaError) {
    let stamp = pendingTime
    pendingTime = nil
    hasFrame = true
    frameOffset = 0
    if Int64(content.sample_rate) != rate {
      base = expected
      fed = 0
      rate = Int64(content.sample_rate)
    }
    let isFirst = began == nil
    if isFirst { began = stamp ?? (anchor == nil ? 0 : expected) }
    guard anchor != nil else {
      begin(at: stamp ?? 0)
      return
    }
    guard let stamp else { return }
    let difference = StreamTime.distance(from: expected, to: stamp)
    // Time that goes back to where a whole segment began has begun anew: nothing of it was heard before.
    let isBack =
      mayRepeat == nil
      && (isFirst ? previousBegan : began).map { StreamTime.distance(from: $0, to: stamp) < Self.tolerance } ?? false
    let longestOverlap = Self.longestOverlap + (mayRepeat ?? 0)
    let isFar = difference > longestStep ?? longestGap
    if difference > longestGap || isFar || difference < -longestOverlap || difference < -Self.tolerance && isBack {
      try drain()
      ready.append(.jump)
      begin(at: stamp)
    } else if difference > Self.tolerance {
      silence = (difference * rate + 45_000) / 90_000
      missing &+= difference
    } else if difference < -Self.tolerance {
      frameOffset = Int((-difference * rate + 45_000) / 90_000)
      // The rest of the overlap is cut from the frames behind, which have no time stamps of their own, or later ones.
      if frameOffset >= Int(content.nb_samples) {
        (hasFrame, hasRepeated) = (false, true)
        pendingTime = StreamTime.folded(stamp + Int64(content.nb_samples) * 90_000 / rate)
      }
    }
  }

  private func begin(at stamp: Int64) {
    anchor = stamp
    base = stamp
    fed = 0
    made = 0
  }

  private func convertFrame() throws(MediaError) {
    let content = frame.pointer.pointee
    mayRepeat = nil
    let resampler = try converter(for: Resampler.Source(content))
    try resampler.convert(frame.pointer, offset: frameOffset, subject: "sound")
    fed += Int64(Int(content.nb_samples) - frameOffset)
    collect(resampler)
  }

  private func feedSilence() throws(MediaError) {
    guard let resampler else {
      silence = 0
      return
    }
    let count = try resampler.convertSilence(frames: Int(min(silence, 1024)), subject: "silence")
    silence -= Int64(count)
    fed += Int64(count)
    collect(resampler)
  }

  private func drain() throws(MediaError) {
    guard let resampler else { return }
    // At the same rate nothing is held back.
    if resampler.source.sampleRate != Self.sampleRate {
      try resampler.drain(subject: "sound")
      collect(resampler)
    }
    self.resampler = nil
  }

  private func converter(for source: Resampler.Source) throws(MediaError) -> Resampler {
    if let resampler, resampler.source == source { return resampler }
    try drain()
    let new = try Resampler(source: source, outputRate: Self.sampleRate, outputChannels: 2, subject: "sound")
    resampler = new
    return new
  }

  private func collect(_ resampler: Resampler) {
    guard resampler.count > 0, let anchor else { return }
    let samples = Array(
      UnsafeBufferPointer(start: resampler.samples + 2 * resampler.first, count: 2 * resampler.count))
    // 90,000 ÷ 48,000 is 15 ÷ 8.
    ready.append(.sound(StreamSound(time: anchor + made * 15 / 8, samples: samples)))
    made += Int64(resampler.count)
    resampler.count = 0
  }
}
