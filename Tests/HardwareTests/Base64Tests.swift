import Hardware
import Testing

@Suite struct Base64Tests {
  /// RFC 4648, section 10.
  @Test(
    "What is encoded reads as the standard says, and decodes to itself",
    arguments: zip(
      ["", "f", "fo", "foo", "foob", "fooba", "foobar"],
      ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]))
  func vectors(plain: String, encoded: String) {
    #expect(Base64.encode(Array(plain.utf8)) == encoded)
    #expect(Base64.decode(encoded) == Array(plain.utf8))
  }

  @Test("Ends of lines within a text are passed over, and every byte there is comes back")
  func lines() {
    #expect(Base64.decode("Zm9v\n  YmFy\n") == Array("foobar".utf8))
    let all = [UInt8](0...255)
    #expect(Base64.decode(Base64.encode(all)) == all)
  }
}
