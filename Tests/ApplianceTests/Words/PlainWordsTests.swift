import Appliance
import Testing

/// What screens and voices say of what other rooms tell.
@Suite struct PlainWordsTests {
  @Test func `Of an address in front of a reason its host is said, or nothing`() {
    for (text, plain, reason) in [
      (
        "http://127.0.0.1:8977/nix.m3u8: the server answered 404: check the address",
        "127.0.0.1:8977: the server answered 404: check the address", "the server answered 404: check the address"
      ),
      ("https://a.example: it does not answer", "a.example: it does not answer", "it does not answer"),
      ("https://[::1]:8443/x: it is slow", "[::1]:8443: it is slow", "it is slow"),
      ("tried again: https://a.example/b: too slow", "tried again: a.example: too slow", "tried again: too slow"),
    ] {
      #expect(PlainWords.of(text) == plain)
      #expect(PlainWords.reason(text) == reason)
    }
  }

  @Test func `The system's numbers are left out, and the words around them stay`() {
    let text = "no sound: hw:1,0: cannot open (missing, errno 19): plug it in"
    #expect(PlainWords.of(text) == "no sound: hw:1,0: cannot open (missing): plug it in")
    #expect(PlainWords.of("cannot create (no space left, errno 28)") == "cannot create (no space left)")
  }

  @Test(arguments: [
    "", "The link is back.", "rtmp://x/y is no address that begins with http:// or https://", "https://a.example:",
    "http://: it is none", "errno 5", "it says errno", "see https://a.example/b",
  ])
  func `All else stays as it is`(text: String) {
    #expect(PlainWords.of(text) == text)
    #expect(PlainWords.reason(text) == text)
  }

  @Test func `On the screen an error is told in words, and with what it is about`() {
    let text = "http://a.example/live.m3u8: the server answered 404: there is no such thing there"
    #expect(
      Sentence.told(code: "http-404", text).text(in: .english)
        == "a.example: the server answered 404: there is no such thing there")
    #expect(
      Sentence.linkLost("https://a.example/b: it is slow").text(in: .english)
        == "Link lost, tried again by itself: a.example: it is slow.")
  }
}
