public import Hardware
public import Media
internal import Sound

/// Turns frames of a recording into the packets of its file. Media lane only.
public struct SoundEncoder {
  private enum Codec {
    case aac(AACEncoder)
    case pcm(bits: Int, UnsafeMutableRawBufferPointer)
  }

  private let codec: Codec
  /// What it is fed.
  public let format: PCMFormat
  private let bitrateKbps: Int

  /// Bytes that encoding one chunk may produce at most, and in how many packets.
  private let chunkBytes: Int
  private let chunkPackets: Int

  /// Largest AAC access unit: 6144 bits a channel (ISO/IEC 14496-3, 4.5.3.1), in bytes.
  private static let aacUnitBytesPerChannel = 768

  /// - Parameter bitrateKbps: of AAC.
  public init(encoding: TakeEncoding, format: PCMFormat, bitrateKbps: Int) throws(MediaError) {
    self.format = format
    self.bitrateKbps = bitrateKbps
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
  public func release() {
    if case .pcm(_, let buffer) = codec { buffer.deallocate() }
  }

  /// The file's track of it.
  public var track: SoundTrack {
    switch codec {
    case .aac(let encoder):
      SoundTrack(
        pcm: format, configuration: encoder.configuration, primingFrames: encoder.primingFrames,
        bitrateKbps: bitrateKbps)
    case .pcm: SoundTrack(pcm: format)
    }
  }

  /// Frames of a packet: those of PCM are as long as what is encoded.
  public var packetFrames: Int? {
    if case .aac(let encoder) = codec { encoder.frameSize } else { nil }
  }

  /// Whether what one chunk is encoded to fits into the pipe, `copies` times.
  public func hasRoom(in pipe: RecordingPipe, copies: Int = 1) -> Bool {
    pipe.hasRoom(bytes: chunkBytes * copies, packets: chunkPackets * copies)
  }

  /// Encodes at most `CaptureInput.chunkFrames` interleaved frames.
  ///
  /// - Parameter emit: called with each packet and its frames; the bytes are only valid during the call.
  public func encode(
    _ samples: UnsafePointer<Float>, frames: Int, emit: (UnsafeRawBufferPointer, Int) -> Void
  ) throws(MediaError) {
    switch codec {
    case .aac(let encoder): try encoder.encode(samples, frames: frames) { emit($0, encoder.frameSize) }
    case .pcm(let bits, let buffer):
      let count = frames * format.channels
      if let base = buffer.baseAddress { PCMPacking.pack(samples, into: base, count: count, bits: bits) }
      emit(UnsafeRawBufferPointer(rebasing: buffer[..<(count * bits / 8)]), frames)
    }
  }

  /// Emits what the encoder still holds.
  public func finish(emit: (UnsafeRawBufferPointer, Int) -> Void) throws(MediaError) {
    if case .aac(let encoder) = codec { try encoder.finish { emit($0, encoder.frameSize) } }
  }
}
