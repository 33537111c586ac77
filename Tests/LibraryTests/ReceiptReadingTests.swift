import Hardware
import JSON
import Testing

@testable import Library

/// What lies beside a clip may be long, or a stranger's: it is read in steps, and once.
@Suite("Reading receipts")
struct ReceiptReadingTests {
  private func make(_ bench: Bench, _ receipt: String) throws -> String {
    let clips = bench.library.clips
    let (id, file) = try clips.begin(createdAt: bench.clock.wallNow, receipt: Array("{\"inProgress\":true}".utf8))
    try FakeDoctor.write([1, 2, 3], file, at: 0)
    try file.sync()
    file.close()
    try clips.complete(id, receipt: Array(receipt.utf8))
    return id
  }

  /// A receipt with so many gaps.
  private func receipt(gaps: Int) -> String {
    let gap = #"{"track":"picture","start":12.345678,"seconds":0.033333,"reason":"camera-missed"}"#
    return #"{"durationSeconds":2,"stopReason":"post-roll","gaps":["#
      + Array(repeating: gap, count: gaps).joined(separator: ",") + "]}"
  }

  @Test func `A long receipt takes steps, each of which reads a little, and is whole in the end`() throws {
    let bench = try Bench.opened()
    let id = try make(bench, receipt(gaps: 1000))
    let reading = try bench.library.clips.receiptReading(of: id)
    var (steps, whole): (Int, JSONValue?) = (0, nil)
    while whole == nil {
      whole = try reading.step()
      steps += 1
    }
    #expect(whole?["gaps"]?.arrayValue?.count == 1000)
    #expect(steps >= 3 * 80_000 / 32_768, "\(steps)")
  }

  @Test func `What is too long, or would take too much memory, is refused in words, and nothing of it is kept`() throws
  {
    let bench = try Bench.opened()
    let long = try make(bench, receipt(gaps: 20_000))
    let dense = try make(bench, "[" + String(repeating: "{\"\":0},", count: 60_000) + "0]")
    for (id, word) in [(long, "bytes"), (dense, "values")] {
      let reading = try bench.library.clips.receiptReading(of: id)
      let error = #expect(throws: LibraryError.self) {
        while try reading.step() == nil {}
      }
      #expect("\(try #require(error))".contains(word))
    }
  }

  @Test func `One that is too long is not written over when its clip is to be protected`() throws {
    let bench = try Bench.opened()
    let id = try make(bench, receipt(gaps: 20_000))
    #expect(throws: LibraryError.self) { try bench.library.clips.protect(id, true) }
    #expect(try #require(bench.storage.nodes[ClipPath.receipt(id)]).bytes.count > 1 << 20)
  }

  @Test func `What would make one too long to be read is refused, and it stays as it is`() throws {
    let bench = try Bench.opened()
    let text = #"{"durationSeconds":2,"x":"\#(String(repeating: "x", count: ReceiptReading.largest - 28))"}"#
    let id = try make(bench, text)
    #expect(text.utf8.count == ReceiptReading.largest)
    let error = #expect(throws: LibraryError.self) { try bench.library.clips.protect(id, true) }
    #expect(error?.code == "bad-argument")
    #expect(try #require(bench.storage.nodes[ClipPath.receipt(id)]).bytes == Array(text.utf8))
  }

  @Test func `A page of the list comes in steps, and is what the list says`() throws {
    let bench = try Bench.opened()
    for _ in 0..<60 { _ = try make(bench, receipt(gaps: 1)) }
    let listing = bench.library.clips.listing(limit: 1000)
    var (steps, page): (Int, (clips: [ClipSummary], total: Int)?) = (0, nil)
    while page == nil {
      page = try listing.step()
      steps += 1
    }
    #expect(steps >= 6, "\(steps)")
    #expect(page?.total == 60 && page?.clips.allSatisfy { $0.duration == 2 } == true)
    #expect(page?.clips == bench.library.clips.list(limit: 1000).clips)
    #expect(bench.library.clips.ids(offset: 1, limit: 2) == page?.clips[1...2].map(\.id))
  }

  @Test func `A receipt that cannot be read is tried once, and its clip is kept from retention`() throws {
    let bench = try Bench.opened()
    let id = try make(bench, "{")
    #expect(bench.library.clips.newest.clip?.id == id)
    bench.storage.countsReads = true
    let calls = bench.storage.calls
    for _ in 0..<10 { #expect(bench.library.clips.newest.clip?.duration == 0) }
    #expect(bench.storage.calls == calls)
    bench.library.clips.retention.quotaBytes = 1
    _ = try make(bench, receipt(gaps: 0))
    #expect(bench.library.clips.ids(limit: 10).contains(id))
  }
}
