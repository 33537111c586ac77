import Dictaphone
import Hardware
import Media
import Recording
import SimulatedHardware
import Synchronization
import TestSupport
import Testing

/// What the storer makes of a storage that stalls, fills up and fails.
@Suite struct StorageFaultTests {
  private static func settings(_ encoding: TakeEncoding) -> RecordingSettings {
    RecordingSettings(
      encoding: encoding, bitrateKbps: 64, sampleRate: encoding == .aac ? 16_000 : 8000, channels: 1,
      bits: encoding == .aac ? 16 : 24, preRecordSeconds: 0)
  }

  private static func bench(_ encoding: TakeEncoding) -> Bench {
    Bench(
      settings: settings(encoding), period: encoding == .aac ? 160 : 80,
      source: encoding == .aac ? ToneSource(frequencies: [440]) : nil)
  }

  @Test("A full storage ends the take with exactly what is on it", arguments: [TakeEncoding.wav, .aac])
  func full(encoding: TakeEncoding) throws {
    var discarded = 0
    for seed in 0..<(encoding == .wav ? 15 : 6) as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let bench = Self.bench(encoding)
      bench.run(until: .at(0.1))
      bench.recorder.start(at: .at(0.1))
      bench.run(for: .milliseconds(Int.random(in: 50...900, using: &random)))
      // Full with its reserve, or so full that not even the tables fit.
      let hasReserve = Bool.random(using: &random)
      if hasReserve {
        bench.storage.setFull(true)
      } else {
        bench.storage.limitFreeSpace(to: Int.random(in: 1...3000, using: &random))
      }
      for _ in 0..<5 { bench.recorder.mark(at: bench.clock.now, title: nil) }
      bench.run(for: .milliseconds(400))
      bench.recorder.stop(at: bench.clock.now, reason: .user)
      bench.finish()
      guard let take = bench.store.takes.first else {
        // Nothing of it had room: it is no take, and that is said.
        #expect(bench.log.saved.isEmpty && bench.log.failures.contains { $0.hasPrefix("empty") }, "seed \(seed)")
        discarded += 1
        continue
      }
      let ending = try #require(take.ending, "seed \(seed)")
      #expect(ending.reason == .storageFull && ending.frames > 0, "seed \(seed)")
      // Nobody is told that it is saved before its file is whole.
      #expect(bench.log.saved.count == (ending.unfinished == nil ? 1 : 0), "seed \(seed)")
      #expect(bench.log.unnoted.count == (ending.unfinished == nil ? 0 : 1), "seed \(seed)")
      #expect(!hasReserve || ending.unfinished == nil, "seed \(seed)")
      let file = try bench.memory.open(take.id, writable: true)
      let found = try MediaRepair.inspect(file)
      if hasReserve {
        #expect(found.condition == .finished, "seed \(seed)")
        #expect(found.frames == ending.frames, "seed \(seed)")
      } else {
        #expect(found.condition == .finished || ending.unfinished != nil, "seed \(seed)")
        // Start-up completes it; a write that half fitted may have left more than was promised.
        let repaired = try MediaRepair.repair(file, scratch: try bench.memory.scratch())
        #expect(repaired.condition == .finished, "seed \(seed)")
        #expect(repaired.frames >= ending.frames, "seed \(seed)")
      }
      if encoding == .wav {
        #expect(
          bench.samples(of: take).prefix(ending.frames) == Array(801..<(801 + ending.frames))[...], "seed \(seed)")
      }
    }
    #expect(discarded < 3)
  }

  @Test("A full storage before the take's first byte makes a failure, and the device goes on")
  func fullFromTheStart() {
    let bench = Self.bench(.wav)
    bench.run(until: .at(0.1))
    bench.storage.setFull(true)
    bench.recorder.start(at: .at(0.1))
    bench.run(until: .at(1))
    bench.recorder.stop(at: .at(1), reason: .user)
    bench.finish()
    #expect(bench.store.takes.isEmpty)
    #expect(bench.log.failures.count == 1)
    bench.storage.setFull(false)
    bench.recorder.start(at: bench.clock.now)
    bench.run(for: .seconds(1))
    bench.recorder.stop(at: bench.clock.now, reason: .user)
    bench.finish()
    #expect(bench.log.saved.count == 1)
    #expect(bench.log.saved.first?.reason == .user)
  }

  @Test("A stall at any single operation leaves the same bytes as none", arguments: [TakeEncoding.wav, .aac])
  func stallAtEachOperation(encoding: TakeEncoding) throws {
    let smooth = try takeBytes(encoding, trouble: nil)
    #expect(smooth.operations > 10)
    for number in 0..<smooth.operations {
      let stalled = try takeBytes(encoding, trouble: .stall(at: number))
      #expect(stalled.bytes == smooth.bytes, "operation \(number)")
      #expect(stalled.gaps == smooth.gaps, "operation \(number)")
    }
  }

  @Test("An I/O error at any single operation is told, and what is on the storage is a true take")
  func errorAtEachOperation() throws {
    let smooth = try takeBytes(.wav, trouble: nil)
    for number in 0..<smooth.operations {
      let result = try takeBytes(.wav, trouble: .failure(at: number))
      if let frames = result.frames {
        #expect(result.isTold || frames == smooth.frames, "operation \(number)")
        #expect(result.wav.samples.count >= frames, "operation \(number)")
        #expect(
          Array(result.wav.samples.prefix(frames)) == Array(smooth.wav.samples.prefix(frames)), "operation \(number)")
      } else {
        #expect(result.isTold, "operation \(number)")
      }
      #expect(result.openFiles == 0, "operation \(number) leaves files open")
      // The last one keeps the metadata: the sound is complete, and that its notes are not is said.
      if number == smooth.operations - 1 { #expect(result.isTold && result.frames == smooth.frames) }
    }
  }

  @Test("A card whose every sync takes longer than a fragment lasts does not fall behind, pre-record or not")
  func slowSyncs() throws {
    let bench = Bench(settings: .counted(preRecordSeconds: 5))
    let storage = TroubledStorage(bench.memory, clock: bench.clock, trouble: .slowSyncs(.milliseconds(300)))
    let store = TestStore(storage: storage)
    var saved: Int?
    let writer = FileWriter(pipe: bench.pipe, stores: [.take: store], clock: bench.clock) {
      if case .saved(_, _, let ending) = $0 { saved = ending.frames }
    }
    let work = { (end: Instant) in
      while bench.clock.now < end, saved == nil {
        _ = bench.microphone.step(now: bench.clock.now)
        _ = bench.step()
        _ = writer.step()
        bench.clock.advance(to: bench.clock.now + .milliseconds(10))
      }
    }
    work(.at(6))
    bench.recorder.start(at: .at(6))
    work(.at(16))
    bench.recorder.stop(at: .at(16), reason: .user)
    work(.at(60))
    #expect(saved == 15 * Bench.rate)
    // A few syncs are left at STOP, not the many seconds that one a fragment would have been late by then; and while the
    // pre-record was written, nothing of what came was lost.
    #expect(bench.clock.now < .at(18.5))
    #expect(store.takes.first?.gaps.isEmpty == true)
    #expect(bench.log.failures.isEmpty)
  }

  private struct Result {
    var bytes: [UInt8] = []
    var gaps: [CaptureGap] = []
    var frames: Int?
    var wav: WAVReading
    var isTold = false
    var operations = 0
    var openFiles = 0
  }

  private func takeBytes(_ encoding: TakeEncoding, trouble: TroubledStorage.Trouble?) throws -> Result {
    let bench = Self.bench(encoding)
    let storage = TroubledStorage(bench.memory, clock: bench.clock, trouble: trouble)
    let store = TestStore(storage: storage)
    let log = bench.log
    let writer = FileWriter(pipe: bench.pipe, stores: [.take: store], clock: bench.clock) {
      [recorder = bench.recorder] news in
      log.files.append(news)
      if case .refused(let number, let reason, _) = news { recorder.abandon(number, reason: reason) }
    }
    let work = { (end: Instant) in
      while bench.clock.now < end {
        _ = bench.microphone.step(now: bench.clock.now)
        _ = bench.step()
        _ = writer.step()
        bench.clock.advance(to: bench.clock.now + .milliseconds(10))
      }
    }
    work(.at(0.1))
    bench.recorder.start(at: .at(0.1))
    work(.at(0.3))
    bench.recorder.mark(at: .at(0.25), title: "here")
    bench.microphone.overrun(.milliseconds(50), at: bench.clock.now)
    work(.at(0.8))
    bench.recorder.stop(at: .at(0.8), reason: .user)
    work(.at(1.3))
    let take = store.takes.first
    var result = Result(wav: WAVReading(bench.memory, take?.id ?? "none"))
    if let take { result.bytes = (try? bench.memory.read(take.id, limit: 1 << 30)) ?? [] }
    result.gaps = take?.gaps ?? []
    result.frames = log.saved.first?.frames ?? log.unnoted.first?.frames
    result.isTold =
      !log.failures.isEmpty || log.saved.contains { $0.reason == .error }
      || log.files.contains { if case .refused = $0 { true } else { false } }
      || !log.unnoted.isEmpty
    result.operations = storage.operations
    result.openFiles = storage.openFiles
    return result
  }
}

