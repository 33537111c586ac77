import Hardware
import JSON
import Media
import TestSupport
import Testing

@testable import Proof

@Suite struct ProofTests {
  @Test(arguments: Container.allCases)
  func `a recording that nobody has touched is whole`(_ container: Container) throws {
    let take = try SignedTake.make(container, seed: 1)
    let verdict = try take.verify(key: SignedTake.key.publicKey)
    #expect(verdict.state == .whole, "\(verdict.reason)")
    #expect(verdict.key == SignedTake.key.publicKey)
    #expect(take.pieces.count >= 3)
    #expect(verdict.provenBytes == take.media.count)
  }

  @Test func `what was written beyond the end is cut off by the device itself`() throws {
    let take = try SignedTake.make(.wav, seed: 2, extra: 900)
    #expect(try take.verify().state == .whole)
  }

  /// A byte anywhere in a recording or its proof, of every kind: found, and not later than it is.
  @Test(arguments: Container.allCases)
  func `a changed byte is found`(_ container: Container) throws {
    let take = try SignedTake.make(container, seed: 3)
    let last = try #require(take.pieces.last).seconds
    var dice = SeededGenerator(seed: 4)
    for round in 0..<200 {
      var changed = take
      let place: Int
      if round % 5 == 0 {
        place = dice.below(take.proof.count)
        changed.proof[place] ^= UInt8(1 + dice.below(255))
      } else {
        place = dice.below(take.media.count)
        changed.media[place] ^= UInt8(1 + dice.below(255))
      }
      let verdict = try changed.verify()
      guard case .changed(let seconds) = verdict.state else {
        // Of a proof's last line only its end was lost, or it names another key.
        let isTorn = round % 5 == 0 && place == take.proof.count - 1
        #expect(isTorn, "\(verdict.text) after byte \(place) of \(round % 5 == 0 ? "the proof" : "the media")")
        continue
      }
      guard round % 5 > 0, let piece = take.pieces.first(where: { ($0.from..<$0.to).contains(place) }) else { continue }
      let before = take.pieces.last { $0.to <= piece.from }?.seconds ?? 0
      #expect(
        seconds == before || seconds >= last,
        "\(seconds), and it is in \(before)...\(piece.seconds)")
    }
  }

  /// Power cuts at any instant, with what was not synced written or not or torn.
  @Test(arguments: Container.allCases)
  func `a power cut leaves what is proven up to its last piece`(_ container: Container) throws {
    let take = try SignedTake.make(container, seed: 5)
    var dice = SeededGenerator(seed: 6)
    for _ in 0..<170 {
      let count = dice.below(take.journal.changes.count + 1)
      let left = take.journal.cut(after: count, &dice)
      // Records that were synced before the cut.
      var written: [UInt8] = []
      var synced = 0
      for change in take.journal.changes.prefix(count) {
        if case .write(1, let offset, let bytes) = change { written = written.prefix(offset) + bytes }
        if case .sync(1) = change { synced = written.count }
      }
      let proven = SignedTake(media: [], proof: Array(written.prefix(synced)), notes: .null, journal: take.journal)
      let seconds = proven.pieces.last?.seconds ?? 0
      var cut = SignedTake(media: left[0], proof: left[1], notes: .null, journal: take.journal)
      try check(cut, seconds, wasWhole: synced == take.proof.count)
      guard !cut.lines.isEmpty, !cut.media.isEmpty else { continue }
      // The device completes it, and says so.
      let file = MemoryFile(cut.media)
      guard try MediaRepair.repair(file, scratch: nil).condition == .finished else { continue }
      let proof = MemoryFile(cut.proof)
      if var amender = try ProofAmender(proof, key: SignedTake.key) {
        try amender.completeCutOff(
          file, notes: [:], at: ProofAnchor(monotonic: .zero, wall: WallTime(nanosecondsSince1970: 0)))
      }
      (cut.media, cut.proof) = (file.bytes, proof.bytes)
      try check(cut, seconds, wasWhole: synced == take.proof.count)
    }
  }

  private func check(_ take: SignedTake, _ seconds: Double, wasWhole: Bool) throws {
    var verifier = ProofVerifier(media: MemoryFile(take.media), proof: MemoryFile(take.proof), notes: nil)
    let verdict = try verifier.run()
    switch verdict.state {
    case .cutOff(let found): #expect(found >= seconds && !wasWhole, "\(found) of \(seconds): \(verdict.reason)")
    case .whole: break
    case .unsigned: #expect(seconds == 0)
    case .changed: Issue.record("accused: \(verdict.text), \(verdict.reason)")
    }
  }

  @Test func `a file that somebody cuts short is proven up to there`() throws {
    var take = try SignedTake.make(.aac, seed: 7)
    let piece = take.pieces[1]
    take.media.removeLast(take.media.count - piece.to - 10)
    #expect(try take.verify().state == .cutOff(at: piece.seconds))
  }

  @Test(arguments: Container.allCases)
  func `marks that the device rewrites later are signed again`(_ container: Container) throws {
    let take = try SignedTake.make(container, seed: 8)
    let (media, proof) = (MemoryFile(take.media), MemoryFile(take.proof))
    let anchor = ProofAnchor(monotonic: Instant(nanoseconds: 5), wall: WallTime(nanosecondsSince1970: 5))
    var amender = try #require(try ProofAmender(proof, key: SignedTake.key))
    #expect(try amender.isAsSigned(media))
    try amender.announceMarks(at: anchor)
    func verdict() throws -> ProofVerdict.State {
      var verifier = ProofVerifier(media: media, proof: proof, notes: take.notes)
      return try verifier.run().state
    }
    if case .cutOff = try verdict() {} else { Issue.record("marks are being rewritten: \(try verdict())") }
    let description = FileDescription(sound: nil, createdAt: WallTime(nanosecondsSince1970: 0), title: "take")
    _ = try MarksInFile.replace(
      [TakeMark(frame: 0, label: "new"), TakeMark(frame: 99, label: "Ж")], in: media, description)
    if case .cutOff = try verdict() {} else { Issue.record("marks are rewritten: \(try verdict())") }
    // The power went, and it is done again.
    amender = try #require(try ProofAmender(proof, key: SignedTake.key))
    #expect(try amender.isAsSigned(media))
    try amender.finishMarks(media, at: anchor)
    #expect(try verdict() == .whole)
    // What somebody else has changed is not signed.
    media.bytes[media.bytes.count - 1] ^= 1
    amender = try #require(try ProofAmender(proof, key: SignedTake.key))
    #expect(try !amender.isAsSigned(media))
  }

  @Test func `a date that is set later is signed, and the old one still counts while the power may go`() throws {
    var take = try SignedTake.make(.aac, seed: 9)
    let proof = MemoryFile(take.proof)
    var amender = try #require(try ProofAmender(proof, key: SignedTake.key))
    try amender.note(
      ["createdAt": "2030-01-01T00:00:00Z"],
      at: ProofAnchor(monotonic: .zero, wall: WallTime(nanosecondsSince1970: 0)))
    take.proof = proof.bytes
    #expect(try take.verify().state == .whole)
    take.notes["createdAt"] = "2030-01-01T00:00:00Z"
    #expect(try take.verify().state == .whole)
    take.notes["createdAt"] = "2031-01-01T00:00:00Z"
    #expect(try take.verify().state == .changed(at: 0))
  }

  @Test func `another device's proof is not amended`() throws {
    let take = try SignedTake.make(.aac, seed: 10)
    #expect(try ProofAmender(MemoryFile(take.proof), key: SignedTake.otherKey) == nil)
  }

  @Test(
    arguments: [
      [[48, 32]], [[32, 48], [40, 60]], [[100, 120], [0, 10]], [[-1, 5]], [[0, .integer(.max)]], [["a", "b"]], [[]],
      [7],
      [[.number(1e300), .number(1e301)]], .array((0..<65).map { [.integer($0 * 2), .integer($0 * 2 + 1)] }),
    ] as [JSONValue])
  func `holes that cannot be are no proof, whoever signed them, and nothing more is signed of it`(
    holes: JSONValue
  ) throws {
    let take = try SignedTake.make(.aac, seed: 12).signed(by: SignedTake.key) { record in
      if record["proof"] != nil { record["holes"] = holes }
    }
    #expect(try take.verify().state == .changed(at: 0))
    #expect(try ProofAmender(MemoryFile(take.proof), key: SignedTake.key) == nil)
  }

  @Test func `a first record that was changed is not amended`() throws {
    var take = try SignedTake.make(.aac, seed: 12)
    let other = try SignedTake.make(.aac, seed: 13)
    let (mine, signature) = (try #require(other.lines.first), try #require(take.lines.first?.lastIndex(of: 9)))
    // Another's record with this one's signature: the key is the same.
    take.lines[0] = Array(mine[..<(try #require(mine.lastIndex(of: 9)))]) + take.lines[0][signature...]
    #expect(try ProofAmender(MemoryFile(take.proof), key: SignedTake.key) == nil)
  }

  @Test func `a medium that stalls and fails costs no record`() throws {
    let (media, file) = (MemoryFile(), MemoryFile())
    let anchor = ProofAnchor(monotonic: .zero, wall: WallTime(nanosecondsSince1970: 0))
    let writer = ProofWriter(key: SignedTake.key, header: ProofHeader(kind: "take", id: "t", anchor: anchor)) {
      () throws(StorageError) in file
    }
    let tapped = writer.tap(media)
    writer.begin(holes: [2..<4])
    for second in 1...20 {
      if second == 3 { file.stalls = 2 }
      if second == 7 { file.budget = 10 }
      if second == 9 { file.budget = nil }
      try tapped.write([UInt8](repeating: UInt8(second), count: 100), at: 100 * (second - 1))
      writer.settle(to: 100 * second, seconds: Double(second), at: anchor)
      try? writer.write()
    }
    writer.stopHearing(seconds: 20, at: anchor)
    try tapped.write([9, 9], at: 2)
    while try writer.hashRest(of: media) {}
    try writer.end(notes: [:], seconds: 20, facts: [:], at: anchor)
    let take = SignedTake(media: media.bytes, proof: file.bytes, notes: [:], journal: Journal())
    #expect(try take.verify().state == .whole)
    #expect(take.pieces.count == 20)
  }
}
