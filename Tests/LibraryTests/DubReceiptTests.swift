import Hardware
import JSON
import Testing

@testable import Library

@Suite("Receipts of dubs")
struct DubReceiptTests {
  private let wall = WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000)

  @Test func `the newest two hundred are kept, and what others have put there stays`() throws {
    let bench = try Bench.opened()
    let dubs = bench.library.dubs
    #expect(try dubs.list().isEmpty)
    try dubs.keep(["language": "es"], begunAt: wall)
    let mine = try bench.storage.create("dubs/notes.json")
    mine.close()
    for _ in 0..<201 { try dubs.keep([:], begunAt: wall) }
    let list = try dubs.list()
    #expect(list.count == 200)
    #expect(list.first == "000202_2026-11-20T21-54-00Z.json" && list.last == "000003_2026-11-20T21-54-00Z.json")
    #expect(try dubs.receipt(list[0])["path"]?.stringValue == "dubs/\(list[0])")
    #expect(bench.storage.nodes["dubs/notes.json"] != nil)
    #expect(throws: LibraryError.self) { try dubs.receipt("notes.json") }
    #expect(throws: LibraryError.self) { try dubs.receipt("../settings.json") }
  }

  @Test func `a stranger's number uses up none`() throws {
    let bench = try Bench.opened()
    try bench.library.dubs.keep([:], begunAt: wall)
    for name in ["9999999999999_2026-11-20T21-54-00Z.json", "999999999999_x.json"] {
      try bench.storage.create("dubs/\(name)").close()
    }
    try bench.library.dubs.keep([:], begunAt: wall)
    #expect(try bench.library.dubs.list().first?.hasPrefix("000002_") == true)
  }

  @Test(arguments: ["999999999999", "099999999999", "000000000001", "900000000000"])
  func `a number that we have not given is not counted on from, and takes nobody's place`(number: String) throws {
    for before in [0, 3] {
      let bench = try Bench.opened()
      for _ in 0..<before { try bench.library.dubs.keep([:], begunAt: wall) }
      try bench.storage.makeDirectory("dubs")
      let stranger = "dubs/\(number)_2026-11-20T21-54-00Z.json"
      try bench.storage.create(stranger).close()
      for _ in 0..<3 { try bench.library.dubs.keep([:], begunAt: wall) }
      let list = try bench.library.dubs.list()
      // Near ours, it cannot be told from ours.
      let isNear = number == "000000000001"
      #expect(Set(list).count == before + 3 + (isNear || before == 0 && number == "099999999999" ? 1 : 0))
      #expect(bench.storage.nodes[stranger] != nil)
      if before > 0 { #expect(list.first == "00000\(before + 3)_2026-11-20T21-54-00Z.json") }
    }
  }

  @Test func `a medium that stalls at any call has one receipt more in the end, and as many as may be`() throws {
    for call in 1... {
      let bench = try Bench.opened()
      for _ in 0..<200 { try bench.library.dubs.keep([:], begunAt: wall) }
      bench.storage.countsReads = true
      bench.storage.calls = 0
      bench.storage.disaster = (.stall, at: call)
      try bench.retrying { () throws(LibraryError) in try bench.library.dubs.keep([:], begunAt: wall) }
      let isOver = bench.storage.calls < call
      bench.storage.disaster = nil
      let list = try bench.library.dubs.list()
      #expect(list.count == 200 && list.first?.hasPrefix("000201_") == true, "call \(call)")
      if isOver { return }
    }
  }
}

extension DubReceipts {
  /// One of the list, read to its end.
  fileprivate func receipt(_ id: String) throws(LibraryError) -> JSONValue {
    let reading = try reading(of: id)
    while true { if let receipt = try reading.step() { return receipt } }
  }
}
