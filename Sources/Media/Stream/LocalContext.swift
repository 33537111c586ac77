internal import CFFmpeg
internal import Hardware

/// A local file, opened by the demuxers that may be used for it, and by no others: a play list or a concat script on the
/// card must not make the device open other files or the network.
final class LocalContext {
  let pointer: UnsafeMutablePointer<AVFormatContext>

  /// Where the name is not the path's, what is read through.
  private var input: UnsafeMutablePointer<AVIOContext>?

  /// - Parameter name: by which the kind of the file is told where its content does not; `nil`: the path's.
  init(path: String, name: String? = nil, containers: String) throws(MediaError) {
    _ = Libav.isReady
    try Self.refuseIncredible(path)
    var options: OpaquePointer?
    av_dict_set(&options, "protocol_whitelist", "file", 0)
    av_dict_set(&options, "format_whitelist", containers, 0)
    defer { av_dict_free(&options) }
    var opened: UnsafeMutablePointer<AVFormatContext>?
    // The prefix keeps a name with a colon from being read as a protocol.
    let place = KernelName.path("file:" + path)
    var status: Int32 = 0
    if name != nil {
      opened = avformat_alloc_context()
      status = avio_open(&input, place, AVIO_FLAG_READ)
      opened?.pointee.pb = input
    }
    if status >= 0 {
      status = avformat_open_input(&opened, name.map { KernelName.path("file:" + $0) } ?? place, nil, &options)
    } else {
      avformat_free_context(opened)
    }
    guard status >= 0, let context = opened else {
      avio_closep(&input)
      throw Libav.error(status, subject: path, operation: "open")
    }
    pointer = context
  }

  private static func refuseIncredible(_ path: String) throws(MediaError) {
    guard AVIOFile.canBeOpened(path) else {
      throw MediaError(
        .unsupported, subject: path, operation: "open", reason: "a pipe or a device is no file that can be played")
    }
    guard let file = AVIOFile(path: path, isBuffered: false) else { return }
    let isCredible: Bool
    // What cannot be read is for the demuxer to say.
    do throws(StorageError) { isCredible = try SampleClaims(file).areCredible() } catch { return }
    guard !isCredible else { return }
    throw MediaError(
      .damaged, subject: path, operation: "open",
      reason: "it claims more samples than it can hold; copy the file anew from where it came")
  }

  deinit {
    var context: UnsafeMutablePointer<AVFormatContext>? = pointer
    avformat_close_input(&context)
    avio_closep(&input)
  }

  func stream(_ index: Int32) -> UnsafeMutablePointer<AVStream>? {
    index >= 0 && index < pointer.pointee.nb_streams ? pointer.pointee.streams[Int(index)] : nil
  }
}

/// What is in a local file beside its first sound.
public struct MediaTracks: Hashable, Sendable {
  /// A track of sound.
  public struct Sound: Hashable, Sendable {
    /// For `SoundFile`.
    public var track: Int
    /// As the file says it, such as `spa`, or by its name, such as `Español`; empty if it does not.
    public var language: String
    /// It describes the pictures, or comments on them.
    public var isAside: Bool
  }

  /// In the order of the file.
  public private(set) var sounds: [Sound] = []
  /// Whether there are pictures in H.264 that can be shown: in MP4 and MOV.
  public private(set) var hasPictures = false
  /// Seconds, where the file says it.
  public private(set) var duration: Double?
  /// Subtitles in it, which nothing here reads: such as `mov_text (spa)`. Of many the first.
  public private(set) var subtitles: [String] = []
  private static let mostSubtitles = 8

  /// What may be opened for its sound.
  static let containers = "mov,wav,w64,flac,mp3,ogg,aac,ac3,eac3,aiff,caf,matroska,mpegts,amr"

  /// Reads the file's head; blocks on the medium.
  public init(path: String) throws(MediaError) {
    let context = try LocalContext(path: path, containers: Self.containers)
    // `PictureFile` reads no others.
    let isMovie = context.pointer.pointee.iformat.map { String(cString: $0.pointee.name).hasPrefix("mov") } == true
    for index in 0..<Int32(context.pointer.pointee.nb_streams) {
      guard let stream = context.stream(index)?.pointee, let content = stream.codecpar?.pointee else { continue }
      let tag = Self.text("language", of: stream).flatMap { $0 == "und" ? nil : $0 }
      if content.codec_type == AVMEDIA_TYPE_AUDIO {
        let named = Self.text("title", of: stream).flatMap { Languages.tag(named: $0) }
        sounds.append(Sound(track: Int(index), language: tag ?? named ?? "", isAside: Self.isAside(stream)))
      } else if isMovie, content.codec_id == AV_CODEC_ID_H264 {
        hasPictures = !SampleProtection.isOn("vide", at: path)
      } else if content.codec_type == AVMEDIA_TYPE_SUBTITLE, subtitles.count < Self.mostSubtitles {
        let name = String(cString: avcodec_get_name(content.codec_id))
        subtitles.append(tag.map { "\(name) (\($0.prefix(35)))" } ?? name)
      }
    }
    if context.pointer.pointee.duration > 0 {
      duration = Double(context.pointer.pointee.duration) / Double(AV_TIME_BASE)
    }
  }

