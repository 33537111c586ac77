import Foundation
import JSON
import TestSupport
import Testing

/// REC to file on simulated hardware: what was said is what ffmpeg finds in the take.
@Suite("A take")
struct TakeTests {
  private let folder: TemporaryFolder
  private let mynah: Mynah

  init() throws {
    folder = TemporaryFolder()
    mynah = Mynah(folder: folder)
  }

  @Test("in WAV is bit-exact with the microphone, from the press to the release of it", arguments: [1, 2])
  func wavIsBitExact(channels: Int) throws {
    var mynah = mynah
    let said = Sound.noise(frames: 48_000 * 8, channels: channels)
    try Sound.write(said, channels: channels, to: folder.file("in.wav"))
    mynah.microphone = folder.file("in.wav")
    let run = try mynah.run(
      """
      0.1 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}
      1.0 press REC
      1.5 expect mode dictaphone.recording
      1.5 expect led REC on
      4.25 press STOP
      6.0 expect mode dictaphone.idle
      6.0 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let take = try #require(mynah.takes.first)
    let heard = try Sound.samples(take)
    #expect(heard.count == 156_000 * channels)
    #expect(heard == Array(said[(48_000 * channels)..<(48_000 * channels + heard.count)]))
    let saved = try #require(run.events("onTakeSaved").first)
    #expect(saved.data["frames"]?.integerValue == 156_000)
    #expect(saved.data["sampleRate"]?.integerValue == 48_000)
    #expect(saved.data["stopReason"]?.stringValue == "user")
    #expect(try Sound.frames(take) == 156_000)
  }

  @Test("in AAC aligns with the speech that went in, and says its exact length")
  func aacAligns() throws {
    var mynah = mynah
    try Sound.speech(
      "Never lose a take, never lie about what you have, and never make them wait. One, two, three, four, five.",
      to: folder.file("in.wav"))
    let said = try Sound.samples(URL(fileURLWithPath: folder.file("in.wav")))
    mynah.microphone = folder.file("in.wav")
    let run = try mynah.run(
      """
      0.1 call settings.set {"recording.preRecordSeconds":0}
      0.5 press REC
      5.0 press STOP
      7.0 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let take = try #require(mynah.takes.first)
    #expect(take.pathExtension == "m4a")
    #expect(try Sound.frames(take) == 216_000)
    let heard = Array(try Sound.samples(take).prefix(216_000 * 2))
    #expect(heard.count == 216_000 * 2)
    #expect(Sound.correlation(heard, said, lag: 24_000 * 2) > 0.99)
    // The lag is constant: the first and the last second align as well as the whole.
    #expect(Sound.correlation(Array(heard.prefix(96_000)), said, lag: 48_000) > 0.99)
    #expect(Sound.correlation(Array(heard.suffix(96_000)), said, lag: 48_000 + heard.count - 96_000) > 0.98)
  }

  @Test("holds the seconds before the press")
  func preRecord() throws {
    var mynah = mynah
    let said = Sound.noise(frames: 48_000 * 12, channels: 2)
    try Sound.write(said, channels: 2, to: folder.file("in.wav"))
    mynah.microphone = folder.file("in.wav")
    let run = try mynah.run(
      """
      0.1 call settings.set {"recording.format":"wav","recording.preRecordSeconds":3}
      8.0 press REC
      9.0 press STOP
      11.0 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let take = try #require(mynah.takes.first)
    let heard = try Sound.samples(take)
    #expect(heard == Array(said[(5 * 96_000)..<(9 * 96_000)]))
    let meta = try Metadata(of: take)
    #expect(meta["preRecordSeconds"]?.numberValue == 3)
    #expect(meta["frames"]?.integerValue == 4 * 48_000)
  }

  @Test("pauses and resumes without a step that the sound itself does not have")
  func pauseHasNoClick() throws {
    var mynah = mynah
    // A slow tone: its own steps are tiny, so a cut in it would stand out by far.
    let tone = (0..<48_000 * 10).map { Int16(16_000 * sin(2 * Double.pi * 100 * Double($0) / 48_000 + 0.5)) }
    try Sound.write(tone, channels: 1, to: folder.file("in.wav"))
    mynah.microphone = folder.file("in.wav")
    let run = try mynah.run(
      """
      0.1 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}
      1.0 press REC
      2.0025 press REC
      2.5 expect mode dictaphone.paused
      3.5031 press REC
      3.6 expect mode dictaphone.recording
      5.0 press STOP
      7.0 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let heard = try Sound.samples(try #require(mynah.takes.first))
    #expect(heard.count == 48_120 + 71_851)
    let own = zip(tone, tone.dropFirst()).map { abs(Int($0) - Int($1)) }.max() ?? 0
    let steps = zip(heard, heard.dropFirst()).map { abs(Int($0) - Int($1)) }
    #expect((steps.max() ?? 0) <= own)
  }

  @Test("is the same twice: events and bytes")
  func isDeterministic() throws {
    let script = """
      0.5 press REC
      2.0 mark
      3.0 press REC
      4.0 press REC
      4.5 fault microphone overrun 0.3
      6.0 press STOP
      8.0 press CENTRE
      9.0 screen \(folder.file("out.png"))
      9.0 quit
      """
    var results: [(String, [Data], Data)] = []
    for name in ["a", "b"] {
      let scratch = TemporaryFolder()
      var mynah = Mynah(folder: scratch)
      mynah.speaker = scratch.file("heard.wav")
      let run = try mynah.run(script)
      try #require(run.status == 0, "\(name): \(run.errors)")
      results.append(
        (
          run.output.replacingOccurrences(of: scratch.url.path, with: ""),
          try mynah.takes.map { try Data(contentsOf: $0) },
          try Data(contentsOf: URL(fileURLWithPath: scratch.file("heard.wav")))
        ))
    }
    #expect(results[0].0 == results[1].0)
    #expect(results[0].1 == results[1].1)
    #expect(results[0].2 == results[1].2)
    #expect(!results[0].1.isEmpty)
  }

  @Test("of an hour is made in virtual time, to the sample")
  func hour() throws {
    var mynah = mynah
    mynah.microphone = "silence"
    let run = try mynah.run(
      """
      0.1 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0,"recording.channels":1}
      1 press REC
      3601 press STOP
      3603 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    #expect(try Sound.frames(try #require(mynah.takes.first)) == 3600 * 48_000)
  }

  @Test("marked while recording keeps its marks to the sample, in the metadata and in the file")
  func marks() throws {
    let run = try mynah.run(
      """
      0.1 call settings.set {"recording.format":"wav","recording.preRecordSeconds":1}
      2.0 press REC
      3.5 mark
      4.0 press CENTRE
      5.0 press STOP
      7.0 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let take = try #require(mynah.takes.first)
    let bookmarks = try #require(try Metadata(of: take)["bookmarks"]?.arrayValue)
    #expect(bookmarks.compactMap { $0["time"]?.numberValue } == [2.5, 3.0])
    let bytes = try Data(contentsOf: take)
    #expect(bytes.range(of: Data("cue ".utf8)) != nil)
  }

  @Test("never takes a name that was used, even when the clock is back in 1970")
  func namesNeverCollide() throws {
    for _ in 0..<2 {
      let run = try mynah.run(
        """
        0.1 fault clock jump -1795211640
        1.0 press REC
        2.0 press STOP
        4.0 press REC
        5.0 press STOP
        7.0 quit
        """)
      try #require(run.status == 0, "\(run.errors)")
    }
    let names = mynah.takes.map(\.lastPathComponent)
    #expect(names.count == 4)
    #expect(Set(names.map { $0.prefix(6) }).count == 4)
    #expect(names.allSatisfy { $0.contains("_1970-01-01T") })
  }
}
