import Testing

@testable import Media

/// Tags that others put in front of sound.
@Suite struct ID3TagTests {
  @Test func `A tag is as long as it says, with its head, and with its foot where it has one`() {
    let tag: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 1]
    #expect(ID3Tag.length(tag + [0, 0]) == 10 + 129)
    var footed = tag
    footed[5] = 0x10
    #expect(ID3Tag.length(footed[...]) == 10 + 129 + 10)
  }

  @Test func `What is none, or has not come whole, has no length`() {
    #expect(ID3Tag.length([0xFF, 0xFB, 0x90, 0, 0, 0, 0, 0, 0, 0]) == nil)
    #expect(ID3Tag.length(Array("ID3".utf8) + [4, 0, 0]) == nil)
  }
}
