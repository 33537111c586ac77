import Foundation
import JSON
import TestSupport
import Testing

/// The first ten of the scripts that are run before a release: what people do every day to record, by the keys, and what
/// comes out of it as other programs see it.
@Suite("Regression script, recording")
struct RecordingScriptTests {
  private let bench = ScriptBench()
  private var mynah: Mynah { bench.mynah }

  @Test("01: REC, pause, resume, STOP")
  func recordPauseResumeStop() throws {
    try bench.run(
      mynah,
      """
      0.1 call settings.set {"recording.preRecordSeconds":0}
      1 press REC
      2 expect mode dictaphone.recording
      4 press REC
      5 expect mode dictaphone.paused
      6 press REC
      9 press STOP
      11 expect mode dictaphone.idle
      11 expect takes 1
      11 quit
      """)
    #expect(abs(try bench.duration(try #require(mynah.takes.first)) - 6) < 0.01)
  }

  @Test("02: what was said before the press")
  func preRecord() throws {
    try bench.run(
      mynah, "0.1 call settings.set {\"recording.preRecordSeconds\":5}\n8 press REC\n10 press STOP\n12 quit")
    #expect(abs(try bench.duration(try #require(mynah.takes.first)) - 7) < 0.01)
  }

  @Test(
    "03: every format",
    arguments: [("aac", "aac"), ("alac", "alac"), ("flac", "flac"), ("opus", "opus"), ("wav", "pcm_s16le")])
  func formats(format: String, codec: String) throws {
    try bench.run(
      mynah,
      """
      0.1 call settings.set {"recording.format":"\(format)","recording.preRecordSeconds":0}
      1 press REC
      4 press STOP
      6 quit
      """)
    let names = try FileManager.default.contentsOfDirectory(atPath: mynah.recordings.path)
    let name = try #require(names.first { !$0.contains(".json") })
    let take = mynah.recordings.appendingPathComponent(name)
    #expect(try Sound.field("codec_name", of: take) == codec)
    #expect(abs(try bench.duration(take) - 3) < 0.01)
  }

  @Test("04: a take in several files is the take in one")
  func split() throws {
    var mynah = mynah
    let said = Sound.noise(frames: 48_000 * 12, channels: 2)
    try Sound.write(said, channels: 2, to: bench.folder.file("in.wav"))
    mynah.microphone = bench.folder.file("in.wav")
    let run = try bench.run(
      mynah,
      """
      0.1 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0,"recording.splitSeconds":3}
      1 press REC
      9 press STOP
      11 call library.list
      11 expect takes 1
      11 quit
      """)
    #expect(try mynah.takes.flatMap { try Sound.samples($0) } == Array(said[96_000..<96_000 * 9]))
    #expect(bench.results(run, of: "library.list").first?["takes"]?[0]?["parts"]?.arrayValue?.count == 3)
  }

  @Test("05: by voice")
  func voice() throws {
    var mynah = mynah
    try Tool.succeed(
      "sox",
      [
        "-n", "-r", "48000", "-c", "2", "-b", "16", bench.folder.file("in.wav"), "synth", "3", "sine", "300", "vol",
        "0.2",
        "pad", "6", "20",
      ])
    mynah.microphone = bench.folder.file("in.wav")
    try bench.run(
      mynah,
      """
      0.1 call settings.set {"recording.voiceOperated":"cut","recording.voiceHoldSeconds":2,"recording.preRecordSeconds":1}
      1 press REC
      25 press STOP
      27 quit
      """)
    let seconds = try bench.duration(try #require(mynah.takes.first))
    #expect(seconds > 3.5 && seconds < 10, "\(seconds)")
  }

  @Test("06: another microphone goes on, and the better one comes back")
  func sources() throws {
    let run = try bench.run(
      mynah,
      """
      0.1 call settings.set {"recording.source":"usb,board","recording.sourceReturn":"always","recording.format":"wav","recording.preRecordSeconds":1}
      3 press REC
      6 fault source unplug usb
      9 fault source replug usb
      13 press STOP
      15 quit
      """, ["--source", "usb=tone:880"])
    let changes = run.events("onSourceChanged").map { $0.data["reason"]?.stringValue ?? "" }
    #expect(changes.suffix(2) == ["lost", "returned"], "\(changes)")
    let take = try #require(mynah.takes.first)
    #expect(abs(try bench.duration(take) - 11) < 0.01)
    #expect(try Metadata(of: take)["bookmarks"]?.arrayValue?.count == 2)
  }

  @Test("07: the card is full")
  func full() throws {
    let run = try bench.run(
      mynah, "1 press REC\n4 fault storage full\n6 expect notice storage-full\n7 fault storage ok\n8 quit")
    let saved = try #require(run.events("onTakeSaved").first)
    #expect(saved.data["stopReason"]?.stringValue == "storage-full")
    #expect(try bench.duration(try #require(mynah.takes.first)) > 3)
  }

  @Test("08: the power goes, and comes back")
  func powerCut() throws {
    _ = try mynah.run(
      """
      0.1 call settings.set {"recording.preRecordSeconds":0}
      1 press REC
      6 fault power cut
      """)
    try bench.run(mynah, "3 expect takes 1\n3 quit")
    #expect(try bench.duration(try #require(mynah.takes.first)) >= 4.5)
  }

  @Test("09: by schedule")
  func schedule() throws {
    let run = try bench.run(
      mynah,
      """
      0.1 call schedule.add {"when":"daily 21:56 21:57"}
      300 quit
      """)
    #expect(run.events("onTakeSaved").count == 1, "\(run.output)")
    #expect(abs(try bench.duration(try #require(mynah.takes.first)) - 60) < 6)
  }

  @Test("10: locked")
  func lock() throws {
    try bench.run(
      mynah,
      """
      1 press REC
      2 press LOCK
      3 expect locked yes
      3 press STOP
      4 expect mode dictaphone.recording
      5 hold LOCK 2.2
      8 expect locked no
      8 press STOP
      10 expect mode dictaphone.idle
      10 expect takes 1
      10 quit
      """)
  }
}
