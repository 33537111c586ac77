import Hardware
import Testing

struct TextSearchTests {
  @Test func aTextIsFoundWhereverItIs() {
    for text in ["-->", "a -->", "--> b", "a--->b", "ö-->"] { #expect(text.holds("-->")) }
    for text in ["", "--", "-> -", "->-"] { #expect(!text.holds("-->")) }
    #expect("anything".holds("") && "".holds(""))
    #expect("abc".dropFirst().holds("bc") && !"abc".dropFirst().holds("ab"))
  }
}
