import Foundation
import JSON
import TestSupport
import Testing

/// A board under strain, from outside: what is recorded loses nothing while the rest gives way, and all of it comes back.
@Suite("Under strain")
struct GovernorTests {
  private let folder: TemporaryFolder
  private var mynah: Mynah

  /// Looks every two seconds, and waits no longer than that before it steps.
  private static let quick = """
    [governor]
    sample_seconds = 2
    fall_seconds = 2
    calm_seconds = 4
    storage_ms = 1000
    """
  private static let ladder = ["display", "preview", "dubbing", "waveform", "ring", "bitrate", "framerate"]

  init() throws {
    folder = TemporaryFolder()
    mynah = Mynah(folder: folder)
    mynah.board = try Mynah.smallCamera(in: folder, more: Self.quick)
  }

  private func steps(_ run: Mynah.Run, _ direction: String) -> [Mynah.Event] {
    run.events("onGovernorStep").filter { $0.data["direction"]?.stringValue == direction }
  }

  private func rungs(_ events: [Mynah.Event]) -> [String] { events.compactMap { $0.data["rung"]?.stringValue } }

  /// What the files on the card say of a clip.
  private func receipt(_ clip: URL) throws -> JSONValue {
    try JSONValue(parsing: Array(Data(contentsOf: clip.deletingPathExtension().appendingPathExtension("json"))))
  }

  @Test(
    "a take is what the microphone heard, to the sample",
    arguments: [
      ("board heat 90", "board cool", "temperature", 90.0, 80.0),
      ("pressure cpu 85", "pressure off", "cpu-pressure", 85, 60),
      ("pressure memory 40", "pressure off", "memory-pressure", 40, 20),
      ("board throttle", "board unthrottle", "throttled", 1, 1),
      ("board battery 5", "board mains", "battery", 5, 15),
    ])
  func take(strain: String, healed: String, reason: String, value: Double, limit: Double) throws {
    var mynah = mynah
    let said = Sound.noise(frames: 48_000 * 40, channels: 2)
    try Sound.write(said, channels: 2, to: folder.file("in.wav"))
    mynah.microphone = folder.file("in.wav")
    let run = try mynah.run(
      """
      0.1  call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}
      1.0  press REC
      3.0  fault \(strain)
      12.5 call governor.status
      13.0 fault \(healed)
      36.0 call governor.status
      37.0 press STOP
      39.0 call system.doctor
      39.5 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let down = steps(run, "down")
    #expect(rungs(down) == Array(Self.ladder.prefix(4)))
    #expect(down.allSatisfy { $0.data["reason"]?.stringValue == reason })
    #expect(down.allSatisfy { $0.data["value"]?.numberValue == value && $0.data["limit"]?.numberValue == limit })
    // One rung a step, last things first on the way back.
    #expect(zip(down, down.dropFirst()).allSatisfy { $1.time - $0.time >= 1.999 })
    #expect(rungs(steps(run, "up")) == Self.ladder.prefix(4).reversed())
    #expect(steps(run, "up").allSatisfy { $0.data["reason"]?.stringValue == "calm" })
    let status = run.events("result").filter { $0.data["method"]?.stringValue == "governor.status" }
      .compactMap { $0.data["result"] }
    #expect(status.first?["rung"] == "waveform" && status.last?["rung"] == JSONValue.null)
    #expect(status.last?["falls"] == 4 && status.last?["climbs"] == 4)
    // The take.
    let take = try #require(mynah.takes.first)
    #expect(try Sound.samples(take) == Array(said[96_000..<(37 * 96_000)]))
    #expect(run.events("onGap").isEmpty && run.events("onError").isEmpty)
    let meta = try Metadata(of: take)
    let noted = meta["receipt"]?["governor"]?.arrayValue ?? []
    #expect(noted.compactMap { $0["rung"]?.stringValue } == rungs(run.events("onGovernorStep")))
    #expect(noted.first?["reason"]?.stringValue == reason && noted.last?["direction"] == "up")
    #expect(meta["receipt"]?["lostFrames"] == 0)
  }

  @Test("a slow card is a strain, and costs no sample")
  func slowCard() throws {
    var mynah = mynah
    let said = Sound.noise(frames: 48_000 * 40, channels: 2)
    try Sound.write(said, channels: 2, to: folder.file("in.wav"))
    mynah.microphone = folder.file("in.wav")
    let run = try mynah.run(
      """
      0.1  call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}
      1.0  press REC
      3.0  fault storage slow 1.9
      13.0 fault storage slow 0
      36.0 press STOP
      38.0 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let down = steps(run, "down")
    #expect(down.count >= 2 && down.count < Self.ladder.count)
    #expect(down.allSatisfy { $0.data["reason"]?.stringValue == "storage" })
    #expect(steps(run, "up").count == down.count)
    #expect(try Sound.samples(try #require(mynah.takes.first)) == Array(said[96_000..<(36 * 96_000)]))
    #expect(run.events("onGap").isEmpty)
  }

