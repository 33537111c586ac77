internal import CALSA

/// The sample types that the drivers speak, with the conversion to and from `Float` in −1…1.
///
/// Full scale of n bits is 2^(n−1). 16- and 24-bit integers survive the way to `Float` and back to the bit; of 32-bit
/// ones the upper 24 bits do (rounded). Going out, samples are rounded to the nearest and clamped; NaN becomes 0.
enum SampleType: UInt8, CaseIterable, Sendable {
  case s16
  case s24In3Bytes
  case s24In4Bytes
  case s32
  case float

  /// What to ask a device for, best first: the wanted width, then wider, then narrower.
  static func candidates(bits: Int) -> [SampleType] {
    bits > 16
      ? [.s32, .s24In3Bytes, .s24In4Bytes, .float, .s16] : [.s16, .s32, .s24In3Bytes, .s24In4Bytes, .float]
  }

  var format: snd_pcm_format_t {
    switch self {
    case .s16: SND_PCM_FORMAT_S16_LE
    case .s24In3Bytes: SND_PCM_FORMAT_S24_3LE
    case .s24In4Bytes: SND_PCM_FORMAT_S24_LE
    case .s32: SND_PCM_FORMAT_S32_LE
    case .float: SND_PCM_FORMAT_FLOAT_LE
    }
  }

  /// ALSA's name.
  var name: String {
    switch self {
    case .s16: "S16_LE"
    case .s24In3Bytes: "S24_3LE"
    case .s24In4Bytes: "S24_LE"
    case .s32: "S32_LE"
    case .float: "FLOAT_LE"
    }
  }

  /// Significant bits that it can carry through a `Float`.
  var bits: Int { self == .s16 ? 16 : 24 }

  /// Bytes a sample.
  var bytes: Int {
    @_noLocks @_noAllocation
    get {
      switch self {
      case .s16: 2
      case .s24In3Bytes: 3
      case .s24In4Bytes, .s32, .float: 4
      }
    }
  }

  /// The sample at `source`.
  @_noLocks @_noAllocation @inline(__always)
  func load(_ source: UnsafeRawPointer) -> Float {
    switch self {
    case .s16:
      return Float(Int16(littleEndian: source.loadUnaligned(as: Int16.self))) * (1 / 32_768)
    case .s24In3Bytes:
      let low = UInt32(source.load(as: UInt8.self)) | UInt32(source.load(fromByteOffset: 1, as: UInt8.self)) << 8
      let value = Int32(bitPattern: low << 8 | UInt32(source.load(fromByteOffset: 2, as: UInt8.self)) << 24)
      return Float(value >> 8) * (1 / 8_388_608)
    case .s24In4Bytes:
      // The upper byte is not defined by everybody: extend the sign from bit 23.
      let value = Int32(littleEndian: source.loadUnaligned(as: Int32.self)) << 8
      return Float(value >> 8) * (1 / 8_388_608)
    case .s32:
      return Float(Int32(littleEndian: source.loadUnaligned(as: Int32.self))) * (1 / 2_147_483_648)
    case .float:
      let value = Float(bitPattern: UInt32(littleEndian: source.loadUnaligned(as: UInt32.self)))
      return value == value ? value : 0
    }
  }

  /// Puts a sample at `target`.
  @_noLocks @_noAllocation @inline(__always)
  func store(_ sample: Float, _ target: UnsafeMutableRawPointer) {
    switch self {
    case .s16:
      target.storeBytes(of: Int16(truncatingIfNeeded: Self.quantised(sample, 32_768)).littleEndian, as: Int16.self)
    case .s24In3Bytes:
      let value = UInt32(bitPattern: Self.quantised(sample, 8_388_608))
      target.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
      target.storeBytes(of: UInt8(truncatingIfNeeded: value >> 8), toByteOffset: 1, as: UInt8.self)
      target.storeBytes(of: UInt8(truncatingIfNeeded: value >> 16), toByteOffset: 2, as: UInt8.self)
    case .s24In4Bytes:
      target.storeBytes(of: Self.quantised(sample, 8_388_608).littleEndian, as: Int32.self)
    case .s32:
      // 24 significant bits in the upper three bytes: a Float has no more.
      target.storeBytes(of: (Self.quantised(sample, 8_388_608) << 8).littleEndian, as: Int32.self)
    case .float:
      let value = sample == sample ? max(-1, min(1, sample)) : 0
      target.storeBytes(of: value.bitPattern.littleEndian, as: UInt32.self)
    }
  }

  /// The nearest integer (halves up) of `sample · scale`, within −scale…scale−1.
  @_noLocks @_noAllocation @inline(__always)
  private static func quantised(_ sample: Float, _ scale: Float) -> Int32 {
    guard sample == sample else { return 0 }
    // Shifted above zero, truncation is a floor; `rounded` is not provably free of locks.
    let above = Double(max(-scale, min(scale - 1, sample * scale))) + 2_147_483_648.5
    return Int32(truncatingIfNeeded: Int64(above) - 2_147_483_648)
  }

  /// Unpacks interleaved frames, keeping the first `channels` of every `deviceChannels`.
  @_noLocks @_noAllocation
  func unpack(
    _ source: UnsafeRawPointer, into target: UnsafeMutablePointer<Float>, frames: Int, deviceChannels: Int,
    channels: Int
  ) {
    let size = bytes
    for frame in 0..<frames {
      for channel in 0..<channels {
        target[frame &* channels &+ channel] = load(source + (frame &* deviceChannels &+ channel) &* size)
      }
    }
  }

  /// Packs interleaved frames into the first `channels` of every `deviceChannels`; the rest is silence.
  @_noLocks @_noAllocation
  func pack(
    _ source: UnsafePointer<Float>, into target: UnsafeMutableRawPointer, frames: Int, deviceChannels: Int,
    channels: Int
  ) {
    let size = bytes
    for frame in 0..<frames {
      for channel in 0..<deviceChannels {
        let sample = channel < channels ? source[frame &* channels &+ channel] : 0
        store(sample, target + (frame &* deviceChannels &+ channel) &* size)
      }
    }
  }
}
