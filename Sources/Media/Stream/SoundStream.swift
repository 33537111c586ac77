internal import CFFmpeg
internal import Hardware

/// Sound without an end that comes in pieces of any size, as web radio sends it. One thread; no call blocks. Any bytes are
/// answered.
public final class SoundStream {
  /// How it is packed.
  public enum Kind: Hashable, Sendable {
    case mpegAudio
    case adts
    case flac
    case ogg
    case wave
    /// MP4, MOV.
    case movie
    case transportStream

    /// By what it begins with, else by what the server calls it: stations begin in the midst of a frame.
    public init?(beginning bytes: [UInt8], contentType: String) {
      switch SegmentShape(bytes, hasInitialization: false)?.demuxer {
      case "mp3": self = .mpegAudio
      case "aac": self = .adts
      case "flac": self = .flac
      case "ogg": self = .ogg
      case "wav": self = .wave
      case "mov": self = .movie
      case "mpegts": self = .transportStream
      case nil:
        switch contentType {
        case "audio/mpeg", "audio/mp3", "audio/x-mp3", "audio/mpg", "audio/x-mpeg", "audio/mpeg3": self = .mpegAudio
        case "audio/aac", "audio/aacp", "audio/x-aac", "audio/x-aacp": self = .adts
        case "application/ogg", "audio/ogg", "audio/opus", "audio/vorbis": self = .ogg
        case "audio/flac", "audio/x-flac": self = .flac
        case "video/mp2t": self = .transportStream
        default: return nil
        }
      default: return nil
      }
    }

    /// By what has come of a beginning. What a server calls it is believed once there is enough of it for frames that
    /// follow each other, or nothing more comes: many call AAC audio/mpeg.
    ///
    /// - Returns: `nil`: more of it may tell, or nothing does.
    public init?(beginning bytes: [UInt8], contentType: String, isLast: Bool) {
      let isEnough = isLast || bytes.count >= SoundStream.certainty
      self.init(beginning: bytes, contentType: isEnough ? contentType : "")
      // One byte that is right is none of a table.
      if self == .transportStream, !isEnough, bytes.count < SoundStream.transportCertainty { return nil }
    }
  }

  /// Bytes that tell the kind.
  public static let beginning = 12
  /// In so many are frames that follow each other, of whatever has frames.
  public static let certainty = 8 << 10
  private static let transportCertainty = 1024
  public static let sampleRate = 48_000

  private let frame: LibavFrame
  private let packet: LibavPacket
  private let name: String
  private var parser: UnsafeMutablePointer<AVCodecParserContext>?
  private var codec: LibavCodec?
  private var resampler: Resampler?
  private var isFed = false
  // Of frames that follow each other: what is to be parsed, and room behind it that parsers want.
  private var input: [UInt8] = []
  private var place = 0
  private static let room = 64
  private var head = SoundHead()
  /// The first frame has been parsed: of MP3 it may tell of the others.
  private var hasBegun = false
  private static let mostTitleBytes = 1000
  private var isEnding = false
  // Of files and streams with a structure of their own.
  private var wave: WaveFeed?
  private var movie: MovieFeed?
  private var transport: TransportFeed?
  private var transported: AVCodecID?
  // Of Ogg.
  private var pages: OggReader?
  private var headers: [[UInt8]] = []
  private var headersLeft = 0
  /// What the stream itself calls what plays; empty: it does not say.
  public private(set) var title = ""

  /// - Parameters:
  ///   - name: what errors call it.
  ///   - length: bytes of the whole, where they are known.
  public init(_ kind: Kind, name: String, length: Int? = nil) throws(MediaError) {
    guard let frame = LibavFrame(), let packet = LibavPacket() else { throw Libav.outOfMemory(name, "open") }
    self.frame = frame
    self.packet = packet
    self.name = name
    switch kind {
    case .ogg: pages = OggReader()
    case .wave: wave = WaveFeed()
    case .movie: movie = MovieFeed(name: name, length: length)
    case .transportStream: transport = TransportFeed()
    case .mpegAudio: try open(AV_CODEC_ID_MP3, parses: true)
    case .adts: try open(AV_CODEC_ID_AAC, parses: true)
    case .flac: try open(AV_CODEC_ID_FLAC, parses: true)
    }
  }

  deinit { if let parser { av_parser_close(parser) } }

  /// Takes the next bytes; `next` gives what is in them.
  public func feed(_ bytes: [UInt8]) {
    pages?.feed(bytes)
    wave?.feed(bytes)
    movie?.feed(bytes)
    transport?.feed(bytes)
    guard pages == nil, wave == nil, movie == nil, transport == nil else { return }
    append(head.strip(bytes))
  }

  /// Takes what is to be parsed next.
  private func append(_ bytes: [UInt8]) {
    input.removeLast(min(Self.room, input.count))
    input.removeFirst(min(place, input.count))
    place = 0
    input += bytes + [UInt8](repeating: 0, count: Self.room)
  }

  /// What comes is no sound yet and has said how long it is: a picture in a file's tags.
  public var isPassingOver: Bool {
    head.isPassingOver || wave?.isPassingOver == true || pages?.isPassingOver == true
  }

