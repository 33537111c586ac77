import Appliance
import Hardware
import TestSupport
import Testing

@testable import Panel

@Suite struct TextTests {
  private let amounts = Amounts(.english)

  static let fonts: [(name: String, font: Font)] = [
    ("small", .small), ("body", .body), ("bold", .bold), ("large", .large),
  ]

  @Test("Every font has Latin-1 and the Russian alphabet")
  func coverage() {
    let russian = "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдеёжзийклмнопрстуфхцчшщъыьэюя"
    let latin = String((0x21...0x7E).compactMap { Unicode.Scalar($0).map(Character.init) }) + "ÄÖÜäöüßéèñçåø¿¡°±×«»"
    for (name, font) in Self.fonts {
      for character in russian + latin + "…–—№" { #expect(font.has(character), "\(name) lacks \(character)") }
    }
  }

  @Test("The fonts have the signs that the screens use")
  func signs() {
    for character in "◀▶▲▼∞●…" { #expect(Font.small.has(character), "\(character)") }
  }

  @Test("Every phrase can be shown", arguments: Language.allCases)
  func phrases(language: Language) {
    for phrase in Phrase.allCases {
      let text = phrase.text(in: language)
      #expect(!text.isEmpty)
      for character in text { #expect(Font.small.has(character), "\(phrase): \(character)") }
    }
  }

  @Test("Letters differ from each other and from the box that stands for the unknown")
  func distinctGlyphs() {
    for (name, font) in Self.fonts {
      let glyphs = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".map { Array(font.glyph($0)) }
      #expect(Set(glyphs).count == glyphs.count, "\(name)")
      let box = Array(font.glyph("🎤"))
      #expect(box.contains { $0 != 0 })
      #expect(!font.has("🎤") && Array(font.glyph("\u{0}")) == box)
      #expect(!glyphs.contains(box))
    }
  }

  @Test("A letter and its combining accent show as the accented letter")
  func combining() {
    #expect(Array(Font.body.glyph("и\u{306}")) == Array(Font.body.glyph("й")))
    #expect(Array(Font.body.glyph("e\u{301}")) == Array(Font.body.glyph("é")))
  }

  @Test("The ellipsis keeps both ends of a name, the end first")
  func middle() {
    #expect(Fit.middle.applied(to: "000042_interview.m4a", columns: 20) == "000042_interview.m4a")
    #expect(Fit.middle.applied(to: "000042_interview.m4a", columns: 10) == "0000…w.m4a")
    #expect(Fit.middle.applied(to: "abcdef", columns: 2) == "…f")
    #expect(Fit.middle.applied(to: "abcdef", columns: 1) == "…")
    #expect(Fit.middle.applied(to: "abcdef", columns: 0).isEmpty)
    #expect(Fit.end.applied(to: "abcdef", columns: 4) == "abc…")
  }

  @Test("Fitting and wrapping never exceed the width, and lose no word that there is room for")
  func fitting() {
    var generator = SeededGenerator(seed: 9)
    for case_ in 0..<10_000 {
      let text = generator.text(upTo: 90)
      let columns = Int.random(in: 0...30, using: &generator)
      let width = Int.random(in: 0...128, using: &generator)
      let maximum = Int.random(in: 0...8, using: &generator)
      let drawn = wrapped(text, .small, in: width, maximum: maximum)
      let all = wrapped(text, .small, in: max(20, width), maximum: 1000)
      let fits = [Fit.whole, .middle, .end]
      let isRight =
        fits.allSatisfy { $0.applied(to: text, columns: columns).count <= columns }
        && fits.allSatisfy { Font.small.width(of: $0.applied(to: text, .small, in: width)) <= width }
        && drawn.count <= maximum
        && (width < 5 || drawn.allSatisfy { Font.small.width(of: $0) <= width })
        && (all.joined().filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace })
      guard isRight else {
        Issue.record("case \(case_): \(text), \(columns) columns, \(width) pixels, \(maximum) lines")
        return
      }
    }
  }

  @Test("A number stays with its unit wherever a line ends")
  func units() {
    for width in 40...128 {
      let lines = wrapped("news.example does not answer: tried again in 4 s.", .small, in: width, maximum: 20)
      #expect(!lines.contains { $0.hasPrefix("s.") }, "\(width): \(lines)")
      #expect(lines.joined(separator: " ").hasSuffix("in 4 s."), "\(width): \(lines)")
    }
  }

  @Test("What is said of the next take leaves the one that is being saved in sight", arguments: Language.allCases)
  func queued(language: Language) {
    let text = Sentence.queued.text(in: language)
    #expect(wrapped(text, .small, in: Canvas.width - 8, maximum: 5).count == 2, "\(text)")
  }

  @Test("What is said of an update that comes by the network fits its strip", arguments: Language.allCases)
  func updates(language: Language) {
    let codes = [
      "http-404", "no-such-host", "unreachable", "certificate", "tls", "timeout", "interrupted", "redirects",
      "bad-address", "too-large", "storage-full", "cancelled",
    ]
    let reports =
      codes.map { UpdateReport(.refused, text: "\($0): and more") } + [UpdateReport(.fetching, percent: 100)]
    for text in reports.map({ Sentence.update($0).text(in: language) }) {
      #expect(wrapped(text, .small, in: Canvas.width - 8, maximum: 9).count <= 3, "\(text)")
      #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(text)")
    }
  }

  @Test("Times read as people say them")
  func times() {
    #expect(amounts.timer(4046.9) == "1h07m26s")
    #expect(amounts.timer(0) == "0m00s")
    #expect(amounts.timer(59.999) == "0m59s")
    #expect(amounts.timer(359_999) == "99h59m59s")
    #expect(amounts.timer(-1) == "0m00s")
    #expect(amounts.timer(.nan) == "0m00s")
    #expect(amounts.timer(.infinity) == "999h59m59s")
    #expect(amounts.brief(26) == "26s")
    #expect(amounts.brief(446) == "7m26s")
    #expect(amounts.brief(4046) == "1h07m")
    #expect(amounts.brief(360_000) == "100h")
    #expect(amounts.brief(1e18) == "999h+")
  }

  @Test("Sizes have three digits and a unit")
  func sizes() {
    #expect(amounts.size(0) == "0 B")
    #expect(amounts.size(-5) == "0 B")
    #expect(amounts.size(999) == "999 B")
    #expect(amounts.size(1000) == "1.00 kB")
    #expect(amounts.size(9_994) == "9.99 kB")
    #expect(amounts.size(9_995) == "10.0 kB")
    #expect(amounts.size(999_499) == "999 kB")
    #expect(amounts.size(999_500) == "1.00 MB")
    #expect(amounts.size(97_123_456) == "97.1 MB")
    #expect(amounts.size(.max) == "1 EB+")
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<20_000 {
      #expect(
        amounts.size(Int64.random(in: 0...(.max), using: &generator) >> Int64.random(in: 0...62, using: &generator))
          .count <= 7)
    }
  }

  @Test("Levels have one decimal place and silence is minus infinity")
  func levels() {
    #expect(amounts.level(-12.34) == "-12.3")
    #expect(amounts.level(0) == "0.0")
    #expect(amounts.level(-0.01) == "0.0")
    #expect(amounts.level(1.25) == "+1.3")
    #expect(amounts.level(-.infinity) == "-∞")
    #expect(amounts.level(.nan) == "-∞")
    #expect(amounts.level(.infinity) == "+99.9")
    #expect(amounts.level(-99.95) == "-∞")
  }

  @Test("The meter's scale follows IEC 60268-18")
  func scale() {
    for (level, percent) in [
      (-80.0, 0.0), (-60, 2.5), (-50, 7.5), (-40, 15), (-30, 30), (-20, 50), (-6, 85), (0, 100), (9, 100),
    ] {
      #expect(abs(MeterScale.deflection(level) * 100 - percent) < 1e-9)
    }
    #expect(MeterScale.deflection(.nan) == 0)
  }

  @Test("What is repeated is told to a tenth of a second")
  func places() {
    #expect(amounts.place(tenths: 9) == "0.9 s")
    #expect(amounts.place(tenths: 653) == "1 min 5.3 s")
    #expect(Amounts(.russian).place(tenths: 36_019) == "60 мин 1,9 с")
    #expect(Sentence.loop([9, 19]).words.english == "0.9 s to 1.9 s.")
  }
}
