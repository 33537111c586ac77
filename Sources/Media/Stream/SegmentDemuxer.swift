internal import CFFmpeg

/// The packets of one segment, by libavformat.
///
/// Streams are taken as the container describes them: probing their content, which `avformat_find_stream_info` would
/// do, costs a decoder and seconds of pictures a segment.
final class SegmentDemuxer {
  /// The packet that `read` returned last.
  enum Packet {
    case sound
    case picture
  }

  let name: String
  let heldBytes: Int
  /// Time of the first sound, for packed audio.
  let firstTime: Int64?
  private let input: MemoryInput
  private let context: UnsafeMutablePointer<AVFormatContext>
  private let packet: LibavPacket
  private let wantsPictures: Bool
  private var sound: Int32 = -1
  private var pictures: Int32 = -1
  private let hasClock: Bool
  private let isTransport: Bool
  /// Streams that its first table names.
  private let streamsOfTable: UInt32
  /// Whether its head says that its sound is encrypted.
  let isSoundProtected: Bool
  private let arePicturesProtected: Bool
  /// Seconds. Nothing lasts thirty years, and frames of more would not be numbers any more.
  private static let longest = 1e9
  /// Sound that nothing here decodes.
  private(set) var refused: String?
  /// Whether there was anything of the sound that was taken.
  private var hasGiven = false
  /// Another sound, and its packets so far, in case there is nothing of the one that was taken.
  private var spare: Int32 = -1
  private var held: [LibavPacket] = []
  private static let mostHeld = 48
  private static let mostHeldBytes = 1 << 20

  /// - Parameters:
  ///   - fileBytes: how large the file is whose head this is, if it is one.
  ///   - isPart: it is a part of one file: the sound is the first of its head, whether there is any of it here or not.
  init(
    _ bytes: [UInt8], initialization: [UInt8], name: String, wantsPictures: Bool, fileBytes: Int? = nil,
    isPart: Bool = false
  ) throws(MediaError) {
    _ = Libav.isReady
    guard let shape = SegmentShape(bytes, hasInitialization: !initialization.isEmpty) else {
      throw MediaError(
        .damaged, subject: name, operation: "open",
        reason: "neither MPEG-TS nor fragmented MP4 nor packed sound (RFC 8216 section 3)")
    }
    guard !shape.isMP4 || SampleClaims.areCredible(initialization) && SampleClaims.areCredible(bytes, of: fileBytes)
    else {
      throw MediaError(
        .damaged, subject: name, operation: "open", reason: "it claims more samples than it can hold")
    }
    guard let format = av_find_input_format(shape.demuxer) else {
      throw MediaError(
        .unsupported, subject: name, operation: "open", reason: "the demuxer \(shape.demuxer) is not built in")
    }
    // Of a transport stream these are its tables (RFC 8216 section 3.2).
    let isOfTables = shape.demuxer == "mpegts" && initialization.first == 0x47 && initialization.count % 188 == 0
    let head = shape.isMP4 || isOfTables ? initialization : []
    guard let input = MemoryInput(head: head, body: bytes, skipping: shape.offset),
      let packet = LibavPacket(), let allocated = avformat_alloc_context()
    else { throw Libav.outOfMemory(name, "open") }
    allocated.pointee.pb = input.context
    allocated.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_NOFILLIN
    // 33 bits are unfolded here, where the segments before are known.
    allocated.pointee.correct_ts_overflow = 0
    allocated.pointee.max_streams = 64
    var options: OpaquePointer?
    av_dict_set(&options, "protocol_whitelist", "none", 0)
    defer { av_dict_free(&options) }
    var opened: UnsafeMutablePointer<AVFormatContext>? = allocated
    let status = avformat_open_input(&opened, nil, format, &options)
    guard status >= 0, let context = opened else { throw Libav.error(status, subject: name, operation: "open") }
    self.name = name
    self.wantsPictures = wantsPictures
    self.input = input
    self.packet = packet
    self.context = context
    firstTime = shape.time
    hasClock = shape.hasClock
    isTransport = shape.demuxer == "mpegts"
    streamsOfTable = context.pointee.nb_streams
    heldBytes = bytes.count + initialization.count
    let movie = initialization.isEmpty ? bytes : initialization
    isSoundProtected = shape.isMP4 && SampleProtection.isOn("soun", in: movie)
    arePicturesProtected = shape.isMP4 && wantsPictures && SampleProtection.isOn("vide", in: movie)
    hasGiven = isPart
    for index in 0..<Int32(context.pointee.nb_streams) { choose(index) }
  }

  deinit {
    var context: UnsafeMutablePointer<AVFormatContext>? = context
    avformat_close_input(&context)
  }

  /// The next packet of a stream that is wanted; `nil` at the end, which is also where what follows cannot be read.
  func read() -> Packet? {
    av_packet_unref(packet.pointer)
    // A damaged file must not keep anybody busy for ever.
    for _ in 0..<1_000_000 {
      if hasGiven, !held.isEmpty {
        let kept = held.removeFirst()
        withExtendedLifetime(kept) { av_packet_move_ref(packet.pointer, $0.pointer) }
        return .sound
      }
      guard av_read_frame(context, packet.pointer) >= 0 else {
        guard !held.isEmpty else { return nil }
        takeSpare()
        continue
      }
      let index = packet.pointer.pointee.stream_index
      choose(index)
      if index == sound {
        if !hasGiven { (hasGiven, held) = (true, []) }
        return .sound
      }
      if index == pictures { return .picture }
      hold(index)
      av_packet_unref(packet.pointer)
    }
    return nil
  }