/// A storage on which one operation, by its number, stalls for 100 ms or fails for good.
final class TroubledStorage: PassThroughStorage {
  enum Trouble {
    case stall(at: Int)
    case failure(at: Int)
    /// Every sync blocks for this long.
    case slowSyncs(Duration)
  }

  private struct Core {
    var operations = 0
    var openFiles = 0
    var stalledUntil = Instant.zero
  }

  let inner: any Storage
  private let clock: any DeviceClock
  private let trouble: Trouble?
  private let core = Mutex(Core())

  init(_ inner: any Storage, clock: any DeviceClock, trouble: Trouble?) {
    self.inner = inner
    self.clock = clock
    self.trouble = trouble
  }

  var operations: Int { core.withLock { $0.operations } }
  var openFiles: Int { core.withLock { $0.openFiles } }

  fileprivate func count(_ operation: String, _ path: String) throws(StorageError) {
    let now = clock.now
    let kind: StorageError.Kind? = core.withLock { core in
      if now < core.stalledUntil { return .stalled(until: core.stalledUntil) }
      let number = core.operations
      core.operations += 1
      switch trouble {
      case .stall(number):
        core.stalledUntil = now + .milliseconds(100)
        return .stalled(until: core.stalledUntil)
      case .failure(number): return .failed
      case .slowSyncs(let time) where operation == "sync":
        (clock as? VirtualClock)?.advance(to: now + time)
        return nil
      default: return nil
      }
    }
    if let kind { throw StorageError(kind, operation: operation, path: path, code: 5) }
  }

