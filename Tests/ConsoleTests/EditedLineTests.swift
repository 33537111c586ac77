import Testing

@testable import Console

@Suite struct EditedLineTests {
  private func edit(_ keys: [UInt8]) -> EditedLine {
    var decoder = KeyDecoder()
    var line = EditedLine()
    for byte in keys {
      switch decoder.decode(byte) {
      case .text(let scalar)?: _ = line.insert(scalar)
      case let key?: line.apply(key)
      case nil: break
      }
    }
    return line
  }

  @Test(arguments: [
    ("abc\u{1}x", "xabc"), ("abc\u{1}x\u{5}y", "xabcy"), ("abc\u{1}\u{1B}[3~", "bc"), ("abc\u{1B}[D\u{1B}[D\u{B}", "a"),
    ("abc\u{1B}[D\u{15}", "c"), ("one two  \u{17}", "one "), ("abc\u{1B}[H-\u{1B}[F+", "-abc+"),
    ("abc\u{1B}OH-\u{1B}OF+", "-abc+"), ("abc\u{1B}[1~-\u{1B}[4~+", "-abc+"), ("abc\u{1B}[7~-\u{1B}[8~+", "-abc+"),
    ("ab\u{1B}[D\u{1B}[C\u{1B}[Cc", "abc"), ("abc\u{2}\u{2}\u{6}-", "ab-c"), ("жук\u{8}\u{8}х", "жх"),
    ("e\u{301}x\u{8}\u{8}a", "a"), ("漢字\u{1B}[D\u{7F}x", "x字"), ("a\u{1B}[99;5Qb\u{1B}zc", "abc"),
    ("a\u{1B}\u{1B}[Db", "ba"), ("a\u{1B}[1;5Db", "ba"), ("\u{7F}\u{1B}[3~\u{1}\u{5}\u{B}\u{17}\u{15}", ""),
    ("a\u{85}b", "ab"),
  ])
  func keysEdit(keys: String, result: String) {
    #expect(edit(Array(keys.utf8)).text == result)
  }

  @Test(
    arguments: [
      ([0x61, 0xC3, 0x62], "ab"), ([0xFF, 0xFE, 0x61], "a"), ([0xE2, 0x82, 0xC3, 0xA9], "é"),
      ([0xED, 0xA0, 0x80, 0x61], "a"),
      ([0xC0, 0xAF, 0x61], "a"), ([0xF0, 0x80, 0x80, 0xAF, 0x61], "a"), ([0x80, 0x61], "a"),
      ([0xF0, 0x9F, 0x98, 0x80], "😀"), ([0x1B, 0x5B, 0x0D, 0x61], "a"),
    ] as [([UInt8], String)])
  func bytesThatAreNotUTF8AreLeftOut(bytes: [UInt8], result: String) {
    #expect(edit(bytes).text == result)
  }

  @Test func theLineAndItsCharactersAreBounded() {
    #expect(edit(Array(repeating: 0x61, count: 5000)).text.utf8.count == EditedLine.limit)
    let marks = edit(Array("e".utf8) + Array(repeating: [0xCC, 0x81], count: 2000).joined())
    #expect(marks.text.utf8.count <= 33)
    #expect(EditedLine(String(repeating: "é", count: 2000)).text.utf8.count == EditedLine.limit)
  }
}