  @Test("a clip has every picture that the camera saw while all but the last rung gave way, and so has the next one")
  func clip() throws {
    var mynah = mynah
    mynah.microphone = "beeps"
    let run = try mynah.run(
      """
      0.1  call panel.mode {"mode":"clips"}
      0.2  call settings.set {"clips.durationSeconds":4,"clips.postRollSeconds":19}
      6.0  press REC
      6.5  fault board heat 95
      20.5 call governor.status
      20.6 fault board cool
      27.0 call clips.status
      48.0 call clips.status
      52.0 call clips.trigger
      52.1 call settings.set {"clips.postRollSeconds":1}
      72.0 expect mode clips.buffering
      72.1 call governor.status
      72.5 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    #expect(rungs(steps(run, "down")) == Array(Self.ladder.prefix(6)))
    #expect(rungs(steps(run, "up")) == Self.ladder.prefix(6).reversed())
    let files = mynah.clipFiles
    try #require(files.count == 2)
    for (file, start, end) in [(files[0], 2.0, 25.0), (files[1], 48.0, 71.0)] {
      let clip = try ClipFile(file)
      #expect(clip.isUnbroken, "\(file.lastPathComponent)")
      #expect(abs((clip.pictures.first?.number ?? 0) - Int(start * 30)) <= 1)
      #expect(abs((clip.pictures.last?.number ?? 0) - Int(end * 30)) <= 1)
      #expect(clip.largestIrregularity(rate: 30) < 0.002)
      for skew in clip.skews { #expect(abs(skew) <= 0.010) }
      #expect(try receipt(file)["gaps"]?.arrayValue?.isEmpty == true)
    }
    let noted = try receipt(files[0])["governor"]?.arrayValue ?? []
    #expect(noted.compactMap { $0["rung"]?.stringValue } == Array(Self.ladder.prefix(6)))
    // Its ring is shorter once the clip is whole, and as long as before when all is calm.
    let windows = run.events("result").filter { $0.data["method"]?.stringValue == "clips.status" }
      .compactMap { $0.data["result"]?["windowSeconds"]?.numberValue }
    #expect(windows == [2, 4])
  }

  @Test("every rung does what it says where nothing is open: half the pictures, half the bits, half the seconds")
  func everyRung() throws {
    var mynah = mynah
    mynah.microphone = "beeps"
    let run = try mynah.run(
      """
      0.1  call panel.mode {"mode":"clips"}
      0.2  call settings.set {"clips.durationSeconds":4,"clips.postRollSeconds":2}
      8.0  call clips.trigger
      12.0 fault board heat 95
      36.0 call clips.trigger
      38.5 fault board cool
      80.0 call clips.trigger
      84.0 call governor.status
      84.5 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    #expect(rungs(steps(run, "down")) == Self.ladder && rungs(steps(run, "up")) == Self.ladder.reversed())
    let files = mynah.clipFiles
    try #require(files.count == 3)
    let clips = try files.map { try ClipFile($0) }
    for (file, clip) in zip(files, clips) {
      #expect(try receipt(file)["gaps"]?.arrayValue?.isEmpty == true)
      for skew in clip.skews { #expect(abs(skew) <= 0.010) }
    }
    #expect(clips[0].isUnbroken && clips[2].isUnbroken)
    #expect(abs(clips[0].duration - 6) < 0.1 && abs(clips[1].duration - 4) < 0.15 && abs(clips[2].duration - 6) < 0.1)
    // Every other picture, and one that follows a keyframe at most.
    let apart = zip(clips[1].pictures, clips[1].pictures.dropFirst()).map { $1.number - $0.number }
    #expect(apart.allSatisfy { $0 == 2 || $0 == 1 } && apart.filter { $0 == 2 }.count > apart.count * 3 / 4, "\(apart)")
    func rate(_ index: Int) throws -> Double {
      let bytes = try FileManager.default.attributesOfItem(atPath: files[index].path)[.size] as? Int ?? 0
      return Double(bytes) / clips[index].duration
    }
    #expect(try rate(1) < 0.8 * rate(0))
    #expect(try rate(2) > 0.9 * rate(0))
  }
}
