import Foundation
import Hardware
import LinuxHardware
import Media
import TestSupport
import Testing

@testable import Library

/// Strangers' files whose names are like the device's own: what is in them and beside them says whose they are.
@Suite("What is called like the device's, and is not")
struct OriginTests {
  private static let stamp = "2026-11-20T21-54-00Z"
  private static func name(_ number: Int, _ ending: String) -> String { "0000\(number)_\(stamp)\(ending)" }

  /// A day of the device's, and what others have put beside its takes.
  private func card() throws -> (bench: Bench, foreign: [String: [UInt8]], take: String) {
    let bench = try Bench.opened()
    let take = try bench.record(frames: 50)
    let stem = TakeName.split(take).stem
    let stranger = Array("RIFF of somebody's".utf8)
    let foreign: [String: [UInt8]] = [
      "recordings/\(stem)_edited.wav": stranger, "recordings/\(stem).flac": stranger,
      "recordings/\(Self.name(52, ".wav"))": [UInt8](repeating: 9, count: 9000),
      "recordings/\(Self.name(53, ".m4a"))": [UInt8](repeating: 0x5A, count: 5000),
      "recordings/\(Self.name(55, "_notes.wav"))": [],
      "recordings/\(Self.name(56, ".txt.json"))": Array("{\"a\":1}".utf8),
      "recordings/\(Self.name(57, ".json"))": Array("{\"a\":1}".utf8),
      "recordings/\(Self.name(57, ".json.bak"))": Array("{".utf8),
      "recordings/\(Self.name(58, ".wav.tmp"))": Array("{\"a\":1}".utf8),
      "recordings/\(Self.name(58, ".json.tmp"))": Array("{\"a\":1}".utf8),
      "recordings/\(Self.name(59, ".wav.salvage"))": stranger,
      "recordings/\(Self.name(59, ".wav.proof"))": stranger,
      "recordings/\(Self.name(60, ".m4a.age"))": stranger,
      "recordings/\(Self.name(54, ".wav.tmp"))": [], "recordings/\(Self.name(66, ".m4a.tmp"))": [],
      "recordings/\(Self.name(65, ".flac.salvage"))": [],
      "clips/\(Self.name(61, ".mp4.part"))": stranger,
      "clips/\(Self.name(62, ".json"))": Array("{\"a\":1}".utf8),
      "_Corrupted/\(Self.name(63, ".wav.tmp"))": stranger, "\(Self.name(64, ".wav.tmp"))": stranger,
    ]
    for (path, bytes) in foreign.sorted(by: { $0.key < $1.key }) { bench.storage.plant(path, bytes) }
    return (bench, foreign, take)
  }

  /// `age -o TAKE.age TAKE`, in the card's own folder.
  @Test func `What somebody has sealed beside a take stays where it is`() throws {
    let bench = try Bench.opened()
    let take = try bench.record(frames: 50)
    let path = "recordings/\(take)\(TakeName.sealedSuffix)"
    let sealed = Array("age-encryption.org/v1\n-> X25519 somebody".utf8)
    bench.storage.plant(path, sealed)
    var storage = bench.storage
    for _ in 0..<2 {
      storage = storage.reboot()
      let takes = try Bench.opened(storage).library.list().takes
      #expect(storage.nodes[path]?.bytes == sealed)
      #expect(takes.count == 2 && takes.contains { $0.id == take && $0.frames == 50 })
    }
  }

  /// `mynah decrypt TAKE.age`, in the card's own folder.
  @Test func `What somebody has opened beside a sealed take stays where it is`() throws {
    let sealed = Self.name(70, ".wav\(TakeName.sealedSuffix)")
    let opened = "recordings/\(Self.name(70, ".wav"))"
    let bench = try Bench.opened()
    bench.storage.plant("recordings/\(sealed)", Array("age-encryption.org/v1\n-> X25519 ours".utf8))
    let first = try Bench.opened(bench.storage.reboot())
    #expect(first.library.list().takes.map(\.id) == [sealed])
    let sound = FakeDoctor.complete(frames: 5)
    first.storage.plant(opened, sound)
    let second = try Bench.opened(first.storage.reboot())
    #expect(second.storage.nodes[opened]?.bytes == sound)
    #expect(second.library.list().takes.count == 2)
  }

