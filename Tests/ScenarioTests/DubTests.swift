import Foundation
import JSON
import Testing

/// Dubbed playback from outside: streams that ffmpeg made, over real HTTP and WebSockets, in virtual time; judged by
/// what came out of the speaker.
@Suite("A dub", .serialized)
struct DubTests: DubScenario {
  let stage: DubStage

  init() throws { stage = try DubStage() }

  @Test("of a track in the stream takes the original's place, and changes with the language without a gap")
  func renditions() throws {
    let (peer, address) = try stream("--seconds", "24", "--renditions", "es:660,de:880")
    let run = try mynah.run(
      """
      0.5  call dub.start {"source":"\(address)","language":"es"}
      4.0  expect mode dub.playing
      4.0  expect led REC off
      4.0  expect led STATUS wink
      6.0  call dub.language {"language":"de"}
      16.0 call dub.enable {"on":false}
      18.0 expect led STATUS double-wink
      19.0 call dub.status
      19.5 press STOP
      20.0 expect mode dub.idle
      20.0 quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    let heard = try Heard(sound)
    // The other language is heard within a second; until then the one before.
    for (time, frequency) in [
      (2.0, 660.0), (5.5, 660), (6.05, 660), (7.0, 880), (9.5, 880), (15.5, 880), (16.5, 440), (19.0, 440),
    ] {
      for other in [440.0, 660, 880] {
        let level = heard.amplitude(of: other, at: time)
        #expect(other == frequency ? level > 0.05 : level < 0.02, "\(other) Hz at \(time) s: \(level)")
      }
    }
    #expect(heard.longestSilence(from: 3, to: 19.4) <= 40)
    #expect(rungs(run).contains { $0.rung == "rendition" })
    let languages = run.events("onDubbingStatus").compactMap { $0.data["language"]?.stringValue }
    #expect(languages.contains("es") && languages.contains("de"))
  }

  @Test("that is spoken here from the subtitles needs no service, and the original stays below it")
  func spokenHere() throws {
    let (peer, address) = try stream("--seconds", "24")
    let run = try mynah.run(
      """
      0.5  call dub.start {"source":"\(address)","language":"es"}
      5.0  expect mode dub.playing
      12.0 call dub.status
      16.0 quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    #expect(rungs(run).last?.rung == "synthesised")
    let status = try #require(run.events("result").last?.data["result"])
    #expect((status["onTimePercent"]?.numberValue ?? 0) == 100)
    // Numbers are for people, too: to the thousandth.
    for key in ["positionSeconds", "bufferSeconds", "lengthSeconds", "driftMs"] {
      let number = try #require(status[key]?.numberValue)
      #expect(abs((number * 1000).rounded() - number * 1000) < 1e-6, "\(key): \(number)")
    }
    let heard = try Heard(sound)
    #expect(heard.longestSilence(from: 1.5, to: 15.9) <= 40)
    // Between utterances it is the original that is heard.
    #expect(heard.amplitude(of: 440, at: 1.5) > 0.05)
    // The end of the process is an end as well: the card has what was heard.
    let receipt = try #require(try receipts().first)
    #expect(receipt["source"]?.stringValue == address && receipt["language"] == "es")
    #expect(receipt["stopReason"] == "user" && receipt["fault"] == nil)
    let played = try #require(receipt["played"]?["synthesised"]?.integerValue)
    #expect(played > 0 && played <= receipt["utterances"]?.integerValue ?? 0)
    #expect((receipt["played"]?["service"]?.integerValue ?? -1) == 0 && receipt["serviceFaults"]?["lost"] == 0)
    #expect(abs((receipt["durationSeconds"]?.numberValue ?? 0) - 15.5) < 0.1)
  }

  private func receipts() throws -> [JSONValue] {
    let folder = mynah.data.appendingPathComponent("dubs")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      try JSONValue(parsing: Array(try Data(contentsOf: folder.appendingPathComponent($0))))
    }
  }

