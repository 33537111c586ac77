import Foundation
import JSON
import TestSupport
import Testing

/// What can go wrong with a dub, against real servers in virtual time; judged by what came out of the speaker: never more
/// than 40 ms of silence, the dub again by itself, and memory within its bounds.
///
/// The dub takes the original's place (`replace`), so that every hole would be heard: the original is a tone of 440 Hz,
/// the service says one of 1000 Hz, renditions are tones of their own. German is asked for, which the device itself
/// cannot speak from Spanish subtitles: below the service there is the original alone.
@Suite("A dub under faults", .serialized)
struct DubFaultTests: DubScenario {
  let stage: DubStage
  /// Of a debug build in virtual time, with voices of several languages.
  private static let mostKilobytes = 160_000

  init() throws { stage = try DubStage() }

  private func service(_ arguments: String...) throws -> DubPeer {
    try DubPeer("dub_service.py", ["--languages", "en,es,de", "--tone", "1000"] + arguments)
  }

  /// The first lines of a script: plays the stream, its sound replaced by this service's German.
  private func begin(_ address: String, by service: String) -> String {
    """
    0.1 call settings.set {"dub.service":"\(service)","dub.mode":"replace"}
    0.5 call dub.start {"source":"\(address)","language":"de"}
    """
  }

  /// Plays with a service that follows a plan of faults, and judges it.
  private func expectReturn(plan: String, seconds: Int, fallsBack: Bool = true, longest: Double) throws {
    let (peer, address) = try stream("--seconds", "\(seconds + 4)", "--every", "2")
    let service = try service("--plan", plan)
    let run = try mynah.run(
      """
      \(begin(address, by: "ws://127.0.0.1:\(service.port)/"))
      \(seconds - 1)  call dub.status
      \(seconds)  quit
      """, measured: true)
    withExtendedLifetime((peer, service)) {}
    let peak = try #require(run.peakKilobytes)
    #expect(peak < Self.mostKilobytes, "\(plan): \(peak) kB")
    try #require(run.status == 0, "\(run.errors)")
    let heard = try Heard(sound)
    let silence = heard.longestSilence(from: 1.5, to: Double(seconds) - 0.2)
    #expect(silence <= 40, "\(plan): \(silence) ms")
    let told = rungs(run)
    #expect(told.contains { $0.rung == "service" }, "\(plan): \(told)")
    #expect(told.last?.rung == "service", "\(plan): \(told)")
    let status = try #require(run.events("result").last?.data["result"])
    if fallsBack { #expect((status["fallbacks"]?.integerValue ?? 0) > 0, "\(plan): \(told)") }
    // Every fall is followed by a return, within the longest pause that a fault of this kind may cause.
    for (fall, next) in zip(told, told.dropFirst()) where fall.rung == "original" && fall.time > 4 {
      #expect(next.time - fall.time < longest, "\(plan): \(fall.time) s to \(next.time) s")
      // And meanwhile nothing of the dub is heard.
      for time in stride(from: fall.time + 0.5, to: next.time - 0.3, by: 0.5) {
        #expect(heard.amplitude(of: 1000, at: time) < 0.02, "\(plan): dub at \(time) s")
      }
    }
  }

  /// Some good ones, then each fault four times with five good ones behind.
  private func plan(_ faults: String...) -> String {
    (["none:3"] + faults.map { "\($0):4,none:5" }).joined(separator: ",")
  }

  @Test("by a service that breaks the protocol", .enabled(if: DubPeer.hasService))
  func wrongMessages() throws {
    try expectReturn(
      plan: plan("text", "sequence", "rate", "wrong-rate", "truncated"), seconds: 70, fallsBack: false, longest: 20)
  }

  @Test("by a service that sends nonsense or refuses", .enabled(if: DubPeer.hasService))
  func wrongSound() throws {
    try expectReturn(
      plan: plan("magic", "language", "audio", "twice", "refuse", "oversized"), seconds: 70, longest: 20)
  }

  @Test("by a service that is slow, silent or half gone", .enabled(if: DubPeer.hasService))
  func silentService() throws {
    try expectReturn(
      plan: "none:3,slow:2,none:3,silent:5,none:5,mid-frame:2,none:5,half-open:1", seconds: 60, longest: 30)
  }

  @Test("by a service that hangs up", .enabled(if: DubPeer.hasService))
  func goodbye() throws {
    // 1012 and 1013 ask for patience: 5 to 30 s and 15 to 30 s, and that is kept.
    try expectReturn(plan: "none:3,close-1011:2,none:6,close-1012:1,none:6,close-1013:1", seconds: 110, longest: 36)
  }

  @Test("of a rendition: what is missing of it is the original, at once")
  func rendition() throws {
    // Segments of two seconds; a cut or stalled one is fetched again in time.
    let (peer, address) = try stream(
      "--seconds", "66", "--renditions", "es:660", "--faults",
      "es003.ts=404,es010.ts=503,es017.ts=garbage,es024.ts=large,es028.ts=cut:1,es029.ts=stall:1")
    let run = try mynah.run(
      """
      0.1  call settings.set {"dub.mode":"replace"}
      0.5  call dub.start {"source":"\(address)","language":"es"}
      64.0 call dub.status
      64.5 quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    let heard = try Heard(sound)
    #expect(heard.longestSilence(from: 1.5, to: 64.3) <= 40)
    // The stream begins at about half a second.
    for segment in [3, 10, 17, 24] {
      let time = 0.5 + 2 * Double(segment) + 1.2
      #expect(heard.amplitude(of: 440, at: time) > 0.05, "segment \(segment)")
      #expect(heard.amplitude(of: 660, at: time) < 0.02, "segment \(segment)")
      #expect(heard.amplitude(of: 660, at: time - 2.5) > 0.05, "before segment \(segment)")
    }
    for time in [57.5, 59.5, 61.5] { #expect(heard.amplitude(of: 660, at: time) > 0.05, "\(time)") }
    let told = rungs(run)
    #expect(told.filter { $0.rung == "original" }.count >= 4, "\(told)")
    for (fall, next) in zip(told, told.dropFirst()) where fall.rung == "original" {
      #expect(next.time - fall.time < 12.5, "\(told)")
    }
  }

  @Test("of a rendition that is not there at all: the original, with the reason in status and receipt")
  func goneRendition() throws {
    let gone = (0..<10).map { "de00\($0).ts=404" }.joined(separator: ",")
    let (peer, address) = try stream("--seconds", "20", "--every", "2", "--renditions", "de:660", "--faults", gone)
    let run = try mynah.run(
      """
      0.1  call settings.set {"dub.mode":"replace"}
      0.5  call dub.start {"source":"\(address)","language":"de"}
      9.0  call dub.status
      9.5  call dub.stop
      10.5 call dub.receipt
      11.5 quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    let answers = run.events("result").compactMap { $0.data["result"] }
    let told = answers.compactMap { $0["reason"]?.stringValue }.filter { $0.contains("404") }
    #expect(told.count >= 2 && told.last == answers.last?["reason"]?.stringValue, "\(answers)")
    #expect(try Heard(sound).amplitude(of: 440, at: 7) > 0.05)
  }

  @Test("when the link is too narrow or gone for as long as the buffer lasts", .enabled(if: DubPeer.hasService))
  func narrowLink() throws {
    let (peer, address) = try stream("--seconds", "34", "--every", "2")
    let service = try service("--codec", "aac")
    let run = try mynah.run(
      """
      \(begin(address, by: "ws://127.0.0.1:\(service.port)/"))
      9.0  fault network bandwidth 64000
      12.0 fault network bandwidth max
      18.0 fault network down
      23.0 fault network up
      29.5 call dub.status
      30.0 quit
      """)
    withExtendedLifetime((peer, service)) {}
    try #require(run.status == 0, "\(run.errors)")
    #expect(try Heard(sound).longestSilence(from: 1.5, to: 29.8) <= 40)
    #expect(rungs(run).last?.rung == "service")
    let links = run.events("onDubbingStatus").compactMap { $0.data["link"]?.stringValue }
    #expect(links.contains("lost") && links.last == "up")
  }

  @Test("by services that cannot be trusted, found or greeted", .enabled(if: DubPeer.hasService))
  func untrusted() throws {
    let files = try Certificates(in: folder)
    let (peer, address) = try stream("--seconds", "60", "--every", "2")
    let expired = try service("--certificate", files.path("expired.pem"), "--key", files.path("expired.key"))
    let other = try service("--certificate", files.path("other.pem"), "--key", files.path("other.key"))
    let good = try service("--certificate", files.path("good.pem"), "--key", files.path("good.key"))
    let mute = try service("--fault", "no-welcome")
    let dead = try service("--fault", "never-open")
    func set(_ port: Int, _ scheme: String = "wss") -> String { "\(scheme)://127.0.0.1:\(port)/" }
    let run = try mynah.run(
      """
      \(begin(address, by: set(good.port)))
      5.0  call settings.set {"dub.caFile":"\(files.path("authority.pem"))","dub.service":"\(set(expired.port))"}
      10.0 call settings.set {"dub.service":"\(set(other.port))"}
      15.0 call settings.set {"dub.service":"ws://no-such-host.invalid/"}
      20.0 call settings.set {"dub.service":"\(set(mute.port, "ws"))"}
      28.0 call settings.set {"dub.service":"\(set(dead.port, "ws"))"}
      35.0 call settings.set {"dub.service":"\(set(good.port))"}
      50.0 call dub.status
      50.5 quit
      """)
    withExtendedLifetime((peer, expired, other, good, mute, dead)) {}
    try #require(run.status == 0, "\(run.errors)")
    #expect(try Heard(sound).longestSilence(from: 1.5, to: 50.3) <= 40)
    let told = rungs(run)
    #expect(told.first?.rung == "original" && told.last?.rung == "service", "\(told)")
    #expect((told.last?.time ?? 0) > 35, "\(told)")
    #expect((told.last?.time ?? 99) < 45, "\(told)")
  }

  @Test("in AAC is heard as well", .enabled(if: DubPeer.hasService))
  func aac() throws {
    let (peer, address) = try stream("--seconds", "16", "--every", "2")
    let service = try service("--codec", "aac")
    let run = try mynah.run(
      """
      \(begin(address, by: "ws://127.0.0.1:\(service.port)/"))
      13.5 call dub.status
      14.0 quit
      """)
    withExtendedLifetime((peer, service)) {}
    try #require(run.status == 0, "\(run.errors)")
    let heard = try Heard(sound)
    #expect(heard.longestSilence(from: 1.5, to: 13.8) <= 40)
    let dubbed = stride(from: 5.0, to: 13, by: 0.2).count { heard.amplitude(of: 1000, at: $0) > 0.05 }
    #expect(dubbed > 20)
    let status = try #require(run.events("result").last?.data["result"])
    #expect(status["onTime"]?.integerValue == status["utterances"]?.integerValue)
  }

  @Test("of a list with a wrong line costs that line, with a word in the log")
  func wrongLine() throws {
    let (peer, address) = try stream("--seconds", "8", "--line", "#EXT-X-MEDIA:TYPE=AUDIO,NAME=\"x\"")
    let run = try mynah.run(
      """
      0.5 call dub.start {"source":"\(address)","language":"de"}
      4.0 expect mode dub.playing
      5.0 quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("master.m3u8, line 2") && run.errors.contains("GROUP-ID"), "\(run.errors)")
    #expect(try Heard(sound).amplitude(of: 440, at: 3.5) > 0.05)
  }

  @Test("of a stream in which there is no sound is an error with its reason within seconds, and is not called playing")
  func noSound() throws {
    let garbage = (0..<8).map { "main00\($0).ts=garbage" }.joined(separator: ",")
    let (peer, address) = try stream("--seconds", "16", "--faults", garbage)
    let run = try mynah.run(
      """
      0.5 call dub.start {"source":"\(address)","language":"de"}
      8.0 call panel.state
      8.1 expect mode dub.idle
      8.2 call dub.status
      8.3 call dub.receipt
      9.0 quit
      """)
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    let error = try #require(run.events("onError").first?.data)
    let code = try #require(error["code"]?.stringValue)
    #expect(["damaged", "no-sound"].contains(code))
    #expect(!run.events("onDubbingStatus").contains { $0.data["state"] == "playing" && $0.time > 4 })
    let results = run.events("result").compactMap { $0.data["result"] }
    #expect(results.contains { $0["fault"]?["code"]?.stringValue == code && $0["stopReason"] == "error" })
    // On the screen, too, in words.
    #expect(results.contains { $0["notice"]?.text.contains(code) == true }, "\(results)")
  }

  /// Each is tried and given up with a sentence; the device stays as large as it is.
  @Test("of streams that are traps: they are told, and cost no memory")
  func traps() throws {
    let files = try Certificates(in: folder)
    let media = folder.file("stream")
    try FileManager.default.createDirectory(atPath: media, withIntermediateDirectories: true)
    let faults = "bomb.m3u8=bomb,loop.m3u8=loop,garbage.m3u8=garbage,gone.m3u8=404,large.m3u8=large,main.m3u8=entries"
    let peer = try DubPeer("dub_stream.py", [media, "--seconds", "12", "--faults", faults])
    let secret = try DubPeer(
      "dub_stream.py",
      [media, "--seconds", "4", "--certificate", files.path("expired.pem"), "--key", files.path("expired.key")])
    let traps: [(address: String, words: String)] = [
      ("http://127.0.0.1:\(peer.port)/bomb.m3u8", "larger than the 4194304 bytes"),
      ("http://127.0.0.1:\(peer.port)/loop.m3u8", "other addresses"),
      ("http://127.0.0.1:\(peer.port)/garbage.m3u8", "EXTM3U"), ("http://127.0.0.1:\(peer.port)/gone.m3u8", "404"),
      ("http://127.0.0.1:\(peer.port)/large.m3u8", "neither a playlist nor sound"),
      ("https://127.0.0.1:\(secret.port)/master.m3u8", "certificate"),
    ]
    var script = ""
    for (place, trap) in traps.enumerated() {
      // Virtual time does not wait for the megabytes that are looked at first.
      let time = 1 + 2 * place + (place > 4 ? 20 : 0)
      script += "\(time)  call dub.start {\"source\":\"\(trap.address)\",\"language\":\"es\"}\n"
    }
    // Ten thousand segments are a stream like any other.
    script += "34  call dub.start {\"source\":\"http://127.0.0.1:\(peer.port)/master.m3u8\",\"language\":\"de\"}\n"
    script += "37.5 expect mode dub.playing\n38 quit\n"
    let run = try mynah.run(script, measured: true)
    withExtendedLifetime((peer, secret)) {}
    try #require(run.status == 0, "\(run.errors)")
    let errors = run.events("onError").compactMap { $0.data["message"]?.stringValue }
    for trap in traps {
      #expect(errors.contains { $0.contains(trap.words) }, "\(trap.address): \(errors)")
    }
    let peak = try #require(run.peakKilobytes)
    #expect(peak < Self.mostKilobytes, "\(peak) kB")
    #expect(try Heard(sound).longestSilence(from: 35.5, to: 37.5) <= 40)
  }
}
