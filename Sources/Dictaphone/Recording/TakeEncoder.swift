internal import Hardware
internal import Media
internal import Sound

/// Turns frames of a take into the packets of its file. Media worker only.
struct TakeEncoder {
  private enum Codec {
    case aac(AACEncoder)
    case pcm(bits: Int, UnsafeMutableRawBufferPointer)
  }

  private let codec: Codec
  private let channels: Int

  /// Bytes that encoding one chunk may produce at most, and in how many packets.
  let chunkBytes: Int
  let chunkPackets: Int

  /// Largest AAC access unit: 6144 bits a channel (ISO/IEC 14496-3, 4.5.3.1), in bytes.
  private static let aacUnitBytesPerChannel = 768

  init(encoding: TakeEncoding, format: PCMFormat, bitrateKbps: Int) throws(MediaError) {
    channels = format.channels
    switch encoding {
    case .aac:
      codec = .aac(try AACEncoder(format: format, bitrateKbps: bitrateKbps))
      // A chunk, what the encoder still held, and the flush.
      chunkPackets = CaptureInput.chunkFrames / 1024 + 4
      chunkBytes = chunkPackets * Self.aacUnitBytesPerChannel * format.channels
    case .wav:
      chunkPackets = 1
      chunkBytes = CaptureInput.chunkFrames * format.channels * format.bits / 8
      codec = .pcm(bits: format.bits, .allocate(byteCount: chunkBytes, alignment: 16))
    }
  }

  /// Gives the buffers back; the encoder is of no use afterwards.
  func release() {
    if case .pcm(_, let buffer) = codec { buffer.deallocate() }
  }

  /// MPEG-4 AudioSpecificConfig, or empty for PCM.
  var decoderConfiguration: [UInt8] {
    if case .aac(let encoder) = codec { encoder.configuration } else { [] }
  }

  /// Frames that decoding yields before the first frame of the take.
  var primingFrames: Int {
    if case .aac(let encoder) = codec { encoder.primingFrames } else { 0 }
  }

  /// Encodes at most `CaptureInput.chunkFrames` interleaved frames into the pipe, which has room.
  func encode(_ samples: UnsafePointer<Float>, frames: Int, into pipe: TakePipe) throws(MediaError) {
    switch codec {
    case .aac(let encoder):
      try encoder.encode(samples, frames: frames) { pipe.append($0, frames: encoder.frameSize) }
    case .pcm(let bits, let buffer):
      let count = frames * channels
      if let base = buffer.baseAddress { PCMPacking.pack(samples, into: base, count: count, bits: bits) }
      pipe.append(UnsafeRawBufferPointer(rebasing: buffer[..<(count * bits / 8)]), frames: frames)
    }
  }

  /// Emits what the encoder still holds.
  func finish(into pipe: TakePipe) throws(MediaError) {
    if case .aac(let encoder) = codec {
      try encoder.finish { pipe.append($0, frames: encoder.frameSize) }
    }
  }
}