  /// Where in the file the bytes should go on, if not where they are: a head that stands at the end, sound far away.
  public var wanted: Int? { movie?.wanted }

  /// The next bytes are from there.
  public func move(to place: Int) { movie?.move(to: place) }

  /// How long it is, where it can be gone to any time of it.
  public var seconds: Double? { movie?.seconds ?? wave?.seconds }

  /// All that it says is there has come, however long that is: sound may begin behind the pictures, and have holes.
  public var isComplete: Bool { movie?.isComplete == true }

  /// What comes next is the sound of this time.
  ///
  /// - Returns: where in the file the next bytes fed have to be from, and the time that is; `nil` if that is not known.
  public func seek(to seconds: Double) -> (place: Int, seconds: Double)? {
    guard let found = movie?.seek(to: seconds) ?? wave?.seek(to: seconds) else { return nil }
    (isFed, isEnding, resampler) = (false, false, nil)
    return found
  }

  /// Why there is no sound, if the stream itself says so, and whether it is because nothing here decodes it.
  public var refusal: (reason: String, isUnsupported: Bool)? { transport?.refusal ?? pages?.refusal }

  /// Nothing more will come: `next` gives what was held back until it was known to be whole.
  public func end() { isEnding = true }

  /// The next sound: 48 kHz, interleaved stereo, −1…1; `nil` if there is none in what has come.
  ///
  /// - Throws: `unsupported` if no decoder for it is built in.
  public func next() throws(MediaError) -> [Float]? {
    while true {
      if isFed, let samples = try receive() {
        if !samples.isEmpty { return samples }
        continue
      }
      guard let bytes = try nextBytes() else { return nil }
      guard let codec else { continue }
      // What is damaged is left out.
      isFed = try bytes.withUnsafeBufferPointer { content throws(MediaError) in
        try codec.feed(UnsafeRawBufferPointer(content), by: packet, subject: name)
      }
    }
  }

  /// - Returns: `nil` if the decoder has no more.
  private func receive() throws(MediaError) -> [Float]? {
    guard let codec, avcodec_receive_frame(codec.pointer, frame.pointer) >= 0 else {
      isFed = false
      return nil
    }
    let content = frame.pointer.pointee
    guard content.nb_samples > 0, (1...8).contains(content.ch_layout.nb_channels),
      (1000...768_000).contains(content.sample_rate)
    else { return [] }
    let source = Resampler.Source(content)
    let resampler =
      self.resampler?.source == source
      ? self.resampler
      : try Resampler(source: source, outputRate: Self.sampleRate, outputChannels: 2, subject: name)
    self.resampler = resampler
    guard let resampler else { return [] }
    try resampler.convert(frame.pointer, offset: 0, subject: name)
    defer { resampler.count = 0 }
    return Array(UnsafeBufferPointer(start: resampler.samples + 2 * resampler.first, count: 2 * resampler.count))
  }

  private func nextBytes() throws(MediaError) -> [UInt8]? {
    if let movie {
      let packet = try movie.nextPacket()
      codec = movie.codec
      return packet
    }
    if wave != nil {
      let bytes = try wave?.next(name: name)
      if codec == nil, let format = wave?.format { try open(format) }
      return bytes
    }
    if transport != nil { return try nextTransported() }
    return try pages == nil ? nextFrame() : nextPacket()
  }

  /// A table may name another codec in the midst of what has come: what stands before it is parsed first.
  private func nextTransported() throws(MediaError) -> [UInt8]? {
    while true {
      if let frame = nextFrame() { return frame }
      guard let bytes = transport?.next(), !bytes.isEmpty else { return nil }
      let isNew = transport?.codec != transported
      // What a parser has left of the other codec is none of it.
      if isNew { place = input.count }
      append(bytes)
      guard isNew, let found = transport?.codec else { continue }
      transported = found
      // Parsers write into the decoder's context what they find.
      if let parser { av_parser_close(parser) }
      parser = nil
      try open(found, parses: true)
    }
  }

  private func open(_ format: WaveFeed.Format) throws(MediaError) {
    try open(format.codec, parses: false) { codec in
      codec.pointee.sample_rate = Int32(format.sampleRate)
      av_channel_layout_default(&codec.pointee.ch_layout, Int32(format.channels))
      codec.pointee.block_align = Int32(format.block)
    }
  }

  private func open(
    _ id: AVCodecID, parses: Bool, extradata: [UInt8] = [],
    configure: (UnsafeMutablePointer<AVCodecContext>) -> Void = { _ in }
  ) throws(MediaError) {
    guard let found = avcodec_find_decoder(id) else {
      throw MediaError(
        .unsupported, subject: name, operation: "decode",
        reason: "no decoder for \(String(cString: avcodec_get_name(id))) is built in")
    }
    guard let codec = LibavCodec(found) else { throw Libav.outOfMemory(name, "decode") }
    if !extradata.isEmpty {
      guard let memory = av_mallocz(extradata.count + Self.room) else { throw Libav.outOfMemory(name, "decode") }
      extradata.withUnsafeBytes { if let base = $0.baseAddress { memory.copyMemory(from: base, byteCount: $0.count) } }
      codec.pointer.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
      codec.pointer.pointee.extradata_size = Int32(extradata.count)
    }
    configure(codec.pointer)
    let status = avcodec_open2(codec.pointer, found, nil)
    guard status >= 0 else { throw Libav.error(status, subject: name, operation: "open the decoder") }
    if parses, parser == nil {
      parser = av_parser_init(Int32(bitPattern: id.rawValue))
      guard parser != nil else {
        throw MediaError(
          .unsupported, subject: name, operation: "parse",
          reason: "no parser for \(String(cString: avcodec_get_name(id))) is built in")
      }
    }
    self.codec = codec
    isFed = false
  }

