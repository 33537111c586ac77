import Hardware
import JSON
import TestSupport

@testable import Proof

extension FuzzTarget {
  private static let key = DeviceKey(seed: [UInt8](repeating: 1, count: 32))

  private static let members = [
    "\"from\":0,", "\"to\":9223372036854775807,", "\"size\":-1,", "\"pieces\":1048577,", "\"seconds\":1e308,",
    "\"holes\":[[0,9223372036854775807],[5,3]],", "\"monotonic\":-9223372036854775808,", "\"end\":\"stopped\",",
    "\"end\":\"marking\",", "\"end\":\"repaired\",", "\"piece\":2,", "\"notes\":{\"a.b.c\":1},", "\t", "\n",
  ]

  /// The signed receipt of a recording: as it is, and with every record that is still one signed anew, as a forger would who
  /// has a key.
  static let proof = FuzzTarget("proof", .text(members), make: { Proofs.valid(&$0) }) { bytes in
    for proof in [bytes, Proofs.signed(bytes)] {
      if let problem = Proofs.judge(proof) { return problem }
    }
    return nil
  }

  private enum Proofs {
    static let media = (0..<4000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    static func valid(_ dice: inout SeededGenerator) -> [UInt8]? {
      guard let key else { return nil }
      let file = MemoryFile()
      let target = MemoryFile()
      let anchor = ProofAnchor(monotonic: .zero, wall: WallTime(nanosecondsSince1970: 0))
      var header = ProofHeader(kind: "take", id: "take", anchor: anchor)
      header.notes = ["frames": 1]
      let writer = ProofWriter(key: key, header: header) { () throws(StorageError) in file }
      let tapped = writer.tap(target)
      do throws(StorageError) {
        writer.begin(holes: dice.chance(2) ? [] : [2..<4, 10..<30])
        var place = 0
        for second in 1...1 + dice.below(6) {
          let count = min(media.count - place, 1 + dice.below(700))
          try tapped.write(media, place..<place + count, at: place)
          place += count
          writer.settle(to: place, seconds: Double(second), at: anchor)
        }
        writer.stopHearing(seconds: 7, at: anchor)
        try tapped.write(media, place..<media.count, at: place)
        if dice.chance(3) {
          while try writer.hashRest(of: target) {}
          try writer.end(notes: ["frames": 1], seconds: 8, facts: [:], at: anchor)
        } else {
          try writer.write()
        }
      } catch { return nil }
      return file.bytes
    }

    static func signed(_ bytes: [UInt8]) -> [UInt8] {
      guard let key else { return [] }
      var result: [UInt8] = []
      var previous: [UInt8]?
      for line in bytes.split(separator: ProofLine.end).prefix(64) {
        guard var record = try? JSONValue(parsing: Array(line.prefix { $0 != 9 })), case .object = record else {
          continue
        }
        if record["key"] != nil { record["key"] = .string(key.publicKey.text) }
        if let previous { record["previous"] = .string(Hex.text(previous)) }
        let new = ProofLine(record, signedBy: key)
        previous = new.hash
        result += new.bytes + [ProofLine.end]
      }
      return result
    }

    static func judge(_ proof: [UInt8]) -> String? {
      do throws(StorageError) {
        let (file, target) = (MemoryFile(proof), MemoryFile(media))
        var verifier = ProofVerifier(media: target, proof: file, notes: ["frames": 1])
        let verdict = try verifier.run()
        guard file.writes.isEmpty, target.writes.isEmpty else { return "looking has changed it" }
        if let seconds = verdict.seconds, !(seconds >= 0 && seconds.isFinite) { return "\(verdict.text)" }
        guard verdict.provenBytes <= max(target.size, verdict.fileBytes) else {
          return "\(verdict.provenBytes) are proven"
        }
        guard let key, var amender = try ProofAmender(file, key: key) else { return nil }
        let anchor = ProofAnchor(monotonic: .zero, wall: WallTime(nanosecondsSince1970: 0))
        try amender.completeCutOff(target, notes: [:], at: anchor)
        if try amender.isAsSigned(target) { try amender.announceMarks(at: anchor) }
        try amender.finishMarks(target, at: anchor)
        return nil
      } catch {
        return "memory answered \(error)"
      }
    }
  }
}
