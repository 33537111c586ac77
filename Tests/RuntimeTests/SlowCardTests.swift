import Hardware
import JSON
import SimulatedHardware
import Synchronization
import TestSupport
import Testing

/// A card that takes its time for every sync, while it is given a long past.
@Suite struct SlowCardTests {
  @Test(
    "Settings and lists have their turn while 60 s of before go to a card that syncs in 100 ms, and no frame is lost")
  func turns() throws {
    let bench = try RuntimeBench()
    let card = SlowSyncs(bench.memory, bench.clock, each: .milliseconds(100))
    bench.hardware.storage = card
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":60}
      62 press REC
      62 call settings.set {"recording.bitrateKbps":190}
      62 call library.list
      62.3 call recorder.mark {"title":"here"}
      90 press STOP
      130 quit
      """)
    #expect(failure == nil)
    #expect(bench.results("library.list").first?["takes"] != nil)
    // What is done one after the other is done at one instant of the scheduler's: it is counted, a tenth of a second each.
    let calls = card.calls
    let begun = try #require(calls.firstIndex { $0.hasPrefix("create recordings/") && $0.hasSuffix(".wav") })
    let kept = try #require(calls.indices.first { $0 > begun && calls[$0].hasPrefix("replace settings.json") })
    #expect(calls[begun..<kept].filter { !$0.hasPrefix("create") }.count < 10, "\(calls[begun...kept])")
    #expect(calls[kept...].filter { $0.hasPrefix("sync recordings/") && $0.hasSuffix(".wav") }.count > 50)
    let take = try #require(bench.metadata().first { $0["stopReason"]?.stringValue == "user" })
    let frames = try #require(take["frames"]?.integerValue)
    // By the time of STOP the card's clock may be ahead of the scheduler's.
    #expect(frames >= 88 * 8000 && frames < 110 * 8000)
    #expect(take["receipt"]?["lostFrames"] == 0)
    #expect(take["gaps"]?.arrayValue?.isEmpty != false)
    #expect(take["bookmarks"]?.arrayValue?.count == 1)

    // The sound repeats every 100 frames: a frame that is lost, or there twice, shows.
    let name = try #require(bench.memory.list("recordings").map(\.name).first { $0.hasSuffix(".wav") })
    let samples = try #require(Self.samples(bench.memory.read("recordings/\(name)", limit: 1 << 24)))
    try #require(samples.count == frames)
    let seams = (800..<(frames - 900)).filter { abs(samples[$0] - samples[$0 + 100]) > 0.001 }
    #expect(seams.isEmpty, "at \(seams.prefix(3)) of \(frames)")
  }

  /// The first channel of a WAV file of 16 or 24 bits.
  private static func samples(_ bytes: [UInt8]) -> [Float]? {
    func little(_ place: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
    var place = 12
    var (width, block) = (2, 2)
    while place + 8 <= bytes.count {
      let size = little(place + 4, 4)
      switch String(decoding: bytes[place..<(place + 4)], as: UTF8.self) {
      case "fmt ": (width, block) = (little(place + 22, 2) / 8, little(place + 20, 2))
      case "data":
        return stride(from: place + 8, to: min(place + 8 + size, bytes.count), by: block).map { start in
          let value = little(start, width) << (32 - 8 * width)
          return Float(Int32(truncatingIfNeeded: value)) / 2_147_483_648
        }
      default: break
      }
      place += 8 + size + size % 2
    }
    return nil
  }
}

/// A medium on which every sync of a file takes its time.
private final class SlowSyncs: PassThroughStorage {
  let inner: any Storage
  private let clock: VirtualClock
  private let cost: Duration
  private let log = Mutex<[String]>([])

  init(_ inner: any Storage, _ clock: VirtualClock, each cost: Duration) {
    (self.inner, self.clock, self.cost) = (inner, clock, cost)
  }

  /// What was created, synced and replaced.
  var calls: [String] { log.withLock { $0 } }

  func note(_ call: String, takesTime: Bool) {
    log.withLock { $0.append(call) }
    if takesTime { clock.advance(to: clock.now + cost) }
  }

  private func slow(_ file: any StoredFile) -> any StoredFile { SlowFile(file, self) }

  func create(_ path: String) throws(StorageError) -> any StoredFile {
    note("create \(path)", takesTime: false)
    return slow(try inner.create(path))
  }
  func open(_ path: String, writable: Bool) throws(StorageError) -> any StoredFile {
    slow(try inner.open(path, writable: writable))
  }
  func replace(_ path: String, with bytes: [UInt8]) throws(StorageError) {
    note("replace \(path)", takesTime: true)
    try inner.replace(path, with: bytes)
  }
}

private final class SlowFile: PassThroughFile {
  let inner: any StoredFile
  private let storage: SlowSyncs

  init(_ inner: any StoredFile, _ storage: SlowSyncs) { (self.inner, self.storage) = (inner, storage) }

  func sync() throws(StorageError) {
    storage.note("sync \(path)", takesTime: true)
    try inner.sync()
  }
}
