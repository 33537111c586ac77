internal import CFFmpeg
internal import Hardware

/// The length of a sound file that does not say it to the frame: MP3 without a Xing header, AAC in ADTS, AC-3, Matroska, Ogg
/// of several streams one behind the other.
public enum SoundLength {
  /// What the container says, else counts the sound by its packets, without decoding it; where that takes too long, the
  /// rest is estimated by the bytes.
  ///
  /// - Parameters:
  ///   - isCounted: what the container says is not true.
  ///   - isLate: whether it takes too long; asked now and then.
  /// - Returns: frames at the rate at which it plays; nil if there is no sound in it.
  public static func frames(
    of path: String, isCounted: Bool = false, unless isLate: () -> Bool
  ) throws(MediaError) -> Int? {
    let demuxer = try Demuxer(path: path)
    guard let packet = LibavPacket() else { throw Libav.outOfMemory(path, "measure") }
    let rate = try SoundFile(path: path).format.sampleRate
    if !isCounted, let known = demuxer.containerFrames(sampleRate: rate) { return known }
    var places: FramePlaces?
    var count = 0
    // Frames of the streams of a chain that have ended, and the time stamp that was read last.
    var (ended, last) = (0, Int64.min)
    while demuxer.read(into: packet.pointer) >= 0 {
      let content = packet.pointer.pointee
      let isSound = !Self.isHeader(content, demuxer.decoder.pointee.id)
      av_packet_unref(packet.pointer)
      guard isSound else { continue }
      if content.pts != ffmpeg_no_timestamp() {
        // Times begin anew with each. Of Vorbis libavformat says packets shorter than they are, and of the later streams
        // by the blocks of the first: their times count.
        if demuxer.isChained, last > .min, content.pts < last &- demuxer.second {
          ended = min(ended + (places?.expected ?? 0), FrameDecoder.mostFrames)
          places = nil
        }
        last = content.pts
      }
      var next =
        places
        ?? FramePlaces(
          timeBase: demuxer.timeBase, sampleRate: rate,
          // By the blocks of the first stream the others seem to begin late.
          origin: content.pts == ffmpeg_no_timestamp() || ended > 0 && content.pts < demuxer.second ? 0 : content.pts,
          expected: 0)
      let duration = av_rescale_q(max(0, content.duration), next.timeBase, next.frameBase)
      _ = next.place(content.pts, frames: Int(min(duration, Int64(FrameDecoder.mostFrames))))
      places = next
      count += 1
      if count % 256 == 0, isLate(), let done = demuxer.partRead, done > 0 {
        let estimate = Double(ended + (next.expected ?? 0)) / done
        return estimate < Double(FrameDecoder.mostFrames) ? Int(estimate) : nil
      }
    }
    return places?.expected.flatMap { (1...FrameDecoder.mostFrames).contains(ended + $0) ? ended + $0 : nil }
  }

  /// Whether there is sound in the last two seconds of the frames that a file says; where that takes a long search, it is
  /// believed.
  public static func reaches(_ frames: Int, sampleRate: Int, in path: String) throws(MediaError) -> Bool {
    let demuxer = try Demuxer(path: path)
    guard demuxer.seeksExactly, frames > sampleRate else { return true }
    guard let packet = LibavPacket() else { throw Libav.outOfMemory(path, "measure") }
    let unit = AVRational(num: 1, den: Int32(sampleRate))
    let place = av_rescale_q(Int64(frames - sampleRate), unit, demuxer.timeBase)
    guard demuxer.seek(timestamp: place) else { return true }
    guard demuxer.read(into: packet.pointer) >= 0 else { return false }
    let found = packet.pointer.pointee
    return found.pts == ffmpeg_no_timestamp() || found.pts &+ max(0, found.duration) >= place &- demuxer.second
  }

  /// Where a stream of Ogg follows one of the same number, libavformat gives its headers as packets of sound, with lengths by
  /// whatever their first bytes mean. No sound begins as they do.
  private static func isHeader(_ packet: AVPacket, _ codec: AVCodecID) -> Bool {
    guard let data = packet.data, packet.size >= 8 else { return false }
    let head = UnsafeBufferPointer(start: data, count: 8)
    switch codec {
    case AV_CODEC_ID_OPUS: return head.elementsEqual("OpusHead".utf8) || head.elementsEqual("OpusTags".utf8)
    case AV_CODEC_ID_VORBIS: return head.dropFirst().prefix(6).elementsEqual("vorbis".utf8)
    case AV_CODEC_ID_FLAC: return head[0] != 0xFF
    default: return false
    }
  }
}
