import Hardware
import Testing

@testable import Library

/// Safety takes: with their takes whatever becomes of these, and takes themselves where these are gone.
@Suite struct SafetyTests {
  /// Records a take in parts of so many frames, each with a safety take.
  static func record(_ bench: Bench, _ parts: [Int] = [100]) throws -> [String] {
    var ids: [String] = []
    for (number, frames) in parts.enumerated() {
      func file(_ main: String?, after last: String?) throws -> String {
        let take = try bench.retrying { () throws(LibraryError) in try bench.begin(beside: main) }
        try bench.fill(take, FakeDoctor.complete(frames: frames))
        take.file.close()
        var meta = take.meta
        meta.linkedTake = last
        meta.frames = frames
        meta.stopReason = number + 1 == parts.count ? "user" : "split"
        if main == nil {
          let safety = try file(take.id, after: last.map(TakeName.safety(of:)))
          #expect(safety == TakeName.safety(of: take.id) && TakeName.main(of: safety) == take.id)
        }
        try bench.retrying { () throws(LibraryError) in try bench.library.complete(take.id, meta) }
        return take.id
      }
      ids.append(try file(nil, after: ids.last))
    }
    return ids
  }

  private static func sounds(_ bench: Bench) -> [String] {
    bench.storage.names(in: "recordings").filter(TakePath.isSound)
  }

  @Test func `It is told of with its take, counted in bytes, and no row of the list`() throws {
    let bench = try Bench.opened()
    let before = try bench.record(frames: 50)
    let ids = try Self.record(bench, [200, 300])
    let safeties = ids.map(TakeName.safety(of:))
    for library in [bench.library, try Bench.opened(bench.storage.reboot()).library] {
      let takes = library.list().takes
      #expect(takes.map(\.id) == [ids[0], before] && library.count == 2)
      #expect(takes[0].frames == 500 && takes[0].parts?.map(\.id) == ids)
      #expect(takes[0].safety.map(\.id) == safeties && takes[0].safety.map(\.frames) == [200, 300])
      #expect(takes[0].safetyBytes == takes[0].fileSizeBytes && takes[1].safetyBytes == nil)
      let totals = try library.totals()
      #expect(totals.takes == 2 && totals.bytes == takes[0].fileSizeBytes * 2 + takes[1].fileSizeBytes)
      #expect(abs(totals.seconds - takes[0].duration - takes[1].duration) < 1e-9)
      #expect(library.safety(of: ids[1]) == safeties[1] && library.main(of: safeties[1]) == ids[1])
      #expect(Set(library.files) == Set(ids + safeties + [before]))
      // The player can have it as a whole.
      #expect(library.summary(safeties[0])?.files.map(\.id) == safeties)
      #expect(library.wholeTake(safeties[1]) == safeties[0])
    }
    #expect(bench.storage.nodes["recordings/\(TakeName.split(safeties[0]).stem).json"] != nil)
    #expect(try Bench.opened(bench.storage.reboot()).library.report.sentences == [])
  }

  @Test func `Without its take it is a take, and a part of a split one where the others are there`() throws {
    let bench = try Bench.opened()
    let ids = try Self.record(bench, [200, 300])
    for id in ids {
      for name in [id, Sidecar.name(id), Sidecar.backup(id)] { bench.storage.nodes["recordings/\(name)"] = nil }
    }
    let again = try Bench.opened(bench.storage.reboot())
    #expect(again.library.list().takes.map(\.id) == [TakeName.safety(of: ids[0])])
    #expect(again.library.list().takes.map(\.frames) == [500])
    #expect(try again.faults(besides: [TakeName.safety(of: ids[1])]) == [])
    try again.library.delete(TakeName.safety(of: ids[0]), now: .zero)
    #expect(again.library.count == 0)
  }

  @Test func `It becomes a take while the device is on, and goes back to its take`() throws {
    var index = TakeIndex()
    func record(_ id: String) -> TakeRecord {
      TakeRecord(
        unseen: StorageEntry(name: id, isDirectory: false, size: 7, modified: WallTime(nanosecondsSince1970: 0)))
    }
    for suffix in ["m4a", "wav"] {
      let main = "000042_2026-11-20T21-54-00Z.\(suffix)"
      let safety = TakeName.safety(of: main)
      for order in [[main, safety], [safety, main]] {
        for id in order { index.put(record(id)) }
        #expect(index.records.map(\.id) == [main] && index.all.map(\.id) == [main, safety])
        #expect(index.totalBytes == 14 && index[safety]?.id == safety && index.safety(of: main)?.id == safety)
        index.remove(main)
        #expect(index.records.map(\.id) == [safety] && index.totalBytes == 7)
        index.put(record(main))
        #expect(index.records.map(\.id) == [main] && index.totalBytes == 14)
        index.remove(safety)
        #expect(index.all.map(\.id) == [main] && index.totalBytes == 7)
        index.remove(main)
        #expect(index.count == 0 && index.totalBytes == 0)
      }
    }
  }

  @Test func `Of the same name and not the device's, it is nobody's, and stays as it is`() throws {
    let bench = try Bench.opened()
    let bytes = FakeDoctor.complete(frames: 70)
    for name in ["x.safety.wav", "y.safety.wav", "y.wav"] { bench.storage.plant("recordings/\(name)", bytes) }
    let again = try Bench.opened(bench.storage.reboot())
    #expect(Set(again.library.list().takes.map(\.id)) == ["x.safety.wav", "y.safety.wav", "y.wav"])
    try again.library.delete("y.wav", now: .zero)
    #expect(Set(again.library.list().takes.map(\.id)) == ["x.safety.wav", "y.safety.wav"])
    // What lies where one is to be made is not touched either.
    let take = try again.begin()
    again.storage.plant("recordings/\(TakeName.safety(of: take.id))", bytes)
    #expect(throws: LibraryError.self) { try again.begin(beside: take.id) }
    #expect(again.storage.nodes["recordings/\(TakeName.safety(of: take.id))"]?.bytes == bytes)
  }

