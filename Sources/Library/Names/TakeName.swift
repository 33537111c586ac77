public import Hardware

/// The name of a take's or clip's file: `000042_2026-11-20T21-54-00Z.m4a`.
///
/// The number only ever grows, whatever the wall clock does, and names sort in the order of recording. The stamp is
/// the wall clock's reading at the first sample, an annotation.
public struct TakeName: Hashable, Sendable {
  /// From here on a number is not believed to be ours; a file of such a name does not drag the counter along.
  public static let highestNumber = 999_999_999_999

  /// Session number, 1 or more.
  public var number: Int
  /// `2026-11-20T21-54-00Z`.
  public var stamp: String
  /// Without the dot.
  public var fileExtension: String
  /// Who has recorded it, where file names are to say so: `000042_2026-11-20T21-54-00Z_ann.m4a`.
  public var author: String?
  /// The safety take beside the one of this name: `000042_2026-11-20T21-54-00Z.safety.m4a`.
  public var isSafety = false

  private static let safetyMark = ".safety"
  /// Behind the suffix of a recording that is sealed to a key which the device has not: `000042_2026-11-20T21-54-00Z.m4a.age`.
  public static let sealedSuffix = ".age"

  public init(number: Int, createdAt: WallTime, fileExtension: String, author: String? = nil) {
    self.number = number
    self.author = author.flatMap(Self.sanitised)
    // Four digits of the year are all that a name has room for.
    let latest = WallTime(nanosecondsSince1970: .max)
    stamp = min(max(createdAt, WallTime(nanosecondsSince1970: 0)), latest).fileNameStamp
    self.fileExtension = fileExtension
  }

  /// Reads a name of this form; `nil` for any other.
  public init?(_ fileName: String) {
    guard let number = Self.number(in: fileName) else { return nil }
    let (stem, suffix) = Self.split(fileName)
    guard let mark = stem.utf8.firstIndex(of: UInt8(ascii: "_")) else { return nil }
    self.number = number
    stamp = String(stem[stem.utf8.index(after: mark)...])
    if stamp.hasSuffix(Self.safetyMark) {
      isSafety = true
      stamp.removeLast(Self.safetyMark.utf8.count)
    }
    fileExtension = String(suffix.dropFirst())
    let own = stamp.utf8.count
    if own > Self.stampForm.utf8.count + 1, Self.beginsWithStamp(stamp.utf8[...]) {
      let end = stamp.utf8.index(stamp.startIndex, offsetBy: Self.stampForm.utf8.count)
      let name = String(stamp[stamp.utf8.index(after: end)...])
      if stamp.utf8[end] == UInt8(ascii: "_"), Self.sanitised(name) == name {
        author = name
        stamp = String(stamp[..<end])
      }
    }
  }

  /// A name as it may stand in a file's: 1 to 32 letters and digits of ASCII, `-` and `_`; nil if nothing is left of it.
  public static func sanitised(_ name: String) -> String? {
    let bytes = name.utf8.prefix(32).map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
        byte
      default: UInt8(ascii: "-")
      }
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// Number and stamp: what the sound and its metadata have in common.
  public var stem: String {
    "\(Self.padded(number))_\(stamp)\(author.map { "_\($0)" } ?? "")\(isSafety ? Self.safetyMark : "")"
  }

  /// The file's name, the take's identity.
  public var file: String { "\(stem).\(fileExtension)" }

  /// When the take began by the wall clock of that time, if the stamp is one.
  public var createdAt: WallTime? { WallTime(fileNameStamp: stamp) }

  /// Whether it is the name of a safety take of the device's.
  static func isSafety(_ fileName: String) -> Bool {
    split(fileName).stem.hasSuffix(safetyMark) && isOurs(fileName)
  }

  /// The take that a safety take lies beside; nil for all other names.
  static func main(of fileName: String) -> String? {
    guard isSafety(fileName) else { return nil }
    let (stem, suffix) = split(fileName)
    return stem.dropLast(safetyMark.utf8.count) + suffix
  }

  /// Whether the device gives names like this one. What it has not made it never moves, changes or deletes.
  public static func isOurs(_ fileName: String) -> Bool {
    guard number(in: fileName) != nil else { return false }
    // A take that somebody has converted beside it: the device gives no such suffix, and no capitals.
    let suffix = split(fileName).suffix.dropFirst()
    return suffix == suffix.lowercased() && !TakePath.isOnlyOthers(String(suffix))
  }

  /// The session number in the name of any file of a take or clip: six digits or more, `_`, a stamp; `nil` for names of
  /// any other form, which the device has not given.
  public static func number(in fileName: String) -> Int? {
    var bytes = fileName.utf8[...]
    var number = 0
    var digits = 0
    while let byte = bytes.popFirst(), byte != UInt8(ascii: "_") {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
      digits += 1
      guard number <= highestNumber else { return nil }
    }
    return digits >= 6 && number > 0 && beginsWithStamp(bytes) ? number : nil
  }

  /// Whether there is a stamp, and then the end, a suffix or something more about the file.
  private static func beginsWithStamp(_ bytes: Substring.UTF8View) -> Bool {
    var rest = bytes
    for expected in stampForm.utf8 {
      guard let byte = rest.popFirst() else { return false }
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      guard expected == UInt8(ascii: "0") ? isDigit : byte == expected else { return false }
    }
    return rest.first.map { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") } ?? true
  }

  private static let stampForm = "0000-00-00T00-00-00Z"

  /// Whether it is the name of a recording of the device's that it has sealed, and cannot read itself.
  public static func isSealed(_ fileName: String) -> Bool { fileName.hasSuffix(sealedSuffix) && isOurs(fileName) }

  /// A file name parted before its last dot, of what is sealed before the one before; the suffix keeps the dot and is empty if
  /// there is none.
  public static func split(_ fileName: String) -> (stem: String, suffix: String) {
    guard let dot = fileName.utf8.lastIndex(of: UInt8(ascii: ".")), dot != fileName.startIndex else {
      return (fileName, "")
    }
    let inner = fileName[dot...] == sealedSuffix ? fileName[..<dot].utf8.lastIndex(of: UInt8(ascii: ".")) : nil
    let place = inner.flatMap { $0 == fileName.startIndex ? nil : $0 } ?? dot
    return (String(fileName[..<place]), String(fileName[place...]))
  }

  private static func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }
}
