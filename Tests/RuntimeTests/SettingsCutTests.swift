import Hardware
import JSON
import SimulatedHardware
import Synchronization
import Testing

/// Several settings set as one change on a device whose power goes meanwhile.
@Suite struct SettingsCutTests {
  private static let set =
    #"2 call settings.set {"recording.format":"wav","recording.preRecordSeconds":20,"clips.postRollSeconds":7}"#

  /// The three values after a power cut at the `call`th writing of settings, and whether there was such a one.
  private func values(cutAt call: Int) throws -> (values: [JSONValue?], wasCut: Bool) {
    let bench = try RuntimeBench()
    let storage = CuttingStorage(bench.memory, cutAt: call)
    bench.hardware.storage = storage
    try bench.run("\(Self.set)\n3 quit")
    let after = try RuntimeBench(continuing: bench)
    try after.run("1 call settings.get\n2 quit")
    #expect(!after.log.contains { $0.contains("settings.json") })
    let found = after.results("settings.get").first
    let keys = ["recording.format", "recording.preRecordSeconds", "clips.postRollSeconds"]
    return (keys.map { found?[$0] }, storage.isCut)
  }

  @Test("After a power cut at any writing of three settings, all of them are kept or none")
  func allOrNone() throws {
    let old: [JSONValue?] = ["aac", 5, 0]
    let new: [JSONValue?] = ["wav", 20, 7]
    var outcomes: [Bool] = []
    for call in 1...20 {
      let (found, wasCut) = try values(cutAt: call)
      #expect(found == old || found == new, "cut at call \(call): \(found)")
      outcomes.append(found == new)
      guard wasCut else { break }
    }
    // One change is one save: the file and its backup, and then there is nothing left to cut.
    #expect(outcomes == [false, true, true])
  }
}

/// The same where some of it is secret, and so in two files.
@Suite struct SecretSettingsCutTests {
  private static let old = ["aac", "0ld-token", "wss://bob:0ld@dub.example/"]
  private static let new = ["wav", "n3w-token", "wss://bob:n3w@dub.example/"]

  private static func set(_ values: [String]) -> String {
    #"{"recording.format":"\#(values[0])","dub.serviceToken":"\#(values[1])","dub.service":"\#(values[2])"}"#
  }

  /// What the files say of a setting.
  private static func kept(_ key: String, _ bench: RuntimeBench) throws -> String? {
    let files = try ["settings.json", "secrets.json"].map {
      try JSONValue(parsing: bench.memory.read($0, limit: 1 << 20))
    }
    let value = files[0][key]
    return value?["secret"]?.integerValue.flatMap { files[1]["\($0)"]?.stringValue } ?? value?.stringValue
  }

  @Test("After a power cut at any writing of settings and secrets, all of them are kept or none")
  func allOrNone() throws {
    var outcomes: [Bool] = []
    for call in 1...20 {
      let bench = try RuntimeBench()
      try bench.run("1 call settings.set \(Self.set(Self.old))\n2 quit")
      let cut = try RuntimeBench(continuing: bench)
      let storage = CuttingStorage(bench.memory, cutAt: call)
      cut.hardware.storage = storage
      try cut.run("1 call settings.set \(Self.set(Self.new))\n2 quit")
      let after = try RuntimeBench(continuing: bench)
      try after.run("1 call settings.get\n2 quit")
      #expect(!after.log.contains { $0.contains("secrets.json") }, "\(after.log)")
      let found = try ["recording.format", "dub.serviceToken", "dub.service"].map { try Self.kept($0, after) }
      #expect(found == Self.old || found == Self.new, "cut at call \(call): \(found)")
      outcomes.append(found == Self.new)
      guard storage.isCut else { break }
    }
    // Two files of secrets, two of settings, and the secrets that nobody asks for any more.
    #expect(outcomes == [false, false, false, true, true, true, true])
  }
}

/// A medium whose power goes at a writing of settings.
private final class CuttingStorage: Storage {
  private let inner: any Storage
  private let left: Mutex<Int>

  init(_ inner: any Storage, cutAt call: Int) {
    self.inner = inner
    left = Mutex(call)
  }

  var isCut: Bool { left.withLock { $0 <= 0 } }
  var root: String { inner.root }

  private func live(_ path: String) throws(StorageError) {
    guard isCut else { return }
    throw StorageError(.failed, operation: "write", path: path, code: 5)
  }

  func create(_ path: String) throws(StorageError) -> any StoredFile {
    try live(path)
    return try inner.create(path)
  }

  func open(_ path: String, writable: Bool) throws(StorageError) -> any StoredFile {
    try live(path)
    return try inner.open(path, writable: writable)
  }

  func scratch() throws(StorageError) -> any StoredFile {
    try live("scratch")
    return try inner.scratch()
  }

  func read(_ path: String, limit: Int) throws(StorageError) -> [UInt8] {
    try live(path)
    return try inner.read(path, limit: limit)
  }

  func replace(_ path: String, with bytes: [UInt8]) throws(StorageError) {
    if path.hasPrefix("settings.json") || path.hasPrefix("secrets.json") { left.withLock { $0 -= 1 } }
    try live(path)
    try inner.replace(path, with: bytes)
  }

  func list(_ directory: String) throws(StorageError) -> [StorageEntry] {
    try live(directory)
    return try inner.list(directory)
  }

  func entry(_ path: String) throws(StorageError) -> StorageEntry {
    try live(path)
    return try inner.entry(path)
  }

  func makeDirectory(_ path: String) throws(StorageError) {
    try live(path)
    try inner.makeDirectory(path)
  }

  func rename(_ path: String, to target: String) throws(StorageError) {
    try live(path)
    try inner.rename(path, to: target)
  }

  func remove(_ path: String) throws(StorageError) {
    try live(path)
    try inner.remove(path)
  }

  func syncDirectory(_ path: String) throws(StorageError) {
    try live(path)
    try inner.syncDirectory(path)
  }

  func space() throws(StorageError) -> (free: Int, total: Int) { try inner.space() }
}