  /// Keeps a packet of another sound, until there was one of the sound that was taken.
  private func hold(_ index: Int32) {
    guard !hasGiven, sound >= 0, isSound(index) else { return }
    if spare < 0 { spare = index }
    guard index == spare, let kept = LibavPacket() else { return }
    av_packet_move_ref(kept.pointer, packet.pointer)
    held.append(kept)
    let bytes = held.reduce(0) { $0 + Int($1.pointer.pointee.size) }
    if held.count >= Self.mostHeld || bytes >= Self.mostHeldBytes { takeSpare() }
  }

  /// There is nothing of the sound that was taken, and something of this one.
  private func takeSpare() { (sound, spare, hasGiven) = (spare, -1, true) }

  private func isSound(_ index: Int32) -> Bool {
    guard let content = parameters(index)?.pointee else { return false }
    return content.codec_type == AVMEDIA_TYPE_AUDIO && avcodec_find_decoder(content.codec_id) != nil
      && !(isTransport && TransportFeed.refused(content) != nil)
  }

  var current: UnsafeMutablePointer<AVPacket> { packet.pointer }
  var hasSound: Bool { sound >= 0 }
  /// Whether the packet that `read` returned last is encrypted.
  var isProtected: Bool {
    current.isProtected || (current.pointee.stream_index == pictures ? arePicturesProtected : isSoundProtected)
  }
  var soundParameters: UnsafeMutablePointer<AVCodecParameters>? { parameters(sound) }
  var pictureParameters: UnsafeMutablePointer<AVCodecParameters>? { parameters(pictures) }

  /// Where in the file the samples of the sound are, in their order, as its head says it.
  func soundSamples() -> [(place: Int, size: Int, seconds: Double)] {
    guard sound >= 0, let stream = context.pointee.streams[Int(sound)] else { return [] }
    let base = stream.pointee.time_base
    let unit = base.den > 0 ? Double(base.num) / Double(base.den) : 0
    return (0..<avformat_index_get_entries_count(stream)).compactMap { index in
      guard let entry = avformat_index_get_entry(stream, index)?.pointee, (0..<1 << 48).contains(entry.pos),
        (1...1 << 22).contains(entry.size), case let seconds = Double(entry.timestamp) * unit,
        abs(seconds) <= Self.longest
      else { return nil }
      return (Int(entry.pos), Int(entry.size), seconds)
    }
  }

  /// The packet's time in 90 kHz ticks, folded to 33 bits as in MPEG-TS; `nil` if it has none.
  var time: Int64? {
    guard hasClock else { return nil }
    let content = packet.pointer.pointee
    let stamp = content.pts == ffmpeg_no_timestamp() ? content.dts : content.pts
    guard stamp != ffmpeg_no_timestamp(), stamp > -(1 << 60), stamp < 1 << 60,
      let stream = context.pointee.streams[Int(content.stream_index)]
    else { return nil }
    let base = stream.pointee.time_base
    guard base.num > 0, base.den > 0 else { return nil }
    let ticks = av_rescale_q(stamp, base, AVRational(num: 1, den: 90_000))
    guard ticks != ffmpeg_no_timestamp() else { return nil }
    return ticks & ((1 << 33) - 1)
  }

  private func parameters(_ index: Int32) -> UnsafeMutablePointer<AVCodecParameters>? {
    index >= 0 ? context.pointee.streams[Int(index)]?.pointee.codecpar : nil
  }

  /// There is nothing left of the sound that was taken: its table has changed, and another one has begun.
  private func hasMoved(to index: Int32) -> Bool {
    guard isTransport, hasGiven, index >= streamsOfTable, let stream = context.pointee.streams[Int(sound)] else {
      return false
    }
    return !input.holds(transportID: stream.pointee.id, behind: packet.pointer.pointee.pos)
  }

  /// Takes the first sound and, if they are wanted, the first pictures. The rest is not even parsed; of other sounds, as soon
  /// as there was something of that one.
  private func choose(_ index: Int32) {
    guard index >= 0, index < context.pointee.nb_streams, index != sound, index != pictures,
      let stream = context.pointee.streams[Int(index)], let content = stream.pointee.codecpar?.pointee
    else { return }
    if isSound(index), sound < 0 || hasMoved(to: index) {
      sound = index
    } else if wantsPictures, pictures < 0, content.codec_id == AV_CODEC_ID_H264 {
      pictures = index
    } else {
      if content.codec_type == AVMEDIA_TYPE_AUDIO, sound < 0 {
        let name = isTransport ? TransportFeed.refused(content) : nil
        refused = name ?? String(cString: avcodec_get_name(content.codec_id))
      }
      // Of private data libavformat looks at some packets, to find out what they are.
      let isKnown = content.codec_type != AVMEDIA_TYPE_UNKNOWN && content.codec_type != AVMEDIA_TYPE_DATA
      let isSpare = !hasGiven && sound >= 0 && isSound(index)
      if isKnown, !isSpare { stream.pointee.discard = AVDISCARD_ALL }
    }
  }
}
