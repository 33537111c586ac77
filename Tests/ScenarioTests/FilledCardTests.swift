import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// A card that another process fills while the device works: what is said to be kept is kept, and what is not kept is said.
@Suite("A card filled by another process", .enabled(if: geteuid() == 0, "only root may mount"))
struct FilledCardTests {
  private let folder = TemporaryFolder()

  private struct Device {
    let card: SmallFileSystem
    let live: LiveMynah
    let client: ConsoleClient
    var data: String { "\(card.path)/data" }

    /// The metadata of the newest take, as the card has it.
    func notes() throws -> JSONValue {
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(data)/recordings")
      let name = try #require(names.filter { $0.hasSuffix(".json") }.max())
      return try JSONValue(parsing: Array(Data(contentsOf: URL(fileURLWithPath: "\(data)/recordings/\(name)"))))
    }

    func settings() throws -> JSONValue {
      try JSONValue(parsing: Array(Data(contentsOf: URL(fileURLWithPath: "\(data)/settings.json"))))
    }

    /// Takes all there is, the reserve too: a card that lets nobody write.
    func fillToTheBrim() throws {
      truncate("\(data)/reserve", 0)
      try card.fill()
    }

    func code(of answer: JSONValue) -> String? { answer["error"]?["data"]?["code"]?.stringValue }
  }

  private func start() throws -> Device? {
    try SmallFileSystem("size=24m", at: folder.file("card")).map { try start(on: $0) }
  }

  private func start(on card: SmallFileSystem) throws -> Device {
    folder.put(
      """
      inherits = "simulator"
      [storage]
      reserve_mb = 4
      low_mb = 6
      """, "board.toml")
    let live = try LiveMynah([
      "simulate", "--board", folder.file("board.toml"), "--data", "\(card.path)/data", "--clock", "real",
      "--console", folder.file("tty"), "--script", folder.put("600 quit\n", "script.txt"),
    ])
    let client = try ConsoleClient(folder.file("tty"))
    _ = try client.call("events.subscribe")
    return Device(card: card, live: live, client: client)
  }

  @Test(
    "ends the take, whose notes are final when it is said to be saved; settings and names are kept from the reserve")
  func withTheReserve() throws {
    guard let device = try start() else { return }
    let client = device.client
    #expect(try client.call("settings.set", ["recording.format": "wav"])["error"] == nil)
    #expect(try client.call("recorder.start")["error"] == nil)
    _ = try client.event("onTakeStarted")
    try device.card.fill()
    let saved = try client.event("onTakeSaved")["params"]?["data"]
    let notes = try device.notes()
    #expect(notes["inProgress"]?.boolValue == false)
    #expect(notes["stopReason"]?.stringValue == "storage-full")
    let id = try #require(saved?["id"]?.stringValue)
    #expect(try Sound.frames(URL(fileURLWithPath: "\(device.data)/recordings/\(id)")) == notes["frames"]?.integerValue)
    #expect(try client.call("settings.set", ["recording.preRecordSeconds": 9])["error"] == nil)
    #expect(try device.settings()["recording.preRecordSeconds"]?.integerValue == 9)
    #expect(try client.call("library.rename", ["id": .string(id), "name": "Rain"])["error"] == nil)
    #expect(try device.notes()["displayName"]?.stringValue == "Rain")
    #expect(device.live.terminate() == 0)
    // Whole: nothing of what the card took a part of is behind the sound.
    let judged = try Mynah.execute(["library", "verify", "--data", device.data])
    #expect(judged.status == 0, "\(judged.output)")
  }

  @Test("reserve and all says what is not kept, changes nothing, and tries again when there is room")
  func withoutTheReserve() throws {
    guard let device = try start() else { return }
    let client = device.client
    #expect(try client.call("settings.set", ["recording.format": "wav"])["error"] == nil)
    #expect(try client.call("recorder.start")["error"] == nil)
    let started = try client.event("onTakeStarted")["params"]?["data"]
    try device.fillToTheBrim()
    let error = try client.event("onError")["params"]?["data"]
    #expect(error?["code"]?.stringValue == "storage-full")
    // Whatever could not be kept is refused by name, and as it was.
    let set = try client.call("settings.set", ["recording.preRecordSeconds": 9, "clips.postRollSeconds": 7])
    #expect(device.code(of: set) == "storage-full")
    #expect(set["error"]?["message"]?.stringValue?.contains("not kept, nothing is changed") == true, "\(set)")
    let values = try client.call("settings.get")["result"]
    #expect(values?["recording.preRecordSeconds"]?.integerValue == 5)
    #expect(values?["clips.postRollSeconds"]?.integerValue == 0)
    let id = try #require(started?["id"]?.stringValue)
    let renamed = try client.call("library.rename", ["id": .string(id), "name": "Rain"])
    #expect(device.code(of: renamed) == "storage-full", "\(renamed)")
    #expect(try client.call("library.show", ["id": .string(id)])["result"]?["displayName"]?.stringValue != "Rain")
    #expect(!client.notifications.contains { $0["params"]?["topic"]?.stringValue == "onTakeSaved" })
    #expect(try device.notes()["inProgress"]?.boolValue == true)

    try device.card.empty()
    _ = try client.event("onTakeSaved")
    #expect(try device.notes()["inProgress"]?.boolValue == false)
    #expect(try client.call("settings.set", ["recording.preRecordSeconds": 9])["error"] == nil)
    #expect(try device.settings()["recording.preRecordSeconds"]?.integerValue == 9)
    #expect(device.live.terminate() == 0)
  }

  @Test("or one that Linux makes read-only after an error: it is told, and no take is begun")
  func readOnly() throws {
    let image = folder.file("image")
    guard let card = try SmallFileSystem(ext4: 64, image: image, at: folder.file("card")) else { return }
    let device = try start(on: card)
    let client = device.client
    #expect(try client.call("settings.set", ["recording.format": "wav"])["error"] == nil)
    #expect(try client.call("recorder.start")["error"] == nil)
    _ = try client.event("onTakeStarted")
    guard try card.failReadOnly() else { return }
    _ = try client.event("onStorageLow")
    let told = client.notifications.map(\.text).filter { $0.contains("read-only now") }
    #expect(told.count == 1 && told.first?.contains("put in another card") == true)
    let again = try client.call("recorder.start")
    #expect(device.code(of: again) == "denied", "\(again.text)")
    let screen = try client.call("panel.state")["result"]
    #expect(screen?["notice"]?["text"]?.stringValue?.contains("full") != true, "\(screen?.text ?? "")")
    // What is there can be heard.
    #expect(try client.call("library.list")["error"] == nil)
    #expect(device.live.terminate() == 0)
  }
}
