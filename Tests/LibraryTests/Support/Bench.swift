import Hardware

@testable import Library

/// A clock that stands where it is put.
final class StillClock: DeviceClock, @unchecked Sendable {
  var now = Instant.zero
  /// 2026-11-20T21:54:00Z.
  var wallNow = WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000)
}

/// A library on a storage in memory, and the moves of a recorder.
struct Bench {
  let storage: MemoryStorage
  let clock = StillClock()
  let state: StateStore
  let doctor: FakeDoctor
  let library: Library

  init(_ storage: MemoryStorage = MemoryStorage()) {
    self.storage = storage
    doctor = FakeDoctor(storage)
    state = StateStore(storage: storage, clock: clock)
    library = Library(storage: storage, clock: clock, state: state, repairer: doctor)
  }

  /// A library that is open and has nothing left to do.
  static func opened(_ storage: MemoryStorage = MemoryStorage()) throws -> Bench {
    let bench = Bench(storage)
    try bench.open()
    return bench
  }

  /// Its library, open and with all its work before it.
  func begun() throws -> Library {
    try library.open()
    return library
  }

  func open() throws {
    try retrying { () throws(LibraryError) in try library.open() }
    settle()
  }

  /// Runs `step` until nothing is due.
  func settle(now: Instant = .zero) {
    var rounds = 0
    while let due = library.step(now: now), due <= now || due.nanoseconds == 10, rounds < 100_000 { rounds += 1 }
  }

  /// Makes a call again for as long as it stalls.
  @discardableResult
  func retrying<Value>(_ body: () throws(LibraryError) -> Value) throws -> Value {
    for _ in 0..<100 {
      do {
        return try body()
      } catch {
        if error.stalledUntil == nil { throw error }
      }
    }
    throw LibraryError.busy("a storage that stalls for ever")
  }

  /// A take that has begun.
  struct Begun {
    var meta: FileMeta
    var file: any StoredFile
    var id: String { meta.id }
  }

  func begin(beside main: String? = nil) throws(LibraryError) -> Begun {
    var plan = FileMeta(
      id: "", displayName: "", createdAt: clock.wallNow,
      audio: AudioAttributes(duration: 0, sampleRate: FakeDoctor.rate, channels: 2, format: "wav", fileSizeBytes: 0))
    plan.preRecordSeconds = 5
    plan.source = "built-in"
    plan.startedMonotonic = 5
    let (meta, file) = try library.begin(plan, fileExtension: "wav", beside: main)
    return Begun(meta: meta, file: file)
  }

  /// Records a take from beginning to end, as the recorder does, with a mark on the way.
  @discardableResult
  func record(frames: Int = 100) throws -> String {
    let take = try retrying { () throws(LibraryError) in try begin() }
    try fill(take, FakeDoctor.recording(frames: frames))
    var meta = take.meta
    meta.bookmarks.append(
      Bookmark(
        takeID: take.id, frame: 1, sampleRate: FakeDoctor.rate, ordinal: 0, title: "here", createdAt: clock.wallNow))
    try retrying { () throws(LibraryError) in try library.update(take.id, meta) }
    try again { () throws(StorageError) in _ = try doctor.repair(take.file) }
    take.file.close()
    meta.frames = frames
    meta.stopReason = "user"
    try retrying { () throws(LibraryError) in try library.complete(take.id, meta) }
    return take.id
  }

  func fill(_ take: Begun, _ bytes: [UInt8]) throws {
    try again { () throws(StorageError) in try FakeDoctor.write(bytes, take.file, at: 0) }
    try again { () throws(StorageError) in try take.file.sync() }
  }

  private func again(_ body: () throws(StorageError) -> Void) throws {
    for _ in 0..<100 {
      do {
        return try body()
      } catch {
        guard case .stalled = error.kind else { throw error }
      }
    }
  }

  /// Everything that has to hold at any time when nothing is being recorded.
  ///
  /// - Parameter others: sounds that are no rows of the list.
  func faults(besides others: [String] = []) throws -> [String] {
    var faults: [String] = []
    var cursor = library.beginVerify()
    // The takes: clips of these tests are no films.
    while cursor.done < cursor.total, let findings = try library.verifyNext(&cursor) {
      faults += findings.map { "\($0.id): \($0.text)" }
    }
    let sounds = storage.names(in: "recordings").filter(TakePath.isSound)
    let listed = (library.list().takes.map(\.id) + others).sorted()
    if sounds != listed { faults.append("on disk \(sounds), listed \(listed)") }
    for name in storage.names(in: "recordings") where name.hasSuffix(".salvage") || name.hasSuffix(".tmp") {
      faults.append("\(name) was left over")
    }
    for name in storage.names(in: "_Corrupted") where !name.hasSuffix(".txt") {
      if storage.nodes["_Corrupted/\(name).txt"] == nil { faults.append("\(name) has no note") }
    }
    return faults
  }
}
