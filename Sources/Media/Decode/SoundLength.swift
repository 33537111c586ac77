internal import CFFmpeg
internal import Hardware

/// The length of a sound file that does not say it: MP3 without a Xing header, AAC in ADTS.
public enum SoundLength {
  /// Counts the sound by its packets, without decoding it; where that takes too long, the rest is estimated by its bytes.
  ///
  /// - Parameter isLate: whether it takes too long; asked now and then.
  /// - Returns: frames at the rate at which it plays; nil if there is no sound in it.
  public static func frames(of path: String, unless isLate: () -> Bool) throws(MediaError) -> Int? {
    let demuxer = try Demuxer(path: path)
    guard let packet = LibavPacket() else { throw Libav.outOfMemory(path, "measure") }
    let rate = try SoundFile(path: path).format.sampleRate
    let base = AVRational(num: 1, den: Int32(rate))
    var frames: ClaimedNumber = 0
    var bytes = 0
    var count = 0
    while demuxer.read(into: packet.pointer) >= 0 {
      frames += ClaimedNumber(max(0, av_rescale_q(packet.pointer.pointee.duration, demuxer.timeBase, base)))
      bytes &+= Int(packet.pointer.pointee.size)
      av_packet_unref(packet.pointer)
      count += 1
      if count % 256 == 0, isLate(), let whole = AVIOFile(path: path)?.size, bytes > 0 {
        let estimate = Double(frames.clamped(to: 0...FrameDecoder.mostFrames)) * Double(whole) / Double(bytes)
        return estimate < Double(FrameDecoder.mostFrames) ? Int(estimate) : nil
      }
    }
    return frames.within(1...FrameDecoder.mostFrames)
  }
}
