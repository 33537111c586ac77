internal import CFFmpeg

/// Decoded frames of a sound file, each with its exact place: 0 is the first audible frame.
final class FrameDecoder {
  private let path: String
  private let name: String?
  private let track: Int?
  private var demuxer: any PacketSource
  private var codec: LibavCodec
  private let packet: LibavPacket
  /// The frame that `next` returned last.
  let frame: LibavFrame

  let sampleRate: Int
  let channels: Int
  /// Significant bits of the source's samples; 16 for lossy codecs.
  let bits: Int
  let codecName: String
  /// Audible frames, where the container knows.
  private(set) var totalFrames: Int?
  /// Microseconds from where all that is in the file begins to the first audible frame.
  let lead: Int
  /// Packets that could not be decoded so far.
  private(set) var damagedPackets = 0

  private var places: FramePlaces
  /// The time stamp of `frame`.
  private var begins: Int64
  private var hasPending = false
  private var isDraining = false
  private var failuresInARow = 0

  private static let mostFailuresInARow = 1000
  /// So many seconds are decoded at once.
  private static let far = 60
  /// Beyond any real file: damaged time stamps and lengths are cut to this, so that neither sums nor products with a
  /// rate can overflow.
  static let mostFrames = 1 << 43

  /// - Parameter track: number of the stream in the file; `nil` for the one that players take.
  init(path: String, name: String? = nil, track: Int? = nil) throws(MediaError) {
    (self.path, self.name, self.track) = (path, name, track)
    let demuxer = try Self.source(path, name, track)
    let codec = try Self.open(demuxer, path: path)
    guard let packet = LibavPacket(), let frame = LibavFrame() else { throw Libav.outOfMemory(path, "open") }
    self.demuxer = demuxer
    self.codec = codec
    self.packet = packet
    self.frame = frame
    let reader = Reader(demuxer: demuxer, codec: codec, packet: packet, frame: frame)
    // The first frame tells the rate and channels that really come out (HE-AAC doubles the rate, for one).
    let hasFrame = try reader.advance(path: path)
    let claimed = demuxer.claimed
    sampleRate = hasFrame ? Int(frame.pointer.pointee.sample_rate) : claimed.sampleRate
    channels = hasFrame ? Int(frame.pointer.pointee.ch_layout.nb_channels) : claimed.channels
    guard (1000...768_000).contains(sampleRate), (1...8).contains(channels) else {
      throw MediaError(
        hasFrame ? .unsupported : .damaged, subject: path, operation: "open",
        reason: "\(sampleRate) Hz with \(channels) channels; 1000 to 768000 Hz and 1 to 8 channels can be played")
    }
    // Of these FFmpeg 5 finds no frames.
    guard hasFrame || demuxer.decoder.pointee.id != AV_CODEC_ID_FLAC || claimed.bits <= 24 else {
      throw MediaError(
        .unsupported, subject: path, operation: "open", reason: "FLAC of \(claimed.bits) bits; up to 24 can be played")
    }
    guard hasFrame || reader.failures == 0 else {
      throw MediaError(.damaged, subject: path, operation: "decode", reason: "none of its sound can be decoded")
    }
    self.codec = reader.codec
    bits = (17...32).contains(claimed.bits) ? 24 : 16
    codecName = String(cString: avcodec_get_name(demuxer.decoder.pointee.id))
    hasPending = hasFrame
    isDraining = reader.isDraining
    damagedPackets = reader.failures
    let first =
      hasFrame ? Self.beginning(of: frame.pointer.pointee, reader.duration, demuxer) : ffmpeg_no_timestamp()
    begins = first
    let isPlaced = first != ffmpeg_no_timestamp()
    let time = isPlaced ? av_rescale_q(first, demuxer.timeBase, AVRational(num: 1, den: AV_TIME_BASE)) : 0
    lead = demuxer.zero.map { isPlaced ? Int(time &- $0) : 0 } ?? 0
    // Two milliseconds: those of a file that this was copied out of (Matroska, FLV) stay in its time stamps, however fine.
    // Ours are exact.
    let isVorbis = demuxer.decoder.pointee.id == AV_CODEC_ID_VORBIS
    let wavering = demuxer.origin != nil ? 0 : isVorbis ? Self.mostLate : sampleRate / 500
    places = FramePlaces(
      timeBase: demuxer.timeBase, sampleRate: sampleRate,
      origin: demuxer.origin ?? (first == ffmpeg_no_timestamp() ? 0 : first),
      expected: demuxer.origin == nil ? 0 : nil, wavering: wavering)
    totalFrames = demuxer.audibleFrames(sampleRate: sampleRate).flatMap {
      (0...Self.mostFrames).contains($0) ? $0 : nil
    }
  }

