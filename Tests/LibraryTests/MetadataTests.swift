import Foundation
import Hardware
import JSON
import TestSupport
import Testing

@testable import Library

@Suite struct MetadataTests {
  static var full: FileMeta {
    var meta = FileMeta(
      id: "000042_2026-11-20T21-54-00Z.m4a", displayName: "Вечер \"у\" реки / take",
      createdAt: WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000),
      audio: AudioAttributes(
        duration: 2.5, bitrateKbps: 192, sampleRate: 48_000, channels: 2, format: "aac", fileSizeBytes: 60_000))
    meta.lastPlayedPosition = 1.25
    meta.bookmarks = [
      Bookmark(
        takeID: meta.id, frame: 48_001, sampleRate: 48_000, ordinal: 0, title: "A", createdAt: meta.createdAt)
    ]
    meta.userTags = ["radio", "ночь"]
    meta.custom = ["weather": "rain"]
    meta.stopReason = "user"
    meta.session = 42
    meta.gaps = [Gap(frame: 1000, frames: 480, reason: "overrun")]
    meta.preRecordSeconds = 5
    meta.loudness = Loudness(integratedLUFS: -18.3, truePeakDBTP: -1.5)
    meta.favourite = true
    meta.linkedTake = "000041_2026-11-20T21-00-00Z.m4a"
    meta.frames = 120_000
    meta.source = "USB microphone"
    meta.startedMonotonic = 12.5
    return meta
  }

  /// A sealed take whose notes are lost has none of these; a head can claim anything.
  @Test(arguments: [(0, 0), (8000, 32_767), (4_294_967_295, 1), (-5, -5)])
  func whateverAHeadHasClaimedTheNotesCanBeReadAgain(rate: Int, channels: Int) throws {
    var meta = Self.full
    (meta.audio.sampleRate, meta.audio.channels) = (rate, channels)
    let again = try FileMeta(json: meta.json(), path: "x")
    #expect(again.displayName == meta.displayName && again.userTags == meta.userTags)
    #expect(again.bookmarks == meta.bookmarks)
    #expect((0...1_000_000).contains(again.audio.sampleRate) && (0...255).contains(again.audio.channels))
  }

  @Test func metadataComesBackAsItWasWritten() throws {
    let bytes = Self.full.json()
    #expect(try FileMeta(json: bytes, path: "x") == Self.full)
    #expect(Self.full.json() == bytes)
  }

  @Test func theFieldNamesAreTheContracts() throws {
    // Judged by another JSON reader than the one that wrote it.
    let object = try JSONSerialization.jsonObject(with: Data(Self.full.json()))
    let fields = try #require(object as? [String: Any])
    #expect(
      Set(fields.keys).isSuperset(of: [
        "id", "displayName", "createdAt", "lastPlayedPosition", "bookmarks", "audio", "userTags", "custom",
        "stopReason", "session", "gaps", "preRecordSeconds", "loudness", "favourite", "linkedTake",
      ]))
    #expect(fields["createdAt"] as? String == "2026-11-20T21:54:00Z")
    let audio = try #require(fields["audio"] as? [String: Any])
    #expect(
      Set(audio.keys) == ["duration", "bitrateKbps", "sampleRate", "channels", "format", "fileSizeBytes"])
    let bookmarks = try #require(fields["bookmarks"] as? [[String: Any]])
    #expect(Set(bookmarks[0].keys) == ["id", "time", "title", "createdAt", "frame"])
    #expect(UUID(uuidString: bookmarks[0]["id"] as? String ?? "") != nil)
    let loudness = try #require(fields["loudness"] as? [String: Double])
    #expect(loudness == ["integratedLUFS": -18.3, "truePeakDBTP": -1.5])
  }

  @Test func whatANewerVersionAddedSurvivesARewrite() throws {
    let text = """
      {"id": "a.m4a", "createdAt": "2026-11-20T23:54:00.250+02:00", "future": {"deep": [1, 2.5, null, true]},
       "audio": {"sampleRate": 48000.0, "channels": 1, "codecDelay": 2112},
       "bookmarks": [{"time": 1, "colour": "red"}], "gaps": [{"frame": 1, "frames": 2, "why": "x"}],
       "loudness": {"shortTerm": -20}}
      """
    let meta = try FileMeta(json: Array(text.utf8), path: "x")
    #expect(meta.createdAt.iso8601 == "2026-11-20T21:54:00Z")
    #expect(meta.audio.sampleRate == 48_000)
    let again = try FileMeta(json: meta.json(), path: "x")
    #expect(again.unknown["future"] == .object(["deep": .array([.integer(1), .number(2.5), .null, .bool(true)])]))
    #expect(again.audio.unknown["codecDelay"] == .integer(2112))
    #expect(again.bookmarks[0].unknown["colour"] == .string("red"))
    #expect(again.gaps[0].unknown["why"] == .string("x"))
    #expect(again.loudness?.unknown["shortTerm"] == .integer(-20))
  }

  @Test(arguments: [
    (#"{"id": 5}"#, "x.json id", "expected text"),
    (#"{"id": "a"}"#, "x.json createdAt", "is missing"),
    (#"{"id": "a", "createdAt": "yesterday"}"#, "x.json createdAt", "yesterday"),
    (#"{"id": "a", "createdAt": "2026-11-20T21:54:00Z"}"#, "x.json audio", "is missing"),
    (
      #"{"id": "a", "createdAt": "2026-11-20T21:54:00Z", "audio": {"sampleRate": -1, "channels": 1}}"#,
      "x.json audio.sampleRate", "not within"
    ),
    (#"[1]"#, "x.json", "expected an object"),
    (#"{"#, "x.json", "not valid JSON"),
    (#""#, "x.json", "not valid JSON"),
  ])
  func errorsNameTheFileAndTheField(text: String, path: String, reason: String) throws {
    let error = #expect(throws: MetadataError.self) {
      _ = try FileMeta(json: Array(text.utf8), path: "x.json")
    }
    #expect(error?.path == path)
    #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
  }

  @Test func noInputTraps() throws {
    var dice = SeededGenerator(seed: 1)
    let good = Self.full.json()
    let words = ["{", "}", "[", "]", ":", ",", "\"", "1e999", "-", "null", "9223372036854775808", "\\u", "\u{FEFF}"]
    var read = 0
    for _ in 0..<10_000 {
      var bytes = good
      switch dice.below(4) {
      case 0: bytes = dice.bytes(dice.below(60))
      case 1: bytes = Array(bytes.prefix(dice.below(bytes.count)))
      case 2: for _ in 0..<1 + dice.below(6) { bytes[dice.below(bytes.count)] = UInt8(dice.below(256)) }
      default:
        for _ in 0..<1 + dice.below(4) {
          bytes.insert(contentsOf: words[dice.below(words.count)].utf8, at: dice.below(bytes.count))
        }
      }
      if let meta = try? FileMeta(json: bytes, path: "x") {
        read += 1
        // What can be read can be written, and listed.
        #expect(throws: Never.self) { try FileMeta(json: meta.json(), path: "again") }
        let record = TakeRecord(meta, id: "000001_x.wav", sound: nil, sidecar: nil, verified: true)
        #expect(record.summary.duration >= 0)
      }
    }
    #expect(read > 100)
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
    #expect(throws: MetadataError.self) { _ = try JSONValue.parse(deep, path: "x") }
  }

  @Test func timesAreReadAsTheyAreWritten() {
    var dice = SeededGenerator(seed: 3)
    for _ in 0..<20_000 {
      // Years 1700 to 2250.
      let seconds = Int64(dice.below(17_000_000_000)) - 8_500_000_000
      let time = WallTime(nanosecondsSince1970: seconds * 1_000_000_000)
      #expect(WallTime(iso8601: time.iso8601) == time)
      #expect(WallTime(fileNameStamp: time.fileNameStamp) == time)
      var bytes = Array(time.iso8601.utf8)
      bytes[dice.below(bytes.count)] = UInt8(dice.below(128))
      _ = WallTime(iso8601: String(decoding: bytes, as: UTF8.self))
    }
    #expect(WallTime(iso8601: "2026-11-20T21:54:00") == nil)
    #expect(WallTime(iso8601: "9999-12-31T23:59:59Z") == nil)
  }
}
