/// The entries of a folder, as FAT has them: long names in pieces of 13 letters before a short one.
struct FATDirectory {
  private(set) var bytes: [UInt8] = []
  private var number = 0

  private static let folder: UInt8 = 0x10
  private static let readOnlyFile: UInt8 = 0x21
  private static let label: UInt8 = 0x08
  private static let longName: UInt8 = 0x0F
  /// The day on which folders without a date were made.
  private static let dawn = DriveFile.Date(year: 1980, month: 1, day: 1, hour: 0, minute: 0, second: 0)

  /// Bytes that a file's or a folder's entries take.
  static func size(of name: String) -> Int { 32 * (1 + (name.utf16.count + 12) / 13) }

  /// The drive's own name, of at most 11 capital letters.
  mutating func add(label: String) { entry(Self.padded(label, 11), Self.label, 0, 0, Self.dawn) }

  /// `.` and `..`, which every folder but the top one begins with.
  mutating func addDots(own: Int, above: Int) {
    entry(Self.padded(".", 11), Self.folder, own, 0, Self.dawn)
    entry(Self.padded("..", 11), Self.folder, above, 0, Self.dawn)
  }

  mutating func add(folder name: String, cluster: Int) { add(name, Self.folder, cluster, 0, Self.dawn) }

  mutating func add(_ file: DriveFile, cluster: Int) {
    add(file.name, Self.readOnlyFile, file.bytes > 0 ? cluster : 0, file.bytes, file.date)
  }

  private mutating func add(
    _ name: String, _ attributes: UInt8, _ cluster: Int, _ size: Int, _ date: DriveFile.Date
  ) {
    number += 1
    let short = Self.shortName(number)
    addLong(name, checksum: Self.checksum(short))
    entry(short, attributes, cluster, size, date)
  }

  /// Nobody reads it who knows long names, and no two may be the same: a number.
  private static func shortName(_ number: Int) -> [UInt8] {
    let digits = Array(String(number, radix: 36, uppercase: true).utf8)
    let zeros = [UInt8](repeating: 0x30, count: max(0, 6 - digits.count))
    return padded("MY", 2) + zeros + digits.suffix(6) + padded("", 3)
  }

  private static func padded(_ text: String, _ count: Int) -> [UInt8] {
    let bytes = Array(text.utf8.prefix(count))
    return bytes + [UInt8](repeating: 0x20, count: count - bytes.count)
  }

  private static func checksum(_ short: [UInt8]) -> UInt8 {
    var sum: UInt8 = 0
    for byte in short {
      let turned: UInt8 = sum << 7 | sum >> 1
      sum = turned &+ byte
    }
    return sum
  }

  /// The last piece comes first.
  private mutating func addLong(_ name: String, checksum: UInt8) {
    let units = Array(name.utf16)
    let pieces = (units.count + 12) / 13
    for piece in stride(from: pieces, through: 1, by: -1) {
      var letters = Array(units[((piece - 1) * 13)..<min(piece * 13, units.count)])
      if letters.count < 13 { letters.append(0) }
      letters += [UInt16](repeating: 0xFFFF, count: 13 - letters.count)
      bytes.append(UInt8(piece) | (piece == pieces ? 0x40 : 0))
      for unit in letters[0..<5] { bytes.append(little: unit) }
      bytes += [Self.longName, 0, checksum]
      for unit in letters[5..<11] { bytes.append(little: unit) }
      bytes += [0, 0]
      for unit in letters[11..<13] { bytes.append(little: unit) }
    }
  }

  private mutating func entry(
    _ short: [UInt8], _ attributes: UInt8, _ cluster: Int, _ size: Int, _ date: DriveFile.Date
  ) {
    bytes += short + [attributes, 0, 0]
    for word in [date.time, date.day16, date.day16] { bytes.append(little: word) }
    bytes.append(little: UInt16(truncatingIfNeeded: cluster >> 16))
    bytes.append(little: date.time)
    bytes.append(little: date.day16)
    bytes.append(little: UInt16(truncatingIfNeeded: cluster))
    bytes.append(little: UInt32(truncatingIfNeeded: size))
  }
}

extension [UInt8] {
  mutating func append<Number: FixedWidthInteger>(little number: Number) {
    for shift in stride(from: 0, to: Number.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  mutating func put<Number: FixedWidthInteger>(_ number: Number, at place: Int) {
    for index in 0..<Number.bitWidth / 8 { self[place + index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
  }

  mutating func put(_ text: String, at place: Int) {
    for (index, byte) in text.utf8.enumerated() { self[place + index] = byte }
  }
}
