/// The entries of a folder, as FAT has them: long names in pieces of 13 letters before a short one.
struct FATDirectory: DriveDirectory {
  private(set) var bytes: [UInt8] = []
  private var number = 0

  private static let folder: UInt8 = 0x10
  private static let readOnlyFile: UInt8 = 0x21
  private static let label: UInt8 = 0x08
  private static let longName: UInt8 = 0x0F

  static let beginning = 64
  static let mostBytes = 65_536 * 32

  static func size(of name: String) -> Int { 32 * (1 + (name.utf16.count + 12) / 13) }

  /// The top folder, with the drive's own name of at most 11 capital letters.
  init(label: String) { entry(Self.padded(label, 11), Self.label, 0, 0, .dawn) }

  /// Every folder but the top one begins with `.` and `..`.
  init(at cluster: Int, like top: FATDirectory, date: DriveFile.Date) {
    entry(Self.padded(".", 11), Self.folder, cluster, 0, date)
    entry(Self.padded("..", 11), Self.folder, 0, 0, date)
  }

  mutating func add(folder name: String, cluster: Int, bytes: Int, date: DriveFile.Date) {
    add(name, Self.folder, cluster, 0, date)
  }

  mutating func add(_ file: DriveFile, cluster: Int) {
    add(file.name, Self.readOnlyFile, file.bytes > 0 ? cluster : 0, file.bytes, file.date)
  }

  private mutating func add(
    _ name: String, _ attributes: UInt8, _ cluster: Int, _ size: Int, _ date: DriveFile.Date
  ) {
    number += 1
    let short = Self.shortName(number)
    addLong(name, checksum: short.turnedSum(UInt8.self))
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
