/// Between `Float` samples and the little-endian ones of files and devices: `S16_LE`, `S24_3LE`, and `FLOAT_LE` in files.
///
/// Full scale of n bits is 2^(n−1). Samples that came from such integers go back to the same bits; others are
/// clamped to the range and rounded to the nearest, halves to even. NaN becomes 0.
public enum PCMPacking {
  /// Bytes a sample: 2 for 16 bits, 3 for 24, 4 for float.
  @_noLocks @_noAllocation
  public static func bytesPerSample(bits: Int) -> Int { bits > 24 ? 4 : bits > 16 ? 3 : 2 }

  /// Packs to float if `bits` is above 24, to 24 bits if above 16, else to 16; `target` has room for `bytesPerSample` times `count`.
  @_noLocks @_noAllocation
  public static func pack(
    _ source: UnsafePointer<Float>, into target: UnsafeMutableRawPointer, count: Int, bits: Int
  ) {
    if bits > 24 {
      for index in 0..<count {
        let sample = source[index].isFinite ? source[index] : 0
        target.storeBytes(of: sample.bitPattern.littleEndian, toByteOffset: index &* 4, as: UInt32.self)
      }
    } else if bits > 16 {
      packS24(source, into: target, count: count)
    } else {
      packS16(source, into: target, count: count)
    }
  }

  /// The reverse of `pack`, of integers.
  @_noLocks @_noAllocation
  public static func unpack(
    _ source: UnsafeRawPointer, into target: UnsafeMutablePointer<Float>, count: Int, bits: Int
  ) {
    if bits > 16 {
      unpackS24(source, into: target, count: count)
    } else {
      unpackS16(source, into: target, count: count)
    }
  }

  /// Packs `count` samples to `S16_LE`.
  @_noLocks @_noAllocation
  public static func packS16(_ source: UnsafePointer<Float>, into target: UnsafeMutableRawPointer, count: Int) {
    if needNoClamping(source, count) { return packQuietS16(source, into: target, count: count) }
    for index in 0..<count {
      let value = Int16(truncatingIfNeeded: rounded(source[index], scale: 32_768))
      target.storeBytes(of: value.littleEndian, toByteOffset: index &* 2, as: Int16.self)
    }
  }

  /// Packs `count` samples to `S24_3LE`.
  @_noLocks @_noAllocation
  public static func packS24(_ source: UnsafePointer<Float>, into target: UnsafeMutableRawPointer, count: Int) {
    for index in 0..<count {
      let value = rounded(source[index], scale: 8_388_608)
      let place = index &* 3
      target.storeBytes(of: UInt8(truncatingIfNeeded: value), toByteOffset: place, as: UInt8.self)
      target.storeBytes(of: UInt8(truncatingIfNeeded: value &>> 8), toByteOffset: place &+ 1, as: UInt8.self)
      target.storeBytes(of: UInt8(truncatingIfNeeded: value &>> 16), toByteOffset: place &+ 2, as: UInt8.self)
    }
  }

  /// Unpacks `count` samples of `S16_LE`.
  @_noLocks @_noAllocation
  public static func unpackS16(_ source: UnsafeRawPointer, into target: UnsafeMutablePointer<Float>, count: Int) {
    for index in 0..<count {
      let value = Int16(littleEndian: source.loadUnaligned(fromByteOffset: index &* 2, as: Int16.self))
      target[index] = Float(value) * (1 / 32_768)
    }
  }

  /// Unpacks `count` samples of `S24_3LE`.
  @_noLocks @_noAllocation
  public static func unpackS24(_ source: UnsafeRawPointer, into target: UnsafeMutablePointer<Float>, count: Int) {
    for index in 0..<count {
      let place = index &* 3
      let low = Int32(source.load(fromByteOffset: place, as: UInt8.self))
      let middle = Int32(source.load(fromByteOffset: place &+ 1, as: UInt8.self))
      let high = Int32(source.load(fromByteOffset: place &+ 2, as: Int8.self))
      target[index] = Float(low | middle &<< 8 | high &<< 16) * (1 / 8_388_608)
    }
  }

  /// Whether all samples are numbers, and none is beyond the largest integer of 16 bits.
  @_noLocks @_noAllocation
  private static func needNoClamping(_ source: UnsafePointer<Float>, _ count: Int) -> Bool {
    var highest: Int32 = 0
    for index in 0..<count {
      // Without their sign, the bit patterns of floats are ordered as the numbers are; infinity and NaN are above all.
      let magnitude = Int32(bitPattern: source[index].bitPattern & 0x7fff_ffff)
      highest = magnitude > highest ? magnitude : highest
    }
    return highest <= Int32(bitPattern: (Float(32_767) / 32_768).bitPattern)
  }

  /// `packS16` of what needs no clamping: 24 bits of significand are enough, and the compiler takes several at a time.
  @_noLocks @_noAllocation
  private static func packQuietS16(_ source: UnsafePointer<Float>, into target: UnsafeMutableRawPointer, count: Int) {
    for index in 0..<count {
      // Adding 1.5 × 2^23 leaves the nearest integer in the low bits of the significand.
      let bits = (source[index] * 32_768 + 12_582_912).bitPattern
      target.storeBytes(of: UInt16(truncatingIfNeeded: bits).littleEndian, toByteOffset: index &* 2, as: UInt16.self)
    }
  }

  /// The sample as an integer of full scale `scale`, clamped.
  @_noLocks @_noAllocation
  private static func rounded(_ sample: Float, scale: Double) -> Int32 {
    let scaled = sample == sample ? Double(sample) * scale : 0
    let low = scaled > -scale ? scaled : -scale
    let clamped = low < scale - 1 ? low : scale - 1
    // Adding 1.5 × 2^52 leaves the nearest integer in the low bits of the significand: no branch, no call, no trap.
    return Int32(truncatingIfNeeded: (clamped + 6_755_399_441_055_744).bitPattern)
  }
}
