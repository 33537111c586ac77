import Foundation
import JSON
import TestSupport
import Testing

/// What goes wrong in the field, made to go wrong: the take before it is kept, and the truth is told.
@Suite("A fault")
struct FaultTests {
  private let folder: TemporaryFolder
  private let mynah: Mynah

  init() throws {
    folder = TemporaryFolder()
    mynah = Mynah(folder: folder)
  }

  private let wav = #"0.1 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}"#

  /// `mynah` with known noise at its microphone, and the noise.
  private func withNoise(seconds: Int) throws -> (Mynah, [Int16]) {
    var mynah = mynah
    let said = Sound.noise(frames: 48_000 * seconds, channels: 2)
    try Sound.write(said, channels: 2, to: folder.file("in.wav"))
    mynah.microphone = folder.file("in.wav")
    return (mynah, said)
  }

  @Test("a microphone lost while recording closes the take, says so, and is back on replug")
  func microphoneLost() throws {
    let (mynah, said) = try withNoise(seconds: 12)
    let run = try mynah.run(
      """
      \(wav)
      1.0 press REC
      3.0 fault microphone unplug
      4.0 expect mode dictaphone.idle
      4.0 expect notice device-lost
      5.0 fault microphone replug
      7.0 press REC
      8.0 press STOP
      10.0 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    #expect(mynah.takes.count == 2)
    let first = try #require(mynah.takes.first)
    let heard = try Sound.samples(first)
    // What had come in whole periods (32 ms) until the plug was pulled.
    #expect((2 * 96_000 - 2 * 1536..<2 * 96_000).contains(heard.count))
    #expect(heard == Array(said[96_000..<(96_000 + heard.count)]))
    #expect(try Metadata(of: first)["stopReason"]?.stringValue == "device-lost")
    #expect(run.events("onDeviceLost").count == 1)
    #expect(run.events("onDeviceReturned").contains { $0.data["device"]?.stringValue == "microphone" })
    let second = try Sound.samples(try #require(mynah.takes.last))
    #expect(second == Array(said[(7 * 96_000)..<(8 * 96_000)]))
  }

  @Test("a microphone missing at start is said; REC is refused with the reason; it works once plugged in")
  func microphoneMissing() throws {
    let run = try mynah.run(
      """
      0.0 fault microphone unplug
      1.0 press REC
      1.5 expect mode dictaphone.idle
      2.0 fault microphone replug
      4.0 press REC
      5.0 press STOP
      7.0 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    #expect(mynah.takes.count == 1)
  }

  @Test("storage full stops the take with what fits, playable; settings can still be written")
  func storageFull() throws {
    for format in ["wav", "aac"] {
      let scratch = TemporaryFolder()
      let mynah = Mynah(folder: scratch)
      let run = try mynah.run(
        """
        0.1 call settings.set {"recording.format":"\(format)","recording.preRecordSeconds":0}
        1.0 press REC
        4.0 fault storage full
        6.0 expect mode dictaphone.idle
        6.0 call settings.set {"recording.preRecordSeconds":7}
        7.0 fault storage ok
        8.0 quit
        """)
      try #require(run.status == 0, "\(format): \(run.errors)")
      let take = try #require(mynah.takes.first)
      let meta = try Metadata(of: take)
      #expect(meta["stopReason"]?.stringValue == "storage-full")
      let frames = try #require(meta["frames"]?.integerValue)
      #expect(frames > 48_000 * 5 / 2 && frames <= 48_000 * 7 / 2)
      #expect(try Sound.frames(take) == frames)
      #expect(try Sound.samples(take).count / 2 >= frames)
      let settings = try String(contentsOf: mynah.data.appendingPathComponent("settings.json"), encoding: .utf8)
      #expect(settings.contains("7"))
    }
  }

  @Test(
    "a storage that stalls for 10 s costs no sample, and no format",
    arguments: [("wav", 0), ("aac", 0), ("wav", 32), ("alac", 24)])
  func storageStall(format: String, bits: Int) throws {
    let (mynah, said) = try withNoise(seconds: 20)
    let run = try mynah.run(
      """
      0.1 call settings.set {"recording.format":"\(format)","recording.preRecordSeconds":0,"recording.bitDepth":\(bits)}
      1.0 press REC
      2.0 fault storage stall 10
      14.0 press STOP
      18.0 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let take = try #require(mynah.takes.first)
    #expect(mynah.takes.count == 1 && run.events("onError").isEmpty)
    #expect(try Sound.frames(take) == 13 * 48_000)
    #expect(run.events("onGap").isEmpty)
    if format == "wav", bits == 0 { #expect(try Sound.samples(take) == Array(said[96_000..<(14 * 96_000)])) }
  }

  @Test("an overrun of 0.3 s is exact silence of that length, a gap in the notes, and the length stays true")
  func overrun() throws {
    let (mynah, said) = try withNoise(seconds: 10)
    let run = try mynah.run(
      """
      \(wav)
      1.0 press REC
      3.0 fault microphone overrun 0.3
      5.0 press STOP
      7.0 call log.tail {"lines":200}
      7.0 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let take = try #require(mynah.takes.first)
    let heard = try Sound.samples(take)
    #expect(heard.count == 4 * 96_000)
    let gap = try #require(try Metadata(of: take)["gaps"]?.arrayValue?.first)
    let start = try #require(gap["frame"]?.integerValue)
    #expect(gap["frames"]?.integerValue == 14_400)
    #expect(heard[(start * 2)..<((start + 14_400) * 2)].allSatisfy { $0 == 0 })
    // What is not silence is where it was said.
    #expect(Array(heard[..<(start * 2)]) == Array(said[96_000..<(96_000 + start * 2)]))
    #expect(Array(heard[((start + 14_400) * 2)...]) == Array(said[(96_000 + (start + 14_400) * 2)..<(5 * 96_000)]))
    #expect(run.events("onGap").count == 1)
    #expect(run.events("result").last.map { "\($0.data)".contains("overrun") } == true)
  }

  @Test("a power cut leaves a take that plays, at most 0.5 s short", arguments: 0..<20)
  func powerCut(seed: Int) throws {
    let cut = Double(3000 + seed * 137) / 1000
    let (mynah, said) = try withNoise(seconds: 10)
    _ = try mynah.run(
      """
      0.1 call settings.set {"recording.format":"\(seed % 2 == 0 ? "wav" : "aac")","recording.preRecordSeconds":0}
      1.0 press REC
      \(cut) fault power cut
      """)
    let second = try mynah.run("1.0 call library.list\n1.5 quit")
    try #require(second.status == 0, "\(second.errors)")
    let take = try #require(mynah.takes.first)
    let meta = try Metadata(of: take)
    #expect(meta["stopReason"]?.stringValue == "recovered")
    let heard = try Sound.samples(take)
    let frames = try #require(meta["frames"]?.integerValue)
    #expect(Double(frames) / 48_000 > cut - 1.0 - 0.5)
    #expect(heard.count / 2 >= frames)
    if seed % 2 == 0 { #expect(heard == Array(said[96_000..<(96_000 + heard.count)])) }
  }

  @Test("a display that goes away does not stop the device and is drawn anew when it is back")
  func displayUnplugged() throws {
    let run = try mynah.run(
      """
      \(wav)
      1.0 press REC
      2.0 fault display unplug
      3.0 expect mode dictaphone.recording
      4.0 fault display replug
      6.0 press STOP
      8.0 screen \(folder.file("after.png"))
      8.0 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    #expect(try Sound.frames(try #require(mynah.takes.first)) == 5 * 48_000)
    #expect(run.events("onDeviceLost").count == 1)
    #expect(
      try Tool.succeed(
        "ffprobe",
        [
          "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0",
          folder.file("after.png"),
        ]
      ).hasPrefix("1024,512"))
  }
}
