/// Samples as whole numbers of so many bits: what was read from whole numbers becomes the same ones again.
enum SampleRounding {
  /// - Parameter bits: 16 or 24.
  @inline(__always)
  static func integer(_ sample: Float, bits: Int) -> Int32 {
    let scale = Float(1 << (bits - 1))
    let value = (sample * scale).rounded(.toNearestOrEven)
    // What is no number is silence.
    return value >= scale ? Int32(scale - 1) : value >= -scale ? Int32(value) : value < 0 ? Int32(-scale) : 0
  }

  /// Appends samples as they are in files, little-endian.
  ///
  /// - Parameter bits: 16, 24, or 32 for float.
  static func append(_ samples: UnsafePointer<Float>, count: Int, bits: Int, to bytes: inout [UInt8]) {
    bytes.reserveCapacity(bytes.count + count * bits / 8)
    for index in 0..<count {
      let value = bits > 24 ? samples[index].bitPattern : UInt32(bitPattern: integer(samples[index], bits: bits))
      bytes.append(UInt8(truncatingIfNeeded: value))
      bytes.append(UInt8(truncatingIfNeeded: value >> 8))
      if bits > 16 { bytes.append(UInt8(truncatingIfNeeded: value >> 16)) }
      if bits > 24 { bytes.append(UInt8(truncatingIfNeeded: value >> 24)) }
    }
  }
}
