import Foundation
import JSON
import Testing

/// What can go wrong with a dub, against real servers in virtual time; judged by what came out of the speaker: never more
/// than 40 ms of silence, the dub again by itself, and memory within its bounds.
///
/// The dub takes the original's place (`replace`), so that every hole would be heard: the original is a tone of 440 Hz,
/// the service says one of 1000 Hz, renditions are tones of their own. German is asked for, which the device itself
/// cannot speak from Spanish subtitles: below the service there is the original alone.
@Suite("A dub under faults", .serialized)
struct DubFaultTests {
  private let folder: ScratchFolder
  private let mynah: Mynah
  private let sound: String

  init() throws {
    folder = try ScratchFolder()
    sound = folder.path("heard.wav")
    var mynah = Mynah(folder: folder)
    mynah.speaker = sound
    mynah.microphone = "silence"
    self.mynah = mynah
  }

  private func stream(_ arguments: String...) throws -> (peer: DubPeer, address: String) {
    let media = folder.path("stream")
    try FileManager.default.createDirectory(atPath: media, withIntermediateDirectories: true)
    let peer = try DubPeer("dub_stream.py", [media] + arguments)
    return (peer, "http://127.0.0.1:\(peer.port)/master.m3u8")
  }

  private func service(_ arguments: String...) throws -> DubPeer {
    try DubPeer("dub_service.py", ["--languages", "en,es,de", "--tone", "1000"] + arguments)
  }

  /// When which rung was told to be heard.
  private func rungs(_ run: Mynah.Run) -> [(time: Double, rung: String)] {
    var rungs: [(time: Double, rung: String)] = []
    for event in run.events("onDubbingStatus") where event.data["state"] == "playing" {
      let rung = event.data["rung"]?.stringValue ?? ""
      if rungs.last?.rung != rung { rungs.append((event.time, rung)) }
    }
    return rungs
  }

  /// Plays with a service that follows a plan of faults, and judges it.
  private func expectReturn(plan: String, seconds: Int, fallsBack: Bool = true, longest: Double) throws {
    let (peer, address) = try stream("--seconds", "\(seconds + 4)", "--every", "2")
    let service = try service("--plan", plan)
    let run = try mynah.run(
      """
      0.1  call settings.set {"dub.service":"ws://127.0.0.1:\(service.port)/","dub.mode":"replace"}
      0.5  call dub.start {"source":"\(address)","language":"de"}
      \(seconds - 1)  call dub.status
      \(seconds)  quit
      """)
    withExtendedLifetime((peer, service)) {}
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
    try expectReturn(plan: "none:3,silent:2,none:5,mid-frame:2,none:5,half-open:1", seconds: 50, longest: 25)
  }

  @Test("by a service that hangs up", .enabled(if: DubPeer.hasService))
  func goodbye() throws {
    // 1012 and 1013 ask for patience: 5 to 30 s and 15 to 30 s, and that is kept.
    try expectReturn(plan: "none:3,close-1011:2,none:6,close-1012:1,none:6,close-1013:1", seconds: 110, longest: 36)
  }
}
