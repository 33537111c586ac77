/// A small picture of one bit a pixel, written as it looks: `#` is lit, anything else is not.
struct Icon: Sendable {
  let width: Int
  let height: Int
  /// Column by column, the topmost row in bit 0.
  let columns: [UInt64]

  /// - Parameter art: at most 64 lines.
  init(_ art: String) {
    let rows = art.split(separator: "\n", omittingEmptySubsequences: false).map { Array($0.utf8) }
    height = min(rows.count, 64)
    width = rows.map(\.count).max() ?? 0
    var columns = [UInt64](repeating: 0, count: width)
    for (y, row) in rows.prefix(64).enumerated() {
      for (x, character) in row.enumerated() where character == UInt8(ascii: "#") { columns[x] |= 1 << UInt64(y) }
    }
    self.columns = columns
  }
}
