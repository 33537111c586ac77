internal import CFFmpeg

/// What libavformat does not know of the times of packets in Ogg.
struct OggTimes {
  /// Of FLAC: frames of each block but the last; `nil` for other codecs, and where blocks differ.
  private let blockFrames: Int?
  /// The times of all packets behind a seek are known.
  let isExact: Bool

  init(_ stream: AVStream) {
    let content = stream.codecpar.pointee
    let isFLAC = content.codec_id == AV_CODEC_ID_FLAC
    let isCounted = stream.time_base.num == 1 && stream.time_base.den == content.sample_rate
    blockFrames = isFLAC && isCounted ? Self.blockFrames(content) : nil
    isExact = isFLAC == (blockFrames != nil)
  }

  /// What the head of FLAC says that all of its blocks have.
  private static func blockFrames(_ content: AVCodecParameters) -> Int? {
    guard content.extradata_size >= 4, let bytes = content.extradata else { return nil }
    let (least, most) = (Int(bytes[0]) << 8 | Int(bytes[1]), Int(bytes[2]) << 8 | Int(bytes[3]))
    return least == most && least > 0 ? least : nil
  }

  /// Behind a seek the times of FLAC are known from the next page on only; each block says its number itself.
  func number(_ packet: UnsafeMutablePointer<AVPacket>) {
    guard let blockFrames, let data = packet.pointee.data,
      let head = FLACFrameHead(UnsafeBufferPointer(start: data, count: Int(packet.pointee.size)), at: 0)
    else { return }
    packet.pointee.pts = Int64(head.number * blockFrames)  // bounded: 36 bits by 16
    packet.pointee.dts = packet.pointee.pts
  }

  /// Whether a file stands before the last page of a stream, the times of whose packets are made up if reading begins there.
  static func isAtLastPage(_ file: UnsafeMutablePointer<AVIOContext>) -> Bool {
    let place = avio_seek(file, 0, SEEK_CUR)
    var head = [UInt8](repeating: 0, count: 6)
    let count = avio_read(file, &head, 6)
    avio_seek(file, place, SEEK_SET)
    return count == 6 && head.starts(with: Array("OggS".utf8)) && head[5] & 4 != 0
  }
}
