import Hardware
import TestSupport
import Testing

@testable import Library

/// A check goes in steps, so that what is recorded meanwhile does not wait for it.
@Suite struct VerificationTests {
  /// What it finds, in how many steps.
  private func check(_ library: Library, _ cursor: inout VerifyCursor) throws -> (found: [Finding], steps: Int) {
    var (found, steps) = ([Finding](), 0)
    while let new = try library.verifyNext(&cursor) {
      found += new
      steps += 1
    }
    return (found, steps)
  }

  @Test func `A file is looked at in steps, one after the other`() throws {
    let bench = try Bench.opened()
    let ids = [try bench.record(), try bench.record()]
    bench.storage.plant("recordings/talk.wav", FakeDoctor.complete(frames: 9))
    bench.storage.plant("recordings/\(ids[0])", FakeDoctor.recording(frames: 50))
    bench.doctor.pieces = 7
    var one = bench.library.beginVerify(ids[0])
    let single = try check(bench.library, &one)
    #expect(single.steps == 7 && single.found.map(\.code).contains("sound-unfinished"))
    let again = try Bench.opened(bench.storage)
    again.doctor.pieces = 7
    var all = again.library.beginVerify()
    #expect(all.total == 3)
    #expect(try check(again.library, &all).steps == 21 && all.done == 3)
  }

  @Test func `What is no name of a recording is not found, whatever lies there`() throws {
    let bench = try Bench.opened()
    let id = try bench.record()
    bench.storage.plant("recordings/unlisted.wav", FakeDoctor.complete(frames: 9))
    let stem = TakeName.split(id).stem
    for name in ["/", ".", "..", "", "\(stem).json", "\(stem).json.bak", "../recordings/\(id)", "./\(id)", "none.wav"] {
      #expect(throws: LibraryError.notFound(name)) { try bench.library.verify(name) }
    }
    #expect(try bench.library.verify(id).isEmpty)
    #expect(try bench.library.verify("unlisted.wav").allSatisfy { $0.id == "unlisted.wav" })
  }

  @Test func `Two checks and recovery by turns come to an end, and a take is recorded between them`() throws {
    let bench = try Bench.opened()
    let ids = try (0..<4).map { _ in try bench.record() }
    bench.storage.plant("recordings/\(ids[2])", FakeDoctor.recording(frames: 50))
    bench.storage.nodes["catalogue"] = nil
    let next = Bench(bench.storage)
    next.doctor.pieces = 5
    try next.open()
    next.storage.plant("recordings/\(ids[1])", [1, 2, 3])
    var checks = [next.library.beginVerify(), next.library.beginVerify(ids[1])]
    var found: [[Finding]] = [[], []]
    var isOver = [false, false]
    var rounds = 0
    while isOver != [true, true], rounds < 1000 {
      for turn in 0..<2 where !isOver[turn] {
        guard let new = try next.library.verifyNext(&checks[turn]) else {
          isOver[turn] = true
          continue
        }
        found[turn] += new
      }
      _ = next.library.step(now: .zero)
      if rounds == 3 { try next.record() }
      rounds += 1
    }
    #expect(rounds < 1000)
    #expect(found.allSatisfy { $0.contains { $0.id == ids[1] && $0.code == "sound-damaged" } })
    #expect(checks[0].done == 4 && checks[1].done == 1)
    #expect(next.library.list().takes.count == 5)
  }

  @Test func `Notes of another rate or other channels than the sound has are told of`() throws {
    let bench = try Bench.opened()
    let id = try bench.record()
    let sidecar = TakePath.sidecar(id)
    let meta = try FileMeta(json: bench.storage.read(sidecar, limit: 1 << 20), path: sidecar)
    #expect(try bench.library.verify(id) == [])
    for (rate, channels) in [(44_100, 2), (FakeDoctor.rate, 1)] {
      var other = meta
      (other.audio.sampleRate, other.audio.channels) = (rate, channels)
      bench.storage.plant(sidecar, other.json())
      #expect(try bench.library.verify(id).map(\.code) == ["format-differs"])
    }
  }

  @Test func `What is gone meanwhile is left out`() throws {
    let bench = try Bench.opened()
    let ids = [try bench.record(), try bench.record()]
    bench.doctor.pieces = 3
    var all = bench.library.beginVerify()
    #expect(try bench.library.verifyNext(&all) == [])
    bench.storage.nodes["recordings/\(ids[0])"] = nil
    #expect(throws: LibraryError.notFound(ids[0])) { try bench.library.delete(ids[0], now: .zero) }
    let rest = try check(bench.library, &all)
    #expect(rest.found.allSatisfy { $0.id == ids[0] } && all.done == 2)
    #expect(throws: LibraryError.notFound("none.wav")) { _ = try bench.library.verify("none.wav") }
  }
}
