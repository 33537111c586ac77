internal import Hardware

/// Files one behind the other in the form of tar (POSIX.1-2017, pax, "ustar Interchange Format"). Pure.
struct TarArchive {
  private static let block = 512
  /// Of a name without a prefix.
  private static let longestName = 100

  /// Everything so far.
  private(set) var bytes: [UInt8] = []
  private let time: WallTime

  /// - Parameter time: of the last change of all files.
  init(time: WallTime) { self.time = time }

  /// Adds a file; of a name only the first hundred bytes count.
  mutating func add(_ name: String, _ content: [UInt8]) {
    var header = [UInt8](repeating: 0, count: Self.block)
    func put(_ text: String, at offset: Int) {
      for (index, byte) in text.utf8.enumerated() { header[offset + index] = byte }
    }
    put(String(decoding: name.utf8.prefix(Self.longestName), as: UTF8.self), at: 0)
    put(Self.octal(0o644, digits: 7), at: 100)
    put(Self.octal(0, digits: 7), at: 108)
    put(Self.octal(0, digits: 7), at: 116)
    put(Self.octal(content.count, digits: 11), at: 124)
    put(Self.octal(Int(max(0, time.nanosecondsSince1970 / 1_000_000_000)), digits: 11), at: 136)
    // The sum is that of the header with blanks in its place.
    put("        0", at: 148)
    put("ustar", at: 257)
    put("00", at: 263)
    put("mynah", at: 265)
    put("mynah", at: 297)
    put(Self.octal(header.reduce(0) { $0 + Int($1) }, digits: 6), at: 148)
    header[154] = 0
    bytes += header + content + [UInt8](repeating: 0, count: (Self.block - content.count % Self.block) % Self.block)
  }

  /// Ends the archive: two empty blocks.
  mutating func end() { bytes += [UInt8](repeating: 0, count: 2 * Self.block) }

  private static func octal(_ value: Int, digits: Int) -> String {
    let text = String(value, radix: 8)
    return String(repeating: "0", count: max(0, digits - text.count)) + text.suffix(digits)
  }
}
