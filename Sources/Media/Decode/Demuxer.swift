internal import CFFmpeg
internal import Hardware

/// Where the packets of one sound stream come from.
protocol PacketSource: AnyObject {
  var decoder: UnsafePointer<AVCodec> { get }
  /// Number of the stream in the file; `nil`: it has one only.
  var track: Int? { get }
  /// The unit of the packets' time stamps.
  var timeBase: AVRational { get }
  /// The time stamp of the first audible frame, where the source knows it.
  var origin: Int64? { get }
  /// Where all that is in the file begins, microseconds; `nil`: there is nothing beside this sound.
  var zero: Int64? { get }
  /// Audible frames, where the source knows them.
  func audibleFrames(sampleRate: Int) -> Int?
  /// What the file says before anything is decoded.
  var claimed: (sampleRate: Int, channels: Int, bits: Int) { get }
  /// True if a seek lands on known frames.
  var seeksExactly: Bool { get }
  /// True if it lands on frames that are known to a millisecond: far away that is better than to read all that is before.
  var seeksNearly: Bool { get }
  /// Sets a decoder up for this stream.
  ///
  /// - Returns: 0, or the library's error code.
  func configure(_ context: UnsafeMutablePointer<AVCodecContext>) -> Int32
  /// The next packet.
  ///
  /// - Returns: 0, or the library's error code.
  func read(into packet: UnsafeMutablePointer<AVPacket>) -> Int32
  /// Whether what `read` gave last is of another sound than before, which goes on where that one has ended: it wants a
  /// decoder of its own. Asking forgets it.
  func takeMove() -> Bool
  /// What `read` ended at is not the end: the file goes on in another codec.
  var hasMore: Bool { get }
  /// Goes to the last point at or before `timestamp` from which one can decode.
  func seek(timestamp: Int64) -> Bool
}

extension PacketSource {
  var track: Int? { nil }
  var zero: Int64? { nil }
  /// A second in the unit of its time stamps.
  var second: Int64 { av_rescale_q(1, AVRational(num: 1, den: 1), timeBase) }
  func takeMove() -> Bool { false }
  var hasMore: Bool { false }
  var seeksNearly: Bool { false }
}

/// One sound stream of a file by libavformat: packets in order, and seeking by time stamp.
final class Demuxer: PacketSource {
  /// Containers whose time stamps stay exact after a seek; in others the file is read from the start.
  private static let exactContainers: Set<String> = ["mov", "wav", "w64", "flac", "mp3", "ogg", "aiff"]

  private let path: String
  private let local: LocalContext
  private var context: UnsafeMutablePointer<AVFormatContext> { local.pointer }
  private var index: Int32
  let track: Int?
  private var stream: UnsafeMutablePointer<AVStream>
  private(set) var decoder: UnsafePointer<AVCodec>
  /// Of a transport stream: what may go on where this sound ends.
  private let later: LaterSound?
  private var hasMoved = false
  /// As libavformat says it of the sound that is first.
  private let rate: Int32
  let seeksExactly: Bool
  private let container: String
  /// One stream behind the other, of which libavformat knows the first only.
  let isChained: Bool
  private(set) var hasMore = false
  private let paged: OggTimes?
  /// Bytes and frames of a block of ADPCM, and where the first one begins in the file.
  private let block: (bytes: Int64, frames: Int64, start: Int64)?

  /// Whether the header has said everything: so it is with PCM in WAV. Looking for more reads and probes the first
  /// seconds of the sound, which every take would pay for when it is opened after STOP.
  private static func knowsItsStream(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
    guard let name = context.pointee.iformat?.pointee.name, String(cString: name) == "wav",
      context.pointee.nb_streams == 1, let parameters = context.pointee.streams[0]?.pointee.codecpar
    else { return false }
    let pcm = [AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S24LE, AV_CODEC_ID_PCM_S32LE, AV_CODEC_ID_PCM_F32LE]
    return pcm.contains(parameters.pointee.codec_id) && parameters.pointee.sample_rate > 0
  }

