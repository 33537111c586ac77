import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// What a card can come back with: the device starts, keeps what can be kept, and records.
@Suite("A damaged data directory")
struct DamageTests {
  @Test(
    "does not keep the device from starting, telling, putting aside and recording",
    arguments: Damage.all)
  func start(after damage: Damage) throws {
    let library = try GoodLibrary.copy()
    try damage.apply(library.mynah.data)
    let before = try library.contents()

    let run = try library.mynah.run(
      """
      0.5 call library.list {"limit":100}
      1.0 call library.verify
      3.0 press REC
      4.0 press STOP
      6.0 expect mode dictaphone.idle
      6.0 call library.list {"limit":100}
      6.5 quit
      """)
    try #require(run.status == 0, "\(damage): \(run.status) \(run.errors)")
    #expect(run.events("result").count == 3, "\(damage)")
    #expect(run.events("result").allSatisfy { $0.data["error"] == nil }, "\(damage): \(run.output)")

    let after = try library.contents()
    try expectGoodTakesUntouched(before, after, damage)
    try expectNothingLost(before, after, damage)
    try expectNotes(library.mynah.data, damage)
    if let hopeless = damage.hopeless {
      let isAside = after.keys.contains { $0.hasPrefix("_Corrupted/\(hopeless)") && $0.hasSuffix(".txt") }
      #expect(isAside, "\(damage): it is not in _Corrupted/: \(after.keys.sorted())")
    }
    if let unreadable = damage.unreadable {
      #expect(after[unreadable] == before[unreadable], "\(damage): \(unreadable) is not as it was")
      #expect(after["\(unreadable).json"] == nil, "\(damage): something was put beside \(unreadable)")
    }
    try expectNewTake(run, before, library, damage)
    try expectEverythingListedPlays(run, library, damage)
  }

  /// What the damage does not concern is as it was, to the byte.
  private func expectGoodTakesUntouched(_ before: [String: Data], _ after: [String: Data], _ damage: Damage) throws {
    for (name, bytes) in GoodLibrary.takes where !name.hasPrefix(damage.victim ?? "-") {
      #expect(before[name] == bytes, "\(damage): \(name) was damaged by mistake")
      #expect(after[name] == bytes, "\(damage): \(name) has changed")
    }
  }

  /// Whatever is not in `recordings/` as it was is in `_Corrupted/` as it was; only completing a take in place may
  /// change it, and only nothing at all may vanish.
  private func expectNothingLost(_ before: [String: Data], _ after: [String: Data], _ damage: Damage) throws {
    for (name, bytes) in before where !name.contains(".json") && !bytes.isEmpty {
      if after[name] == bytes || after["_Corrupted/\(name)"] == bytes { continue }
      #expect(after[name] != nil, "\(damage): \(name) is gone")
    }
  }

  /// Every file in `_Corrupted/` has a note beside it that names it and says why.
  private func expectNotes(_ data: URL, _ damage: Damage) throws {
    let folder = data.appendingPathComponent("_Corrupted")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    for name in names where !name.hasSuffix(".txt") {
      #expect(names.contains("\(name).txt"), "\(damage): no note for \(name)")
      let note = try String(contentsOf: folder.appendingPathComponent("\(name).txt"), encoding: .utf8)
      #expect(note.contains("_Corrupted/\(name)"), "\(damage): the note does not name \(name)")
      #expect(note.split(separator: "\n").contains { $0.hasPrefix("Why:") && $0.count > 15 }, "\(damage): \(note)")
    }
  }

  /// One second and its pre-record, under a number that nobody had.
  private func expectNewTake(
    _ run: Mynah.Run, _ before: [String: Data], _ library: GoodLibrary, _ damage: Damage
  ) throws {
    let saved = try #require(run.events("onTakeSaved").first, "\(damage): nothing was recorded")
    let name = try #require(saved.data["id"]?.stringValue)
    let numbers = before.keys.map { $0.prefix(6) }
    #expect(!numbers.contains(name.prefix(6)), "\(damage): \(name) has a number that was used")
    let file = library.mynah.recordings.appendingPathComponent(name)
    let frames = try #require(saved.data["frames"]?.integerValue)
    #expect(frames >= 48_000 && frames <= 6 * 48_000, "\(damage)")
    #expect(try Sound.frames(file) == frames, "\(damage)")
  }

