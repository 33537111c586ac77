/// A picture of black and white dots, for the OLED.
public struct Thumbnail: Hashable, Sendable {
  public let width: Int
  public let height: Int
  /// Line by line, `(width + 7) / 8` bytes each, the highest bit to the left; 1 is white.
  public let bits: [UInt8]

  /// Whether a dot is white.
  public func isSet(_ x: Int, _ y: Int) -> Bool { bits[y * ((width + 7) / 8) + x / 8] & (0x80 >> UInt8(x % 8)) != 0 }

  /// Scales a picture into `width` × `height` dots, keeping its shape (what is left over stays black), stretches its
  /// contrast, and dithers it (Floyd and Steinberg 1976, every other line backwards). Pure.
  public init(_ picture: Picture, width: Int, height: Int) {
    self.width = max(1, width)
    self.height = max(1, height)
    let lineBytes = (self.width + 7) / 8
    var dots = [UInt8](repeating: 0, count: lineBytes * self.height)
    let scale = max(
      Double(picture.width) / Double(self.width), Double(picture.height) / Double(self.height), .leastNonzeroMagnitude)
    let columns = min(self.width, Int((Double(picture.width) / scale).rounded()))
    let rows = min(self.height, Int((Double(picture.height) / scale).rounded()))
    guard columns > 0, rows > 0 else {
      bits = dots
      return
    }
    var levels = Self.stretched(Self.scaled(picture, columns, rows))
    let (left, top) = ((self.width - columns) / 2, (self.height - rows) / 2)
    for row in 0..<rows {
      let isBackwards = row % 2 == 1
      let ahead = isBackwards ? -1 : 1
      for step in 0..<columns {
        let column = isBackwards ? columns - 1 - step : step
        let value = levels[row * columns + column]
        let isWhite = value >= 128
        if isWhite {
          dots[(top + row) * lineBytes + (left + column) / 8] |= 0x80 >> UInt8((left + column) % 8)
        }
        let error = value - (isWhite ? 255 : 0)
        func spread(_ x: Int, _ y: Int, _ share: Int) {
          guard x >= 0, x < columns, y < rows else { return }
          levels[y * columns + x] += error * share / 16
        }
        spread(column + ahead, row, 7)
        spread(column - ahead, row + 1, 3)
        spread(column, row + 1, 5)
        spread(column + ahead, row + 1, 1)
      }
    }
    bits = dots
  }

  /// Means of the pixels that each dot stands for.
  private static func scaled(_ picture: Picture, _ columns: Int, _ rows: Int) -> [Int] {
    picture.luma.withUnsafeBufferPointer { luma in
      luma.baseAddress.map {
        AreaMeans.levels(
          of: $0, bytesPerRow: picture.width, width: picture.width, height: picture.height, columns: columns, rows: rows
        )
      } ?? []
    }
  }

  /// The darkest and the lightest fiftieth become black and white: two colours leave no room for haze.
  private static func stretched(_ levels: [Int]) -> [Int] {
    let sorted = levels.sorted()
    let dark = sorted[sorted.count / 50]
    let light = sorted[sorted.count - 1 - sorted.count / 50]
    // Next to no contrast is noise, which is not to be blown up.
    guard light - dark >= 16 else { return levels }
    return levels.map { min(255, max(0, ($0 - dark) * 255 / (light - dark))) }
  }
}