  /// In WAVE_FORMAT_EXTENSIBLE samples may have fewer bits than their places, such as 24 in 32; they stand in the upper ones.
  /// libavformat goes by the bits that count, and takes these 24 for the floats of an old editor, whose files are none of it.
  ///
  /// - Returns: whether a stream was changed, which the demuxer has to be told (`avformat_find_stream_info`).
  private static func widen(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
    guard context.pointee.nb_streams == 1, let stream = context.pointee.streams[0],
      let content = stream.pointee.codecpar, content.pointee.ch_layout.nb_channels > 0
    else { return false }
    let narrow = [AV_CODEC_ID_PCM_U8, AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S24LE, AV_CODEC_ID_PCM_F24LE]
    let bytes = content.pointee.block_align / content.pointee.ch_layout.nb_channels
    // Those floats count as 32 bits, and were counted as 24.
    let isFloat = content.pointee.codec_id == AV_CODEC_ID_PCM_F24LE
    let bits = isFloat ? 24 : av_get_bits_per_sample(content.pointee.codec_id)
    let wide: [Int32: AVCodecID] = [2: AV_CODEC_ID_PCM_S16LE, 3: AV_CODEC_ID_PCM_S24LE, 4: AV_CODEC_ID_PCM_S32LE]
    guard narrow.contains(content.pointee.codec_id), let codec = wide[bytes], bits < 8 * bytes else { return false }
    content.pointee.codec_id = codec
    if stream.pointee.duration > 0 {
      stream.pointee.duration = av_rescale(stream.pointee.duration, Int64(bits), Int64(8 * bytes))
    }
    return true
  }

  /// In WAV libavformat knows places by the bytes a second that the head claims: of ADPCM these are rounded, or made up. They
  /// are put right for its seeks, and the times of packets follow from where they lie.
  private static func block(
    _ context: UnsafeMutablePointer<AVFormatContext>, _ index: Int32, _ container: String
  ) -> (bytes: Int64, frames: Int64, start: Int64)? {
    guard ["wav", "w64"].contains(container), let file = context.pointee.pb,
      let content = context.pointee.streams[Int(index)]?.pointee.codecpar,
      [AV_CODEC_ID_ADPCM_MS, AV_CODEC_ID_ADPCM_IMA_WAV].contains(content.pointee.codec_id),
      content.pointee.block_align > 0
    else { return nil }
    let bytes = content.pointee.block_align
    let frames = Int64(av_get_audio_frame_duration2(content, bytes))
    guard frames > 0, av_seek_frame(context, index, 0, AVSEEK_FLAG_BACKWARD) >= 0 else { return nil }
    content.pointee.bit_rate = av_rescale(Int64(content.pointee.sample_rate), 8 * Int64(bytes), frames)
    return (Int64(bytes), frames, avio_seek(file, 0, SEEK_CUR))
  }

  /// The first that the file calls its default, else the first, of those that can be decoded and describe nothing.
  private static func standard(_ context: UnsafeMutablePointer<AVFormatContext>) -> Int32? {
    let usual = (0..<Int32(context.pointee.nb_streams)).filter { index in
      guard let stream = context.pointee.streams[Int(index)]?.pointee, let content = stream.codecpar?.pointee else {
        return false
      }
      return content.codec_type == AVMEDIA_TYPE_AUDIO && !MediaTracks.isAside(stream)
        && avcodec_find_decoder(content.codec_id) != nil
    }
    let isDefault = { (index: Int32) in
      (context.pointee.streams[Int(index)]?.pointee.disposition ?? 0) & AV_DISPOSITION_DEFAULT != 0
    }
    return usual.first(where: isDefault) ?? usual.first
  }