  fileprivate func closed() { core.withLock { $0.openFiles -= 1 } }

  private func wrapped(_ file: any StoredFile) -> any StoredFile {
    core.withLock { $0.openFiles += 1 }
    return TroubledFile(file, storage: self)
  }

  func create(_ path: String) throws(StorageError) -> any StoredFile {
    try count("create", path)
    return wrapped(try inner.create(path))
  }
  func open(_ path: String, writable: Bool) throws(StorageError) -> any StoredFile {
    wrapped(try inner.open(path, writable: writable))
  }
  func replace(_ path: String, with bytes: [UInt8]) throws(StorageError) {
    try count("replace", path)
    try inner.replace(path, with: bytes)
  }
  func syncDirectory(_ path: String) throws(StorageError) {
    try count("sync", path)
    try inner.syncDirectory(path)
  }
}

private final class TroubledFile: PassThroughFile, @unchecked Sendable {
  let inner: any StoredFile
  private let storage: TroubledStorage

  init(_ inner: any StoredFile, storage: TroubledStorage) {
    self.inner = inner
    self.storage = storage
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    try storage.count("write", path)
    try inner.write(bytes, at: offset)
  }
  func truncate(to size: Int) throws(StorageError) {
    try storage.count("truncate", path)
    try inner.truncate(to: size)
  }
  func sync() throws(StorageError) {
    try storage.count("sync", path)
    try inner.sync()
  }
  func close() {
    storage.closed()
    inner.close()
  }
}
