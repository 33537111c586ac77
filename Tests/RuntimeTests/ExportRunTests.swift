import Hardware
import JSON
import Runtime
import SimulatedHardware
import Testing

/// Takes go to a stick, as scripts, the console and people who pull it out have it.
@Suite struct ExportRunTests {
  /// A device with takes of 1, 2 and 4 seconds.
  private static func withTakes() throws -> RuntimeBench {
    let bench = try RuntimeBench()
    #expect(
      try bench.run(
        """
        0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}
        1 press REC
        2 press STOP
        3 press REC
        5 press STOP
        6 press REC
        10 press STOP
        11 quit
        """) == nil)
    return bench
  }

  /// The contents of a folder by name; none if it is not there.
  private static func contents(_ storage: MemoryStorage, _ folder: String) throws -> [String: [UInt8]] {
    guard let entries = try? storage.list(folder) else { return [:] }
    return try Dictionary(
      uniqueKeysWithValues: entries.map { ($0.name, try storage.read("\(folder)/\($0.name)", limit: 1 << 24)) })
  }

  /// Files on the stick that are called complete and are in no recording; the library has to be as it was.
  private static func halves(_ bench: RuntimeBench) throws -> [String] {
    let known = Set(try contents(bench.memory, "recordings").values)
    return try contents(bench.stick, "Mynah").filter { !$0.key.hasSuffix(".part") && !known.contains($0.value) }.map(
      \.key)
  }

  @Test func `Programs begin an export and look how far it is`() throws {
    let first = try Self.withTakes()
    let bench = try RuntimeBench(continuing: first)
    let failure = try bench.run(
      """
      0.8 call export.status
      1 call export.start {"ids":["1"]}
      1.5 fault stick in
      3 call export.start {"ids":["1","3"],"to":"stick","format":"asIs"}
      3 call export.status
      8 call export.status
      9 call export.start {"ids":["7"]}
      12 call export.status
      13 call export.start {"ids":[]}
      13 call export.start {"to":"cloud"}
      13 fault stick full
      14 call export.start
      18 call export.status
      19 quit
      """)
    #expect(failure == nil)
    let starts = bench.results("export.start")
    #expect(
      starts.map { $0["code"]?.stringValue } == ["not-found", nil, nil, "bad-argument", "bad-argument", nil],
      "\(starts)")
    let found = bench.results("export.status")
    #expect(found.map { $0["phase"]?.stringValue } == ["none", "waiting", "done", "failed", "failed"], "\(found)")
    try #require(found.count == 5)
    #expect(found[2]["done"]?.integerValue == 2 && found[2]["safe"]?.boolValue == true)
    #expect(found[2]["doneBytes"] == found[2]["totalBytes"] && found[2]["totalBytes"]?.integerValue ?? 0 > 30_000)
    #expect(found[3]["failed"]?.arrayValue?.first?["code"]?.stringValue == "not-found")
    #expect(found[4]["code"]?.stringValue == "storage-full")
  }

  @Test func `All takes go to the stick, which may be pulled out then, and nothing goes twice`() throws {
    let first = try Self.withTakes()
    let before = try Self.contents(first.memory, "recordings")
    let bench = try RuntimeBench(continuing: first)
    let failure = try bench.run(
      """
      1 call library.export {"all":true}
      1.1 call stick.status
      2 fault stick in
      4 call stick.status
      5 call library.export {"all":true}
      8 call stick.status
      9 call library.export {"id":"2"}
      12 fault stick out
      14 call stick.status
      15 quit
      """)
    #expect(failure == nil)
    let exports = bench.results("library.export")
    try #require(exports.count == 3)
    #expect(exports[0]["code"] == "not-found")
    #expect(exports[1]["done"] == 3 && exports[1]["copied"] == 6 && exports[1]["safe"] == true)
    #expect(exports[2]["done"] == 1 && exports[2]["copied"] == 0 && exports[2]["there"] == 2)
    #expect(bench.results("stick.status").map { $0["state"] } == ["absent", "plugged", "safe", "absent"])
    let states = bench.events("onStick").map { $0.data["state"] }
    #expect(states == ["plugged", "mounted", "safe", "mounted", "safe", "absent"])
    let progress = bench.events("onLibraryProgress").filter { $0.data["work"] == "export" }
    #expect(progress.count > 2)
    #expect(try Self.contents(bench.memory, "recordings") == before)
    let there = try Self.contents(bench.stick, "Mynah")
    #expect(Set(there.values) == Set(before.values.filter { content in there.values.contains(content) }))
    #expect(there.count == 6 && there.keys.contains { $0.hasPrefix("Take 3 ") && $0.hasSuffix(".wav") })
    #expect(try Self.halves(bench) == [])
  }

  @Test(arguments: 0..<12) func `Pulled out in the middle, nothing on it is half, and the next time all is there`(
    seed: Int
  ) throws {
    let first = try Self.withTakes()
    let sizes = try Self.contents(first.memory, "recordings").values.reduce(0) { $0 + $1.count }
    // Twelve places over the whole of what is written, the very first byte and the last ones among them.
    let bytes = seed == 0 ? 0 : sizes * seed / 14
    let bench = try RuntimeBench(continuing: first)
    let failure = try bench.run(
      """
      1 fault stick in
      2 fault stick out-after \(bytes)
      3 call library.export {"all":true}
      8 fault stick in
      10 call library.export {"all":true}
      20 quit
      """)
    #expect(failure == nil)
    let exports = bench.results("library.export")
    try #require(exports.count == 2)
    #expect(exports[0]["code"] == "device-lost", "\(exports[0])")
    #expect(exports[1]["done"] == 3 && exports[1]["safe"] == true, "\(exports[1])")
    #expect(try Self.halves(bench) == [])
    #expect(try Self.contents(bench.stick, "Mynah").count == 6)
  }

  @Test func `A stick that is full or read-only is said to be that, and can be pulled out`() throws {
    let bench = try RuntimeBench(continuing: try Self.withTakes())
    let failure = try bench.run(
      """
      1 fault stick in
      1 fault stick full
      2 call library.export {"id":"1"}
      5 fault stick ok
      5 fault stick read-only
      6 call library.export {"id":"1"}
      9 call stick.status
      9.5 fault stick ok
      10 call library.export {"id":"99"}
      12 call library.export {"id":"1"}
      15 quit
      """)
    #expect(failure == nil)
    let exports = bench.results("library.export")
    #expect(exports.map { $0["code"] } == ["storage-full", "denied", "not-found", nil])
    #expect(bench.results("stick.status")[0]["state"] == "safe")
    #expect(exports.last?["done"] == 1)
  }
}