  /// What `next` ended at is not the end: the file goes on in another codec.
  var hasMore: Bool { demuxer.hasMore }
  /// Number of the stream in the file; `nil`: it has one only.
  var trackNumber: Int? { demuxer.track }

  /// The next decoded frame, in `frame`.
  ///
  /// - Returns: where it begins, in frames from the first audible one; `nil` at the end.
  func next() throws(MediaError) -> Int? {
    if hasPending {
      hasPending = false
    } else {
      let reader = Reader(demuxer: demuxer, codec: codec, packet: packet, frame: frame)
      reader.isDraining = isDraining
      reader.failuresInARow = failuresInARow
      defer {
        codec = reader.codec
        isDraining = reader.isDraining
        failuresInARow = reader.failuresInARow
        damagedPackets += reader.failures
      }
      guard try reader.advance(path: path) else { return nil }
      begins = Self.beginning(of: frame.pointer.pointee, reader.duration, demuxer)
    }
    return places.place(begins, frames: Int(frame.pointer.pointee.nb_samples))
  }

  /// Of Vorbis that was copied out of Ogg: a quarter of the difference of two blocks, which have 8192 frames at most.
  private static let mostLate = 2048

  /// The time stamp of a frame. Of the first packet of a page of Ogg libavformat does not know whether the block of Vorbis
  /// before was a long one: where it was, it takes the packet for shorter than it is, and so puts it behind its place.
  ///
  /// - Parameter duration: of the packet that it came of.
  private static func beginning(of frame: AVFrame, _ duration: Int64, _ demuxer: any PacketSource) -> Int64 {
    let unit = demuxer.timeBase
    guard demuxer.decoder.pointee.id == AV_CODEC_ID_VORBIS, unit.num == 1, unit.den == frame.sample_rate,
      frame.pts != ffmpeg_no_timestamp(), duration > 0
    else { return frame.pts }
    return frame.pts &- max(0, Int64(frame.nb_samples) - duration)
  }

  /// Goes to where decoding must begin for exact sound from `target` on: `next` then returns frames that begin
  /// before it, which the caller drops.
  func seek(to target: Int) throws(MediaError) {
    hasPending = false
    if target > 0, demuxer.seeksExactly || demuxer.seeksNearly && target > Self.far * sampleRate {
      for distance in [preroll, preroll + sampleRate, preroll + 4 * sampleRate] {
        // Before the first audible frame lies the priming, which is history too.
        let from = target - distance
        let timestamp = av_rescale_q_rnd(Int64(from), places.frameBase, places.timeBase, AV_ROUND_DOWN)
        guard demuxer.seek(timestamp: places.origin &+ timestamp) else { break }
        avcodec_flush_buffers(codec.pointer)
        isDraining = false
        places.expected = nil
        guard let first = try next() else { continue }
        // Half the pre-roll is for the demuxer, which may land late by a packet that gives no sound.
        guard first <= max(0, target - preroll / 2) else { continue }
        places.expected = first
        hasPending = true
        return
      }
    }
    demuxer = try Self.source(path, name, track)
    codec = try Self.open(demuxer, path: path)
    isDraining = false
    places.expected = demuxer.origin == nil ? 0 : nil
  }

