public import Hardware

/// Turns samples into the bytes of a WAV file: little-endian two's complement, 16 or 24 bits.
public enum PCMBytes {
  /// Appends `count` samples to `bytes`.
  ///
  /// A sample of n significant bits comes out bit-exact: full scale is 2^(n−1) (see `PCMFormat`). What lies beyond
  /// full scale is clipped, what is not a number is silence. Any thread; allocates only when `bytes` must grow.
  public static func append(_ samples: UnsafePointer<Float>, count: Int, bits: Int, to bytes: inout [UInt8]) {
    let scale: Float = bits > 16 ? 8_388_608 : 32_768
    bytes.reserveCapacity(bytes.count + count * (bits > 16 ? 3 : 2))
    for index in 0..<count {
      let scaled = (samples[index] * scale).rounded(.toNearestOrEven)
      let value = scaled.isNaN ? 0 : Int32(min(max(scaled, -scale), scale - 1))
      bytes.append(UInt8(truncatingIfNeeded: value))
      bytes.append(UInt8(truncatingIfNeeded: value >> 8))
      if bits > 16 { bytes.append(UInt8(truncatingIfNeeded: value >> 16)) }
    }
  }

  /// Bytes of one interleaved frame of `format`.
  public static func bytesPerFrame(_ format: PCMFormat) -> Int { format.channels * (format.bits > 16 ? 3 : 2) }
}
