/// Languages as RFC 5646 writes them, and as strangers do: `es`, `es-419`, `spa`, `Spanish`, `Español`. Pure.
public enum Languages {
  /// By their codes of ISO 639-1: the name, those of ISO 639-2 (as MP4 and FFmpeg have them), and what else is met.
  private static let table: [(code: String, name: String, also: [String])] = usual + others

  private static let usual: [(code: String, name: String, also: [String])] = [
    ("ar", "Arabic", ["ara"]), ("bg", "Bulgarian", ["bul"]), ("bn", "Bengali", ["ben"]),
    ("ca", "Catalan", ["cat", "català"]), ("cs", "Czech", ["ces", "cze", "čeština"]),
    ("da", "Danish", ["dan", "dansk"]),
    ("de", "German", ["deu", "ger", "deutsch"]), ("el", "Greek", ["ell", "gre"]), ("en", "English", ["eng"]),
    ("es", "Spanish", ["spa", "español", "espanol", "castellano"]), ("et", "Estonian", ["est"]),
    ("eu", "Basque", ["eus", "baq"]), ("fa", "Persian", ["fas", "per"]), ("fi", "Finnish", ["fin", "suomi"]),
    ("fr", "French", ["fra", "fre", "français", "francais"]), ("he", "Hebrew", ["heb", "iw"]), ("hi", "Hindi", ["hin"]),
    ("hr", "Croatian", ["hrv"]), ("hu", "Hungarian", ["hun", "magyar"]), ("id", "Indonesian", ["ind", "in"]),
    ("is", "Icelandic", ["isl", "ice"]), ("it", "Italian", ["ita", "italiano"]), ("ja", "Japanese", ["jpn"]),
    ("ko", "Korean", ["kor"]), ("lt", "Lithuanian", ["lit"]), ("lv", "Latvian", ["lav"]),
    ("ms", "Malay", ["msa", "may"]), ("nl", "Dutch", ["nld", "dut", "nederlands"]),
    ("no", "Norwegian", ["nor", "nb", "nob", "nn", "nno", "norsk"]), ("pl", "Polish", ["pol", "polski"]),
    ("pt", "Portuguese", ["por", "português", "portugues"]), ("ro", "Romanian", ["ron", "rum"]),
    ("ru", "Russian", ["rus", "русский"]), ("sk", "Slovak", ["slk", "slo"]), ("sl", "Slovenian", ["slv"]),
    ("sr", "Serbian", ["srp"]), ("sv", "Swedish", ["swe", "svenska"]), ("th", "Thai", ["tha"]),
    ("tr", "Turkish", ["tur", "türkçe"]), ("uk", "Ukrainian", ["ukr"]), ("vi", "Vietnamese", ["vie"]),
    ("zh", "Chinese", ["zho", "chi", "cmn"]),
  ]

  /// Those for which there are voices, too.
  private static let others: [(code: String, name: String, also: [String])] =
    """
    af Afrikaans afr,am Amharic amh,an Aragonese arg,as Assamese asm,az Azerbaijani aze,ba Bashkir bak,be Belarusian bel,
    bs Bosnian bos,cv Chuvash chv,cy Welsh cym wel cymraeg,eo Esperanto epo,ga Irish gle gaeilge,gd Gaelic gla,
    gl Galician glg galego,gn Guarani grn,gu Gujarati guj,ht Haitian hat,hy Armenian hye arm,ia Interlingua ina,
    io Ido ido,ka Georgian kat geo,kk Kazakh kaz,kl Greenlandic kal,kn Kannada kan,ku Kurdish kur,ky Kyrgyz kir,
    la Latina lat,lb Luxembourgish ltz,mi Maori mri mao,mk Macedonian mkd mac,ml Malayalam mal,mr Marathi mar,
    mt Maltese mlt,my Burmese mya bur,ne Nepali nep,om Oromo orm,or Odia ori,pa Punjabi pan,qu Quechua que,sd Sindhi snd,
    si Sinhala sin,sq Albanian sqi alb shqip,sw Swahili swa,ta Tamil tam,te Telugu tel,tk Turkmen tuk,tn Setswana tsn,
    tt Tatar tat,ug Uyghur uig,ur Urdu urd,uz Uzbek uzb
    """
    .split { $0 == "," || $0 == "\n" }.map { row in
      let words = row.split(separator: " ").map { String($0) }
      return (words[0], words[1], Array(words.dropFirst(2)))
    }

