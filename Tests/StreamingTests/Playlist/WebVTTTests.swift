import Testing

@testable import Streaming

@Suite struct WebVTTTests {
  @Test func cuesAreReadWithoutMarkup() throws {
    let text = """
      \u{FEFF}WEBVTT - a title
      X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000

      STYLE
      ::cue { color: red }

      NOTE nobody
      sees this

      1
      00:01.000 --> 00:02.500 align:start
      <v Ana>¡Hola, <i>mundo</i>! &amp; &lt;tú&gt;&nbsp;</v>
       second <00:00:01.500>line

      01:00:00.000 --> 01:00:01.000\r
      late

      00:05.000 --> 00:04.000
      ends before it begins

      00:03.000 --> 00:04.000
      early
      next
      00:06.000 --> 00:07.000
      without a blank line before
      """
    let file = try WebVTT(Array(text.utf8), subject: "s")
    #expect(file.map == WebVTT.TimestampMap(mpeg: 900_000, local: 0))
    #expect(file.cues.map(\.start) == [1000, 3000, 6000, 3_600_000])
    #expect(file.cues.map(\.end) == [2500, 4000, 7000, 3_601_000])
    #expect(file.cues[0].text == "¡Hola, mundo! & <tú>\nsecond line")
    #expect(file.cues[3].text == "late")
  }

