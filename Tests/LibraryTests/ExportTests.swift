import Foundation
import Hardware
import LinuxHardware
import Media
import TestSupport
import Testing

@testable import Library

/// Takes on their way to a stick: names, whole files or none, nothing of others touched.
@Suite struct ExportTests {
  /// Runs an export to its end; a stall is only a delay.
  private static func run(_ export: StickExport) throws -> ExportOutcome {
    for _ in 0..<100_000 {
      do throws(LibraryError) {
        if let outcome = try export.step() { return outcome }
      } catch {
        if error.stalledUntil == nil { throw error }
      }
    }
    throw LibraryError.busy("an export without end")
  }

  private static func stick() -> MemoryStorage { MemoryStorage() }

  private static let first = "Mynah/Take 1 2026-11-20 21-54-00.wav"

  /// What is on the stick under a final name has to be in the library, byte by byte.
  private static func halves(_ stick: MemoryStorage, of bench: Bench) throws -> [String] {
    let whole = try bench.storage.names(in: "recordings").map { name in
      try bench.storage.read("recordings/\(name)", limit: 1 << 24)
    }
    return stick.nodes.filter { !$0.key.hasSuffix(StickFolder.unfinished) && !whole.contains($0.value.bytes) }.map(
      \.key)
  }

  // MARK: Names

  @Test(arguments: [
    ("Harbour", "Harbour"), ("a/b\\c:d*e?f\"g<h>i|j", "a_b_c_d_e_f_g_h_i_j"), ("  .hidden. ", "hidden"), ("...", "_"),
    ("", "_"), ("con", "_con"), ("LPT1", "_LPT1"), ("com10", "com10"), ("nul.txt", "_nul.txt"),
    ("a\u{0}b\u{7F}", "a_b_"),
    ("Интервью", "Интервью"), ("a\u{202E}b\u{200B}", "ab"), ("line\nbreak", "line_break"),
  ]) func `Names are such as FAT and every computer accept`(text: String, name: String) {
    #expect(StickName.stem(text) == name)
  }

