import Hardware
import Testing

/// Names of strangers, in lines for people.
@Suite struct ShownTextTests {
  @Test(arguments: [
    "\u{1B}", "\n", "\u{9B}", "\u{202E}", "\u{2066}", "\u{AD}", "\u{200B}", "\u{2060}", "\u{180E}", "\u{3164}",
    "\u{FEFF}", "\u{FFF9}", "\u{E0001}", "\u{E0041}", "\u{E007F}",
  ])
  func `What steers or is not seen is a question mark`(text: String) {
    #expect("a\(text)b".shown == "a?b")
    #expect(text.shown == "?")
  }

  @Test(arguments: [
    "", "été", "e\u{301}", "می\u{200C}خواهم", "👩\u{200D}🚒", "❤\u{FE0F}", "Ωمرحبا", "録音.wav", "𠮷\u{E0100}",
  ])
  func `What people write with stays as it is`(text: String) { #expect(text.shown == text) }
}
