/// The header Content-Range of a part of a resource (RFC 9110 section 14.4). Pure.
enum ContentRange {
  /// The bytes that a line of a header says are coming, and of how many: `content-range: bytes 100-199/1000`. `nil` if
  /// it is another line, or says nothing that can be used; `total` is `nil` where it is not said.
  static func parse(_ line: [UInt8]) -> (range: Range<Int>, total: Int?)? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
      String(decoding: line[..<colon], as: UTF8.self).lowercased() == "content-range"
    else { return nil }
    var rest = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
    guard String(decoding: rest.prefix(6), as: UTF8.self).lowercased() == "bytes " else { return nil }
    rest = rest.dropFirst(6)
    guard let first = number(&rest), rest.popFirst() == UInt8(ascii: "-"), let last = number(&rest),
      rest.popFirst() == UInt8(ascii: "/"), first <= last
    else { return nil }
    return (first..<last + 1, number(&rest))
  }

  /// Takes decimal digits from the front; at most 18, so that the number fits.
  private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    guard (1...18).contains(digits.count) else { return nil }
    rest = rest.dropFirst(digits.count)
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}