  /// What it is otherwise is named.
  @Test(arguments: [
    ("", "neither"), ("WEBVTTX", "neither"), ("1\n2\n3", "neither"), ("1\nx --> y\nz", "neither"),
    ("<?xml version=\"1.0\"?><tt xmlns=\"http://www.w3.org/ns/ttml\"/>", "TTML"), ("\u{FEFF}<tt:tt/>", "TTML"),
    ("\0\0\0\u{14}stypmsdh", "IMSC"), ("[Script Info]\n", "ASS"),
  ])
  func onlyWebVTTAndSubRipAreRead(_ text: String, _ word: String) {
    #expect {
      try WebVTT(Array(text.utf8), subject: "s")
    } throws: { "\($0)".contains(word) }
  }

  @Test(arguments: ["", "\u{FEFF}", "\n\n"], [("\n", true), ("\r\n", true), ("\n", false)])
  func subRipFilesAreRead(_ head: String, _ how: (String, Bool)) throws {
    let (end, hasNumbers) = how
    let lines = [
      hasNumbers ? "1" : "", "00:00:01,000 --> 00:00:02,900 X1:5", "{\\an8}<i>uno</i>", "{y} más", "",
      hasNumbers ? "2" : "", "00:01:04,000 --> 00:01:05,000", "<font color=\"#fff\">dos</font>",
    ]
    let text = head + lines.dropFirst(hasNumbers ? 0 : 1).joined(separator: end)
    let cues = try WebVTT(Array(text.utf8), subject: "s").cues
    #expect(cues.map(\.text) == ["uno\n{y} más", "dos"])
    #expect(cues.map(\.start) == [1000, 64_000] && cues.map(\.end) == [2900, 65_000])
  }

  /// Whoever made it may stand first, for no time at all.
  @Test(arguments: ["1\n00:00:00,000 --> 00:00:00,000\nby me\n\n", "by me\n\n", "1\n\n", "1\n0:0:1 --> 2\nx\n\n"])
  func whatStandsBeforeTheFirstTimesDoesNotCostTheFile(_ head: String) throws {
    let text = head + "2\n00:00:01,000 --> 00:00:02,000\nuno\n3\n00:00:03,000 --> 00:00:04,000\ndos\n"
    #expect(try WebVTT(Array(text.utf8), subject: "s").cues.map(\.text) == ["uno", "dos"])
  }

  /// An editor has made two ends of every line, or put blank lines where they do not belong.
  @Test(arguments: [
    "1\r\r\n00:01,000 --> 00:02,000\r\r\nuno\r\r\nmás\r\r\n\r\r\n2\r\r\n00:03,000 --> 00:04,000\r\r\ndos\r\r\n",
    "1\n\n00:01,000 --> 00:02,000\n\nuno\n\nmás\n\n2\n\n00:03,000 --> 00:04,000\n\ndos\n\n",
    "1\n00:01,000 --> 00:02,000\n\nuno\nmás\n\n2\n00:03,000 --> 00:04,000\n\ndos",
    "00:01,000 --> 00:02,000\n\nuno\n\nmás\n\n00:02,100 --> 00:02,200\n\n00:03,000 --> 00:04,000\ndos\n\nx",
    "1\n00:01,00 --> 00:02,00\nuno\nmás\n\n2\n00:03,00 --> 00:04,00\ndos\n",
    "1 \n\n00:01,000 --> 00:02,000\n\nuno\n\nmás\n\n2 \n\n00:03,000 --> 00:04,000\n\ndos\n\n",
  ])
  func blankLinesInTheWrongPlaceCostNoText(_ text: String) throws {
    let cues = try WebVTT(Array(text.utf8), subject: "s").cues
    #expect(cues.map(\.text) == ["uno\nmás", "dos"])
    #expect(cues.map(\.start) == [1000, 3000] && cues.map(\.end) == [2000, 4000])
  }

  /// As some tools write them, and FFmpeg reads them.
  @Test(arguments: ["00:00:01,5", "0:0:1,500", "0:00:01.50", "00:01,500"])
  func shortTimesAreRead(_ start: String) throws {
    let text = "1 \n\(start) --> 00:00:03\nuno\tdos\n \n2 \n00:00:04 --> 00:00:05\ntres\n"
    let cues = try WebVTT(Array(text.utf8), subject: "s").cues
    #expect(cues.map(\.text) == ["uno dos", "tres"] && cues.map(\.start) == [1500, 4000])
  }

  @Test(arguments: [("01.50", 1500), ("01,05", 1050), ("01.500", 1500)])
  func hundredthsAreTaken(_ seconds: String, _ milliseconds: Int) throws {
    let text = "WEBVTT\n\n00:\(seconds) --> 00:02.000\nuno\n"
    #expect(try WebVTT(Array(text.utf8), subject: "s").cues.map(\.start) == [milliseconds])
  }

  /// As an editor of ASS leaves it; in WebVTT it is text.
  @Test(arguments: [
    (#"uno\Ndos"#, "uno\ndos"), (#"uno\hdos"#, "uno dos"), (#"{\an7\p1}m 0 0 l 100 0{\p0}uno"#, "uno"),
    (#"{\p1}m 0 0 l 100 0"#, ""), (#"{\pos(1,2)}uno"#, "uno"), (#"a\b"#, #"a\b"#),
  ])
  func whatIsLeftOfASSIsNotSaid(_ markup: String, _ plain: String) {
    #expect(WebVTTText.plain(markup, most: 100, isSubRip: true) == plain)
    #expect(WebVTTText.plain(#"C:\New"#, most: 100) == #"C:\New"#)
  }

  @Test(arguments: ["{\\an8", "{\\", "{"])
  func aMarkThatDoesNotEndIsText(_ text: String) {
    #expect(WebVTTText.plain(text, most: 100) == text)
  }

  @Test(arguments: [
    "MPEGTS:126000,LOCAL:00:00:01.000 ", "LOCAL:00:00:01,000,MPEGTS:126000", " LOCAL:00:01.000 ,\tMPEGTS:126000 ",
  ])
  func `A map with blanks, or a comma in its time, is read`(map: String) throws {
    let text = "WEBVTT\nX-TIMESTAMP-MAP=\(map)\n\n00:01.000 --> 00:02.000\nuno\n"
    let file = try WebVTT(Array(text.utf8), subject: "s")
    #expect(file.map == WebVTT.TimestampMap(mpeg: 126_000, local: 1000))
    #expect(file.cues.map(\.text) == ["uno"])
  }

  @Test(arguments: ["foo", "MPEGTS:x", "MPEGTS:1,LOCAL:x", ",,", ""])
  func `A map that cannot be read costs none of the words`(map: String) throws {
    let text = "WEBVTT\nX-TIMESTAMP-MAP=\(map)\n\n00:01.000 --> 00:02.000\nuno\n"
    let file = try WebVTT(Array(text.utf8), subject: "s")
    #expect(file.map == nil && file.cues.map(\.text) == ["uno"])
  }

  @Test func `Subtitles that are not in UTF-8 are read as far as they can be, with a remark`() throws {
    let latin = Array("WEBVTT\n\n00:01.000 --> 00:02.000\nEspa".utf8) + [0xF1] + Array("a\n".utf8)
    let file = try WebVTT(latin, subject: "s")
    #expect(file.cues.map(\.text) == ["Espa\u{FFFD}a"] && file.remark?.contains("UTF-8") == true)
    #expect(try WebVTT(Array("\u{FEFF}WEBVTT\n\n00:01.000 --> 00:02.000\nñ\n".utf8), subject: "s").remark == nil)
  }

  @Test(arguments: ["WEBVTT\n\n", "1\n"], [false, true])
  func `Subtitles in UTF-16 are read, whichever byte of a letter comes first`(head: String, isBig: Bool) throws {
    let text = "\u{FEFF}\(head)00:00:01,000 --> 00:00:02,000\nEspaña 日本 😀\n"
    let bytes = text.utf16.flatMap { unit -> [UInt8] in
      let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      return isBig ? pair : pair.reversed()
    }
    let file = try WebVTT(bytes, subject: "s")
    #expect(file.cues.map(\.text) == ["España 日本 😀"] && file.cues.first?.start == 1000 && file.remark == nil)
  }

  @Test func limitsHold() throws {
    var limits = WebVTT.Limits()
    limits.cues = 3
    limits.characters = 10
    let cue = "00:01.000 --> 00:02.000\n" + String(repeating: "ab", count: 50) + "\n\n"
    let file = try WebVTT(Array(("WEBVTT\n\n" + cue).utf8), subject: "s", limits: limits)
    #expect(file.cues[0].text == "ababababab")
    let many = Array(("WEBVTT\n\n" + String(repeating: cue, count: 4)).utf8)
    let first = try WebVTT(many, subject: "s", limits: limits)
    #expect(first.cues.count == 3 && first.remark?.contains("more than 3 subtitles") == true)
    #expect(file.remark == nil)
    // What is whole before the limit is read.
    limits.bytes = many.count - cue.utf8.count / 2
    limits.cues = 10
    let cut = try WebVTT(many, subject: "s", limits: limits)
    #expect(cut.cues.count == 3 && cut.remark?.contains("more than \(limits.bytes) bytes") == true)
  }

  @Test(arguments: [
    ("caf&eacute; &mdash; &laquo;s&iacute;&raquo;&hellip;", "café — «sí»…"), ("&Ntilde;&euro;&nbsp;5", "Ñ€ 5"),
    ("&notathing; &amp;", "&notathing; &"),
    ("<ruby>漢字<rt>かんじ</rt></ruby>です", "漢字です"), ("<ruby>漢<rt>かん<rt>じ</ruby>だ", "漢だ"),
    ("<ruby.big>A<rt.x>b</rt></ruby> c", "A c"), ("C# &lt;T&gt;", "C# <T>"),
    ("I <3 you\n<i>really</i>", "I <3 you\nreally"), ("1 < 2", "1 < 2"), ("don&#146;t&#10;go", "don’t go"),
    ("ก<00:00:05.000>ำลังดี", "กำลังดี"), ("&alpha; &ccaron; &lstrok;", "α č ł"),
  ])
  func `Named characters are put in, and how a word is read is not said beside it`(markup: String, plain: String) {
    #expect(WebVTTText.plain(markup, most: 100) == plain)
  }

  @Test func `An arrow needs no blanks around it`() throws {
    let text =
      "WEBVTT\n\n00:01.000-->00:02.000\nuno\n\n00:03.000 -->00:04.000 line:0\ndos\n\n"
      + "00:05.000--> 00:06.000\ntres\n"
    let cues = try WebVTT(Array(text.utf8), subject: "test").cues
    #expect(cues.map(\.text) == ["uno", "dos", "tres"])
    #expect(cues.map(\.start) == [1000, 3000, 5000] && cues.map(\.end) == [2000, 4000, 6000])
  }

  @Test func marksOnACharacterCountToo() throws {
    let text =
      "WEBVTT\n\n00:01.000 --> 00:02.000\n"
      + String(repeating: "a" + String(repeating: "\u{301}", count: 500), count: 60)
    let cue = try #require(try WebVTT(Array(text.utf8), subject: "s").cues.first)
    #expect(cue.text.unicodeScalars.count <= 2600)
  }
}
