import Hardware
import JSON
import TestSupport
import Testing

@testable import Proof

/// What somebody would try who wants a recording to say something else.
@Suite struct ForgeryTests {
  private struct Forgery: Sendable {
    let name: String
    /// Whether what is left may pass for a recording that was cut off.
    var mayBeCutOff = false
    let make: @Sendable (inout SignedTake, SignedTake) throws -> Void

    init(
      _ name: String, mayBeCutOff: Bool = false,
      _ make: @escaping @Sendable (inout SignedTake, SignedTake) throws -> Void
    ) {
      (self.name, self.mayBeCutOff, self.make) = (name, mayBeCutOff, make)
    }
  }

  private static let forgeries: [Forgery] = [
    Forgery("a record is left out") { take, _ in take.lines.remove(at: 2) },
    Forgery("two records are swapped") { take, _ in take.lines.swapAt(2, 3) },
    Forgery("a record comes twice") { take, _ in take.lines.insert(take.lines[2], at: 2) },
    Forgery("a record is another take's") { take, other in take.lines[2] = other.lines[2] },
    Forgery("the first record is another take's") { take, other in take.lines[0] = other.lines[0] },
    Forgery("the end is another take's") { take, other in
      take.lines[take.lines.count - 1] = try #require(other.lines.last)
    },
    Forgery("the proof is another take's") { take, other in take.proof = other.proof },
    Forgery("the sound is another take's") { take, other in take.media = other.media },
    Forgery("two pieces of the sound are swapped") { take, _ in
      let (first, second) = (take.pieces[0], take.pieces[1])
      let count = min(first.to - first.from, second.to - second.from) / 2
      let bytes = Array(take.media[(first.to - count)..<first.to])
      take.media.replaceSubrange((first.to - count)..<first.to, with: take.media[(second.to - count)..<second.to])
      take.media.replaceSubrange((second.to - count)..<second.to, with: bytes)
    },
    Forgery("a piece of the sound is cut out") { take, _ in
      take.media.removeSubrange(take.pieces[1].from..<take.pieces[1].to)
    },
    Forgery("a piece and its record are cut out") { take, _ in
      take.media.removeSubrange(take.pieces[1].from..<take.pieces[1].to)
      take.lines.remove(at: 2)
    },
    Forgery("a piece is another take's") { take, other in
      let piece = take.pieces[1]
      take.media.replaceSubrange(piece.from..<piece.to, with: other.media[piece.from..<piece.to])
    },
    Forgery("a piece and its record are another take's") { take, other in
      let piece = take.pieces[1]
      take.media.replaceSubrange(piece.from..<piece.to, with: other.media[piece.from..<piece.to])
      take.lines[2] = other.lines[2]
    },
    Forgery("something is added behind the end") { take, _ in take.media += [0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65] },
    Forgery("the tables are another's") { take, _ in take.media[take.media.count - 30] ^= 0x10 },
    Forgery("the head says another length") { take, _ in take.media[45] ^= 1 },
    Forgery("the clock of a record is moved") { take, _ in
      take.lines[2] = try changed(take.lines[2]) {
        $0["wall"] = .integer(($0["wall"]?.integerValue ?? 0) + 3_600_000_000_000)
      }
    },
    Forgery("the clock of the first record is moved") { take, _ in
      take.lines[0] = try changed(take.lines[0]) { $0["wall"] = 0 }
    },
    Forgery("the time of a piece is moved") { take, _ in
      take.lines[2] = try changed(take.lines[2]) { $0["seconds"] = 3.5 }
    },
    Forgery("the key in the first record is replaced") { take, _ in
      take.lines[0] = try changed(take.lines[0]) { $0["key"] = .string(SignedTake.otherKey.publicKey.text) }
    },
    Forgery("the first record is signed anew by another key") { take, _ in
      var record = try #require(ProofLine(take.lines[0])).record
      record["key"] = .string(SignedTake.otherKey.publicKey.text)
      take.lines[0] = ProofLine(record, signedBy: SignedTake.otherKey).bytes
    },
    Forgery("the last records are signed by another key") { take, _ in
      let forged = take.signed(by: SignedTake.otherKey)
      take.lines.replaceSubrange(2..., with: forged.lines[2...])
    },
    Forgery("an end is put behind records that had none") { take, _ in
      let last = try #require(ProofLine(take.lines[2]))
      let piece = try #require(ProofPiece(last.record))
      var rest = Rest(from: piece.to, size: take.media.count, holes: [32..<48])
      while try !rest.step(MemoryFile(take.media)) {}
      var fields = ProofEnd(
        kind: .stopped, pieces: piece.number, root: piece.root, to: piece.to, size: take.media.count, rest: rest.sum,
        seconds: piece.seconds, notes: [:]
      ).fields
      fields["monotonic"] = last.record["monotonic"]
      fields["previous"] = .string(Hex.text(last.hash))
      take.lines.replaceSubrange(3..., with: [ProofLine(.object(fields), signedBy: SignedTake.otherKey).bytes])
    },
    Forgery("the end is removed", mayBeCutOff: true) { take, _ in take.lines.removeLast() },
    Forgery("the end is removed, and the sound cut short", mayBeCutOff: true) { take, _ in
      take.lines.removeLast(2)
      let end = try #require(take.pieces.last).to
      take.media.removeLast(take.media.count - end)
    },
    Forgery("the notes are another take's") { take, other in take.notes = other.notes },
    Forgery("the notes of one that was cut off are another take's") { take, other in
      take.lines.removeLast()
      take.notes = other.notes
    },
    Forgery("the date in the notes is moved") { take, _ in take.notes["createdAt"] = "2026-01-01T00:00:00Z" },
    Forgery("a gap is left out of the notes") { take, _ in take.notes["gaps"] = [] },
    Forgery("the notes say another length") { take, _ in take.notes["frames"] = 17 },
    Forgery("the proof is emptied") { take, _ in take.proof = [] },
  ]