  @Test func `Name, tags and protection are its own, too`() throws {
    let bench = try Bench.opened()
    let ids = try Self.record(bench, [200, 300])
    try bench.library.rename(ids[1], to: "Interview")
    try bench.library.setTags(ids[0], ["radio"])
    try bench.library.protect(ids[0], true)
    for id in ids.map(TakeName.safety(of:)) {
      let meta = try bench.library.show(id)
      #expect(meta.displayName == "Interview" && meta.userTags == ["radio"] && meta.isProtected)
      #expect(throws: LibraryError.self) { try bench.library.delete(id, now: .zero) }
    }
    #expect(throws: LibraryError.protected(ids[0])) { try bench.library.delete(ids[0], now: .zero) }
  }

  @Test func `It is verified and repaired with its take`() throws {
    let bench = try Bench.opened()
    let id = try Self.record(bench)[0]
    let safety = TakeName.safety(of: id)
    bench.storage.nodes["recordings/\(Sidecar.name(safety))"] = nil
    #expect(try bench.library.verify(id).map(\.id) == [safety])
    #expect(try bench.library.repair(safety) != [])
    #expect(try bench.library.verify(id) == [])
  }

  @Test func `It alone can be deleted by its own name, and comes back`() throws {
    let bench = try Bench.opened()
    let id = try Self.record(bench)[0]
    let before = bench.library.list()
    try bench.library.delete(TakeName.safety(of: id), now: .zero)
    #expect(Self.sounds(bench) == [id] && bench.library.summary(id)?.safetyBytes == nil)
    try bench.library.undelete()
    #expect(bench.library.list() == before)
  }

  /// Stopped at every call to the storage while it is deleted or brought back, a take is there with all its files, or gone.
  @Test(arguments: [false, true], [[100], [200, 300, 100]])
  func `A crash at any call leaves both or none`(undeletes: Bool, parts: [Int]) throws {
    func work(_ bench: Bench, _ ids: [String]) throws {
      try bench.retrying { () throws(LibraryError) in try bench.library.delete(ids[0], now: .zero) }
      if undeletes { try bench.retrying { () throws(LibraryError) in try bench.library.undelete() } }
    }
    let whole = try Bench.opened()
    let begun = try Self.record(whole, parts)
    let before = whole.storage.calls
    try work(whole, begun)
    let all = (begun + begun.map(TakeName.safety(of:))).sorted()
    #expect(Self.sounds(whole).sorted() == (undeletes ? all : []))
    for call in before + 1...whole.storage.calls {
      let bench = try Bench.opened()
      let ids = try Self.record(bench, parts)
      bench.storage.disaster = (.kill, at: call)
      do { try work(bench, ids) } catch {}
      let again = try Bench.opened(bench.storage.reboot())
      let takes = again.library.list().takes
      #expect(takes.map(\.id) == [ids[0]] || takes == [], "stopped at call \(call): \(takes.map(\.id))")
      #expect(Self.sounds(again).sorted() == (takes == [] ? [] : all), "stopped at call \(call)")
      #expect(takes == [] || takes[0].safety.map(\.frames) == parts, "stopped at call \(call)")
      #expect(again.storage.names(in: "trash") == [] && again.storage.names(in: "_Corrupted") == [])
    }
  }

  /// Stopped at every call while both are recorded, each is kept with the sound that it has.
  @Test(arguments: [false, true]) func `A crash at any call of recording keeps both`(powerCut: Bool) throws {
    final class Diary { var main: String?, safety: String? }
    func day(_ bench: Bench, _ diary: Diary) throws {
      let take = try bench.retrying { () throws(LibraryError) in try bench.begin() }
      let safety = try bench.retrying { () throws(LibraryError) in try bench.begin(beside: take.id) }
      try bench.fill(take, FakeDoctor.recording(frames: 300))
      diary.main = take.id
      try bench.fill(safety, FakeDoctor.recording(frames: 300))
      diary.safety = safety.id
      try bench.retrying { () throws(LibraryError) in try bench.library.rename(take.id, to: "Birds") }
      for begun in [take, safety] {
        _ = try bench.doctor.repair(begun.file)
        begun.file.close()
        var meta = begun.meta
        meta.frames = 300
        meta.stopReason = "user"
        try bench.retrying { () throws(LibraryError) in try bench.library.complete(begun.id, meta) }
      }
    }
    let whole = Bench()
    try whole.open()
    try day(whole, Diary())
    for call in 1...whole.storage.calls {
      let bench = Bench()
      let diary = Diary()
      bench.storage.disaster = (.kill, at: call)
      do {
        try bench.open()
        try day(bench, diary)
      } catch {}
      let again = try Bench.opened(bench.storage.reboot(powerCut: powerCut))
      let takes = again.library.list().takes
      #expect(takes.count <= 1, "stopped at call \(call): \(takes.map(\.id))")
      #expect(try again.faults(besides: takes.flatMap(\.safety).map(\.id)) == [], "stopped at call \(call)")
      if let main = diary.main { #expect(takes.first?.id == main && takes.first?.frames == 300) }
      if diary.safety != nil { #expect(takes.first?.safety.map(\.frames) == [300], "stopped at call \(call)") }
      #expect(takes.allSatisfy { !$0.inProgress })
    }
  }
}

extension TakeName {
  /// The safety take of a take.
  fileprivate static func safety(of id: String) -> String { "\(split(id).stem).safety\(split(id).suffix)" }
}
