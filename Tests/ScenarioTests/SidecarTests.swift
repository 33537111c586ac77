import Foundation
import JSON
import TestSupport
import Testing

/// Sound and subtitles that lie beside a film or a take, found by the process that decodes strangers' files; judged by
/// what came out of the speaker. What is dubbed is a tone of 440 Hz, the sound beside it one of 660 Hz.
@Suite("What lies beside a recording", .serialized)
struct SidecarTests: DubScenario {
  let stage: DubStage

  init() throws { stage = try DubStage() }

  /// A Spanish sound and German subtitles beside `file`, the second of which is said from 8 s to 10.5 s.
  private func put(beside file: URL) throws {
    let base = file.deletingPathExtension()
    try Tool.succeed(
      "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=660:r=48000:d=14", "-c:a", "aac", base.path + ".es.m4a"])
    try """
    WEBVTT

    00:02.000 --> 00:06.000
    Guten Morgen, heute ist ein schöner Tag.

    00:08.000 --> 00:11.000
    Und morgen wird ein anderer, sagt der Mann.

    """.write(toFile: base.path + ".de.vtt", atomically: true, encoding: .utf8)
  }

  /// Plays it in Spanish and then in German, its sound replaced.
  private func expectBoth(_ source: String) throws {
    let run = try mynah.run(
      """
      0.1  call settings.set {"dub.mode":"replace"}
      0.5  call dub.start {"source":"\(source)","language":"es"}
      4.0  call dub.status
      5.0  call dub.language {"language":"de"}
      11.0 call dub.status
      12.0 press STOP
      13.0 call dub.receipt
      14.0 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let results = run.events("result").compactMap { $0.data["result"] }
    #expect(results.compactMap { $0["rung"]?.stringValue } == ["sidecar", "synthesised"], "\(run.errors)")
    for rung in ["sidecar", "synthesised"] {
      #expect((results.last?["played"]?[rung]?.integerValue ?? 0) >= 1, "\(rung): \(results.last ?? .null)")
    }
    let heard = try Heard(sound)
    for time in stride(from: 1.5, to: 4.6, by: 0.5) {
      #expect(heard.amplitude(of: 660, at: time) > 0.1, "\(time) s")
      #expect(heard.amplitude(of: 440, at: time) < 0.02, "\(time) s")
    }
    // Nothing is said, and it is the original that is heard; then there is speech in its place.
    #expect(heard.amplitude(of: 440, at: 7) > 0.1 && heard.amplitude(of: 660, at: 7) < 0.02)
    for time in [8.8, 9.25, 9.75] {
      #expect(heard.amplitude(of: 440, at: time) < 0.03 && heard.amplitude(of: 660, at: time) < 0.06, "\(time) s")
    }
    #expect(heard.longestSilence(from: 8.6, to: 9.9) < 300)
  }

  @Test func `is heard with somebody's film, and its subtitles are spoken`() throws {
    try FileManager.default.createDirectory(at: mynah.clips, withIntermediateDirectories: true)
    let film = mynah.clips.appendingPathComponent("film.mp4")
    try Tool.succeed(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=25:duration=14", "-f", "lavfi", "-i",
        "sine=440:r=48000:d=14", "-c:v", "libx264", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac", film.path,
      ])
    try put(beside: film)
    try expectBoth("film.mp4")
  }

  @Test func `is heard with a take of one's own, and its subtitles are spoken`() throws {
    var recorder = mynah
    recorder.microphone = "tone:440"
    let run = try recorder.run("1 press REC\n15 press STOP\n17 quit\n")
    try #require(run.status == 0, "\(run.errors)")
    let take = try #require(mynah.takes.first)
    try put(beside: take)
    try expectBoth(take.lastPathComponent)
  }
}
