internal import Hardware

/// H.264 byte streams (ITU-T H.264, annex B) and what MP4 wants of them (ISO/IEC 14496-15). Pure; any thread.
public enum AnnexB {
  /// Kinds of NAL unit that matter here (H.264, table 7-1).
  public enum Kind {
    public static let slice: UInt8 = 1
    public static let keyframeSlice: UInt8 = 5
    public static let enhancement: UInt8 = 6
    public static let sequenceParameters: UInt8 = 7
    public static let pictureParameters: UInt8 = 8
    public static let delimiter: UInt8 = 9
    public static let filler: UInt8 = 12
  }

  /// Calls `body` with each NAL unit, without start code and trailing zeros, and its kind. Empty ones are left out.
  public static func forEachUnit(
    in stream: UnsafeRawBufferPointer, _ body: (_ kind: UInt8, _ unit: UnsafeRawBufferPointer) -> Void
  ) {
    var place = NALScan.startCode(in: stream, from: 0)
    while place >= 0 {
      let start = place + 3
      place = NALScan.startCode(in: stream, from: start)
      var end = place >= 0 ? place : stream.count
      while end > start, stream[end - 1] == 0 { end -= 1 }
      guard end > start else { continue }
      body(stream[start] & 31, UnsafeRawBufferPointer(rebasing: stream[start..<end]))
    }
  }

  /// Units one behind the other, each with its start code.
  static func byteStream(_ units: [[UInt8]]) -> [UInt8] { units.flatMap { [0, 0, 0, 1] + $0 } }

  /// The parameter sets in an AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1), as far as it makes sense.
  public static func units(ofConfiguration record: some RandomAccessCollection<UInt8>) -> [[UInt8]] {
    let record = Array(record)
    var (units, place): ([[UInt8]], Int) = ([], 5)
    for mask: UInt8 in [0x1F, 0xFF] where place < record.count {
      let count = record[place] & mask
      place += 1
      for _ in 0..<count {
        guard place + 2 <= record.count else { return units }
        let end = place + 2 + Int(record[place]) << 8 + Int(record[place + 1])
        guard end <= record.count else { return units }
        units.append(Array(record[place + 2..<end]))
        place = end
      }
    }
    return units
  }

  static func isParameterSet(_ kind: UInt8) -> Bool {
    kind == Kind.sequenceParameters || kind == Kind.pictureParameters
  }

  /// Number of the picture parameter set that a slice uses (H.264, 7.3.3).
  static func sliceParameters(of slice: UnsafeRawBufferPointer) -> Int {
    var bits = BitReader(unescaped(UnsafeRawBufferPointer(rebasing: slice.prefix(32))).dropFirst(1))
    for _ in 0..<2 { _ = bits.exponential() }
    return bits.exponential()
  }

  /// An access unit's payload without the bytes that keep start codes out of it (H.264, 7.4.1).
  static func unescaped(_ unit: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(unit.count)
    var zeros = 0
    for byte in unit {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      bytes.append(byte)
    }
    return bytes
  }
}
