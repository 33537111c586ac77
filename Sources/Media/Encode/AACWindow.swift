/// Which window an access unit was transformed with: the first bits of its first element (ISO 14496-3, 4.4.2.1, Table 4.6).
///
/// The half of a window that a unit shares with the next one must be the same in both, or what is decoded between them has
/// an echo of itself. Where two encoders of the same sound say the same of one unit, either may go on with the next.
struct AACWindow: Equatable {
  /// 0 long, 1 start, 2 eight short, 3 stop.
  var sequence: Int
  /// 0 sine, 1 Kaiser-Bessel.
  var shape: Int

  /// - Returns: `nil` if the unit begins with something else than sound, or its channels each have their own.
  init?(_ unit: UnsafeRawBufferPointer) {
    guard unit.count >= 3 else { return nil }
    let bits = Int(unit[0]) << 16 | Int(unit[1]) << 8 | Int(unit[2])
    let start: Int
    switch bits >> 21 {
    case 0: start = 3 + 4 + 8  // One channel: identifier, tag, global gain.
    case 1 where bits >> 16 & 1 == 1: start = 3 + 4 + 1  // Two with a common window.
    default: return nil
    }
    // A reserved bit, two of the sequence, one of the shape.
    let word = bits >> (24 - start - 4) & 0xF
    (sequence, shape) = (word >> 1 & 3, word & 1)
  }
}