  private static let codes: [String: String] = Dictionary(
    table.flatMap { row in ([row.code, row.name.lowercased()] + row.also).map { ($0, row.code) } },
    uniquingKeysWith: { first, _ in first })

  private static func first(of tag: String) -> String {
    tag.prefix { $0 != "-" && $0 != "_" && $0 != " " }.lowercased()
  }

  /// Whether somebody who asks for `wanted` is served by `offered`: `es` by `es-MX`, and the other way round; `spa` by `es`.
  public static func match(_ wanted: String, _ offered: String) -> Bool {
    let left = primary(wanted)
    return !left.isEmpty && left == primary(offered)
  }

  /// Those of `offered` that serve somebody who asks for `wanted`: what says just that first, then what says no region,
  /// else in their order.
  public static func serving<Offered>(
    _ wanted: String, _ offered: [Offered], tag: (Offered) -> String
  ) -> [Offered] {
    places(serving: wanted, offered.map(tag)).map { offered[$0] }
  }

  private static func places(serving wanted: String, _ tags: [String]) -> [Int] {
    let own = whole(wanted)
    let ranks = tags.map { tag in
      let other = whole(tag)
      return other == own ? 0 : own.hasPrefix(other + "-") ? 1 : 2
    }
    let fitting = tags.indices.filter { match(wanted, tags[$0]) }
    return (0...2).flatMap { rank in fitting.filter { ranks[$0] == rank } }
  }

  /// `pt-br` for `por_BR`.
  private static func whole(_ tag: String) -> String {
    primary(tag) + String(tag.lowercased().map { $0 == "_" ? "-" : $0 }.drop { $0 != "-" })
  }

  /// The language without its region, by its shortest code where that is known; empty for `und`.
  public static func primary(_ tag: String) -> String {
    let first = first(of: tag)
    return codes[first] ?? (first == "und" ? "" : first)
  }

  /// A tag for what is one, and for a language's name: `es` for `Español`. `nil` for other words.
  public static func tag(of word: String) -> String? {
    let first = first(of: word)
    return first.utf8.count <= 3 && first.utf8.allSatisfy { (97...122).contains($0) } ? word : codes[first]
  }

  /// The tag of a language by its name, with which a track's own name begins: `Español (Latinoamérica)`; `nil` for others,
  /// such as `In stereo`.
  public static func tag(named name: String) -> String? {
    let first = first(of: name)
    return first.utf8.count > 3 ? codes[first] : nil
  }

  /// What people call it: `Spanish`, `Portuguese BR`; the tag itself for a language that has no name here.
  public static func name(of tag: String) -> String {
    guard let code = codes[first(of: tag)], let name = table.first(where: { $0.code == code })?.name else { return tag }
    let special = ["419": "LatAm", "hans": "simpl.", "hant": "trad."]
    let parts = tag.split { $0 == "-" || $0 == "_" }.dropFirst()
    let which = parts.lazy.compactMap { part in
      special[part.lowercased()] ?? (part.utf8.count == 2 ? part.uppercased() : nil)
    }
    return which.first.map { "\(name) \($0)" } ?? name
  }

  /// Whether a word has the form of a tag: a language of two or three letters, then subtags of RFC 5646; 35 characters at
  /// most.
  public static func isTag(_ word: String) -> Bool {
    let parts = word.split(separator: "-", omittingEmptySubsequences: false)
    guard let first = parts.first, (2...3).contains(first.utf8.count), first.utf8.allSatisfy(isLetter) else {
      return false
    }
    return word.utf8.count <= 35
      && parts.dropFirst().allSatisfy { part in
        (1...8).contains(part.utf8.count) && part.utf8.allSatisfy { isLetter($0) || (48...57).contains($0) }
      }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 32) }
}