  private static func text(_ key: String, of stream: AVStream) -> String? {
    av_dict_get(stream.metadata, key, nil, 0)?.pointee.value.map { String(cString: $0) }
  }

  /// Sound that describes the pictures, or comments on them: not what is meant where its language is asked for.
  static func isAside(_ stream: AVStream) -> Bool {
    let kinds = AV_DISPOSITION_COMMENT | AV_DISPOSITION_VISUAL_IMPAIRED | AV_DISPOSITION_DESCRIPTIONS
    return stream.disposition & kinds != 0
  }
}

/// The pictures of a local MP4, one access unit of H.264 in Annex B after the other, in decoding order.
///
/// Owned by one thread at a time; calls block on the medium. Any bytes are answered.
public final class PictureFile {
  /// A picture, and when it is shown: frames at 48 kHz from the beginning of what is shown of the file.
  public struct Picture: Hashable, Sendable {
    public var start: Int
    /// Frames until the next one, as the file says it; 0 where it does not.
    public var length: Int
    public var bytes: [UInt8]
    public var isKeyframe: Bool
  }

  private let context: LocalContext
  private let packet: LibavPacket
  private let index: Int32
  private let units: AccessUnits
  private let timeBase: AVRational
  private static let frameBase = AVRational(num: 1, den: 48_000)
  private static let mostFrames: Int64 = 1 << 48

  /// Where they end as the file says it, in frames at 48 kHz; 0 where it does not.
  public let claimedEnd: Int
  /// Its table says where fewer of them are than it says that there are: libavformat lets the last of those stand to the end.
  private let isCut: Bool
  /// For so long the last one of such a table is shown, in frames.
  private static let lastOfCut = 48_000

  /// - Throws: if there is no H.264 in it.
  public init(path: String) throws(MediaError) {
    let context = try LocalContext(path: path, containers: "mov")
    guard let packet = LibavPacket() else { throw Libav.outOfMemory(path, "open") }
    let found = (0..<Int32(context.pointer.pointee.nb_streams)).first {
      context.stream($0)?.pointee.codecpar?.pointee.codec_id == AV_CODEC_ID_H264
    }
    guard let found, let stream = context.stream(found)?.pointee, let content = stream.codecpar?.pointee else {
      throw MediaError(.unsupported, subject: path, operation: "open", reason: "no pictures in H.264 in it")
    }
    for other in 0..<Int32(context.pointer.pointee.nb_streams) where other != found {
      context.stream(other)?.pointee.discard = AVDISCARD_ALL
    }
    self.context = context
    self.packet = packet
    index = found
    timeBase = stream.time_base
    isCut = Int64(avformat_index_get_entries_count(context.stream(found))) < stream.nb_frames
    claimedEnd = Self.frames(stream.duration, in: stream.time_base) ?? 0
    units = AccessUnits(
      extradata: UnsafeBufferPointer(start: content.extradata, count: Int(max(0, content.extradata_size))))
  }

  /// The next picture; `nil` at the end.
  public func next() -> Picture? {
    while true {
      av_packet_unref(packet.pointer)
      guard av_read_frame(context.pointer, packet.pointer) >= 0 else { return nil }
      // There are none, as far as anybody can see.
      guard !packet.pointer.isProtected else { return nil }
      let content = packet.pointer.pointee
      guard content.stream_index == index, content.pts != ffmpeg_no_timestamp(), let bytes = units.bytes(content)
      else { continue }
      let start = av_rescale_q(content.pts, timeBase, Self.frameBase)
      guard start > -Self.mostFrames, start < Self.mostFrames else { continue }
      let length = Self.frames(content.duration, in: timeBase) ?? 0
      return Picture(
        start: Int(start), length: isCut ? min(length, Self.lastOfCut) : length, bytes: bytes,
        isKeyframe: content.flags & AV_PKT_FLAG_KEY != 0)
    }
  }

  /// A claimed length in frames; `nil` where there is none, or none that can be.
  private static func frames(_ ticks: Int64, in base: AVRational) -> Int? {
    guard ticks != ffmpeg_no_timestamp(), ticks > 0 else { return nil }
    return ClaimedNumber(av_rescale_q(ticks, base, frameBase)).within(1...Int(mostFrames))
  }

  /// Goes to the last keyframe at or before a frame.
  public func seek(toFrame frame: Int) {
    let timestamp = av_rescale_q(Int64(max(0, frame)), Self.frameBase, timeBase)
    av_seek_frame(context.pointer, index, timestamp, AVSEEK_FLAG_BACKWARD)
  }
}
