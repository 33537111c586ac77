internal import CFFmpeg

/// One sound stream of a file by libavformat: packets in order, and seeking by time stamp.
///
/// Only local files are opened, and only by the demuxers named here: a play list or a concat script on the card
/// must not make the device open other files or the network.
final class Demuxer {
  /// Containers whose time stamps stay exact after a seek; in others the file is read from the start.
  private static let exactContainers: Set<String> = ["mov", "wav", "w64", "flac", "mp3", "ogg", "aiff"]
  private static let containers = "mov,wav,w64,flac,mp3,ogg,aac,aiff,caf"

  private let context: UnsafeMutablePointer<AVFormatContext>
  private let index: Int32
  let stream: UnsafeMutablePointer<AVStream>
  let decoder: UnsafePointer<AVCodec>
  /// True if a seek lands on known frames.
  let seeksExactly: Bool

  init(path: String) throws(MediaError) {
    _ = Libav.silence
    var options: OpaquePointer?
    av_dict_set(&options, "protocol_whitelist", "file", 0)
    av_dict_set(&options, "format_whitelist", Self.containers, 0)
    defer { av_dict_free(&options) }
    var opened: UnsafeMutablePointer<AVFormatContext>?
    // The prefix keeps a name with a colon from being read as a protocol.
    var status = avformat_open_input(&opened, "file:" + path, nil, &options)
    guard status >= 0, let context = opened else {
      var error = Libav.error(status, subject: path, operation: "open")
      if error.kind == .damaged { error.reason = "not a sound file that can be played (\(error.reason))" }
      throw error
    }
    status = avformat_find_stream_info(context, nil)
    var codec: UnsafePointer<AVCodec>?
    let index = status < 0 ? status : av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, -1, &codec, 0)
    guard index >= 0, let codec, let stream = context.pointee.streams[Int(index)] else {
      avformat_close_input(&opened)
      throw MediaError(
        index == ffmpeg_error_no_decoder() ? .unsupported : .damaged, subject: path, operation: "open",
        reason: "no sound in it that can be decoded (\(Libav.text(index)))")
    }
    for other in 0..<Int(context.pointee.nb_streams) where other != Int(index) {
      context.pointee.streams[other]?.pointee.discard = AVDISCARD_ALL
    }
    self.context = context
    self.index = index
    self.stream = stream
    decoder = codec
    let names = context.pointee.iformat.map { String(cString: $0.pointee.name) } ?? ""
    seeksExactly = names.split(separator: ",").contains { Self.exactContainers.contains(String($0)) }
  }

  deinit {
    var context: UnsafeMutablePointer<AVFormatContext>? = context
    avformat_close_input(&context)
  }

  /// True if the stream's duration is written in the file, not guessed from its bit rate.
  var durationIsKnown: Bool {
    context.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE
      && stream.pointee.duration != ffmpeg_no_timestamp() && stream.pointee.duration >= 0
  }

  /// The next packet of the stream.
  ///
  /// - Returns: 0, or the library's error code.
  func read(into packet: UnsafeMutablePointer<AVPacket>) -> Int32 {
    while true {
      let status = av_read_frame(context, packet)
      guard status >= 0 else { return status }
      if packet.pointee.stream_index == index { return 0 }
      av_packet_unref(packet)
    }
  }

  /// Goes to the last point at or before `timestamp` (in the stream's time base) from which one can decode.
  func seek(timestamp: Int64) -> Bool { av_seek_frame(context, index, timestamp, AVSEEK_FLAG_BACKWARD) >= 0 }
}