  /// A line with another record and the old signature.
  private static func changed(_ line: [UInt8], _ change: (inout JSONValue) -> Void) throws -> [UInt8] {
    var record = try #require(ProofLine(line)).record
    change(&record)
    return record.bytes + line[(try #require(line.lastIndex(of: 9)))...]
  }

  @Test(arguments: forgeries.indices)
  func `a forgery is found`(_ number: Int) throws {
    let forgery = Self.forgeries[number]
    for container in [Container.aac, .clip, .wav] {
      var take = try SignedTake.make(container, seed: 20)
      let other = try SignedTake.make(container, seed: 21)
      try forgery.make(&take, other)
      let verdict = try take.verify(key: SignedTake.key.publicKey)
      switch verdict.state {
      case .whole: Issue.record("\(forgery.name) passes for whole")
      case .cutOff: #expect(forgery.mayBeCutOff, "\(forgery.name): \(verdict.text), \(verdict.reason)")
      case .changed: #expect(!forgery.mayBeCutOff, "\(forgery.name): \(verdict.text), \(verdict.reason)")
      case .unsigned: #expect(take.proof.isEmpty || take.lines[0] != SignedTake.firstLine(container), "\(forgery.name)")
      }
    }
  }

  @Test func `all of it signed anew is whole, and by another key`() throws {
    let take = try SignedTake.make(.aac, seed: 20).signed(by: SignedTake.otherKey)
    let verdict = try take.verify()
    #expect(verdict.state == .whole && verdict.key == SignedTake.otherKey.publicKey)
    #expect(verdict.key?.words != SignedTake.key.publicKey.words)
    #expect(try take.verify(key: SignedTake.key.publicKey).state == .unsigned)
  }

  @Test func `a tree whose root is wrong is no proof, whoever signed it`() throws {
    let take = try SignedTake.make(.aac, seed: 20).signed(by: SignedTake.key) { record in
      if record["piece"]?.integerValue == 2 { record["root"] = .string(Hex.text([UInt8](repeating: 0, count: 32))) }
    }
    if case .changed = try take.verify().state {} else { Issue.record("it passes") }
  }
}

extension SignedTake {
  static func firstLine(_ container: Container) -> [UInt8]? { try? make(container, seed: 20).lines.first }
}
