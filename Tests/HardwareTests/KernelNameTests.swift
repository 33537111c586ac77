import Hardware
import TestSupport
import Testing

/// Names of files as bytes and as text.
@Suite struct KernelNameTests {
  private func text(_ bytes: [UInt8]) -> String { bytes.withUnsafeBufferPointer { KernelName.text($0) } }

  private func bytes(_ text: String) -> [UInt8] { KernelName.bytes(text).dropLast().map { UInt8(bitPattern: $0) } }

  @Test(arguments: [
    ("take.wav", "take.wav"), ("Caf\u{E9}.wav", "Caf\u{E9}.wav"), ("Cafe\u{301}.wav", #"Cafe\xCC\x81.wav"#),
    (#"Cafe\xCC\x81.wav"#, #"Cafe\x5CxCC\x5Cx81.wav"#), (#"a\x41"#, #"a\x41"#), (#"\xZZ\x5"#, #"\xZZ\x5"#),
    ("\u{212B}", #"\xE2\x84\xAB"#), ("\u{301}x.wav", "\u{301}x.wav"), ("録音.wav", "録音.wav"),
  ])
  func `Only what another file could be taken for is escaped`(name: String, listed: String) {
    #expect(Array(text(Array(name.utf8)).utf8) == Array(listed.utf8))
    #expect(bytes(listed) == Array(name.utf8))
  }

  @Test func `Equal texts are one file`() {
    #expect(bytes("Cafe\u{301}.wav") == bytes("Caf\u{E9}.wav"))
    #expect(bytes("Cafe\u{301}.wav") == Array("Caf\u{E9}.wav".utf8))
    #expect(KernelName.listed("Cafe\u{301}.wav") == #"Cafe\xCC\x81.wav"#)
    #expect(KernelName.listed(#"Cafe\xCC\x81.wav"#) == #"Cafe\xCC\x81.wav"#)
  }

  @Test func `People see what is meant`() {
    #expect(KernelName.shown(#"Cafe\xCC\x81.wav"#) == "Caf\u{E9}.wav")
    #expect(KernelName.shown(#"caf\xE9.wav"#) == #"caf\xE9.wav"#)
    #expect(KernelName.shown(#"a\x41"#) == #"a\x41"#)
  }

  /// Neither a part of a path nor its end can be smuggled in.
  @Test(arguments: [#"..\x2F\xFF"#, #"\xFF\x2F..\x2Fx"#, #"\xFF\x00"#, #"\x2E\x2E"#, #"\xFF\x41"#])
  func `What no name would be escaped as is a name itself`(name: String) {
    #expect(bytes(name) == Array(name.utf8))
  }

  @Test func `Names and texts go into each other one to one`() {
    let pieces: [[UInt8]] =
      [
        #"\"#, "x", "C", "5C", #"\x5C"#, #"\xCC"#, #"\x81"#, #"\xE9"#, "e", ".", "é", "\u{301}", "\u{323}", "\u{212B}",
        "\u{1100}", "\u{1161}", "😀",
      ]
      .map { Array($0.utf8) } + [[0xE9], [0xCC], [0x81]]
    var random = SeededGenerator(seed: 5)
    var seen: [String: [UInt8]] = [:]
    for _ in 0..<20_000 {
      let name = (0..<random.below(8)).flatMap { _ in random.pick(pieces, or: []) }
      let listed = text(name)
      #expect(bytes(listed) == name)
      #expect(seen.updateValue(name, forKey: listed) ?? name == name)
      // What is called after a file is listed so.
      #expect(text(name + Array(".json".utf8)) == listed + ".json")
      if let typed = String(validating: name, as: UTF8.self) { #expect(text(bytes(typed)) == typed) }
    }
  }

  @Test func `A text without end costs no more than its length`() {
    let long = #"\x5C"# + String(repeating: "x5C", count: 100_000)
    #expect(bytes(long) == Array(long.utf8))
  }
}
