internal import CLame
public import Hardware

/// MP3 by LAME, at its variable bit rate V2 (about 190 kbit/s of stereo). Same rules as `AACEncoder`.
public final class MP3Encoder {
  /// What it is fed.
  public let format: PCMFormat

  private let lame: OpaquePointer
  private var packets: [UInt8] = []
  /// What LAME is fed: it is not made for what is no number.
  private var samples: [Float] = []

  /// The nine rates of MPEG 1, 2 and 2.5.
  private static let sampleRates = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
  /// `vbr_quality`: transparent for nearly all sound.
  private static let quality: Int32 = 2
  /// Frames that are given to LAME at a time.
  private static let most = 1152 * 4
  /// What LAME may write for them and for what it holds (lame.h: 1.25 × frames + 7200).
  private static let packetBytes = most * 5 / 4 + 7200

  /// Whether MP3 has this sample rate.
  public static func takes(sampleRate: Int) -> Bool { sampleRates.contains(sampleRate) }

  /// - Parameter format: 1 or 2 channels at one of the nine rates of MP3.
  public init(format: PCMFormat) throws(MediaError) {
    func unsupported(_ reason: String) -> MediaError {
      MediaError(.unsupported, subject: "MP3", operation: "encode", reason: reason)
    }
    guard (1...2).contains(format.channels) else { throw unsupported("\(format.channels) channels; use 1 or 2") }
    guard Self.takes(sampleRate: format.sampleRate) else {
      throw unsupported("\(format.sampleRate) Hz is no rate of MP3; use 44100 or 48000")
    }
    guard let lame = lame_init() else {
      throw MediaError(.failed, subject: "MP3", operation: "encode", reason: "memory ran out; end something else")
    }
    self.format = format
    self.lame = lame
    lame_set_in_samplerate(lame, Int32(format.sampleRate))
    lame_set_out_samplerate(lame, Int32(format.sampleRate))
    lame_set_num_channels(lame, Int32(format.channels))
    lame_set_mode(lame, format.channels == 1 ? MONO : JOINT_STEREO)
    lame_set_VBR(lame, vbr_mtrh)
    lame_set_VBR_quality(lame, Float(Self.quality))
    // The file's head is ours; the frame that says where the sound begins and ends is LAME's.
    lame_set_write_id3tag_automatic(lame, 0)
    lame_set_bWriteVbrTag(lame, 1)
    guard lame_init_params(lame) >= 0 else {
      lame_close(lame)
      throw unsupported("LAME does not take \(format.sampleRate) Hz with \(format.channels) channels")
    }
    packets = [UInt8](repeating: 0, count: Self.packetBytes)
  }

  deinit { lame_close(lame) }

  /// Encodes `frames` frames of interleaved samples.
  ///
  /// - Parameter emit: called with whole and half frames of MP3, in their order; the first of them has room for
  ///   `lengthFrame`. The bytes are only valid during the call.
  public func encode(
    _ interleaved: UnsafePointer<Float>, frames: Int, emit: (UnsafeRawBufferPointer) -> Void
  ) throws(MediaError) {
    var taken = 0
    while taken < frames {
      let count = min(Self.most, frames - taken)
      samples.removeAll(keepingCapacity: true)
      for index in taken * format.channels..<(taken + count) * format.channels {
        samples.append(SoundCodecFeed.bounded(interleaved[index]))
      }
      let room = Int32(packets.count)
      let written = packets.withUnsafeMutableBufferPointer { target in
        format.channels == 1
          ? lame_encode_buffer_ieee_float(lame, samples, samples, Int32(count), target.baseAddress, room)
          : lame_encode_buffer_interleaved_ieee_float(lame, samples, Int32(count), target.baseAddress, room)
      }
      try send(written, emit)
      taken += count
    }
  }

  /// Encodes what is left. Nothing can be fed after it.
  public func finish(emit: (UnsafeRawBufferPointer) -> Void) throws(MediaError) {
    let room = Int32(packets.count)
    let written = packets.withUnsafeMutableBufferPointer { lame_encode_flush(lame, $0.baseAddress, room) }
    try send(written, emit)
  }

  /// The frame that says how long the sound is, and how many frames a decoder puts out before and after it; to be written
  /// over the first one when all is encoded.
  public var lengthFrame: [UInt8] {
    var frame = [UInt8](repeating: 0, count: Self.packetBytes)
    let room = frame.count
    let bytes = frame.withUnsafeMutableBufferPointer { lame_get_lametag_frame(lame, $0.baseAddress, room) }
    return bytes <= room ? Array(frame.prefix(bytes)) : []
  }

  private func send(_ written: Int32, _ emit: (UnsafeRawBufferPointer) -> Void) throws(MediaError) {
    guard written >= 0 else {
      throw MediaError(.failed, subject: "MP3", operation: "encode", reason: "LAME says \(written)")
    }
    packets.withUnsafeBytes { emit(UnsafeRawBufferPointer(rebasing: $0[..<Int(written)])) }
  }
}
