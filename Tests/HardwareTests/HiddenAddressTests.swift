import Hardware
import TestSupport
import Testing

/// What is shown of addresses.
@Suite struct HiddenAddressTests {
  @Test(
    "A user's name, a password and the values of parameters are not shown; all else is",
    arguments: [
      ("http://bob:hunter2@h.example:9/live.m3u8?token=s3&x=1", "http://***@h.example:9/live.m3u8?token=***&x=***"),
      ("https://h.example/a/b@c.ts", "https://h.example/a/b@c.ts"),
      ("rtsp://a@b@h/x#access_token=s", "rtsp://***@h/x#access_token=***"),
      ("socks5://me:pw@h:1080", "socks5://***@h:1080"),
      ("https://h/x?s3cr3t", "https://h/x?***"),
      ("https://h/x?a=1;b=2=3&c", "https://h/x?a=***;b=***&***"),
      ("cannot load \"http://u:p@h/x?k=v\": refused", "cannot load \"http://***@h/x?k=***\": refused"),
      ("two: ws://u@h/?a=b, and http://h/y.", "two: ws://***@h/?a=***, and http://h/y."),
      ("no address: a@b?c=d", "no address: a@b?c=d"), ("://", "://"), ("", ""),
    ])
  func hides(text: String, shown: String) {
    #expect(HiddenAddress.text(text) == shown)
    #expect(HiddenAddress.text(shown) == shown)
  }

  @Test("Without a mark for the user, nothing stands where the user was")
  func noMark() {
    #expect(HiddenAddress.text("http://u:p@h/x?k=v", marksUser: false) == "http://h/x?k=***")
  }

  @Test("What was shown may be set again, under another name and in another order; what is not known is refused")
  func restores() {
    let kept = "News=http://u:p@h/x?k=v Other=http://h/x?k=w http://h/plain"
    let shown = HiddenAddress.text(kept)
    #expect(HiddenAddress.restored(shown, from: kept) == kept)
    #expect(
      HiddenAddress.restored("Heute=http://***@h/x?k=*** http://n/new?a=b", from: kept)
        == "Heute=http://u:p@h/x?k=v http://n/new?a=b")
    #expect(HiddenAddress.restored("http://***@other/x?k=***", from: kept) == nil)
    #expect(HiddenAddress.restored("http://***@h/x?k=*** http://***@h/x?k=***", from: kept) == nil)
    #expect(HiddenAddress.restored("", from: kept) == "")
    // Somebody's password may look like the mark.
    #expect(HiddenAddress.restored("http://u:***@h/y", from: "") == "http://u:***@h/y")
  }

  @Test("Whatever the text, nothing that was hidden is left, and what is hidden stays so")
  func random() {
    var random = SeededGenerator(seed: 11)
    let parts = ["://", "@", "?", "=", "&", "#", " ", "/", "h", ":", "\"", ".", "a", "é", "SECRET"]
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined()
      let shown = HiddenAddress.text(text)
      #expect(HiddenAddress.text(shown) == shown)
      let planted = "http://SECRET:SECRET@h/\(text.filter { $0 == "h" || $0 == "/" })?k=SECRET"
      #expect(HiddenAddress.text(planted).firstRange(of: "SECRET") == nil)
    }
  }
}
