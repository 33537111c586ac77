/// The entries of a folder, as exFAT has them: what a file is, where it lies, and its name in pieces of 15 letters.
struct ExFATDirectory: DriveDirectory {
  private(set) var bytes: [UInt8] = []
  private let letters: ExFATLetters

  private static let folder: UInt16 = 0x10
  private static let readOnlyFile: UInt16 = 0x21

  static let beginning = 0
  static let mostBytes = 256 << 20

  static func size(of name: String) -> Int { 32 * (2 + pieces(units(name).count)) }

  /// The top folder.
  ///
  /// - Parameters:
  ///   - label: the drive's name, of at most 11 letters.
  ///   - bitmap: where the bits lie that tell which clusters are taken, and how many bytes they are.
  ///   - table: where the table of capital letters lies.
  init(label: String, bitmap: (cluster: Int, bytes: Int), table cluster: Int, of letters: ExFATLetters) {
    self.letters = letters
    var entries = [UInt8](repeating: 0, count: 3 * 32)
    let units = label.utf16.prefix(11)
    entries[0] = 0x83
    entries[1] = UInt8(units.count)
    for (index, unit) in units.enumerated() { entries.put(unit, at: 2 + 2 * index) }
    entries[32] = 0x81
    entries.put(UInt32(truncatingIfNeeded: bitmap.cluster), at: 32 + 20)
    entries.put(UInt64(bitmap.bytes), at: 32 + 24)
    entries[64] = 0x82
    entries.put(letters.table.turnedSum(UInt32.self), at: 64 + 4)
    entries.put(UInt32(truncatingIfNeeded: cluster), at: 64 + 20)
    entries.put(UInt64(letters.table.count), at: 64 + 24)
    bytes = entries
  }

  init(at cluster: Int, like top: ExFATDirectory, date: DriveFile.Date) { letters = top.letters }

  mutating func add(folder name: String, cluster: Int, bytes: Int, date: DriveFile.Date) {
    add(name, Self.folder, cluster, bytes, date)
  }

  mutating func add(_ file: DriveFile, cluster: Int) {
    add(file.name, Self.readOnlyFile, cluster, file.bytes, file.date)
  }

  private mutating func add(
    _ name: String, _ attributes: UInt16, _ cluster: Int, _ size: Int, _ date: DriveFile.Date
  ) {
    let units = Self.units(name)
    let pieces = Self.pieces(units.count)
    var set = [UInt8](repeating: 0, count: 32 * (2 + pieces))
    set[0] = 0x85
    set[1] = UInt8(1 + pieces)
    set.put(attributes, at: 4)
    // Made, changed, read.
    for place in [8, 12, 16] {
      set.put(date.time, at: place)
      set.put(date.day16, at: place + 2)
    }
    for place in 20...21 { set[place] = date.hundredths8 }
    for place in 22...24 { set[place] = date.zone8 }
    set[32] = 0xC0
    set[35] = UInt8(units.count)
    set.put(letters.hash(units), at: 36)
    if size > 0 {
      // All of it is there, in one run: the table need not be looked at.
      set[33] = 3
      set.put(UInt64(size), at: 40)
      set.put(UInt32(truncatingIfNeeded: cluster), at: 52)
      set.put(UInt64(size), at: 56)
    } else {
      set[33] = 1
    }
    for piece in 0..<pieces { set[64 + 32 * piece] = 0xC1 }
    for (index, unit) in units.enumerated() { set.put(unit, at: 64 + index / 15 * 32 + 2 + index % 15 * 2) }
    set.put((set[..<2] + set[4...]).turnedSum(UInt16.self), at: 2)
    bytes += set
  }

  private static func units(_ name: String) -> [UInt16] { Array(name.utf16.prefix(255)) }
  private static func pieces(_ units: Int) -> Int { (units + 14) / 15 }
}
