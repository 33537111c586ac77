internal import CFFmpeg
internal import Hardware

/// Sound of a transport stream that begins where another has ended, as a recording of television has it whose table names
/// another codec from the middle on. libavformat has both in one programme, and does not say which of them is there when.
///
/// Packets of such a sound are held until it is known that the one before has ended: where some of both come in turn, they
/// are two languages.
final class LaterSound {
  private let context: UnsafeMutablePointer<AVFormatContext>
  private var held: [LibavPacket] = []
  /// Those that were held come next.
  private var isFree = false
  /// Packets behind the present sound's last one that cannot go on with it.
  private var leftOut = 0
  /// More follows, with which decoding cannot go on.
  var hasMore: Bool { leftOut >= Self.mostHeld }

  /// More than come of one sound before it is the other's turn: some 1.5 s.
  private static let mostHeld = 64
  /// Packets that are decoded to know the rate.
  private static let mostTried = 8
  /// Bytes of a packet; those of sound are far smaller.
  private static let largest: Int32 = 64 << 10
  /// Sounds that belong together begin within so many microseconds.
  private static let together: Int64 = 1_000_000

  init(_ context: UnsafeMutablePointer<AVFormatContext>) { self.context = context }

  static func isTransport(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
    context.pointee.iformat.map { String(cString: $0.pointee.name) } == "mpegts"
  }

  /// The decoder of a stream, if it is sound.
  static func decoder(
    of index: Int32, in context: UnsafeMutablePointer<AVFormatContext>
  ) -> UnsafePointer<AVCodec>? {
    guard let content = context.pointee.streams[Int(index)]?.pointee.codecpar?.pointee,
      content.codec_type == AVMEDIA_TYPE_AUDIO, TransportFeed.refused(content) == nil
    else { return nil }
    return avcodec_find_decoder(content.codec_id)
  }

  /// When a sound begins, microseconds; `nil`: behind what libavformat has looked at, where it says the file's own beginning.
  private func beginning(of index: Int32) -> Int64? {
    guard let stream = context.pointee.streams[Int(index)]?.pointee, stream.start_time != ffmpeg_no_timestamp(),
      stream.codecpar.pointee.sample_rate > 0
    else { return nil }
    return Self.microseconds(stream.start_time, of: stream)
  }

  private static func microseconds(_ time: Int64, of stream: AVStream) -> Int64 {
    av_rescale_q(time, stream.time_base, AVRational(num: 1, den: 1_000_000))
  }

  /// When a sound ends, microseconds, where libavformat has found that at the end of the file.
  private func end(of index: Int32) -> Int64? {
    guard let stream = context.pointee.streams[Int(index)]?.pointee, stream.start_time != ffmpeg_no_timestamp(),
      stream.duration != ffmpeg_no_timestamp(),
      let end = (ClaimedNumber(stream.start_time) + ClaimedNumber(stream.duration)).within(-(1 << 50)...1 << 50)
    else { return nil }
    return Self.microseconds(Int64(end), of: stream)
  }

  /// Programmes have clocks of their own. A sound that its table does not name any more is of none.
  private func areOfOneProgramme(_ one: Int32, _ other: Int32) -> Bool {
    guard let first = av_find_program_from_stream(context, nil, one),
      let second = av_find_program_from_stream(context, nil, other)
    else { return true }
    return first == second
  }

  private func isLater(_ other: Int32, than index: Int32) -> Bool {
    guard areOfOneProgramme(other, index) else { return false }
    guard let begins = beginning(of: other) else { return beginning(of: index) != nil }
    // Two languages, one of which begins later.
    if let ends = end(of: index), ends - begins > Self.together { return false }
    return beginning(of: index).map { begins - $0 > Self.together } ?? false
  }

  /// The first of a programme's sounds that are like this one, which players take. libavformat prefers the one of which it has
  /// seen more at the beginning of the file.
  func foremost(like index: Int32) -> Int32 {
    func content(_ index: Int32) -> (channels: Int32, disposition: Int32) {
      let stream = context.pointee.streams[Int(index)]?.pointee
      return (stream?.codecpar?.pointee.ch_layout.nb_channels ?? 0, stream?.disposition ?? 0)
    }
    let best = content(index)
    return (0..<index).first {
      Self.decoder(of: $0, in: context) != nil && areOfOneProgramme($0, index)
        && content($0).channels >= best.channels && content($0).disposition == best.disposition
    } ?? index
  }

  /// The sound that has begun first, if `index` is a later one.
  func first(before index: Int32) -> Int32? {
    (0..<Int32(context.pointee.nb_streams)).first {
      $0 != index && Self.decoder(of: $0, in: context) != nil && isLater(index, than: $0)
    }
  }

  func mayFollow(_ other: Int32, _ index: Int32) -> Bool {
    Self.decoder(of: other, in: context) != nil && isLater(other, than: index)
  }

  /// Holds a packet that is not of the present sound.
  ///
  /// - Parameter rate: of that: decoding goes on at the same one only.
  /// - Returns: whether it is time to move on.
  func hold(_ packet: UnsafeMutablePointer<AVPacket>, rate: Int32) -> Bool {
    let index = packet.pointee.stream_index
    guard let content = context.pointee.streams[Int(index)]?.pointee.codecpar?.pointee,
      content.codec_type == AVMEDIA_TYPE_AUDIO
    else { return false }
    guard Self.decoder(of: index, in: context) != nil, content.sample_rate == 0 || content.sample_rate == rate,
      held.first.map({ $0.pointer.pointee.stream_index == index }) ?? true,
      packet.pointee.size <= Self.largest, let copy = LibavPacket()
    else {
      leftOut += 1
      return false
    }
    av_packet_move_ref(copy.pointer, packet)
    held.append(copy)
    return held.count >= Self.mostHeld
  }

  /// The sound before goes on.
  func drop() {
    leftOut = 0
    if !isFree { held = [] }
  }

  /// What comes next is from elsewhere in the file.
  func reset() { (held, isFree, leftOut) = ([], false, 0) }

  /// Whether what is held plays at a rate: libavformat says none of what it has not looked at.
  private func plays(at rate: Int32) -> Bool {
    guard let index = held.first?.pointer.pointee.stream_index, let stream = context.pointee.streams[Int(index)],
      let decoder = Self.decoder(of: index, in: context), let codec = LibavCodec(decoder), let frame = LibavFrame(),
      avcodec_parameters_to_context(codec.pointer, stream.pointee.codecpar) >= 0,
      avcodec_open2(codec.pointer, decoder, nil) >= 0
    else { return false }
    for packet in held.prefix(Self.mostTried) {
      guard avcodec_send_packet(codec.pointer, packet.pointer) >= 0,
        avcodec_receive_frame(codec.pointer, frame.pointer) >= 0
      else { continue }
      return frame.pointer.pointee.sample_rate == rate
    }
    return true
  }

  /// - Parameter rate: of the present sound.
  /// - Returns: the stream whose packets come next; `nil` if there is none.
  func moveOn(rate: Int32) -> Int32? {
    guard !isFree, let first = held.first else { return nil }
    guard plays(at: rate) else {
      leftOut += held.count
      held = []
      return nil
    }
    isFree = true
    return first.pointer.pointee.stream_index
  }

  func takeNext(into packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    guard isFree, !held.isEmpty else {
      isFree = false
      return false
    }
    // It is freed once nobody has it.
    let next = held.removeFirst()
    withExtendedLifetime(next) { av_packet_move_ref(packet, next.pointer) }
    return true
  }
}
