internal import Hardware

/// A small picture in shades of grey, as a camera's preview or a clip's thumbnail comes.
public struct GreyPicture: Hashable, Sendable {
  public let width: Int
  public let height: Int
  /// `width * height` bytes line by line from the top, 0 is black.
  public let luma: [UInt8]

  /// `nil` if the bytes are not those of a picture of this size.
  public init?(width: Int, height: Int, luma: [UInt8]) {
    guard width > 0, height > 0, width <= 4096, height <= 4096, luma.count == width * height else { return nil }
    self.width = width
    self.height = height
    self.luma = luma
  }

  /// The picture at another size: each point is the mean of what it covers, or its nearest point if that is less
  /// than one.
  func scaled(width newWidth: Int, height newHeight: Int) -> [Int] {
    luma.withUnsafeBufferPointer { luma in
      luma.baseAddress.map {
        AreaMeans.levels(of: $0, bytesPerRow: width, width: width, height: height, columns: newWidth, rows: newHeight)
      } ?? []
    }
  }

  /// The picture at another size, 1…4096 points either way.
  public func reduced(width newWidth: Int, height newHeight: Int) -> GreyPicture? {
    guard newWidth > 0, newHeight > 0, newWidth <= 4096, newHeight <= 4096 else { return nil }
    return GreyPicture(
      width: newWidth, height: newHeight,
      luma: scaled(width: newWidth, height: newHeight).map { UInt8(clamping: $0) })
  }

  /// The picture in one bit a point, by error diffusion (Floyd and Steinberg 1976, lines in turn from left and right),
  /// after its greys were stretched: what a lens sees indoors is rarely white anywhere.
  func dithered(width: Int, height: Int) -> [Bool] {
    var points = Self.stretched(scaled(width: width, height: height))
    var lit = [Bool](repeating: false, count: points.count)
    for y in 0..<height {
      let step = y % 2 == 0 ? 1 : -1
      for index in 0..<width {
        let x = step > 0 ? index : width - 1 - index
        let place = y * width + x
        lit[place] = points[place] >= 128
        let error = points[place] - (lit[place] ? 255 : 0)
        if (0..<width).contains(x + step) { points[place + step] += error * 7 / 16 }
        guard y + 1 < height else { continue }
        if (0..<width).contains(x - step) { points[place + width - step] += error * 3 / 16 }
        points[place + width] += error * 5 / 16
        if (0..<width).contains(x + step) { points[place + width + step] += error / 16 }
      }
    }
    return lit
  }

  /// Spread over black to white, but for a hundredth of the points on either side; next to nothing stays as it is.
  private static func stretched(_ points: [Int]) -> [Int] {
    let sorted = points.sorted()
    guard let first = sorted.first, let last = sorted.last else { return points }
    let low = sorted[sorted.count / 100]
    let high = sorted[sorted.count - 1 - sorted.count / 100]
    guard last - first >= 32, high > low else { return points }
    return points.map { min(255, max(0, ($0 - low) * 255 / (high - low))) }
  }
}