  @Test("leaves a receipt of each run: why it ended, and nobody's password")
  func receiptsOfEach() throws {
    let (peer, address) = try stream("--seconds", "6", "--renditions", "es:660", "--subtitles")
    let secret = address.split(separator: "127").joined(separator: "me:secret@127")
    let run = try mynah.run(
      """
      0.5  call dub.start {"source":"\(secret)","language":"es"}
      9.0  expect mode dub.idle
      9.5  call dub.start {"source":"http://127.0.0.1:\(peer.port)/nothing.m3u8","language":"es"}
      12.0 call dub.receipts
      12.5 call dub.receipt
      13.0 call dub.receipt {"id":"000001_2020-01-01T00-00-00Z.json"}
      14.0 quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    let kept = try receipts()
    #expect(kept.map { $0["stopReason"]?.stringValue } == ["ended", "error"])
    let first = try #require(kept.first)
    #expect(!first.text.contains("secret") && first["source"]?.stringValue == address)
    #expect((first["played"]?["rendition"]?.integerValue ?? 0) > 0 && first["startMs"]?.numberValue != nil)
    #expect(abs((first["positionSeconds"]?.numberValue ?? 0) - 6) < 0.2)
    #expect(kept.last?["fault"]?["code"] == "http-404")
    let answers = run.events("result").compactMap { $0.data["result"] }
    #expect(
      answers.contains {
        $0["receipts"]?.arrayValue?.count == 2 && $0["receipts"]?.arrayValue?.first == kept.last?["id"]
      })
    #expect(answers.contains { $0["id"] == kept.last?["id"] && $0["stopReason"] == "error" })
  }

  @Test(
    "goes on as speech of its own when the network is cut, and comes back by itself", .enabled(if: DubPeer.hasService))
  func cutLink() throws {
    let (peer, address) = try stream("--seconds", "40")
    let service = try DubPeer("dub_service.py", ["--languages", "en,es"])
    let run = try mynah.run(
      """
      0.2  call settings.set {"dub.service":"ws://127.0.0.1:\(service.port)/"}
      0.5  call dub.start {"source":"\(address)","language":"es"}
      5.0  expect mode dub.playing
      9.0  fault network down
      12.5 fault network up
      30.0 call dub.status
      31.0 quit
      """)
    withExtendedLifetime((peer, service)) {}
    try #require(run.status == 0, "\(run.errors)")
    let told = rungs(run).map(\.rung)
    #expect(told.contains("service"))
    #expect(told.last == "service", "\(told)")
    let links = run.events("onDubbingStatus").filter { $0.time < 30.9 }.compactMap { $0.data["link"]?.stringValue }
    #expect(links.contains("lost"))
    #expect(links.last == "up")
    let heard = try Heard(sound)
    #expect(heard.longestSilence(from: 2, to: 30.9) <= 40)
  }

  @Test("never disturbs a take: while one is recorded, there is no way in")
  func take() throws {
    let run = try mynah.run(
      """
      1.0  press REC
      2.0  call panel.mode {"mode":"dictaphone"}
      2.5  hold STOP 0.1
      4.0  expect mode dictaphone.idle
      5.0  press REC
      6.0  call recorder.status
      8.0  press STOP
      9.0  call panel.mode {"mode":"dub"}
      9.5  expect mode dub.idle
      9.5  expect screen sources
      10.0 call dub.sources
      11.0 call dub.start {"source":"1"}
      13.0 expect mode dub.playing
      15.0 hold STOP 0.7
      16.5 expect mode feed.playing
      16.6 hold STOP 0.7
      17.5 expect mode dictaphone.idle
      17.6 press REC
      18.0 expect mode dictaphone.recording
      19.0 press STOP
      21.0 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    #expect(run.events("onTakeSaved").count == 3)
    let sources = run.events("result").first { $0.data["method"] == "dub.sources" }?.data["result"]?["sources"]
    #expect(sources?.arrayValue?.first?["kind"] == "take")
  }

  @Test("of what is not there is said in words, and the list is there again")
  func missing() throws {
    let (peer, address) = try stream("--seconds", "8")
    let run = try mynah.run(
      """
      0.5  call dub.start {"source":"\(address.replacingOccurrences(of: "master", with: "other"))","language":"es"}
      20.0 expect mode dub.idle
      20.0 quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    let error = try #require(run.events("onError").first)
    #expect(error.data["message"]?.stringValue?.contains("404") == true, "\(error.data)")
  }

  @Test("without a network plays what is on the device")
  func noNetwork() throws {
    let run = try mynah.run(
      """
      0.5  call panel.mode {"mode":"dub"}
      1.0  press CENTRE
      1.5  expect notice not-found
      2.0  quit
      """, ["--network", "none"])
    #expect(run.status == 0, "\(run.errors)")
  }
}
