import Hardware
import Library
import Testing

/// Names of files that say who has recorded them.
@Suite struct AuthorNameTests {
  private static let time = WallTime(seconds: 1_800_000_000)

  @Test("A name with an author reads as it was written, with and without a safety take, and is the device's own")
  func roundTrip() throws {
    for author in [nil, "ann", "Ann-2_b", "x"] {
      for isSafety in [false, true] {
        var name = TakeName(number: 43, createdAt: Self.time, fileExtension: "m4a", author: author)
        name.isSafety = isSafety
        let read = try #require(TakeName(name.file))
        #expect(read == name)
        #expect(read.file == name.file && read.author == author && read.createdAt == Self.time)
        #expect(TakeName.isOurs(name.file) && TakeName.number(in: name.file) == 43)
      }
    }
  }

  @Test(
    "Nothing in an author's name leaves the folder, or means something to a file system",
    arguments: [
      "../../etc", "a/b", "a:b*?", "\u{202E}x", "a.safety", "анна", "a b", "\u{0}", String(repeating: "n", count: 99),
    ])
  func sanitised(author: String) throws {
    let name = TakeName(number: 43, createdAt: Self.time, fileExtension: "mp4", author: author)
    let isPlain = name.file.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || [0x2D, 0x2E, 0x5F].contains(byte)
    }
    #expect(isPlain && name.file.utf8.count < 80, "\(name.file)")
    #expect(name.file.split(separator: ".").count == 2)
    #expect(TakeName(name.file)?.createdAt == Self.time)
  }

  @Test("What people have put behind a stamp themselves stays as it is")
  func strangers() throws {
    for file in ["000001_2026-11-20T21-54-00Z_a b.wav", "000001_2026-11-20T21-54-00Z_.wav", "000001_x_y.wav"] {
      if let name = TakeName(file) { #expect(name.file == file) }
    }
  }
}