  /// Frames that a decoder needs before its output is that of a decoder which began at the start.
  private var preroll: Int {
    switch codec.pointer.pointee.codec_id {
    case AV_CODEC_ID_AAC: 8 * 2048  // overlap, and the history of SBR
    case AV_CODEC_ID_MP3, AV_CODEC_ID_MP2, AV_CODEC_ID_MP1: 24 * 1152  // a bit reservoir of up to 511 bytes
    case AV_CODEC_ID_OPUS: sampleRate / 2  // RFC 7845 asks for 80 ms; energy prediction takes longer to settle
    case AV_CODEC_ID_VORBIS: 4 * 8192  // the block before
    default: 0
    }
  }

  /// A finished take of ours is read by its own tables on the medium; anything else by libavformat, whose index of
  /// a day-long take alone would fill 200 MB.
  private static func source(_ path: String, _ name: String?, _ track: Int?) throws(MediaError) -> any PacketSource {
    if track == nil, let take = TakeTrack(path: path) { return take }
    return try Demuxer(path: path, name: name, track: track)
  }

  private static func open(_ demuxer: any PacketSource, path: String) throws(MediaError) -> LibavCodec {
    guard let codec = LibavCodec(demuxer.decoder) else { throw Libav.outOfMemory(path, "open") }
    var status = demuxer.configure(codec.pointer)
    codec.pointer.pointee.pkt_timebase = demuxer.timeBase
    codec.pointer.pointee.thread_count = 1
    if status >= 0 { status = avcodec_open2(codec.pointer, demuxer.decoder, nil) }
    guard status >= 0 else { throw Libav.error(status, subject: path, operation: "open the decoder") }
    return codec
  }

  /// The send-and-receive dance of libavcodec.
  private final class Reader {
    private let demuxer: any PacketSource
    private(set) var codec: LibavCodec
    private let packet: LibavPacket
    private let frame: LibavFrame
    /// Of the packet that was decoded last, in the unit of its time stamps.
    private(set) var duration: Int64 = 0
    var isDraining = false
    var failures = 0
    var failuresInARow = 0

    init(demuxer: any PacketSource, codec: LibavCodec, packet: LibavPacket, frame: LibavFrame) {
      self.demuxer = demuxer
      self.codec = codec
      self.packet = packet
      self.frame = frame
    }

    /// Decodes until there is a frame with sound.
    ///
    /// - Returns: false at the end.
    func advance(path: String) throws(MediaError) -> Bool {
      while true {
        let status = avcodec_receive_frame(codec.pointer, frame.pointer)
        if status >= 0 {
          guard isUsable else { continue }
          failuresInARow = 0
          return true
        }
        if status == ffmpeg_error_eof() { return false }
        if status != ffmpeg_error_again() { try fail(path, status) }
        if isDraining {
          // Nothing more will come of a decoder that fails while it is being emptied.
          if status != ffmpeg_error_again() { return false }
          continue
        }
        try feed(path: path)
      }
    }

    private var isUsable: Bool {
      let content = frame.pointer.pointee
      return content.nb_samples > 0 && (1...8).contains(content.ch_layout.nb_channels)
        && (1000...768_000).contains(content.sample_rate)
    }

    private func feed(path: String) throws(MediaError) {
      var status = demuxer.read(into: packet.pointer)
      guard status >= 0 else {
        // What cannot be read any more is the end, whether the file says so or is cut off.
        isDraining = true
        avcodec_send_packet(codec.pointer, nil)
        return
      }
      guard !packet.pointer.isProtected else {
        av_packet_unref(packet.pointer)
        throw MediaError.protected(path)
      }
      if demuxer.takeMove() { codec = try FrameDecoder.open(demuxer, path: path) }
      duration = packet.pointer.pointee.duration
      status = avcodec_send_packet(codec.pointer, packet.pointer)
      av_packet_unref(packet.pointer)
      if status < 0, status != ffmpeg_error_again() { try fail(path, status) }
    }

    private func fail(_ path: String, _ status: Int32) throws(MediaError) {
      failures += 1
      failuresInARow += 1
      guard failuresInARow < FrameDecoder.mostFailuresInARow, status != ffmpeg_error_memory() else {
        throw MediaError(
          .damaged, subject: path, operation: "decode", reason: "too much of it is unreadable (\(Libav.text(status)))")
      }
    }
  }
}
