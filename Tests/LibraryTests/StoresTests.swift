import Hardware
import JSON
import TestSupport
import Testing

@testable import Library

@Suite struct StoresTests {
  private func settings(_ storage: MemoryStorage) throws -> (SettingsStore, [String]) {
    let store = SettingsStore(storage: storage, clock: StillClock())
    return (store, try store.load())
  }

  private func filled() throws -> MemoryStorage {
    let storage = MemoryStorage()
    storage.makeAll(["_Corrupted"])
    storage.plant("settings.json", Array(#"{"recording.format": "wav", "future.key": [1, {"a": null}]}"#.utf8))
    let (store, sentences) = try settings(storage)
    #expect(sentences == [])
    try store.save(["recording.preRecordSeconds": .integer(10)])
    return storage
  }

  @Test func unknownKeysSurvive() throws {
    let (store, sentences) = try settings(filled().reboot())
    #expect(sentences == [])
    #expect(store.values["recording.format"] == .string("wav"))
    #expect(store.values["recording.preRecordSeconds"] == .integer(10))
    #expect(store.values["future.key"] == .array([.integer(1), .object(["a": .null])]))
  }

  @Test func `A wrong bit in a key does not lose its value, and a key that is left out is no wrong one`() throws {
    for (written, isLost) in [("recording.fosmat", true), ("another.key", false)] {
      let storage = try filled()
      let text = String(decoding: storage.nodes["settings.json"]?.bytes ?? [], as: UTF8.self)
      storage.plant("settings.json", Array(text.replacing("recording.format", with: written).utf8))
      let (store, _) = try settings(storage)
      #expect(store.isLost("recording.format") == isLost)
      #expect(!store.isLost("recording.preRecordSeconds"))
      guard isLost else { continue }
      store.restore("recording.format")
      try store.save([:])
      #expect(try settings(storage.reboot()).0.values["recording.format"] == .string("wav"))
    }
  }

  @Test func aDamagedFileFallsBackToItsBackup() throws {
    let storage = try filled()
    storage.plant("settings.json", Array("{\"recording".utf8))
    let (store, sentences) = try settings(storage)
    #expect(store.values["recording.format"] == .string("wav"))
    #expect(sentences.count == 2)
    #expect(storage.nodes["_Corrupted/settings.json"] != nil)
    #expect(storage.nodes["_Corrupted/settings.json.txt"] != nil)
    try store.save([:])
    let (again, none) = try settings(storage.reboot())
    #expect(none == [])
    #expect(again.values == store.values)
  }

  @Test func `A damaged file is kept also where _Corrupted was removed`() throws {
    let storage = try filled()
    storage.directories.remove("_Corrupted")
    storage.plant("settings.json", [1])
    #expect(try settings(storage).1.count == 2)
    #expect(storage.nodes["_Corrupted/settings.json"]?.bytes == [1])
  }

  @Test func bothDamagedMeansDefaultsAndASentence() throws {
    let storage = try filled()
    storage.plant("settings.json", [1])
    storage.plant("settings.json.bak", [2])
    let (store, sentences) = try settings(storage)
    #expect(store.values == [:])
    #expect(sentences.last?.contains("afresh") == true)
    #expect(storage.nodes["_Corrupted/settings.json.bak"]?.bytes == [2])
  }

  @Test func savingTheSameWritesNothing() throws {
    let storage = try filled().reboot()
    let (store, _) = try settings(storage)
    let calls = storage.calls
    try store.save(["recording.preRecordSeconds": .integer(10)])
    #expect(storage.calls == calls)
    try store.save(["ui.language": .string("ru")])
    #expect(storage.calls == calls + 2)
  }

  @Test func aCrashWhileSavingLeavesOldOrNew() throws {
    let three: [String: JSONValue] = [
      "recording.format": .string("flac"), "recording.preRecordSeconds": .integer(20), "ui.voice": .bool(true),
    ]
    for call in 1...2 {
      for powerCut in [false, true] {
        let storage = try filled().reboot()
        let (store, _) = try settings(storage)
        let old = store.values
        storage.disaster = (.kill, at: storage.calls + call)
        // What lacks its backup only is kept, and is not said to have failed.
        if call == 1 {
          #expect(throws: LibraryError.self) { try store.save(three) }
        } else {
          try store.save(three)
        }
        let (again, sentences) = try settings(storage.reboot(powerCut: powerCut))
        #expect(sentences == [])
        #expect(again.values == (call == 1 ? old : old.merging(three) { $1 }), "stopped at call \(call)")
      }
    }
  }

  @Test func aSaveThatFailsKeepsNone() throws {
    let storage = try filled()
    let (store, _) = try settings(storage)
    let old = store.values
    let change: [String: JSONValue] = ["ui.voice": .bool(true)]
    storage.failure = .full
    #expect(throws: LibraryError.self) { try store.save(change) }
    #expect(store.values == old)
    // Without its backup it is kept all the same.
    storage.failingSuffix = ".bak"
    try store.save(change)
    #expect(try settings(storage.reboot()).0.values["ui.voice"] == .bool(true))
    storage.failure = nil
    try store.save(change)
    #expect(storage.nodes["settings.json"]?.bytes == storage.nodes["settings.json.bak"]?.bytes)
  }

  @Test func aStalledSaveGoesOn() throws {
    let storage = try filled()
    let (store, _) = try settings(storage)
    let change: [String: JSONValue] = ["ui.voice": .bool(true)]
    storage.disaster = (.stall, at: storage.calls + 2)
    let error = #expect(throws: LibraryError.self) { try store.save(change) }
    #expect(error?.stalledUntil == Instant(nanoseconds: 10))
    try store.save(change)
    #expect(storage.nodes["settings.json"]?.bytes == storage.nodes["settings.json.bak"]?.bytes)
  }

  @Test func theStateComesBackAfterACrash() throws {
    let storage = MemoryStorage()
    let store = StateStore(storage: storage, clock: StillClock())
    #expect(try store.load() == [])
    store.note(session: 41)
    store.note(session: 7)
    store.last.mode = "dictaphone.playing"
    store.last.take = "000041_x.m4a"
    store.last.position = 12.5
    try store.save()
    let again = StateStore(storage: storage.reboot(powerCut: true), clock: StillClock())
    #expect(try again.load() == [])
    #expect(again.session == 41)
    #expect(again.last.mode == "dictaphone.playing")
    #expect(again.last.take == "000041_x.m4a")
    #expect(again.last.position == 12.5)
    #expect(again.foundVersion == StateStore.formatVersion)
  }

  @Test func aWrongFieldOfTheStateCostsOnlyItself() throws {
    let storage = MemoryStorage()
    storage.plant("state.json", Array(#"{"session": -5, "lastMode": "clips.buffering", "new": 1}"#.utf8))
    let store = StateStore(storage: storage, clock: StillClock())
    #expect(try store.load().count == 1)
    #expect(store.session == 0)
    #expect(store.last.mode == "clips.buffering")
    try store.save()
    let text = String(decoding: try #require(storage.nodes["state.json"]).bytes, as: UTF8.self)
    #expect(text.contains("\"new\": 1"))
  }

  @Test func noContentTraps() throws {
    var dice = SeededGenerator(seed: 5)
    let storage = try filled()
    let good = try #require(storage.nodes["settings.json"]).bytes
    let state = Array(#"{"formatVersion": 1, "session": 12, "position": 1.5, "loadedTake": "a"}"#.utf8)
    for _ in 0..<1500 {
      let next = storage.reboot()
      for (path, content) in [("settings.json", good), ("state.json", state)] {
        var bytes = content
        for _ in 0..<1 + dice.below(5) { bytes[dice.below(bytes.count)] = UInt8(dice.below(256)) }
        if dice.chance(4) { bytes = dice.bytes(dice.below(100)) }
        next.plant(path, bytes)
      }
      let (store, _) = try settings(next)
      try store.save([:])
      let stateStore = StateStore(storage: next, clock: StillClock())
      _ = try stateStore.load()
      try stateStore.save()
    }
  }
}
