internal import Hardware

/// What an access unit says before its first slice, and the beginning of that. The slices themselves are not looked at.
struct AccessUnitHead {
  /// Parameter sets, as they came.
  private(set) var sequences: [[UInt8]] = []
  private(set) var pictures: [[UInt8]] = []
  /// Of a recovery point (H.264, D.2.8): pictures after this one, as they are seen, until all is right.
  private(set) var recovery: Int?
  /// The first bytes of the first slice; `nil` if it holds no picture.
  private(set) var slice: UnsafeRawBufferPointer?

  /// More than the head of a slice takes.
  private static let sliceBytes = 64

  init(_ accessUnit: UnsafeRawBufferPointer) {
    var place = NALScan.startCode(in: accessUnit, from: 0)
    while place >= 0 {
      let start = place + 3
      let header = accessUnit[start]
      let kind = header & 31
      if header & 0x80 == 0, kind == 1 || kind == 2 || kind == AnnexB.Kind.keyframeSlice {
        slice = UnsafeRawBufferPointer(
          rebasing: accessUnit[start..<min(accessUnit.count, start + Self.sliceBytes)])
        return
      }
      place = NALScan.startCode(in: accessUnit, from: start)
      var end = place >= 0 ? place : accessUnit.count
      while end > start, accessUnit[end - 1] == 0 { end -= 1 }
      guard end > start else { continue }
      let unit = UnsafeRawBufferPointer(rebasing: accessUnit[start..<end])
      switch kind {
      case AnnexB.Kind.sequenceParameters: sequences.append(Array(unit))
      case AnnexB.Kind.pictureParameters: pictures.append(Array(unit))
      case AnnexB.Kind.enhancement: if let found = Self.recovery(in: unit) { recovery = found }
      default: break
      }
    }
  }

  /// Whether nothing after it refers to what is before it (an IDR picture).
  var isInstant: Bool { slice.map { $0[0] & 31 == AnnexB.Kind.keyframeSlice } ?? false }

  /// The recovery point among the messages of a unit of supplemental information (H.264, 7.3.2.3).
  static func recovery(in unit: UnsafeRawBufferPointer) -> Int? {
    let bytes = AnnexB.unescaped(unit)
    var place = 1
    func number() -> Int {
      var value = 0
      while place < bytes.count {
        let byte = Int(bytes[place])
        place += 1
        value += byte
        if byte < 255 { break }
      }
      return value
    }
    // The last byte holds the trailing bits.
    while place + 2 < bytes.count {
      let (kind, size) = (number(), number())
      guard size <= bytes.count - place else { return nil }
      if kind == 6 {
        var bits = BitReader(bytes[place..<place + size])
        let count = bits.exponential()
        return bits.isOver || count > 65_535 ? nil : count
      }
      place += size
    }
    return nil
  }
}
