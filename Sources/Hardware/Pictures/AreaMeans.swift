/// A plane of bytes at another size: each point is the mean of what it covers, at least one byte. Pure.
public enum AreaMeans {
  /// - Parameters:
  ///   - plane: `height` lines of `width` bytes, above 0.
  ///   - bytesPerRow: from one line to the next.
  ///   - columns, rows: the new size, above 0.
  /// - Returns: `columns` × `rows` means, line by line.
  public static func levels(
    of plane: UnsafePointer<UInt8>, bytesPerRow: Int, width: Int, height: Int, columns: Int, rows: Int
  ) -> [Int] {
    var levels: [Int] = []
    levels.reserveCapacity(columns * rows)
    for row in 0..<rows {
      let top = row * height / rows
      let bottom = max(top + 1, (row + 1) * height / rows)
      for column in 0..<columns {
        let left = column * width / columns
        let right = max(left + 1, (column + 1) * width / columns)
        var sum = 0
        for line in top..<bottom {
          let start = plane + line * bytesPerRow
          for x in left..<right { sum += Int(start[x]) }
        }
        levels.append(sum / ((bottom - top) * (right - left)))
      }
    }
    return levels
  }
}
