import Hardware
import Testing

@Suite struct LanguagesTests {
  @Test func whatStrangersCallALanguageIsThatLanguage() {
    for word in ["es", "ES", "spa", "es-419", "es_MX", "Spanish", "Español", "Español (Latinoamérica)"] {
      #expect(Languages.match("es", word) && Languages.match(word, "es-ES"), "\(word)")
      #expect(!Languages.match("et", word), "\(word)")
    }
    #expect(!Languages.match("und", "und") && !Languages.match("", ""))
    #expect(Languages.match("tlh", "tlh-Latn"))
    #expect(Languages.tag(of: "Deutsch") == "de" && Languages.tag(of: "pt-BR") == "pt-BR")
    #expect(Languages.tag(of: "Director's comments") == nil)
    #expect(Languages.tag(named: "Español (España)") == "es" && Languages.tag(named: "In stereo") == nil)
  }

  @Test func whatIsSaidJustSoIsServedFirst() {
    let offered = ["pt-BR", "por", "en", "pt_PT"]
    #expect(Languages.serving("pt-PT", offered) { $0 } == ["pt_PT", "por", "pt-BR"])
    #expect(Languages.serving("pt", offered) { $0 } == ["por", "pt-BR", "pt_PT"])
    #expect(Languages.serving("por-BR", offered) { $0 } == ["pt-BR", "por", "pt_PT"])
    #expect(Languages.serving("zh-Hant-TW", ["zh-Hans", "zh-Hant"]) { $0 } == ["zh-Hant", "zh-Hans"])
    #expect(Languages.serving("ja", offered) { $0 }.isEmpty)
  }

  /// Films say three letters, voices two.
  @Test func whatCanBeSpokenIsKnownByItsOtherCodes() {
    for pair in [
      "ga gle", "cy wel", "cy cym", "sq alb", "uz uzb", "my bur", "af afr", "mt Maltese", "eu baq", "gl Galego",
    ] {
      let words = pair.split(separator: " ").map { String($0) }
      #expect(Languages.match(words[0], words[1]), "\(pair)")
    }
    #expect(Languages.name(of: "kat") == "Georgian")
  }

  @Test func peopleReadNames() {
    let names = [
      "es": "Spanish", "spa": "Spanish", "pt-BR": "Portuguese BR", "es-419": "Spanish LatAm", "nb": "Norwegian",
    ]
    for (tag, name) in names { #expect(Languages.name(of: tag) == name) }
    #expect(Languages.name(of: "zh-Hant-TW") == "Chinese trad.")
    #expect(Languages.name(of: "tlh") == "tlh")
  }

  @Test(arguments: [
    ("es", true), ("pt-BR", true), ("zh-Hant-TW", true), ("spa", true), ("x1", false), ("1a", false),
    ("holiday", false), ("e", false), ("es-", false), ("es--MX", false), ("es-toolongtag", false), ("", false),
    ("es-" + String(repeating: "a-", count: 20) + "b", false),
  ])
  func `What is a tag is one everywhere`(word: String, isTag: Bool) { #expect(Languages.isTag(word) == isTag) }
}
