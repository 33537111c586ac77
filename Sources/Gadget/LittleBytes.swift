extension [UInt8] {
  mutating func append<Number: FixedWidthInteger>(little number: Number) {
    for shift in stride(from: 0, to: Number.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  mutating func put<Number: FixedWidthInteger>(_ number: Number, at place: Int) {
    for index in 0..<Number.bitWidth / 8 { self[place + index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
  }

  mutating func put(_ text: String, at place: Int) {
    for (index, byte) in text.utf8.enumerated() { self[place + index] = byte }
  }
}

extension Sequence<UInt8> {
  /// The sum that FAT and exFAT have of names, entries, tables and sectors: turned right by a bit before each byte.
  func turnedSum<Sum: FixedWidthInteger & UnsignedInteger>(_: Sum.Type) -> Sum {
    reduce(0) { sum, byte in (sum << (Sum.bitWidth - 1) | sum >> 1) &+ Sum(truncatingIfNeeded: byte) }
  }
}
