public import Hardware
public import Media
internal import Sound

/// Turns frames of a recording into the packets of its file. Media lane only.
public final class SoundEncoder {
  private enum Codec {
    case aac(AACEncoder)
    case lossless(LosslessEncoder)
    case opus(OpusEncoder)
    case pcm
    case companded(G711)
  }

  private let codec: Codec
  /// What it is fed.
  public let format: PCMFormat
  /// The file's track of it.
  public let track: SoundTrack
  /// Samples as they are in files, a chunk of them. None for AAC and Opus.
  private let packed: UnsafeMutableRawBufferPointer

  /// Bytes that encoding one chunk may produce at most, and in how many packets.
  public let chunkBytes: Int
  private let chunkPackets: Int

  /// Largest AAC access unit: 6144 bits a channel (ISO/IEC 14496-3, 4.5.3.1), in bytes.
  private static let aacUnitBytesPerChannel = 768

  /// - Parameters:
  ///   - bits: of a sample in the file, 16, 24 or 32 (float, of WAV; others have 24 then); `nil`: as it is fed.
  ///   - bitrateKbps: of AAC and Opus.
  ///   - coder: of AAC.
  public init(
    encoding: TakeEncoding, format: PCMFormat, bits: Int? = nil, bitrateKbps: Int, coder: AACCoder = .fast
  ) throws(MediaError) {
    self.format = format
    var stored = format
    stored.bits = min(bits ?? format.bits, encoding == .wav ? 32 : 24)
    let rawBytes = CaptureInput.chunkFrames * PCMPacking.bytesPerSample(bits: stored.bits) * format.channels
    switch encoding {
    case .aac:
      let encoder = try AACEncoder(format: format, bitrateKbps: bitrateKbps, coder: coder)
      codec = .aac(encoder)
      track = SoundTrack(
        pcm: format, configuration: encoder.configuration, primingFrames: encoder.primingFrames,
        bitrateKbps: bitrateKbps)
      // A chunk, what the encoder still held, and the flush.
      chunkPackets = CaptureInput.chunkFrames / 1024 + 4
      chunkBytes = chunkPackets * Self.aacUnitBytesPerChannel * format.channels
    case .flac, .alac:
      let kind = encoding == .flac ? SoundCodec.flac : .alac
      let encoder = try LosslessEncoder(kind, format: stored)
      codec = .lossless(encoder)
      track = SoundTrack(kind, pcm: stored, configuration: encoder.configuration)
      // One that a chunk completes, and the flush.
      chunkPackets = 2
      chunkBytes = chunkPackets * LosslessEncoder.largestPacket(stored)
    case .opus:
      let encoder = try OpusEncoder(format: format, bitrateKbps: bitrateKbps)
      codec = .opus(encoder)
      track = SoundTrack(
        .opus, pcm: format, configuration: [], primingFrames: encoder.primingFrames, bitrateKbps: bitrateKbps)
      chunkPackets = CaptureInput.chunkFrames / SoundCodec.opus.packetFrames + 4 + OpusEncoder.leadPackets
      chunkBytes = chunkPackets * OpusEncoder.largestPacket
    case .wav:
      codec = .pcm
      track = SoundTrack(pcm: stored)
      chunkPackets = 1
      chunkBytes = rawBytes
    case .alaw, .mulaw:
      let law = encoding == .alaw ? G711.alaw : .mulaw
      codec = .companded(law)
      stored.bits = 8
      track = SoundTrack(law == .alaw ? .alaw : .mulaw, pcm: stored)
      chunkPackets = 1
      chunkBytes = CaptureInput.chunkFrames * format.channels
    }
    packed = .allocate(byteCount: encoding == .aac || encoding == .opus ? 0 : rawBytes, alignment: 16)
  }

  deinit { packed.deallocate() }

  /// What AAC is coded with now, or from one of the next packets on; `nil` for others.
  public var coder: AACCoder? { if case .aac(let encoder) = codec { encoder.coder } else { nil } }

  /// Goes on with another coder of AAC, within the same stream; of others nothing is changed.
  public func use(_ coder: AACCoder) throws(MediaError) {
    if case .aac(let encoder) = codec { try encoder.use(coder) }
  }

  /// Frames of a packet that needs those before it, and how many of these: AAC, Opus. `nil`: a file can end anywhere, and
  /// another encoder go on.
  public var overlap: (frames: Int, packets: Int)? {
    switch codec {
    case .aac(let encoder): (encoder.frameSize, 1)
    case .opus: (SoundCodec.opus.packetFrames, OpusEncoder.leadPackets)
    case .lossless, .pcm, .companded: nil
    }
  }

  /// What a container may add to a packet, bytes: its share of a fragment's head and of the tables.
  public var overheadBytes: Int {
    switch codec {
    case .aac: 64
    case .lossless: track.codec == .alac ? 160 : 0
    case .opus: 8
    case .pcm, .companded: 0
    }
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
    case .aac(let encoder): return try encoder.encode(samples, frames: frames) { emit($0, encoder.frameSize) }
    case .opus(let encoder):
      return try encoder.encode(samples, frames: frames) { emit($0, SoundCodec.opus.packetFrames) }
    case .lossless, .pcm, .companded: break
    }
    let count = frames * format.channels
    if case .companded(let law) = codec, let base = packed.baseAddress {
      law.encode(samples, into: base.assumingMemoryBound(to: UInt8.self), count: count)
      return emit(UnsafeRawBufferPointer(rebasing: packed[..<count]), frames)
    }
    let bits = track.pcm.bits
    if let base = packed.baseAddress { PCMPacking.pack(samples, into: base, count: count, bits: bits) }
    let bytes = UnsafeRawBufferPointer(rebasing: packed[..<(count * PCMPacking.bytesPerSample(bits: bits))])
    if case .lossless(let encoder) = codec {
      try encoder.encode(bytes, frames: frames, emit: emit)
    } else {
      emit(bytes, frames)
    }
  }

  /// Emits what the encoder still holds.
  public func finish(emit: (UnsafeRawBufferPointer, Int) -> Void) throws(MediaError) {
    switch codec {
    case .aac(let encoder): try encoder.finish { emit($0, encoder.frameSize) }
    case .opus(let encoder): try encoder.finish { emit($0, SoundCodec.opus.packetFrames) }
    case .lossless(let encoder): try encoder.finish(emit: emit)
    case .pcm, .companded: break
    }
  }
}
