/// A rectangle of pixels: `x`, `y` of the top left corner, then the size.
struct Area: Hashable, Sendable {
  var x: Int
  var y: Int
  var width: Int
  var height: Int

  init(_ x: Int, _ y: Int, _ width: Int, _ height: Int) {
    self.x = x
    self.y = y
    self.width = max(0, width)
    self.height = max(0, height)
  }

  /// The first column to the right of it, and the first row below it.
  var endX: Int { x + width }
  var endY: Int { y + height }

  var isEmpty: Bool { width == 0 || height == 0 }

  func contains(_ other: Area) -> Bool {
    other.isEmpty || (other.x >= x && other.y >= y && other.endX <= endX && other.endY <= endY)
  }

  func intersects(_ other: Area) -> Bool {
    !isEmpty && !other.isEmpty && x < other.endX && other.x < endX && y < other.endY && other.y < endY
  }

  /// The smallest area around both; an empty one does not count.
  func union(_ other: Area) -> Area {
    if isEmpty { return other }
    if other.isEmpty { return self }
    let left = min(x, other.x)
    let top = min(y, other.y)
    return Area(left, top, max(endX, other.endX) - left, max(endY, other.endY) - top)
  }

  func inset(_ dx: Int, _ dy: Int) -> Area { Area(x + dx, y + dy, width - 2 * dx, height - 2 * dy) }
}