  @Test func `Long names are cut where a character ends`() {
    let stem = StickName.stem(String(repeating: "ж", count: 300))
    #expect(stem.utf8.count == 200 && stem.allSatisfy { $0 == "ж" })
    #expect(
      StickName.numbered("Take 1.m4a", 2) == "Take 1 (2).m4a" && StickName.numbered("Take 1.m4a", 1) == "Take 1.m4a")
    #expect(StickName.suffix(".m4a") == ".m4a" && StickName.suffix(".m4/../a") == ".m4a" && StickName.suffix("") == "")
  }

  @Test(arguments: [(nil, 0), (5, 5), (4.5, 4.5), (3.2e9, 60)] as [(Double?, Double)])
  func `What a take is converted to is dated by its first sound`(seconds: Double?, lead: Double) throws {
    let bench = try Bench.opened()
    let take = try #require(bench.library.summary(try bench.record()))
    var meta = FileMeta(
      id: take.id, displayName: "", createdAt: take.createdAt,
      audio: AudioAttributes(duration: 0, sampleRate: 8000, channels: 1, format: "wav", fileSizeBytes: 0))
    meta.preRecordSeconds = seconds
    let files = ExportPlan.files(of: take, withSafety: false, words: ExportWords(), as: .flac, meta)
    let date = try #require(files.first?.conversion?.notes.createdAt)
    #expect(take.createdAt.nanosecondsSince1970 - date.nanosecondsSince1970 == Int64(lead * 1e9))
  }

  @Test func `A take has its name and date, its parts and safety takes theirs`() throws {
    let bench = try Bench.opened()
    let id = try bench.record()
    var take = try #require(bench.library.summary(id))
    func names(_ withSafety: Bool = false) -> [String] {
      ExportPlan.files(of: take, withSafety: withSafety, words: ExportWords()).map(\.name)
    }
    #expect(
      names() == [
        "Take 1 2026-11-20 21-54-00.wav", "Take 1 2026-11-20 21-54-00.wav.json", "Take 1 2026-11-20 21-54-00.wav.proof",
      ])
    take.displayName = "Wind: north/west"
    let part = TakePart(id: id, frames: 1, sampleRate: 8000, bytes: 1)
    take.parts = [part, part]
    take.safety = [part]
    #expect(
      names(true).filter { $0.hasSuffix(".wav") } == [
        "Wind_ north_west 2026-11-20 21-54-00 1 of 2.wav", "Wind_ north_west 2026-11-20 21-54-00 2 of 2.wav",
        "Wind_ north_west 2026-11-20 21-54-00 safety.wav",
      ])
    #expect(
      ExportPlan.files(ofClip: "000007_2026-11-20T21-54-00Z.mp4", words: ExportWords()).map(\.name)
        == [
          "Clip 7 2026-11-20 21-54-00.mp4", "Clip 7 2026-11-20 21-54-00.mp4.json",
          "Clip 7 2026-11-20 21-54-00.mp4.proof",
        ])
  }

  // MARK: Copies

  @Test func `A take is on the stick with its notes, once, and the source is as it was`() throws {
    let bench = try Bench.opened()
    let id = try bench.record(frames: 200_000)
    bench.settle(now: Instant(nanoseconds: 60_000_000_000))
    let before = bench.storage.nodes.mapValues(\.bytes)
    let stick = Self.stick()
    let export = bench.library.exports.begin(["1"], to: stick)
    let outcome = try Self.run(export)
    #expect(outcome.done == 1 && outcome.copied == 2 && outcome.there == 0 && outcome.failures == [])
    #expect(export.progress.done == export.progress.total && export.progress.total > 400_000)
    #expect(try stick.read(Self.first, limit: 1 << 24) == bench.storage.read("recordings/\(id)", limit: 1 << 24))
    #expect(
      try stick.read(Self.first + ".json", limit: 1 << 20)
        == bench.storage.read(TakePath.sidecar(id), limit: 1 << 20))
    #expect(stick.names(in: "Mynah").count == 2)
    #expect(bench.storage.nodes.mapValues(\.bytes) == before)
    let again = try Self.run(bench.library.exports.begin([id], to: stick))
    #expect(again.copied == 0 && again.there == 2 && stick.names(in: "Mynah").count == 2)
  }

  @Test func `Named twice, by its name and by its number, it is one take`() throws {
    let bench = try Bench.opened()
    let id = try bench.record()
    let outcome = try Self.run(bench.library.exports.begin(["1", id, "1", "01", id], to: Self.stick()))
    #expect(outcome.done == 1 && outcome.copied == 2 && outcome.there == 0 && outcome.failures == [])
  }

  @Test func `Notes that are no file are passed over`() throws {
    let bench = try Bench.opened()
    let id = try bench.record()
    bench.settle(now: Instant(nanoseconds: 60_000_000_000))
    bench.storage.special.insert(TakePath.sidecar(id))
    let stick = Self.stick()
    let outcome = try Self.run(bench.library.exports.begin([id], to: stick))
    #expect(outcome.done == 1 && outcome.copied == 1 && outcome.failures == [])
    #expect(stick.nodes[Self.first] != nil && stick.names(in: "Mynah").count == 1)
  }

  @Test func `Other files of the name keep it, whatever they are`() throws {
    let bench = try Bench.opened()
    let id = try bench.record(frames: 1000)
    let size = try bench.storage.read("recordings/\(id)", limit: 1 << 24).count
    let stick = Self.stick()
    try stick.makeDirectory("Mynah")
    stick.plant(Self.first, [UInt8](repeating: 7, count: size))
    stick.plant("Mynah/Take 1 2026-11-20 21-54-00 (2).wav", [1, 2, 3])
    // A link, and the rest of an export that was broken off.
    stick.plant("Mynah/Take 1 2026-11-20 21-54-00 (3).wav", [])
    stick.special = ["Mynah/Take 1 2026-11-20 21-54-00 (3).wav", Self.first + StickFolder.unfinished]
    stick.plant(Self.first + StickFolder.unfinished, [9])
    #expect(try Self.run(bench.library.exports.begin([id], to: stick)).copied == 2)
    #expect(try stick.read(Self.first, limit: 1 << 24) == [UInt8](repeating: 7, count: size))
    #expect(stick.nodes["Mynah/Take 1 2026-11-20 21-54-00 (2).wav"]?.bytes == [1, 2, 3])
    #expect(stick.nodes[Self.first + StickFolder.unfinished]?.bytes == [9])
    #expect(stick.nodes["Mynah/Take 1 2026-11-20 21-54-00 (4).wav"]?.bytes.count == size)
    // Its notes are beside it, and none beside the other one.
    #expect(stick.nodes["Mynah/Take 1 2026-11-20 21-54-00 (4).wav.json"] != nil)
    #expect(stick.nodes[Self.first + ".json"] == nil)
  }

  @Test func `A take that is not there, or open, is told of, and the others are copied`() throws {
    let bench = try Bench.opened()
    let id = try bench.record()
    let open = try bench.begin()
    let stick = Self.stick()
    let outcome = try Self.run(bench.library.exports.begin(["none.wav", open.id, id], to: stick))
    #expect(outcome.done == 1 && outcome.failures.map(\.error.code) == ["not-found", "busy"])
    #expect(try bench.library.exports.all() == [id] && bench.library.isWriting)
    open.file.close()
  }

  @Test func `A source that cannot be read leaves nothing of itself`() throws {
    let bench = try Bench.opened()
    let ids = try (1...2).map { _ in try bench.record(frames: 100_000) }
    let export = bench.library.exports.begin(ids, to: Self.stick())
    for _ in 0..<4 { #expect(try export.step() == nil) }
    bench.storage.nodes["recordings/\(ids[0])"]?.bytes.removeLast(150_000)
    let outcome = try Self.run(export)
    #expect(outcome.done == 1 && outcome.failures.map(\.id) == [ids[0]])
  }

  @Test func `Cancelled, it leaves nothing unfinished`() throws {
    let bench = try Bench.opened()
    let id = try bench.record(frames: 500_000)
    let stick = Self.stick()
    let export = bench.library.exports.begin([id], to: stick)
    for _ in 0..<6 { #expect(try export.step() == nil) }
    #expect(stick.names(in: "Mynah").map { $0.hasSuffix(StickFolder.unfinished) } == [true])
    export.giveUp()
    #expect(stick.names(in: "Mynah") == [])
  }

  // MARK: Sticks that fail

  @Test func `Pulled out at any call there is no half file under its name, and the next time all is there`() throws {
    let whole = try Bench.opened()
    let begun = try whole.record(frames: 300_000)
    let stick = Self.stick()
    _ = try Self.run(whole.library.exports.begin([begun], to: stick))
    #expect(stick.calls > 8)
    for powerCut in [false, true] {
      for call in 1...stick.calls {
        let bench = try Bench.opened()
        let id = try bench.record(frames: 300_000)
        let broken = Self.stick()
        broken.disaster = (.kill, at: call)
        let export = bench.library.exports.begin([id], to: broken)
        let error = #expect(throws: LibraryError.self, "at \(call)") { try Self.run(export) }
        #expect(error == .stick(.lost), "at \(call)")
        let left = broken.reboot(powerCut: powerCut)
        #expect(try Self.halves(left, of: bench) == [], "pulled out at \(call)")
        #expect(try bench.faults() == [])
        left.directories.insert("Mynah")
        #expect(try Self.run(bench.library.exports.begin([id], to: left)).done == 1)
        #expect(left.names(in: "Mynah").count == 2, "after \(call): \(left.names(in: "Mynah"))")
      }
    }
  }

  @Test func `A stall at any call only delays it`() throws {
    let bench = try Bench.opened()
    let id = try bench.record(frames: 100_000)
    let whole = Self.stick()
    _ = try Self.run(bench.library.exports.begin([id], to: whole))
    for call in 1...whole.calls {
      let stick = Self.stick()
      stick.disaster = (.stall, at: call)
      #expect(try Self.run(bench.library.exports.begin([id], to: stick)).done == 1, "stalled at \(call)")
      #expect(stick.nodes.mapValues(\.bytes) == whole.nodes.mapValues(\.bytes), "stalled at \(call)")
    }
  }

  @Test func `A stick that is full, read-only, or gives back something else is said to be that`() throws {
    let bench = try Bench.opened()
    let id = try bench.record(frames: 200_000)
    func error(_ change: (MemoryStorage) -> Void) -> LibraryError? {
      let stick = Self.stick()
      change(stick)
      let error = #expect(throws: LibraryError.self) { try Self.run(bench.library.exports.begin([id], to: stick)) }
      #expect(stick.names(in: "Mynah") == [])
      return error
    }
    let full = error { $0.free = 100_000 }
    #expect(full?.code == "storage-full" && full?.description.contains("34464 are free") == true)
    #expect(error { $0.failure = .denied } == .stick(.readOnly))
    let late = error {
      $0.failure = .full
      $0.failingSuffix = StickFolder.unfinished
    }
    #expect(late?.code == "storage-full")
    let faulty = Self.stick()
    let export = bench.library.exports.begin([id], to: faulty)
    while export.progress.done < export.progress.total / 2 { #expect(try export.step() == nil) }
    for node in faulty.nodes.values { node.bytes[300_000] ^= 1 }
    #expect(throws: LibraryError.stick(.unfaithful(file: "Take 1 2026-11-20 21-54-00.wav"))) { try Self.run(export) }
    #expect(faulty.names(in: "Mynah") == [])
  }

  @Test func `On a real folder links are not followed, and a file in the folder's place is named`() throws {
    let bench = try Bench.opened()
    let id = try bench.record(frames: 50_000)
    let (folder, elsewhere) = (TemporaryFolder(), TemporaryFolder())
    let stick = try FileStorage(root: folder.path, reserveBytes: 0)
    #expect(symlink(elsewhere.path, folder.file("Mynah")) == 0)
    #expect(throws: LibraryError.stick(.blocked("Mynah"))) {
      try Self.run(bench.library.exports.begin([id], to: stick))
    }
    #expect(unlink(folder.file("Mynah")) == 0 && mkdir(folder.file("Mynah"), 0o755) == 0)
    #expect(symlink(elsewhere.file("secret"), folder.file(Self.first)) == 0)
    #expect(try Self.run(bench.library.exports.begin([id], to: stick)).done == 1)
    #expect(elsewhere.names == [])
    let sound = elsewhere.put(try bench.storage.read("recordings/\(id)", limit: 1 << 24), "sound")
    try Tool.succeed("cmp", [sound, folder.file("Mynah/Take 1 2026-11-20 21-54-00 (2).wav")])
  }
}
