import Foundation
import Hardware
import JSON
import TestSupport
import Testing

/// The feed from outside: clips, takes and feeds over real HTTP in virtual time, judged by what came out of the speaker.
@Suite("The feed", .serialized)
struct FeedTests: DubScenario {
  let stage: DubStage

  init() throws { stage = try DubStage() }

  private func server() throws -> DubPeer { try DubPeer("feed_server.py", [folder.file("feed")]) }

  private func changes(_ run: Mynah.Run) -> [JSONValue] { run.events("onFeedChanged").map(\.data) }

  /// What `feed.status` answered, in order.
  private func answers(_ run: Mynah.Run) -> [JSONValue] {
    run.events("result").filter { $0.data["method"] == "feed.status" }.compactMap { $0.data["result"] }
  }

  @Test("F1, F2: keys page through a feed over HTTP, one plays at a time, and the next one is heard within 100 ms")
  func pages() throws {
    let peer = try server()
    let run = try mynah.run(
      """
      0.2  call settings.set {"feed.startMuted":false,"feed.cacheMB":0}
      0.5  call feed.open {"source":"http://127.0.0.1:\(peer.port)/feed.json"}
      3.0  expect mode feed.playing
      3.0  call feed.status
      4.0  press DOWN
      5.0  expect mode feed.playing
      6.0  press DOWN
      8.0  press DOWN
      10.0 press DOWN
      11.0 call feed.status
      12.0 press DOWN
      13.0 press UP
      15.0 press CENTRE
      15.5 call feed.status
      16.0 press CENTRE
      18.0 press STOP
      18.5 expect mode feed.idle
      19.0 press STOP
      19.5 expect mode dictaphone.idle
      20.0 quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    let heard = try Heard(sound)
    let tones = [400.0, 500, 600, 700, 800]
    for (time, tone) in [
      (3.5, 400.0), (4.2, 500), (5.8, 500), (6.25, 600), (7.8, 600), (8.2, 700), (9.8, 700), (10.2, 800), (11.8, 800),
      (13.25, 700), (14.8, 700), (17.5, 700),
    ] {
      for other in tones {
        let level = heard.amplitude(of: other, at: time)
        #expect(other == tone ? level > 0.1 : level < 0.05, "\(other) Hz at \(time) s: \(level)")
      }
    }
    // Press to sound, and silence at the change.
    for press in [4.0, 6, 8, 10, 13] {
      #expect(heard.longestSilence(from: press - 0.2, to: press + 0.6) <= 20, "at \(press) s")
    }
    #expect(heard.longestSilence(from: 15.3, to: 15.9) > 500)
    // Nothing more comes out, or the speaker is closed.
    #expect(heard.samples.dropFirst(48_000 * 183 / 10).allSatisfy { abs($0) < 0.001 })
    let told = answers(run)
    #expect(told.map { $0["title"]?.stringValue } == ["Tone 400", "Tone 800", "Tone 700"])
    #expect(told.map { $0["index"]?.integerValue } == [0, 4, 3])
    #expect(told.last?["state"] == "paused")
    #expect(told.dropFirst().allSatisfy { ($0["startMs"]?.integerValue ?? 1000) <= 100 }, "\(told)")
    #expect(told.allSatisfy { ($0["buffered"]?.numberValue ?? 0) >= 1.5 })
  }

  @Test("F3: starts muted, CENTRE lets it be heard; going round is seamless to the sample")
  func loops() throws {
    let peer = try server()
    let run = try mynah.run(
      """
      0.5  call feed.open {"source":"http://127.0.0.1:\(peer.port)/feed.json"}
      2.0  expect mode feed.playing
      3.0  press CENTRE
      19.0 call feed.status
      20.0 quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    let heard = try Heard(sound)
    #expect(heard.samples.prefix(3 * 48_000).allSatisfy { abs($0) < 0.001 })
    // A key is known to be short when it is let go of, and what is mixed by then is heard first.
    #expect(heard.longestSilence(from: 3.3, to: 19.9) < 3)
    // A tone of whole periods that goes round without a missing or doubled sample has one phase throughout.
    let phases = stride(from: 4.0, to: 19.5, by: 0.25).map { heard.phase(of: 400, at: $0) }
    let first = try #require(phases.first)
    for phase in phases {
      let turn = abs((phase - first + 3 * .pi).truncatingRemainder(dividingBy: 2 * .pi) - .pi)
      // A sample of 400 Hz is 0.052 of a radian.
      #expect(turn < 0.026, "\(phases)")
    }
    #expect((answers(run).last?["positionSeconds"]?.numberValue ?? 99) < 5.01)
    #expect(changes(run).contains { $0["muted"] == true } && changes(run).last?["muted"] == false)
  }

  @Test(
    "F3: an item in another language is dubbed by the ladder, and costs no second player",
    arguments: [["--renditions", "es:660"], ["--voice"]])
  func dubbed(stream: [String]) throws {
    let peer = try server()
    let (media, address) = try stage.stream(["--seconds", "24"] + stream)
    let run = try mynah.run(
      """
      0.2  call settings.set {"feed.startMuted":false,"feed.cacheMB":0,"dub.language":"es"}
      0.5  call feed.open {"source":"http://127.0.0.1:\(peer.port)/one.json?url=\(address)"}
      4.0  expect mode feed.playing
      14.0 call feed.status
      14.5 quit
      """)
    withExtendedLifetime((peer, media)) {}
    try #require(run.status == 0, "\(run.errors)")
    let heard = try Heard(sound)
    #expect(heard.longestSilence(from: 3, to: 14) <= 40)
    let asked = try Tool.succeed("curl", ["-sf", "http://127.0.0.1:\(media.port)/log"]).split(separator: "\n")
    let counts = Dictionary(asked.map { ($0, 1) }, uniquingKeysWith: +)
    if stream.count > 1 {
      // The track in the item's own language is not heard, and what was fetched of it before is all there is.
      for time in [5.0, 8, 12] {
        #expect(heard.amplitude(of: 660, at: time) > 0.05 && heard.amplitude(of: 440, at: time) < 0.02, "\(time)")
      }
      #expect(counts.keys.contains { $0.hasPrefix("es") && $0.hasSuffix(".ts") })
    } else {
      // The device's own voice, from the subtitles, over the item's sound.
      #expect(counts.keys.contains { $0.hasSuffix(".vtt") })
      #expect(run.events("onFeedChanged").contains { $0.data["rung"] == "synthesised" })
    }
    // A second player would ask for the same once more.
    #expect(counts.filter { $0.key.hasSuffix(".ts") }.count >= 6)
    #expect(counts.filter { $0.value > 1 && ($0.key.hasSuffix(".ts") || $0.key == "master.m3u8") } == [:])
  }

  @Test("F1: clips and takes are a feed without any network, and REC records at once")
  func local() throws {
    var mynah = mynah
    mynah.microphone = "tone:440"
    let run = try mynah.run(
      """
      0.5  call settings.set {"recording.preRecordSeconds":0,"feed.startMuted":false}
      1.0  press REC
      4.0  press STOP
      5.0  press REC
      7.0  press STOP
      8.0  call feed.open {"source":"local"}
      10.0 expect mode feed.playing
      10.0 call feed.status
      10.5 press DOWN
      12.0 call feed.status
      12.5 press REC
      12.9 expect mode dictaphone.recording
      14.0 press STOP
      15.0 expect takes 3
      16.0 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let told = answers(run)
    #expect(told.map { $0["kind"]?.stringValue } == ["take", "take"])
    #expect(told.first?["item"]?.stringValue?.hasPrefix("000002") == true)
    #expect(told.last?["item"]?.stringValue?.hasPrefix("000001") == true)
    let heard = try Heard(sound)
    for time in [9.5, 11.5] { #expect(heard.amplitude(of: 440, at: time) > 0.02, "\(time)") }
  }

  @Test(
    "F3, F4: a feed that lies is named within three seconds, and no key waits for it",
    arguments: [
      ("wrong.json", "feed-malformed"), ("text.json", "feed-malformed"), ("broken.json", "http-500"),
      ("nothing.json", "http-404"), ("slow.json", "timeout"), ("away.json", "bad-address"), ("huge.json", "too-large"),
    ])
  func lies(path: String, code: String) throws {
    let peer = try server()
    var mynah = mynah
    mynah.clock = "real"
    let run = try mynah.run(
      """
      0.5  call feed.open {"source":"http://127.0.0.1:\(peer.port)/\(path)"}
      4.0  expect mode feed.failed
      4.0  call feed.status
      4.2  press CENTRE
      4.5  press STOP
      5.0  expect mode dictaphone.idle
      5.2  quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    let fault = run.events("onFeedChanged").first { $0.data["state"] == "failed" }
    let told = try #require(fault)
    let asked = try #require(run.events("onFeedChanged").first { $0.data["state"] == "loading" })
    #expect(told.time - asked.time < 3.3, "\(told.time - asked.time)")
    #expect(told.data["code"]?.stringValue == code, "\(told.data)")
    #expect(told.data["reason"]?.stringValue?.isEmpty == false)
  }

  @Test("F3: media that is not there, fails, never comes, drips or leads away is a card within three seconds")
  func missing() throws {
    let peer = try server()
    var mynah = mynah
    mynah.clock = "real"
    let run = try mynah.run(
      """
      0.2  call settings.set {"feed.startMuted":false}
      0.5  call feed.open {"source":"http://127.0.0.1:\(peer.port)/missing.json"}
      4.0  expect mode feed.failed
      4.0  press DOWN
      8.0  expect mode feed.failed
      8.0  press DOWN
      12.0 expect mode feed.failed
      12.0 press DOWN
      16.0 expect mode feed.failed
      16.0 press DOWN
      20.0 expect mode feed.failed
      20.0 press DOWN
      22.0 expect mode feed.playing
      23.0 quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    #expect(try Heard(sound).has(800))
    let codes = changes(run).filter { $0["state"] == "failed" }.compactMap { $0["code"]?.stringValue }
    // A server that is broken is asked again until the three seconds are over.
    #expect(codes == ["http-404", "not-ready", "not-ready", "not-ready", "bad-address"], "\(codes)")
  }

  @Test("F4: thumbnails of a gigabyte are never asked for")
  func thumbnails() throws {
    let peer = try server()
    let run = try mynah.run(
      """
      0.5  call feed.open {"source":"http://127.0.0.1:\(peer.port)/feed.json"}
      3.0  press DOWN
      4.0  expect mode feed.playing
      5.0  quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let asked = try Tool.succeed("curl", ["-s", "http://127.0.0.1:\(peer.port)/log"])
    #expect(asked.contains("feed.json") && asked.contains("500.mp4"), "\(asked)")
    #expect(!asked.contains("huge"), "\(asked)")
  }

  @Test("F4: favourites by a held DOWN and the last item are there after a restart")
  func remembered() throws {
    let peer = try server()
    let first = try mynah.run(
      """
      0.5  call feed.open {"source":"http://127.0.0.1:\(peer.port)/feed.json"}
      3.0  press DOWN
      4.0  hold DOWN 0.8
      5.5  call feed.status
      6.0  press DOWN
      7.0  press UP
      9.0  quit
      """)
    try #require(first.status == 0, "\(first.errors)")
    #expect(answers(first).last?["favourite"] == true)
    let second = try mynah.run("0.5 call feed.open\n4.0 call feed.status\n4.5 press UP\n6.0 call feed.status\n7.0 quit")
    withExtendedLifetime(peer) {}
    try #require(second.status == 0, "\(second.errors)")
    #expect(answers(second).map { $0["title"]?.stringValue } == ["Tone 500", "Tone 400"])
    #expect(answers(second).map { $0["favourite"]?.boolValue } == [true, false])
  }

  @Test(
    "F1, F2: an item in another language is dubbed by the ladder",
    .enabled(if: DubPeer.hasService))
  func dubbed() throws {
    let peer = try server()
    let (film, address) = try stream("--seconds", "30", "--voice")
    let service = try DubPeer("dub_service.py", ["--languages", "es"])
    let run = try mynah.run(
      """
      0.2  call settings.set {"feed.startMuted":false,"dub.service":"ws://127.0.0.1:\(service.port)/","dub.language":"es"}
      0.5  call feed.open {"source":"http://127.0.0.1:\(peer.port)/one.json?url=\(address)"}
      4.0  expect mode feed.playing
      14.0 call feed.status
      15.0 quit
      """)
    withExtendedLifetime((peer, film, service)) {}
    try #require(run.status == 0, "\(run.errors)")
    #expect(answers(run).last?["state"] == "playing")
    // The item's own tone steps back while its sentences are spoken in the other language, and comes forward between.
    let heard = try Heard(sound)
    let levels = stride(from: 5.0, to: 14, by: 0.1).map { heard.amplitude(of: 440, at: $0) }
    let (least, most) = (levels.min() ?? 1, levels.max() ?? 0)
    #expect(most > 0.02 && least < most / 2, "\(levels)")
  }

  @Test(
    "F4: a circle and endless empty pages are an end", arguments: [("circle", "Tone 500"), ("endless", "Tone 400")])
  func ends(name: String, last: String) throws {
    let peer = try server()
    let run = try mynah.run(
      """
      0.5  call feed.open {"source":"http://127.0.0.1:\(peer.port)/\(name).json"}
      3.0  press DOWN
      4.0  press DOWN
      5.0  press DOWN
      6.0  call feed.status
      7.0  quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    #expect(answers(run).last?["title"]?.stringValue == last)
    #expect(run.events("onError").contains { $0.data["code"]?.stringValue == "feed-\(name)" })
  }

  @Test("F4: what was played is kept whole, and plays without a network, which is said; the last item is remembered")
  func offline() throws {
    var peer: DubPeer? = try server()
    let address = "http://127.0.0.1:\(try #require(peer).port)/feed.json"
    var mynah = mynah
    mynah.clock = "real"
    let first = try mynah.run(
      """
      0.2  call settings.set {"feed.startMuted":false}
      0.5  call feed.open {"source":"\(address)"}
      4.0  press DOWN
      8.0  call feed.status
      8.5  quit
      """)
    try #require(first.status == 0, "\(first.errors)")
    #expect((answers(first).last?["cachedBytes"]?.integerValue ?? 0) > 500_000)
    let kept = mynah.data.appendingPathComponent("cache/feed")
    let names = try FileManager.default.contentsOfDirectory(atPath: kept.path)
    #expect(names.filter { $0.hasSuffix(".json") }.count == 2 && !names.contains("part"), "\(names)")
    let second = try mynah.run(
      """
      0.1  fault network down
      0.5  call feed.open
      5.0  expect mode feed.playing
      5.0  call feed.status
      6.0  press DOWN
      8.0  press UP
      9.0  quit
      """)
    try #require(second.status == 0, "\(second.errors)")
    #expect(answers(second).last?["offline"] == true)
    #expect(answers(second).last?["title"] == "Tone 500")
    #expect(try Heard(sound).has(500))
    // One that has been changed is not played. What the start could fetch before the fault would be there anew.
    peer = nil
    let media = try #require(names.first { !$0.hasSuffix(".json") })
    let file = kept.appendingPathComponent(media)
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: file)
    let third = try mynah.run("0.1 fault network down\n0.5 call feed.open\n5.0 call feed.status\n6.0 quit")
    try #require(third.status == 0, "\(third.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: kept.path).count == 2)
  }

  @Test("F4: what was kept and cannot be played is fetched anew, and heard from its address meanwhile")
  func spoilt() throws {
    let peer = try server()
    let address = "http://127.0.0.1:\(peer.port)/feed.json"
    var mynah = mynah
    mynah.clock = "real"
    let open = "0.2 call settings.set {\"feed.startMuted\":false}\n0.5 call feed.open {\"source\":\"\(address)\"}\n"
    let first = try mynah.run(open + "5.0 quit")
    try #require(first.status == 0, "\(first.errors)")
    let kept = mynah.data.appendingPathComponent("cache/feed")
    let names = try FileManager.default.contentsOfDirectory(atPath: kept.path)
    let media = kept.appendingPathComponent(try #require(names.first { !$0.hasSuffix(".json") }))
    let note = media.appendingPathExtension("json")
    let bytes = try Data(contentsOf: media)
    // Its note says that it is whole. It is checked by the time that somebody comes back to it.
    let spoilt = Data("ID3".utf8) + Data(repeating: 0x55, count: bytes.count - 3)
    let text = String(decoding: try Data(contentsOf: note), as: UTF8.self)
    let sums = [bytes, spoilt].map { SHA256.text(of: Array($0)) }
    try #require(text.contains(sums[0]))
    try Data(text.replacingOccurrences(of: sums[0], with: sums[1]).utf8).write(to: note)
    try spoilt.write(to: media)
    let second = try mynah.run(open + "3.0 press DOWN\n4.0 press UP\n7.0 expect mode feed.playing\n8.0 quit")
    withExtendedLifetime(peer) {}
    try #require(second.status == 0, "\(second.errors)")
    #expect(try Heard(sound).has(400))
    #expect(try Data(contentsOf: media) == bytes)
  }
}

extension Heard {
  /// Whether a tone was heard, whenever that was.
  func has(_ frequency: Double) -> Bool {
    stride(from: 0.1, to: Double(samples.count) / 48_000, by: 0.1).contains { amplitude(of: frequency, at: $0) > 0.1 }
  }

  /// Phase of a tone around a time, against that of one that begins with the recording, in radians.
  func phase(of frequency: Double, at time: Double) -> Double {
    let start = Int(time * 48_000)
    var (real, imaginary) = (0.0, 0.0)
    for index in start..<min(samples.count, start + 4800) {
      let turn = 2 * Double.pi * frequency * Double(index) / 48_000
      real += Double(samples[index]) * cos(turn)
      imaginary += Double(samples[index]) * sin(turn)
    }
    return atan2(real, imaginary)
  }
}
