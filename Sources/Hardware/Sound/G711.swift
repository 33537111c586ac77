/// The companding of telephones: a sample in a byte, by ITU-T G.711. Input is rounded to the 13 bits (A-law) or 14 bits
/// (µ-law) of the recommendation's tables, halves up.
public enum G711: String, Hashable, Sendable {
  case alaw, mulaw

  /// Encodes `count` samples; NaN is silence.
  public func encode(_ source: UnsafePointer<Float>, into target: UnsafeMutablePointer<UInt8>, count: Int) {
    let scale: Float = self == .alaw ? 4096 : 8192
    for index in 0..<count {
      let sample = source[index] == source[index] ? source[index] : 0
      let value = Int32((max(-1, min(1, sample)) * scale + 0.5).rounded(.down))
      target[index] = self == .alaw ? Self.alaw(min(4095, value)) : Self.mulaw(value)
    }
  }

  /// The same, as new bytes.
  public func encoded(_ source: UnsafePointer<Float>, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, made in
      if let start = buffer.baseAddress { encode(source, into: start, count: count) }
      made = count
    }
  }

  /// Decodes `count` bytes.
  public func decode(_ source: UnsafePointer<UInt8>, into target: UnsafeMutablePointer<Float>, count: Int) {
    for index in 0..<count {
      target[index] =
        Float(self == .alaw ? Self.linear(alaw: source[index]) : Self.linear(mulaw: source[index])) / 32_768
    }
  }

  private static func alaw(_ value: Int32) -> UInt8 {
    let magnitude = value < 0 ? -value - 1 : value
    let segment = max(0, 27 - magnitude.leadingZeroBitCount)
    let bits = segment << 4 | Int(magnitude >> Int32(max(1, segment))) & 15
    return UInt8(truncatingIfNeeded: bits) ^ (value < 0 ? 0x55 : 0xD5)
  }

  private static func mulaw(_ value: Int32) -> UInt8 {
    let magnitude = min(8158, abs(value)) + 33
    let segment = max(0, 26 - magnitude.leadingZeroBitCount)
    let bits = segment << 4 | Int(magnitude >> Int32(segment + 1)) & 15
    return UInt8(truncatingIfNeeded: bits) ^ (value < 0 ? 0x7F : 0xFF)
  }

  /// Of 16 bits.
  private static func linear(alaw byte: UInt8) -> Int32 {
    let bits = byte ^ 0x55
    let segment = Int32(bits >> 4 & 7)
    let step = Int32(bits & 15) << 4
    let magnitude = segment == 0 ? step + 8 : (step + 0x108) << (segment - 1)
    return bits & 0x80 != 0 ? magnitude : -magnitude
  }

  private static func linear(mulaw byte: UInt8) -> Int32 {
    let bits = ~byte
    let magnitude = (Int32(bits & 15) << 3 + 0x84) << Int32(bits >> 4 & 7) - 0x84
    return bits & 0x80 != 0 ? -magnitude : magnitude
  }
}
