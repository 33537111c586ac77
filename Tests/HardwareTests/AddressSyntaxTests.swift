import Hardware
import Testing

struct AddressSyntaxTests {
  @Test(arguments: [
    ("http://h", true), ("HTTPS://user:password@h:80/x?y#z", true), ("http://", false), ("http://:80/", false),
    ("ftp://h", false), ("http://h/a b", false), ("http://h/\n", false), ("h", false), ("http://user@/", false),
  ])
  func anAddressHasAHostAndEndsNoLine(text: String, isOne: Bool) {
    #expect(AddressSyntax.isAbsolute(text, schemes: ["http", "https"]) == isOne)
  }

  @Test func itIsAsLongAsSignedOnesAre() {
    for (count, isOne) in [(AddressSyntax.mostBytes, true), (AddressSyntax.mostBytes + 1, false)] {
      let text = "http://h/" + String(repeating: "s", count: count - 9)
      #expect(AddressSyntax.isAbsolute(text, schemes: ["http"]) == isOne)
    }
  }
}
