import Console
import JSON
import Operators
import TestSupport

extension FuzzTarget {
  private static let hash = PasswordHash.ofNobody

  /// `operators.json`: what is believed can be written, and reads the same; no hash in it asks for more than a board has.
  static let operators = FuzzTarget(
    "operators",
    .text([
      "{\"version\":1,\"operators\":[", "{\"name\":\"ann\",\"role\":\"technician\",\"hash\":\"\(hash)\"},",
      "{\"name\":\"bob\",\"role\":\"viewer\",\"hash\":\"\(hash)\",\"failures\":9,\"lastFailure\":1800000000}",
      "]}", "\"failures\":9223372036854775807,", "m=4194304", "t=99999", "p=0", "\"strangers\":{\"failures\":3}}",
    ]),
    make: { dice in
      var book = OperatorBook()
      for number in 0...dice.below(4) {
        try? book.add("a\(number)", number == 0 ? .technician : .viewer, hash: hash)
        for _ in 0..<dice.below(5) { book.charge("a\(number)", at: 1_800_000_000 + dice.below(1000)) }
      }
      return Array(book.document.text.utf8)
    }
  ) { bytes in
    guard let document = try? JSONValue(parsing: bytes, limits: JSONLimits(bytes: 64 << 10, depth: 8, values: 1000)),
      let book = try? OperatorBook(document)
    else { return nil }
    guard (try? OperatorBook(book.document)) == book else { return "what was written reads otherwise" }
    for entry in book.entries {
      guard PasswordHash.isUsable(entry.hash) else { return "a hash is kept that cannot be used" }
      guard (0...BackOff.longest).contains(entry.failures.remaining(at: 1_800_000_500)) else {
        return "an endless wait"
      }
    }
    return book.entries.isEmpty || book.entries.contains { $0.role == .technician } ? nil : "nobody may add anybody"
  }

  /// The audit log: whatever is in it, a chain that is whole counts on from line to line.
  static let audit = FuzzTarget(
    "audit", .text(["\"n\":2,", "\"after\":\"", String(repeating: "0", count: 64), " {\"n\":1}", "\n", "{}"]),
    make: { dice in
      var chain = AuditChain()
      return (0...dice.below(8)).flatMap { number in
        Array((chain.line(["who": "ann", "what": .string("m\(number)")]) + "\n").utf8)
      }
    }
  ) { bytes in
    let lines = bytes.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    var check = AuditCheck(head: lines.last.flatMap { AuditChain.Head($0) })
    for line in lines { check.add(line) }
    check.finish()
    guard check.problem == nil, !lines.isEmpty else { return nil }
    let numbers = lines.compactMap { AuditChain.fields(of: $0)?["n"]?.integerValue }
    guard numbers.count == lines.count, zip(numbers, numbers.dropFirst()).allSatisfy({ $0 + 1 == $1 }) else {
      return "a chain is called whole that does not count"
    }
    return nil
  }
}
