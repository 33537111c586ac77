internal import Hardware

/// Names of files that FAT, exFAT and the computers that read them accept.
enum StickName {
  /// Longest name without its suffix, in bytes of UTF-8: numbers and endings still fit into 255.
  static let longestStem = 200

  private static let forbidden: Set<Unicode.Scalar> = ["\"", "*", "/", ":", "<", ">", "?", "\\", "|"]
  private static let devices: Set<String> = ["con", "prn", "aux", "nul"]

  /// A text as a name without suffix: what is forbidden becomes `_`; blanks and dots around it go.
  static func stem(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isPlain = scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && !forbidden.contains(scalar)
      // Marks of direction and joiners that nobody sees make names that nobody can type.
      guard scalar.properties.generalCategory != .format else { continue }
      scalars.append(isPlain ? scalar : "_")
    }
    let isEdge: (Character) -> Bool = { $0 == " " || $0 == "." }
    var stem = Substring(KernelName.composed(String(scalars))).drop(while: isEdge)
    while stem.utf8.count > longestStem { stem.removeLast() }
    while stem.last.map(isEdge) == true { stem.removeLast() }
    return stem.isEmpty ? "_" : isDevice(stem) ? "_\(stem)" : String(stem)
  }

  /// The suffix of a file, with its dot, of letters and digits only; empty if it has none. What is sealed has two.
  static func suffix(_ text: String) -> String {
    if text.hasSuffix(TakeName.sealedSuffix), text != TakeName.sealedSuffix {
      return suffix(String(text.dropLast(TakeName.sealedSuffix.utf8.count))) + TakeName.sealedSuffix
    }
    let letters = text.unicodeScalars.filter { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) }
    return letters.isEmpty ? "" : ".\(String(String.UnicodeScalarView(letters.prefix(8))))"
  }

  /// A name with a number in front of its suffix: `Take 42 (2).m4a`; the first is without.
  static func numbered(_ name: String, _ number: Int) -> String {
    guard number > 1 else { return name }
    let (stem, suffix) = TakeName.split(name)
    return "\(stem) (\(number))\(suffix)"
  }

  /// Names that Windows keeps for devices, with whatever suffix: `CON`, `lpt1`.
  private static func isDevice(_ stem: Substring) -> Bool {
    let first = stem.prefix { $0 != "." }.lowercased()
    if devices.contains(first) { return true }
    guard first.count == 4, let digit = first.last, ("1"..."9").contains(digit) else { return false }
    return first.hasPrefix("com") || first.hasPrefix("lpt")
  }
}