  // MARK: Frames that follow each other

  private func nextFrame() -> [UInt8]? {
    guard let parser, let codec else { return nil }
    while place < input.count - Self.room {
      var found: [UInt8]?
      let used = input.withUnsafeBufferPointer { bytes in
        var data: UnsafeMutablePointer<UInt8>?
        var size: Int32 = 0
        let used = av_parser_parse2(
          parser, codec.pointer, &data, &size, bytes.baseAddress.map { $0 + place },
          Int32(bytes.count - Self.room - place), ffmpeg_no_timestamp(), ffmpeg_no_timestamp(), 0)
        if size > 0, let data { found = Array(UnsafeBufferPointer(start: data, count: Int(size))) }
        return Int(used)
      }
      guard used > 0 || found != nil else { return nil }
      place += max(0, used)
      guard let found else { continue }
      let isInfo = !hasBegun && MP3Info.isOne(found)
      hasBegun = true
      if !isInfo { return found }
    }
    guard isEnding else { return nil }
    var data: UnsafeMutablePointer<UInt8>?
    var size: Int32 = 0
    _ = av_parser_parse2(
      parser, codec.pointer, &data, &size, nil, 0, ffmpeg_no_timestamp(), ffmpeg_no_timestamp(), 0)
    guard size > 0, let data else {
      isEnding = false
      return nil
    }
    return Array(UnsafeBufferPointer(start: data, count: Int(size)))
  }

  // MARK: Ogg

  private func nextPacket() throws(MediaError) -> [UInt8]? {
    while let packet = pages?.next() {
      if packet.isFirst {
        headers = []
        codec = nil
        title = ""
        // FLAC says how many follow (its mapping to Ogg, version 1.0), and 0 for "not known".
        headersLeft = packet.bytes.first == 1 ? 3 : packet.bytes.first == 0x7F ? 1 : 2
      }
      guard headersLeft > 0 || codec == nil else {
        // Headers of FLAC that were not counted.
        if codec?.pointer.pointee.codec_id == AV_CODEC_ID_FLAC, packet.bytes.first != 0xFF {
          readTitle(packet.bytes)
          continue
        }
        return packet.bytes
      }
      guard packet.isFirst || !headers.isEmpty else { continue }
      headers.append(packet.bytes)
      readTitle(packet.bytes)
      headersLeft -= 1
      if headersLeft == 0 { try openOgg() }
    }
    return nil
  }

  private func openOgg() throws(MediaError) {
    guard let first = headers.first else { return }
    switch first.first {
    case 1:
      // Lengths of all but the last, each in bytes of 255 and one that is less (Xiph lacing).
      let lengths = headers.dropLast().flatMap { header in
        [UInt8](repeating: 255, count: header.count / 255) + [UInt8(header.count % 255)]
      }
      try open(AV_CODEC_ID_VORBIS, parses: false, extradata: [2] + lengths + headers.flatMap { $0 })
    case 0x7F:
      // Behind `fLaC` and the head of the block.
      guard first.count >= 51 else { return }
      try open(AV_CODEC_ID_FLAC, parses: false, extradata: Array(first[17..<51]))
    default: try open(AV_CODEC_ID_OPUS, parses: false, extradata: first)
    }
  }

  /// TITLE and ARTIST of a Vorbis comment (Ogg Vorbis I, section 5), wherever it begins in a header.
  private func readTitle(_ header: [UInt8]) {
    let start: Int
    if header.starts(with: [3] + Array("vorbis".utf8)) {
      start = 7
    } else if header.starts(with: "OpusTags".utf8) {
      start = 8
    } else if let first = header.first, first & 0x7F == 4 {
      start = 4
    } else {
      return
    }
    var reader = ByteReader(Array(header.dropFirst(start)))
    guard let vendor = reader.little32(), reader.skip(Int(vendor)), let count = reader.little32() else { return }
    var found: [String: String] = [:]
    for _ in 0..<min(count, 64) {
      guard let size = reader.little32(), let bytes = reader.take(Int(size)) else { break }
      // Nobody shows more of a title, and a picture may stand there as well.
      let text = String(decoding: bytes.prefix(Self.mostTitleBytes), as: UTF8.self)
      guard let sign = text.firstIndex(of: "=") else { continue }
      found[text[..<sign].uppercased()] = String(text[text.index(after: sign)...])
    }
    title = [found["ARTIST"], found["TITLE"]].compactMap { $0 }.joined(separator: " - ")
  }
}
