import Operators
import Testing

@Suite struct PasswordHashTests {
  @Test("A password matches its own hash and no other; two hashes of one password differ")
  func roundTrip() throws {
    let kept = try #require(PasswordHash.make("correct horse battery"))
    #expect(PasswordHash.isUsable(kept))
    #expect(PasswordHash.matches("correct horse battery", kept))
    for wrong in ["", "correct horse batterz", "correct horse battery ", "Correct horse battery"] {
      #expect(!PasswordHash.matches(wrong, kept))
    }
    #expect(try #require(PasswordHash.make("correct horse battery")) != kept)
    #expect(kept.hasPrefix("$argon2id$v=19$m=8192,t=8,p=1$"))
  }

  @Test("The hash of nobody costs what others cost, and no password has it")
  func nobody() {
    #expect(PasswordHash.isUsable(PasswordHash.ofNobody))
    #expect(!PasswordHash.matches("", PasswordHash.ofNobody))
    #expect(PasswordHash.ofNobody.hasPrefix("$argon2id$v=19$m=\(PasswordHash.memoryBytes >> 10),"))
  }

  @Test(
    "What would cost a board its memory or its time is not even tried",
    arguments: [
      "", "$", "plain", "$argon2i$v=19$m=8192,t=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$" + String(repeating: "A", count: 43),
      "$argon2id$v=19$m=4194304,t=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$" + String(repeating: "A", count: 43),
      "$argon2id$v=19$m=8192,t=100000,p=1$AAAAAAAAAAAAAAAAAAAAAA$" + String(repeating: "A", count: 43),
      "$argon2id$v=19$m=8192,t=8,p=200$AAAAAAAAAAAAAAAAAAAAAA$" + String(repeating: "A", count: 43),
      "$argon2id$v=19$m=99999999999999999999,t=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$" + String(repeating: "A", count: 43),
      "$argon2id$v=19$m=8192,t=8,p=1$AAAA$" + String(repeating: "A", count: 43),
    ])
  func refused(kept: String) {
    #expect(!PasswordHash.isUsable(kept))
    #expect(!PasswordHash.matches("anything", kept))
  }
}