  /// - Parameter track: number of the stream in the file; `nil` for the one that players take.
  init(path: String, name: String? = nil, track: Int? = nil) throws(MediaError) {
    let local: LocalContext
    do throws(MediaError) {
      local = try LocalContext(path: path, name: name, containers: MediaTracks.containers)
    } catch {
      var error = error
      if error.kind == .damaged { error.reason = "not a sound file that can be played (\(error.reason))" }
      throw error
    }
    let context = local.pointer
    let names = context.pointee.iformat.map { String(cString: $0.pointee.name) } ?? ""
    let facts = names == "wav" ? WaveFacts(path: path) : nil
    // To the end of the file then, as libavformat does it where RIFF does not say a length.
    if facts?.claimsNothing == true { av_opt_set_int(context.pointee.priv_data, "ignore_length", 1, 0) }
    let isWider = facts?.isExtensible == true && Self.widen(context)
    let status = !isWider && Self.knowsItsStream(context) ? 0 : avformat_find_stream_info(context, nil)
    let isTransport = LaterSound.isTransport(context)
    let refused = isTransport ? Self.leaveOutRefused(context) : nil
    var codec: UnsafePointer<AVCodec>?
    // Of several that are the default libavformat takes the one with the most bits, whatever its language.
    let wanted = track.map { Int32(clamping: $0) } ?? (isTransport ? nil : Self.standard(context))
    var index = status < 0 ? status : av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, wanted ?? -1, -1, &codec, 0)
    if status >= 0, index < 0, track == nil, wanted != nil {
      index = av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, -1, &codec, 0)
    }
    later = track == nil && index >= 0 && isTransport ? LaterSound(context) : nil
    if let later {
      let foremost = later.foremost(like: index)
      index = later.first(before: foremost) ?? foremost
      codec = LaterSound.decoder(of: index, in: context)
    }
    guard index >= 0, let codec, let stream = context.pointee.streams[Int(index)] else {
      let isKnown = index == ffmpeg_error_no_decoder() || refused != nil
      throw MediaError(
        isKnown ? .unsupported : .damaged, subject: path, operation: "open",
        reason: "no sound in it that can be decoded (\(refused ?? Libav.text(index)))")
    }
    for other in 0..<Int(context.pointee.nb_streams)
    where other != Int(index) && later?.mayFollow(Int32(other), index) != true {
      context.pointee.streams[other]?.pointee.discard = AVDISCARD_ALL
    }
    self.path = path
    self.local = local
    self.index = index
    self.track = Int(index)
    self.stream = stream
    rate = stream.pointee.codecpar.pointee.sample_rate
    decoder = codec
    container = names
    if names.hasPrefix("mov"), SampleProtection.isOn("soun", at: path) { throw MediaError.protected(path) }
    isChained = names == "ogg" && OggChain.isOne(path: path)
    paged = names == "ogg" ? OggTimes(stream.pointee) : nil
    block = Self.block(context, index, names)
    seeksExactly =
      !isChained && paged?.isExact != false
      && names.split(separator: ",").contains { Self.exactContainers.contains(String($0)) }
  }

  var timeBase: AVRational { stream.pointee.time_base }

  var seeksNearly: Bool { container.hasPrefix("matroska") }

  var origin: Int64? { nil }

  var zero: Int64? {
    let start = context.pointee.start_time
    return start == ffmpeg_no_timestamp() ? nil : max(0, start)
  }

  var claimed: (sampleRate: Int, channels: Int, bits: Int) {
    let parameters = stream.pointee.codecpar.pointee
    return (
      Int(parameters.sample_rate), Int(parameters.ch_layout.nb_channels),
      Int(max(parameters.bits_per_raw_sample, parameters.bits_per_coded_sample))
    )
  }

  func configure(_ context: UnsafeMutablePointer<AVCodecContext>) -> Int32 {
    avcodec_parameters_to_context(context, stream.pointee.codecpar)
  }

  /// A guess from the bit rate is not knowledge, nor are the last time stamps of a transport stream: what comes with them is
  /// not in them.
  private var saysItsLength: Bool {
    !isChained && container != "mpegts"
      && context.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE
  }

  func audibleFrames(sampleRate: Int) -> Int? {
    let content = stream.pointee
    guard saysItsLength, content.duration != ffmpeg_no_timestamp(), content.duration >= 0 else { return nil }
    let frames = av_rescale_q(content.duration, content.time_base, AVRational(num: 1, den: Int32(sampleRate)))
    switch content.codecpar.pointee.codec_id {
    case AV_CODEC_ID_MP3: return MP3Info.audibleFrames(path: path)
    // libavformat counts the pre-skip of Ogg in.
    case AV_CODEC_ID_OPUS where container == "ogg":
      return (ClaimedNumber(frames) - ClaimedNumber(content.codecpar.pointee.initial_padding)).within(0...Int.max)
    default: return Int(frames)
    }
  }

  /// Frames by the length of the whole file, where its header says it; in milliseconds mostly.
  func containerFrames(sampleRate: Int) -> Int? {
    guard saysItsLength, context.pointee.duration > 0 else { return nil }
    let tick = AVRational(num: 1, den: AV_TIME_BASE)
    return ClaimedNumber(av_rescale_q(context.pointee.duration, tick, AVRational(num: 1, den: Int32(sampleRate))))
      .within(1...FrameDecoder.mostFrames)
  }

  /// How much of the file's bytes has been read: 0 to 1.
  var partRead: Double? {
    guard let file = context.pointee.pb else { return nil }
    // A seek by nothing tells where it is.
    let (place, size) = (avio_seek(file, 0, SEEK_CUR), avio_size(file))
    return place > 0 && size > 0 ? min(1, Double(place) / Double(size)) : nil
  }

  /// libavformat gives up behind 64 KiB of Ogg without a page, and goes on from there when it is asked again.
  private static let mostPagesMissed = 64

  func read(into packet: UnsafeMutablePointer<AVPacket>) -> Int32 {
    var missed = 0
    while true {
      if later?.takeNext(into: packet) == true { return 0 }
      let status = av_read_frame(context, packet)
      if status < 0 {
        missed += 1
        if status == ffmpeg_error_invalid_data(), paged != nil, missed < Self.mostPagesMissed { continue }
        // Behind its last packet nothing comes of the one before any more.
        if moveOn() { continue }
        // libavformat does not take a stream of another codec in place of one.
        hasMore = isChained && status != ffmpeg_error_eof() || later?.hasMore == true
        if !hasMore, later != nil {
          hasMore = TransportFeed.endsInAnother(
            than: stream.pointee.codecpar.pointee.codec_id, at: Int(stream.pointee.id), path: path)
        }
        return status
      }
      let other = packet.pointee.stream_index
      if other == index {
        later?.drop()
        paged?.number(packet)
        if let block, packet.pointee.pos >= block.start {
          packet.pointee.pts = (packet.pointee.pos - block.start) / block.bytes &* block.frames
          packet.pointee.dts = packet.pointee.pts
        }
        return 0
      }
      if later?.hold(packet, rate: rate) == true { _ = moveOn() }
      av_packet_unref(packet)
    }
  }

  func takeMove() -> Bool {
    defer { hasMoved = false }
    return hasMoved
  }

  private func moveOn() -> Bool {
    guard let other = later?.moveOn(rate: rate), let next = context.pointee.streams[Int(other)],
      let found = LaterSound.decoder(of: other, in: context)
    else { return false }
    (index, stream, decoder, hasMoved) = (other, next, found, true)
    return true
  }

  func seek(timestamp: Int64) -> Bool {
    later?.reset()
    // The index of a film is that of its pictures.
    let key = seeksNearly ? pictures ?? index : index
    let unit = context.pointee.streams[Int(key)]?.pointee.time_base ?? timeBase
    var (target, back) = (av_rescale_q(timestamp, timeBase, unit), second)
    for _ in 0..<Self.mostSeeks {
      guard av_seek_frame(context, key, target, AVSEEK_FLAG_BACKWARD) >= 0 else { return false }
      guard paged != nil, let file = context.pointee.pb, OggTimes.isAtLastPage(file) else { return true }
      target &-= back
      back &*= 2
    }
    return false
  }

  private var pictures: Int32? {
    (0..<Int32(context.pointee.nb_streams)).first {
      guard let stream = context.pointee.streams[Int($0)]?.pointee else { return false }
      return stream.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        && stream.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
    }
  }

  private static let mostSeeks = 8

  /// Makes nobody's of the sounds that nothing here decodes, whatever libavformat takes them for.
  ///
  /// - Returns: what the last of them is.
  private static func leaveOutRefused(_ context: UnsafeMutablePointer<AVFormatContext>) -> String? {
    var found: String?
    for index in 0..<Int(context.pointee.nb_streams) {
      guard let content = context.pointee.streams[index]?.pointee.codecpar,
        content.pointee.codec_type == AVMEDIA_TYPE_AUDIO, let name = TransportFeed.refused(content.pointee)
      else { continue }
      content.pointee.codec_type = AVMEDIA_TYPE_UNKNOWN
      found = name
    }
    return found
  }
}