  @Test func `It is listed at most, and neither mended, moved, renumbered nor removed`() throws {
    let (before, foreign, take) = try card()
    let notes = before.storage.nodes["recordings/\(Sidecar.name(take))"]?.bytes
    var storage = before.storage
    for _ in 0..<2 {
      storage = storage.reboot()
      let bench = try Bench.opened(storage)
      for id in bench.library.list().takes.map(\.id) { _ = try bench.library.repair(id) }
      for (path, bytes) in foreign { #expect(storage.nodes[path]?.bytes == bytes, "\(path)") }
      #expect(storage.names(in: "_Corrupted") == [Self.name(63, ".wav.tmp")])
      #expect(storage.nodes["recordings/\(Sidecar.name(take))"]?.bytes == notes)
      let takes = Dictionary(uniqueKeysWithValues: bench.library.list().takes.map { ($0.id, $0) })
      #expect(takes[take]?.frames == 50 && takes[take]?.isUnreadable == false)
      let others = takes.keys.filter { $0 != take }
      #expect(others.count == 6 && others.allSatisfy { takes[$0]?.isUnreadable == true }, "\(others)")
      #expect(bench.library.report.recovered == [] && bench.library.report.failures == 0)
    }
    // What is known of it is not looked at again.
    let last = Bench(storage.reboot())
    try last.library.open()
    last.settle()
    #expect(last.doctor.inspections == 0)
    #expect(last.library.report.sentences == [])
  }

  @Test func `An empty file of a copy that the power has cut off is told by its number, and goes`() throws {
    let bench = try Bench.opened()
    _ = try bench.record(frames: 5)
    bench.storage.plant("recordings/000002_\(Self.stamp).wav.tmp", [])
    let again = try Bench.opened(bench.storage.reboot())
    #expect(!again.storage.names(in: "recordings").contains { $0.hasSuffix(".tmp") })
    #expect(again.library.report.leftoversRemoved == 1)
  }

  @Test func `Verifying tells a stranger's from a take that has lost its notes`() throws {
    let (bench, _, _) = try card()
    let lost = Self.name(70, ".wav")
    bench.storage.plant("recordings/\(lost)", FakeDoctor.recording(frames: 7))
    let again = try Bench(bench.storage.reboot()).begun()
    #expect(try again.verify(lost).map(\.code).contains("metadata-missing"))
    let findings = try again.verify(Self.name(52, ".wav"))
    #expect(findings.map(\.code) == ["sound-damaged"] && findings.allSatisfy { !$0.isRepairable })
  }

  @Test func `A take that has lost its notes is told by what is in it, whole or cut off`() throws {
    let (before, _, _) = try card()
    before.storage.plant("recordings/\(Self.name(70, ".wav"))", FakeDoctor.recording(frames: 7))
    before.storage.plant("recordings/\(Self.name(71, ".wav"))", FakeDoctor.complete(frames: 8))
    before.storage.plant("recordings/\(Self.name(72, ".wav"))", FakeDoctor.complete(frames: 9))
    before.storage.plant("recordings/\(Self.name(72, ".m4a"))", [1, 2, 3])
    let bench = try Bench.opened(before.storage.reboot())
    #expect(bench.library.report.recovered == [Self.name(70, ".wav")])
    for (number, frames) in [(70, 7), (71, 8), (72, 9)] {
      #expect(bench.library.summary(Self.name(number, ".wav"))?.frames == frames)
    }
    #expect(bench.library.summary(Self.name(72, ".m4a"))?.isUnreadable == true)
  }

  @Test func `What people say of it does not make it the device's`() throws {
    let id = Self.name(52, ".wav")
    let bytes = [UInt8](repeating: 9, count: 9000)
    let (before, _, take) = try card()
    let bench = try Bench.opened(before.storage.reboot())
    try bench.library.rename(id, to: "The talk")
    try bench.library.addBookmark(
      id,
      Bookmark(
        takeID: id, frame: 0, sampleRate: 48_000, ordinal: 0, title: "here", createdAt: bench.clock.wallNow))
    // The notes beside it are those of the take.
    let converted = "\(TakeName.split(take).stem).flac"
    #expect(throws: LibraryError.self) { try bench.library.rename(converted, to: "The same") }
    #expect(throws: LibraryError.self) { while try bench.library.copy(id).step() == nil {} }
    for lost in [false, true] {
      let storage = bench.storage.reboot()
      if lost { storage.nodes["catalogue"] = nil }
      let again = try Bench.opened(storage)
      again.settle(now: Instant(nanoseconds: 20_000_000_000))
      _ = try again.library.repair(id)
      #expect(again.library.summary(id)?.displayName == "The talk")
      #expect(again.storage.nodes["recordings/\(id)"]?.bytes == bytes)
      try again.library.delete(converted, now: .zero)
      #expect(again.storage.nodes["recordings/\(Sidecar.name(take))"] != nil)
      #expect(again.library.summary(take)?.frames == 50)
    }
  }

  @Test(arguments: [#"{"text":"hello"}"#, "[1]", "no JSON"])
  func `A film that is only called like a clip makes no room, and what lies beside it stays as it is`(json: String)
    throws
  {
    let storage = MemoryStorage()
    storage.makeAll(["recordings", "clips", "trash"])
    let film = Self.name(52, ".mp4")
    let notes = ["clips/\(Sidecar.name(film))", "recordings/\(Sidecar.name(film))"]
    for path in notes { storage.plant(path, Array(json.utf8)) }
    storage.plant("clips/\(film)", [1, 2, 3])
    // A delete that the power has cut off.
    storage.plant("trash/\(Self.name(52, ".wav"))", [1])
    let bench = try Bench.opened(storage)
    #expect(throws: LibraryError.self) { try bench.library.protect(film, true) }
    bench.library.clips.retention.quotaBytes = 0
    try bench.library.clips.makeRoom()
    #expect(storage.nodes["clips/\(film)"] != nil)
    try bench.library.delete(film, now: .zero)
    try bench.library.emptyTrash()
    let later = storage.reboot()
    _ = try Bench.opened(later)
    for path in notes { #expect(later.nodes[path]?.bytes == Array(json.utf8), "\(path)") }
  }

  // MARK: Marks

  @Test(arguments: [TakeFormat.aac, .wav, .alaw])
  func `Every recording of the device's bears its marks, from the first kilobytes on`(format: TakeFormat) throws {
    let bench = try RealBench()
    let id = try #require(try bench.record([30_000], as: format).first)
    let whole = try Data(contentsOf: bench.folder.url.appendingPathComponent("recordings/\(id)"))
    for count in [whole.count, whole.count / 2, 4096] {
      let file = bench.folder.url.appendingPathComponent("x")
      try whole.prefix(count).write(to: file)
      let storage = try FileStorage(root: bench.folder.path, reserveBytes: 0)
      #expect(try MediaRepair.bearsMarks(try storage.open("x", writable: false)), "\(format), \(count) bytes")
    }
  }

  @Test(arguments: [
    "wav", "m4a -c:a aac", "m4a -c:a aac -movflags +faststart", "m4a -c:a aac -movflags +frag_keyframe+empty_moov",
    "flac", "opus -c:a libopus", "wav -write_bext 1 -rf64 always", "m4a -c:a alac",
  ])
  func `No other program's does`(how: String) throws {
    let words = how.split(separator: " ").map(String.init)
    let folder = TemporaryFolder()
    let name = "x.\(words[0])"
    try Tool.succeed(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "sine=440:duration=1:sample_rate=48000"] + words.dropFirst()
        + ["\(folder.path)/\(name)"])
    let storage = try FileStorage(root: folder.path, reserveBytes: 0)
    #expect(try !MediaRepair.bearsMarks(try storage.open(name, writable: false)), "\(how)")
  }
}