  /// What is listed can be played, and what can be found in `recordings/` is listed.
  private func expectEverythingListedPlays(_ run: Mynah.Run, _ library: GoodLibrary, _ damage: Damage) throws {
    let listed = run.events("result").last?.data["result"]?["takes"]?.arrayValue ?? []
    let names = Set(listed.compactMap { $0["id"]?.stringValue })
    for name in try library.contents().keys where !name.contains("/") && !name.contains(".json") {
      #expect(names.contains(name), "\(damage): \(name) is in recordings/ and not in the list")
    }
    for name in names.subtracting([damage.unreadable].compactMap { $0 })
    where GoodLibrary.takes[name] == nil || name.hasPrefix(damage.victim ?? "-") {
      let file = library.mynah.recordings.appendingPathComponent(name)
      let decoded = Result { try Sound.samples(file).count }
      switch decoded {
      case .success(let count): #expect(count > 0, "\(damage): \(name) is listed and silent")
      case .failure(let error): Issue.record("\(damage): \(name) is listed and cannot be played: \(error)")
      }
    }
  }
}

/// Four good takes, two AAC and two WAV, made once.
struct GoodLibrary: Sendable {
  let folder: TemporaryFolder
  let mynah: Mynah

  private static let original: Result<GoodLibrary, any Error> = Result {
    let folder = TemporaryFolder()
    let library = GoodLibrary(folder: folder, mynah: Mynah(folder: folder))
    let run = try library.mynah.run(
      """
      0.1 call settings.set {"recording.format":"aac","recording.preRecordSeconds":1}
      2 press REC
      5 press STOP
      7 call settings.set {"recording.format":"wav"}
      8 press REC
      11 press STOP
      13 call settings.set {"recording.format":"aac"}
      14 press REC
      15 press STOP
      17 call settings.set {"recording.format":"wav"}
      18 press REC
      19 press STOP
      21 quit
      """)
    guard run.status == 0, library.mynah.takes.count == 4 else {
      throw Tool.Failure(description: "no good takes: \(run.errors)")
    }
    // A static one is never deinitialised.
    atexit { try? FileManager.default.removeItem(at: GoodLibrary.original.get().folder.url) }
    return library
  }

  /// The sound files as they were made, by name.
  static let takes: [String: Data] = {
    let files = (try? original.get().mynah.takes) ?? []
    return Dictionary(uniqueKeysWithValues: files.map { ($0.lastPathComponent, (try? Data(contentsOf: $0)) ?? Data()) })
  }()

  /// A copy to be spoilt.
  static func copy() throws -> GoodLibrary {
    let folder = TemporaryFolder()
    let copy = GoodLibrary(folder: folder, mynah: Mynah(folder: folder))
    // With the times of change, by which the device knows a file that has not been touched.
    try Tool.succeed("cp", ["-a", try original.get().mynah.data.path, copy.mynah.data.path])
    return copy
  }

  /// All regular files of `recordings/` by name, of `_Corrupted/` by `_Corrupted/name`.
  func contents() throws -> [String: Data] {
    var result: [String: Data] = [:]
    for (folder, prefix) in [("recordings", ""), ("_Corrupted", "_Corrupted/")] {
      let place = mynah.data.appendingPathComponent(folder)
      for name in (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? [] {
        let file = place.appendingPathComponent(name)
        let type = try FileManager.default.attributesOfItem(atPath: file.path)[.type] as? FileAttributeType
        if type == .typeRegular { result[prefix + name] = try Data(contentsOf: file) }
      }
    }
    return result
  }
}
