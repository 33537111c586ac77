import Foundation
import JSON
import TestSupport
import Testing

/// Streams of servers that other people made, as they are installed everywhere.
@Suite("A server of another make", .serialized)
struct RealServerTests: DubScenario {
  let stage: DubStage

  init() throws { stage = try DubStage() }

  private static func has(_ program: String) -> Bool {
    ["/usr/bin/", "/usr/sbin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + program) }
  }

  private static let hasIcecast = has("icecast2")
  private static let hasNginx = has("nginx")

  /// What `dub.status` answered, in order.
  private func answers(_ run: Mynah.Run) -> [JSONValue] {
    run.events("result").compactMap { $0.data["result"] }.filter { $0["positionSeconds"] != nil }
  }

  @Test(
    "icecast: titles, a paused player and a restart of the server; it plays on", .enabled(if: hasIcecast),
    arguments: [("tone.mp3", 440.0, "Band - Song"), ("tone.ogg", 660, "Band - Song"), ("tone.aac", 880, "")])
  func station(name: String, tone: Double, title: String) throws {
    let peer = try DubPeer("icecast.py", [folder.file("icecast"), "--restart-after", "13"])
    var mynah = mynah
    mynah.clock = "real"
    let run = try mynah.run(
      """
      0.2  call dub.start {"source":"http://127.0.0.1:\(peer.port)/\(name)"}
      4.0  expect mode dub.playing
      4.0  call dub.status
      5.0  call dub.seek {"seconds":-10}
      6.0  call dub.pause
      9.0  call dub.resume
      11.0 call dub.status
      32.0 expect mode dub.playing
      32.0 call dub.status
      32.5 call dub.stop
      33.0 quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    let told = answers(run)
    #expect(told.map { $0["title"]?.stringValue } == [title, title, title])
    #expect(told.last?["state"] == "playing" && told.last?["link"] == "up")
    let heard = try Heard(sound)
    for time in [5.0, 5.7, 10.5, 31.5] { #expect(heard.amplitude(of: tone, at: time) > 0.05, "\(time): \(run.errors)") }
    // A station cannot go back, and nothing of it is thrown away for that.
    let places = told.compactMap { $0["positionSeconds"]?.numberValue }
    #expect(places.count == 3 && abs(places[1] - places[0] - 4) < 0.5, "\(places)")
  }

  @Test("icecast throws out who pauses for long, and is asked again", .enabled(if: hasIcecast))
  func backPressure() throws {
    let peer = try DubPeer("icecast.py", [folder.file("icecast")])
    var mynah = mynah
    mynah.clock = "real"
    let run = try mynah.run(
      """
      0.2  call dub.start {"source":"http://127.0.0.1:\(peer.port)/wide.ogg"}
      3.0  expect mode dub.playing
      3.0  call dub.pause
      28.0 call dub.resume
      45.0 expect mode dub.playing
      45.0 call dub.status
      46.0 quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    #expect(folder.text(of: "icecast/error.log")?.contains("fallen too far behind") == true)
    #expect(answers(run).last?["state"] == "playing")
    #expect((answers(run).last?["longestGapMs"]?.numberValue ?? .infinity) < 3000)
    #expect(try Heard(sound).amplitude(of: 550, at: 44) > 0.05)
  }

  @Test(
    "nginx: films and HLS by ranges and redirects; one goes where one wants in them", .enabled(if: hasNginx),
    arguments: ["moved/film.mp4", "fast.mp4", "moved/a.wav", "moved/one/one.m3u8"])
  func films(path: String) throws {
    let peer = try DubPeer("nginx.py", [folder.file("nginx")])
    let run = try mynah.run(
      """
      0.2  call dub.start {"source":"http://127.0.0.1:\(peer.port)/\(path)"}
      3.0  expect mode dub.playing
      3.0  call dub.status
      4.0  call dub.seek {"seconds":10}
      7.0  call dub.status
      8.0  call dub.seek {"seconds":-15}
      11.0 call dub.status
      12.0 quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    let told = answers(run)
    #expect(told.allSatisfy { $0["state"] == "playing" && abs(($0["lengthSeconds"]?.numberValue ?? 0) - 20) < 0.3 })
    let places = told.compactMap { $0["positionSeconds"]?.numberValue }
    try #require(places.count == 3)
    let heard = try Heard(sound)
    for (place, time) in zip(places, [3.0, 7, 11]) {
      // The tone tells what is really heard; at the turn of a second it may be either.
      let tones = [place - 0.2, place + 0.2].map { 300 + 50 * $0.rounded(.down) }
      #expect(tones.contains { heard.amplitude(of: $0, at: time - 0.1) > 0.1 }, "\(place) at \(time)")
    }
    #expect(abs(places[1] - places[0] - 14) < 0.7 && places[2] < 6, "\(places)")
  }

  @Test("nginx: a feed of an MP4, a WAV by redirects and HLS, each heard within 100 ms", .enabled(if: hasNginx))
  func feed() throws {
    let peer = try DubPeer("nginx.py", [folder.file("nginx")])
    let run = try mynah.run(
      """
      0.2  call settings.set {"feed.startMuted":false,"feed.cacheMB":0}
      0.5  call feed.open {"source":"http://127.0.0.1:\(peer.port)/moved/feed.json"}
      4.0  expect mode feed.playing
      5.0  press DOWN
      6.0  call feed.status
      8.0  press DOWN
      9.0  call feed.status
      10.0 expect mode feed.playing
      11.0 quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    let told = run.events("result").compactMap { $0.data["result"] }.filter { $0["startMs"]?.integerValue != nil }
    #expect(told.map { $0["item"]?.stringValue } == ["wave", "stream"])
    #expect(told.allSatisfy { ($0["startMs"]?.integerValue ?? 1000) <= 100 }, "\(told)")
    let heard = try Heard(sound)
    // The first second of each is 300 Hz.
    for time in [5.4, 8.4] { #expect(heard.amplitude(of: 300, at: time) > 0.1, "\(time)") }
    for press in [5.0, 8] { #expect(heard.longestSilence(from: press - 0.2, to: press + 0.6) <= 20, "\(press)") }
  }
}
