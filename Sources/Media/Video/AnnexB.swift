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

  /// Whether a NAL unit belongs into a sample of MP4: parameter sets are in the sample's description, delimiters and
  /// filler say nothing there.
  public static func isKept(_ kind: UInt8) -> Bool {
    kind != Kind.sequenceParameters && kind != Kind.pictureParameters && kind != Kind.delimiter && kind != Kind.filler
  }

  /// Bytes of an access unit as a sample of MP4.
  public static func sampleSize(of accessUnit: UnsafeRawBufferPointer) -> Int {
    var size = 0
    forEachUnit(in: accessUnit) { kind, unit in if isKept(kind) { size += 4 + unit.count } }
    return size
  }

  /// Appends an access unit as a sample of MP4: each NAL unit behind its length in four bytes.
  ///
  /// - Returns: the bytes appended, as `sampleSize` says.
  @discardableResult
  public static func appendSample(_ accessUnit: UnsafeRawBufferPointer, to sample: inout [UInt8]) -> Int {
    let before = sample.count
    forEachUnit(in: accessUnit) { kind, unit in
      guard isKept(kind) else { return }
      for shift in [24, 16, 8, 0] { sample.append(UInt8(truncatingIfNeeded: unit.count >> shift)) }
      sample.append(contentsOf: unit)
    }
    return sample.count - before
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
