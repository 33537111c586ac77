internal import CFFmpeg
public import Hardware

/// FLAC or ALAC of 16 or 24 bits by libavcodec, one thread, bit by bit what it is fed. Same rules as `AACEncoder`.
///
/// Its packets know nothing of one another: a file can end after any of them, and another encoder goes on without a seam.
public final class LosslessEncoder {
  /// What it is fed; 16 or 24 bits.
  public let format: PCMFormat
  /// ALAC: the box `alac` that a decoder needs.
  public let configuration: [UInt8]
  /// Bytes of ALAC's.
  static let configurationBytes = 36
  /// Bytes of the digest in front of a packet of FLAC.
  static let digestBytes = 16

  private let feed: SoundCodecFeed
  private let isPlanar: Bool
  private let digest: SoundDigest?
  private var marked: [UInt8] = []

  /// - Parameters:
  ///   - codec: `.flac` or `.alac`.
  ///   - format: 1 or 2 channels, 16 or 24 bits.
  public init(_ codec: SoundCodec, format: PCMFormat) throws(MediaError) {
    let isFLAC = codec == .flac
    let isWide = format.bits > 16
    isPlanar = !isFLAC
    let samples =
      switch (isFLAC, isWide) {
      case (true, false): AV_SAMPLE_FMT_S16
      case (true, true): AV_SAMPLE_FMT_S32
      case (false, false): AV_SAMPLE_FMT_S16P
      case (false, true): AV_SAMPLE_FMT_S32P
      }
    feed = try SoundCodecFeed(
      isFLAC ? "FLAC" : "ALAC", isFLAC ? AV_CODEC_ID_FLAC : AV_CODEC_ID_ALAC, format: format, samples: samples,
      frameSize: codec.packetFrames
    ) { context in
      context.pointee.bits_per_raw_sample = isWide ? 24 : 16
      if isFLAC { context.pointee.frame_size = Int32(codec.packetFrames) }
    }
    self.format = format
    configuration = feed.configuration
    guard isFLAC else {
      digest = nil
      return
    }
    guard let sum = SoundDigest() else { throw Libav.outOfMemory("FLAC", "encode") }
    digest = sum
  }

  /// The most bytes of a packet: raw samples, and what stands around them.
  public static func largestPacket(_ format: PCMFormat) -> Int {
    digestBytes + 128 + SoundCodec.flac.packetFrames * format.channels * (format.bits > 16 ? 3 : 2)
  }

  /// Encodes frames of interleaved little-endian integers of the format's bits.
  ///
  /// - Parameter emit: called with each packet and its frames; the bytes are only valid during the call. In front of a
  ///   packet of FLAC are 16 bytes: the MD5 of all samples up to its end, as the head of a FLAC file has it.
  public func encode(
    _ interleaved: UnsafeRawBufferPointer, frames: Int, emit: (UnsafeRawBufferPointer, Int) -> Void
  ) throws(MediaError) {
    let channels = format.channels
    let width = format.bits > 16 ? 3 : 2
    guard let source = interleaved.baseAddress, interleaved.count >= frames * channels * width else { return }
    try feed.encode(frames: frames) { planes, filled, taken, count in
      let start = source + taken * channels * width
      digest?.add(UnsafeRawBufferPointer(start: start, count: count * channels * width))
      for plane in 0..<(isPlanar ? channels : 1) {
        guard let target = planes[plane] else { continue }
        let step = isPlanar ? channels : 1
        let values = isPlanar ? count : count * channels
        let first = isPlanar ? filled : filled * channels
        let raw = UnsafeMutableRawPointer(target)
        if width == 2 {
          for index in 0..<values {
            let value = start.loadUnaligned(fromByteOffset: (index * step + plane) * 2, as: Int16.self)
            raw.storeBytes(of: Int16(littleEndian: value), toByteOffset: (first + index) * 2, as: Int16.self)
          }
        } else {
          for index in 0..<values {
            let place = (index * step + plane) * 3
            let low = UInt32(start.load(fromByteOffset: place, as: UInt8.self))
            let middle = UInt32(start.load(fromByteOffset: place + 1, as: UInt8.self))
            let high = UInt32(start.load(fromByteOffset: place + 2, as: UInt8.self))
            // The upper 24 of 32 bits.
            raw.storeBytes(of: low << 8 | middle << 16 | high << 24, toByteOffset: (first + index) * 4, as: UInt32.self)
          }
        }
      }
    } emit: {
      send($0, $1, emit)
    }
  }

  /// Emits what is left, in a shorter packet. Nothing can be fed after it.
  public func finish(emit: (UnsafeRawBufferPointer, Int) -> Void) throws(MediaError) {
    try feed.finish { send($0, $1, emit) }
  }

  private func send(_ packet: UnsafeRawBufferPointer, _ frames: Int, _ emit: (UnsafeRawBufferPointer, Int) -> Void) {
    guard let digest else { return emit(packet, frames) }
    marked.removeAll(keepingCapacity: true)
    marked.append(contentsOf: digest.value)
    marked.append(contentsOf: packet)
    marked.withUnsafeBytes { emit($0, frames) }
  }
}

/// The MD5 of samples so far.
private final class SoundDigest {
  private let sum: OpaquePointer
  /// A copy that is ended to know the value, for the sum goes on.
  private let copy: OpaquePointer

  init?() {
    guard let sum = av_md5_alloc() else { return nil }
    guard let copy = av_md5_alloc() else {
      av_free(UnsafeMutableRawPointer(sum))
      return nil
    }
    self.sum = sum
    self.copy = copy
    av_md5_init(sum)
  }

  deinit {
    av_free(UnsafeMutableRawPointer(sum))
    av_free(UnsafeMutableRawPointer(copy))
  }

  func add(_ bytes: UnsafeRawBufferPointer) {
    av_md5_update(sum, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  var value: [UInt8] {
    UnsafeMutableRawPointer(copy).copyMemory(from: UnsafeRawPointer(sum), byteCount: Int(av_md5_size))
    var value = [UInt8](repeating: 0, count: LosslessEncoder.digestBytes)
    av_md5_final(copy, &value)
    return value
  }
}
