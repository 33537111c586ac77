import Console
import JSON
import Testing

@testable import Operators

@Suite struct OperatorBookTests {
  private static let hash = PasswordHash.ofNobody

  private static func book(_ roles: [(String, Role)]) throws -> OperatorBook {
    var book = OperatorBook()
    for (name, role) in roles { try book.add(name, role, hash: hash) }
    return book
  }

  @Test("The first is a technician; names are known in any case, and once")
  func adding() throws {
    var book = OperatorBook()
    #expect(throws: OperatorBook.Refusal.self) { try book.add("bob", .operator, hash: Self.hash) }
    try book.add("Ann", .technician, hash: Self.hash)
    #expect(throws: OperatorBook.Refusal.self) { try book.add("ANN", .viewer, hash: Self.hash) }
    #expect(book.entry("ann")?.name == "Ann")
  }

  @Test(
    "What could mean something to a terminal, a log or a file system is no name",
    arguments: [
      "", "1st", "-x", "a b", "a\u{1B}[2J", "a\n", "../a", "a/b", "\u{202E}ann", "анна", "a\u{0}", "a:b", "a\"b",
      String(repeating: "a", count: 33),
    ])
  func names(text: String) { #expect(!OperatorBook.isName(text)) }

  @Test("The only technician among others stays; the last of all may go")
  func removing() throws {
    var book = try Self.book([("ann", .technician), ("bob", .operator)])
    #expect(throws: OperatorBook.Refusal.self) { try book.remove("ann") }
    try book.remove("bob")
    try book.remove("ann")
    #expect(book.isEmpty)
    #expect(throws: OperatorBook.Refusal.self) { try book.remove("ann") }
  }

  @Test("The file says all of it, failures included; half a file is no file")
  func file() throws {
    var book = try Self.book([("ann", .technician), ("bob", .viewer)])
    book.charge("bob", at: 1_800_000_000)
    book.charge("nobody", at: 1_800_000_007)
    #expect(try OperatorBook(book.document) == book)
    #expect(book.failures(of: "somebody else").count == 1)
    for change: (inout JSONValue) -> Void in [
      { $0["version"] = 2 },
      {
        $0["operators"] = [] as JSONValue; $0["version"] = nil
      },
      { $0["operators"] = .array([["name": "ann", "role": "king", "hash": .string(Self.hash)]]) },
      { $0["operators"] = .array([["name": "ann", "role": "viewer", "hash": .string(Self.hash)]]) },
      { $0["operators"] = .array([["name": "ann", "role": "technician", "hash": "x"]]) },
      { $0["strangers"] = ["failures": -1] },
    ] {
      var document = book.document
      change(&document)
      #expect(throws: OperatorBook.Refusal.self) { try OperatorBook(document) }
    }
  }

  @Test("Waits double up to a quarter of an hour, and a clock that was set back makes none shorter")
  func backOff() {
    #expect((0...14).map(BackOff.seconds(after:)) == [0, 0, 0, 5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900, 900])
    #expect(BackOff.seconds(after: .max) == 900)
    let failures = Failures(count: 7, last: 1_800_000_000)
    #expect(failures.remaining(at: 1_800_000_030) == 50)
    #expect(failures.remaining(at: 1_800_000_080) == 0)
    #expect(failures.remaining(at: 1_700_000_000) == 80)
    #expect(Failures(count: 7, last: nil).remaining(at: 0) == 80)
  }
}
