/// What the simulated camera burns into its pictures for machines: which picture it is, and when it was taken.
///
/// 16 columns and 7 rows of square blocks, black for 0 and white for 1, row by row, most significant bit first: 32 bits
/// of number, 64 bits of nanoseconds since the origin of the run, 16 bits of checksum over these (CRC-16/CCITT-FALSE:
/// polynomial 0x1021, begun with 0xFFFF). Blocks are whole macroblocks of H.264 at the usual sizes, so that they come
/// through at any bit rate. `Tests/Tools/picture_code.py` reads them in a decoded file.
public struct PictureCode: Hashable, Sendable {
  /// Pictures since the origin, modulo 2³².
  public var number: UInt32
  /// When the picture was taken, in nanoseconds since the origin.
  public var nanoseconds: Int64

  public static let columns = 16
  public static let rows = 7

  public init(number: UInt32, nanoseconds: Int64) {
    self.number = number
    self.nanoseconds = nanoseconds
  }

  /// Pixels along a block's edge; the pattern begins this far from the left and from the top of the picture.
  public static func blockSize(width: Int, height: Int) -> Int {
    let fitting = min(32, min(width / 20, height / 11))
    return max(2, fitting >= 8 ? fitting & ~7 : fitting & ~1)
  }

  /// The bits in their order, eight a byte.
  public var bytes: [UInt8] {
    var bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    bytes += (0..<8).map { UInt8(truncatingIfNeeded: nanoseconds >> (56 - 8 * $0)) }
    let sum = Self.checksum(bytes[...])
    return bytes + [UInt8(truncatingIfNeeded: sum >> 8), UInt8(truncatingIfNeeded: sum)]
  }

  /// Reads the pattern of a picture; `nil` if there is none whose checksum is right.
  ///
  /// - Parameter luma: brightness of a pixel, 0…255; `x` and `y` lie within the picture.
  public init?(width: Int, height: Int, luma: (_ x: Int, _ y: Int) -> UInt8) {
    let block = Self.blockSize(width: width, height: height)
    guard width >= block * (Self.columns + 1), height >= block * (Self.rows + 1) else { return nil }
    var bytes: [UInt8] = []
    for index in 0..<(Self.columns * Self.rows) {
      let left = block * (1 + index % Self.columns)
      let top = block * (1 + index / Self.columns)
      var sum = 0
      // Nine points in the middle half: what the codec smears over the edges stays out.
      for point in 0..<9 {
        sum += Int(luma(left + block * (1 + point % 3) / 4, top + block * (1 + point / 3) / 4))
      }
      if index % 8 == 0 { bytes.append(0) }
      bytes[index / 8] = bytes[index / 8] << 1 | (sum > 9 * 128 ? 1 : 0)
    }
    guard Self.checksum(bytes[0..<12]) == UInt16(bytes[12]) << 8 | UInt16(bytes[13]) else { return nil }
    number = bytes[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
    nanoseconds = bytes[4..<12].reduce(0) { $0 << 8 | Int64($1) }
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    bytes.reduce(0xFFFF) { sum, byte in
      (0..<8).reduce(sum ^ UInt16(byte) << 8) { rest, _ in rest & 0x8000 != 0 ? rest << 1 ^ 0x1021 : rest << 1 }
    }
  }
}
