/// Characters by the names of HTML that subtitles and titles use, those of Latin-1 and of typography, and by their numbers.
enum NamedCharacters {
  /// U+00A0 to U+00FF, in their order.
  private static let latin =
    """
    nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute
    micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig
    Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash
    Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute
    ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc
    uuml yacute thorn yuml
    """

  private static let others: [String: Character] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "lrm": "\u{200E}", "rlm": "\u{200F}",
    "OElig": "\u{152}", "oelig": "\u{153}", "Scaron": "\u{160}", "scaron": "\u{161}", "Yuml": "\u{178}",
    "fnof": "\u{192}", "circ": "\u{2C6}", "tilde": "\u{2DC}", "ensp": "\u{2002}", "emsp": "\u{2003}",
    "thinsp": "\u{2009}", "zwnj": "\u{200C}", "zwj": "\u{200D}", "ndash": "\u{2013}", "mdash": "\u{2014}",
    "lsquo": "\u{2018}", "rsquo": "\u{2019}", "sbquo": "\u{201A}", "ldquo": "\u{201C}", "rdquo": "\u{201D}",
    "bdquo": "\u{201E}", "dagger": "\u{2020}", "Dagger": "\u{2021}", "bull": "\u{2022}", "hellip": "\u{2026}",
    "permil": "\u{2030}", "prime": "\u{2032}", "Prime": "\u{2033}", "lsaquo": "\u{2039}", "rsaquo": "\u{203A}",
    "euro": "\u{20AC}", "trade": "\u{2122}", "larr": "\u{2190}", "uarr": "\u{2191}", "rarr": "\u{2192}",
    "darr": "\u{2193}", "minus": "\u{2212}", "infin": "\u{221E}", "ne": "\u{2260}", "le": "\u{2264}",
    "ge": "\u{2265}", "sung": "\u{266A}",
  ]

  /// U+0080 to U+009F: HTML takes their numbers for those of Windows-1252.
  private static let windows1252 = Array("€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ")

  /// U+0391 to U+03C9, in their order.
  private static let greek =
    """
    Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi
    Psi Omega - - - - - - - alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho
    sigmaf sigma tau upsilon phi chi psi omega
    """

  /// Letters with marks beyond Latin-1, as HTML 5 has them.
  private static let marked =
    "Abreve Ă abreve ă Aogon Ą aogon ą Cacute Ć cacute ć Ccaron Č ccaron č Dcaron Ď dcaron ď Dstrok Đ dstrok đ "
    + "Ecaron Ě ecaron ě Eogon Ę eogon ę Gbreve Ğ gbreve ğ Idot İ imath ı Lcaron Ľ lcaron ľ Lstrok Ł lstrok ł "
    + "Nacute Ń nacute ń Ncaron Ň ncaron ň Odblac Ő odblac ő Rcaron Ř rcaron ř Sacute Ś sacute ś Scedil Ş scedil ş "
    + "Tcaron Ť tcaron ť Tcedil Ţ tcedil ţ Udblac Ű udblac ű Uring Ů uring ů Zacute Ź zacute ź Zcaron Ž zcaron ž "
    + "Zdot Ż zdot ż"

  private static let all: [String: Character] = {
    var table = others
    for (offset, name) in latin.split(whereSeparator: \.isWhitespace).enumerated() {
      if let scalar = Unicode.Scalar(UInt32(0xA0 + offset)) { table[String(name)] = Character(scalar) }
    }
    for (offset, name) in greek.split(whereSeparator: \.isWhitespace).enumerated() where name != "-" {
      if let scalar = Unicode.Scalar(UInt32(0x391 + offset)) { table[String(name)] = Character(scalar) }
    }
    let pairs = marked.split(separator: " ")
    for index in stride(from: 0, to: pairs.count - 1, by: 2) { table[String(pairs[index])] = pairs[index + 1].first }
    table["nbsp"] = " "
    return table
  }()

  /// What a text begins with, `&eacute;` or `&#233;`, as a character, and what follows it; `nil` if that is none.
  static func reference(_ text: Substring) -> (character: Character, rest: Substring)? {
    guard text.first == "&" else { return nil }
    let name = text.dropFirst().prefix(10).prefix { $0 != ";" }
    let after = text.dropFirst(name.count + 1)
    guard after.first == ";", let found = name.first == "#" ? numbered(name.dropFirst()) : all[String(name)] else {
      return nil
    }
    return (found, after.dropFirst())
  }

  /// A text with the characters in place of their names and numbers.
  static func resolve(_ text: String) -> String {
    guard text.contains("&") else { return text }
    var (found, rest) = ("", text[...])
    while let character = rest.first {
      let named = reference(rest)
      found.append(named?.character ?? character)
      rest = named?.rest ?? rest.dropFirst()
    }
    return found
  }

  private static func numbered(_ digits: Substring) -> Character? {
    let isHex = digits.first == "x" || digits.first == "X"
    guard let number = UInt32(isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10) else { return nil }
    switch number {
    case 9, 10, 13: return " "
    case 0x80..<0xA0: return windows1252[Int(number) - 0x80]
    default: return Unicode.Scalar(number).flatMap { $0.value >= 0x20 && $0.value != 0x7F ? Character($0) : nil }
    }
  }
}
