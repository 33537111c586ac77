/// Where things are in a page of a feed: the members that count, and each item of its list, as the bytes they are written in.
///
/// Only what encloses them is looked at. What is wrong within an item, or is more than anybody reads, is nobody else's
/// matter, and nothing but these bytes is held for it. Pure.
struct FeedOutline {
  // Of each, the one that is given last.
  private(set) var version: ArraySlice<UInt8>?
  private(set) var next: ArraySlice<UInt8>?
  /// The first items; `nil` if there is no list of them.
  private(set) var items: [ArraySlice<UInt8>]?
  /// All items that are in the list.
  private(set) var count = 0

  private let bytes: [UInt8]
  private var index = 0

  /// `nil` if it is no object, or does not end as it should.
  ///
  /// - Parameter mostItems: more than these are counted only.
  init?(_ bytes: [UInt8], mostItems: Int) {
    self.bytes = bytes
    guard take("{") else { return nil }
    if !take("}") {
      repeat {
        guard member(mostItems) else { return nil }
      } while take(",")
      guard take("}") else { return nil }
    }
    skipBlanks()
    guard index == bytes.count else { return nil }
  }

  /// - Returns: false if there is none, or it does not end.
  private mutating func member(_ mostItems: Int) -> Bool {
    guard let name = value(), name.first == UInt8(ascii: "\""), take(":") else { return false }
    if name.elementsEqual("\"items\"".utf8) {
      skipBlanks()
      (items, count) = (nil, 0)
      if index < bytes.count, bytes[index] == UInt8(ascii: "[") { return list(mostItems) }
    }
    guard let value = value() else { return false }
    if name.elementsEqual("\"version\"".utf8) { version = value }
    if name.elementsEqual("\"next\"".utf8) { next = value }
    return true
  }

  private mutating func list(_ most: Int) -> Bool {
    guard take("[") else { return false }
    var found: [ArraySlice<UInt8>] = []
    if !take("]") {
      repeat {
        guard let item = value() else { return false }
        count += 1
        if found.count < most { found.append(item) }
      } while take(",")
      guard take("]") else { return false }
    }
    items = found
    return true
  }

  /// A value as it is written, whatever is in it; `nil` if there is none, or it does not end.
  private mutating func value() -> ArraySlice<UInt8>? {
    skipBlanks()
    let start = index
    var depth = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        guard skipString() else { return nil }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        index += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0 else { return nil }
        depth -= 1
        index += 1
      default:
        if depth == 0 { skipWord() } else { index += 1 }
      }
      if depth == 0 { break }
    }
    return depth == 0 && index > start ? bytes[start..<index] : nil
  }

  /// - Returns: false if it does not end.
  private mutating func skipString() -> Bool {
    index += 1
    while index < bytes.count {
      let byte = bytes[index]
      index += byte == UInt8(ascii: "\\") ? 2 : 1
      if byte == UInt8(ascii: "\"") { return true }
    }
    return false
  }

  /// A number, `true`, or what stands in the place of one.
  private mutating func skipWord() {
    while index < bytes.count, bytes[index] > 0x20, !",:]}".utf8.contains(bytes[index]) { index += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard index < bytes.count, UInt32(bytes[index]) == character.value else { return false }
    index += 1
    return true
  }

  private mutating func skipBlanks() {
    while index < bytes.count {
      let byte = bytes[index]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      index += 1
    }
  }
}
