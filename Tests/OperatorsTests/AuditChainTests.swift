import JSON
import Operators
import TestSupport
import Testing

@Suite struct AuditChainTests {
  private static func log(_ count: Int) -> (lines: [String], head: AuditChain.Head) {
    var chain = AuditChain()
    let lines = (1...count).map { chain.line(["who": "ann", "what": .string("method.\($0)"), "outcome": "done"]) }
    return (lines, chain.head)
  }

  private static func problem(_ lines: [String], head: AuditChain.Head?) -> String? {
    var check = AuditCheck(head: head)
    for line in lines { check.add(line) }
    check.finish()
    return check.problem
  }

  @Test("A log that nobody has touched is whole, and so is one whose oldest lines have been rotated away")
  func whole() {
    let (lines, head) = Self.log(50)
    #expect(Self.problem(lines, head: head) == nil)
    #expect(Self.problem(Array(lines[17...]), head: head) == nil)
    #expect(Self.problem([], head: nil) == nil)
    // The head is behind by a power cut.
    #expect(Self.problem(lines, head: AuditChain.Head(count: 48, digits: String(lines[47].prefix(64)))) == nil)
    #expect(AuditChain.Head(head.text) == head)
  }

  @Test("A line that is taken out, put in, moved or doubled is found, and so is an end that is gone")
  func lines() {
    let (lines, head) = Self.log(30)
    for place in 1..<29 {
      var cut = lines
      cut.remove(at: place)
      #expect(Self.problem(cut, head: head) != nil)
      var swapped = lines
      swapped.swapAt(place, place + 1)
      #expect(Self.problem(swapped, head: head) != nil)
      var doubled = lines
      doubled.insert(lines[place], at: place)
      #expect(Self.problem(doubled, head: head) != nil)
      #expect(Self.problem(Array(lines[..<place]), head: head) != nil)
    }
    // Another log's line.
    var other = AuditChain(after: AuditChain.Head(count: 9, digits: String(repeating: "0", count: 64)))
    var planted = lines
    planted[9] = other.line(["who": "eve"])
    #expect(Self.problem(planted, head: head) != nil)
  }

  @Test("Whatever byte is changed, it is found")
  func bytes() {
    var dice = SeededGenerator(seed: 19)
    let (lines, head) = Self.log(20)
    for _ in 0..<1000 {
      var changed = lines
      let place = dice.below(20)
      var bytes = Array(changed[place].utf8)
      let at = dice.below(bytes.count)
      bytes[at] ^= UInt8(1 + dice.below(127))
      changed[place] = String(decoding: bytes, as: UTF8.self)
      #expect(Self.problem(changed, head: head) != nil, "byte \(at) of line \(place)")
    }
  }

  @Test("A line is never longer than it may be")
  func long() throws {
    var chain = AuditChain()
    let line = chain.line(["what": "settings.set", "with": ["x": .string(String(repeating: "y", count: 5000))]])
    #expect(line.utf8.count <= AuditChain.longest)
    var check = AuditCheck(head: chain.head)
    check.add(line)
    check.finish()
    #expect(check.problem == nil)
  }
}
