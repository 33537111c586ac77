import Dictaphone
import Foundation
import Hardware
import Media
import Recording
import SimulatedHardware
import Synchronization
import TestSupport
import Testing

/// The player against a simulated speaker that keeps what was heard.
@Suite struct PlayerTests {
  @Test("What is heard is the file, sample by sample, and its end is told once")
  func wholeFile() throws {
    let folder = TemporaryFolder()
    let frames = 30_000
    let bench = PlayerBench()
    bench.player.load(id: "a", path: try folder.ramp(frames: frames), frame: 0, playing: true)
    var worst = 0
    for _ in 0..<50 {
      bench.run(for: .milliseconds(10))
      let heard = bench.heard.framesHeard(at: bench.clock.now)
      if bench.player.status.isPlaying { worst = max(worst, abs(bench.player.status.frame - min(frames, heard))) }
    }
    bench.run(for: .seconds(1))
    #expect(worst <= PlayerBench.period, "the position is off by \(worst)")
    #expect(bench.news == ["loaded a 0/30000", "ended"])
    let sound = bench.heard.sound
    #expect(sound.count >= frames)
    let fade = 48_000 / 200
    #expect(sound[fade..<frames] == rampSamples(frames)[fade...])
    #expect(sound[frames...].allSatisfy { $0 == 0 })
    bench.player.play()
    bench.run(for: .seconds(1))
    #expect(bench.news.filter { $0 == "ended" }.count == 2)
  }

  @Test("A device with a long buffer is heard out before the end is told")
  func deviceDelay() throws {
    let folder = TemporaryFolder()
    let speaker = DelayedSpeaker()
    let bench = PlayerBench(speaker: speaker)
    bench.player.load(id: "a", path: try folder.ramp(frames: 4800), frame: 0, playing: true)
    var endedAt: Instant?
    for _ in 0..<100 {
      speaker.render(frames: 480)
      _ = bench.player.step(now: bench.clock.now)
      if bench.news.last == "ended" { endedAt = endedAt ?? bench.clock.now }
      bench.clock.advance(to: bench.clock.now + .milliseconds(10))
    }
    // 100 ms of sound, then the 200 ms that the device holds.
    #expect(try #require(endedAt) >= .at(0.29))
    #expect(bench.news.filter { $0 == "ended" }.count == 1)
  }

  @Test("What is ordered while a take is looked for is done with that take, by the last request alone")
  func lookedFor() throws {
    let folder = TemporaryFolder()
    let file = PlayerFile(id: "b", path: try folder.ramp(frames: 9600))
    let bench = PlayerBench()
    bench.player.load(id: "a", path: file.path, frame: 0, playing: true)
    bench.run(for: .milliseconds(100))
    // It is gone at once, and CENTRE is for what is to come.
    bench.player.expect(0, playing: false)
    #expect(!bench.player.isPlaying)
    bench.player.play()
    bench.run(for: .milliseconds(100))
    bench.player.found([file], frame: 0, for: 0)
    #expect(bench.player.isPlaying)
    // STOP while it is looked for: it is not played.
    bench.player.expect(1, playing: true)
    bench.player.stop()
    bench.player.found([file], frame: 0, for: 1)
    #expect(!bench.player.isPlaying && bench.player.status.id == "b")
    // What was asked for before is nobody's any more, found or not; what came from before the start neither.
    bench.player.expect(2, playing: true)
    bench.player.expect(3, playing: true)
    bench.player.found([PlayerFile(id: "c", path: "none")], frame: 0, for: 2)
    bench.player.missed(2, code: "not-found", text: "no c")
    bench.player.restore([PlayerFile(id: "c", path: "none")], frame: 0)
    #expect(bench.player.status.id == nil)
    bench.player.found([file], frame: 0, for: 3)
    #expect(bench.player.isPlaying)
    bench.player.expect(4, playing: true)
    bench.player.missed(4, code: "not-found", text: "no d")
    bench.player.play()
    #expect(
      bench.news == [
        "loaded a 0/9600", "loaded b 0/9600", "loaded b 0/9600", "loaded b 0/9600", "failed not-found",
        "failed not-found",
      ])
  }

  @Test("A tick is heard at once, for 12 ms, clips nothing and leaves all other samples as they are; not while paused")
  func tick() throws {
    let folder = TemporaryFolder()
    let path = try folder.ramp(frames: 96_000)
    let (plain, ticking) = (PlayerBench(), PlayerBench())
    for bench in [plain, ticking] {
      bench.player.load(id: "a", path: path, frame: 0, playing: false)
      if bench === ticking { bench.player.markHeard() }
      bench.player.play()
      bench.run(for: .milliseconds(500))
      if bench === ticking { bench.player.markHeard() }
      bench.run(for: .milliseconds(600))
      bench.player.pause()
      if bench === ticking { bench.player.markHeard() }
      bench.run(for: .milliseconds(100))
      bench.player.play()
      bench.run(for: .seconds(2))
    }
    let (before, after) = (plain.heard.sound, ticking.heard.sound)
    try #require(before.count == after.count)
    let other = before.indices.filter { before[$0] != after[$0] }
    let (first, last) = (try #require(other.first), try #require(other.last))
    #expect(first >= 24_000 && first <= 24_000 + 48_000 * 150 / 1000, "\(first)")
    #expect(last - first < 48_000 * 12 / 1000 && other.count > 400)
    #expect(after.allSatisfy { abs($0) <= 1 } && after[first...last].map(abs).max() ?? 0 > 0.3)
  }

  @Test("Pausing and going on loses no frame and makes no click")
  func pauseAndResume() throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    bench.player.load(id: "a", path: try folder.tone(seconds: 3), frame: 0, playing: true)
    var random = SeededGenerator(seed: 1)
    for _ in 0..<8 {
      bench.run(for: .milliseconds(Int.random(in: 20...300, using: &random)))
      bench.player.pause()
      bench.run(for: .milliseconds(Int.random(in: 1...100, using: &random)))
      let held = bench.player.status.frame
      bench.run(for: .milliseconds(100))
      #expect(abs(bench.player.status.frame - held) <= PlayerBench.period)
      bench.player.play()
    }
    bench.run(for: .seconds(4))
    #expect(bench.news == ["loaded a 0/144000", "ended"])
    #expect(bench.heard.largestStep < 0.02, "\(bench.heard.largestStep)")
  }

  @Test("Seeking and scrubbing never click, and land exactly where they should")
  func seekAndScrub() throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    bench.player.load(id: "a", path: try folder.tone(seconds: 30), frame: 0, playing: true)
    var random = SeededGenerator(seed: 2)
    for _ in 0..<20 {
      bench.run(for: .milliseconds(Int.random(in: 20...300, using: &random)))
      switch Int.random(in: 0...2, using: &random) {
      case 0: bench.player.seek(bySeconds: Double.random(in: -10...10, using: &random))
      case 1:
        let target = Int.random(in: 0..<1_400_000, using: &random)
        bench.player.seek(to: target)
        #expect(bench.player.status.frame == target)
      default:
        bench.player.scrub(direction: Bool.random(using: &random) ? 1 : -1, now: bench.clock.now)
        bench.run(for: .milliseconds(Int.random(in: 20...1500, using: &random)))
        bench.player.scrub(direction: 0, now: bench.clock.now)
      }
    }
    #expect(bench.heard.largestStep < 0.02, "\(bench.heard.largestStep)")
  }

  @Test("Seeks beyond all bounds stop at the ends", arguments: [1e300, -1e300, .infinity, .nan, 1e19, -40])
  func wildSeeks(seconds: Double) throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    bench.player.load(id: "a", path: try folder.tone(seconds: 1), frame: 100, playing: false)
    bench.player.seek(bySeconds: seconds)
    let frame = bench.player.status.frame
    #expect(frame == (seconds.isFinite ? (seconds > 0 ? 48_000 : 0) : 100))
  }

  @Test(
    "A file is opened at its last position; one past the end means the beginning",
    arguments: [0, 1, 12_345, 47_999, 48_000, 99_999_999])
  func lastPosition(frame: Int) throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    bench.player.load(id: "a", path: try folder.ramp(frames: 48_000), frame: frame, playing: true)
    bench.run(for: .milliseconds(1500))
    let start = frame < 48_000 ? frame : 0
    #expect(bench.news == ["loaded a \(start)/48000", "ended"])
    let fade = 240
    let expected = Array(rampSamples(48_000)[start...].dropFirst(fade))
    #expect(Array(bench.heard.sound.dropFirst(fade).prefix(expected.count)) == expected)
  }

  @Test("Pausing in the very last moments goes on there, not at the beginning")
  func pauseNearTheEnd() throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    bench.player.load(id: "a", path: try folder.tone(seconds: 1), frame: 0, playing: true)
    bench.run(for: .milliseconds(970))
    bench.player.pause()
    bench.run(for: .milliseconds(50))
    let held = bench.player.status.frame
    bench.player.play()
    #expect(bench.player.status.frame >= held)
    bench.run(for: .milliseconds(500))
    #expect(bench.news == ["loaded a 0/48000", "ended"])
  }

  @Test("A speaker that goes away is told once, and the position is kept for its return")
  func lostSpeaker() throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    let speaker = try #require(bench.simulated)
    bench.player.load(id: "a", path: try folder.tone(seconds: 5), frame: 0, playing: true)
    bench.run(for: .seconds(1))
    speaker.unplug()
    bench.run(for: .milliseconds(200))
    #expect(bench.news.last == "failed device-lost")
    #expect(bench.news.count == 2)
    bench.player.play()
    #expect(bench.news.count == 3, "it is still away")
    speaker.replug()
    bench.player.play()
    bench.run(for: .milliseconds(100))
    #expect(abs(bench.player.status.frame - 52_800) <= 3 * PlayerBench.period + 4800)
    bench.player.pause()
    speaker.unplug()
    bench.run(for: .milliseconds(100))
    speaker.replug()
    bench.player.play()
    bench.run(for: .seconds(5))
    #expect(bench.news.count == 4, "\(bench.news)")
    #expect(bench.news.last == "ended")
  }

  @Test("A speaker that grants another format gets the sound converted; positions stay those of the file")
  func otherFormat() throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench(granting: PCMFormat(sampleRate: 48_000, channels: 2))
    bench.player.load(id: "a", path: try folder.tone(seconds: 2, rate: 44_100), frame: 0, playing: true)
    bench.run(for: .seconds(1))
    #expect(abs(bench.player.status.frame - 44_100) <= 2 * PlayerBench.period)
    #expect(bench.player.status.frames == 88_200)
    bench.player.seek(bySeconds: -0.5)
    #expect(abs(bench.player.status.frame - 22_050) <= 2 * PlayerBench.period)
    bench.run(for: .seconds(2))
    #expect(bench.news == ["loaded a 0/88200", "ended"])
    #expect(bench.heard.peak > 0.24 && bench.heard.peak < 0.26)
    #expect(abs(bench.heard.sounding - 120_000) < 2 * PlayerBench.period, "\(bench.heard.sounding)")
  }

  @Test(
    "Files of other makes play to their end",
    arguments: [
      ("m4a", ["-c:a", "aac"]), ("flac", ["-c:a", "flac"]), ("mp3", ["-c:a", "libmp3lame"]),
      ("opus", ["-c:a", "libopus"]), ("ogg", ["-c:a", "libvorbis"]), ("m4a", ["-c:a", "alac"]),
    ])
  func otherFiles(name: String, options: [String]) throws {
    let folder = TemporaryFolder()
    let path = folder.file("sound." + name)
    try folder.tool("ffmpeg", ["-v", "error", "-i", try folder.tone(seconds: 2)] + options + [path])
    let bench = PlayerBench()
    bench.player.load(id: "a", path: path, frame: 0, playing: true)
    #expect(abs(bench.player.status.frames - 96_000) <= 1200, "\(bench.player.status.frames)")
    bench.run(for: .seconds(1))
    #expect(abs(bench.player.status.frame - 48_000) <= 2 * PlayerBench.period)
    bench.run(for: .seconds(2))
    #expect(bench.news.last == "ended")
    #expect(bench.news.count == 2, "\(bench.news)")
    #expect(bench.heard.peak > 0.2 && bench.heard.peak < 0.3, "\(bench.heard.peak)")
  }

  @Test("A file that is deleted under the player can be unloaded without a complaint; a missing one is told")
  func deletedFile() throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    let path = try folder.tone(seconds: 3)
    bench.player.load(id: "a", path: path, frame: 0, playing: true)
    bench.run(for: .milliseconds(500))
    try FileManager.default.removeItem(atPath: path)
    bench.run(for: .milliseconds(500))
    bench.player.unload()
    bench.run(for: .milliseconds(100))
    #expect(bench.news.count == 1)
    #expect(bench.player.status == Player.Status())
    bench.player.load(id: "a", path: path, frame: 0, playing: true)
    bench.player.seek(bySeconds: 1)
    bench.player.play()
    #expect(bench.news.dropFirst().allSatisfy { $0 == "failed not-found" })
  }
}

/// Samples 1…30000 over and over: what `ramp` files hold.
private func rampSamples(_ frames: Int) -> [Float] { (0..<frames).map { Float($0 % 30_000 + 1) / 32_768 } }

/// A player on a virtual clock.
final class PlayerBench {
  static let period = 480

  let clock = VirtualClock()
  let simulated: SimulatedSpeaker?
  let player: Player
  let heard = Heard()
  private let log = Log()

  var news: [String] { log.lines }

  private final class Log { var lines: [String] = [] }

  /// - Parameter granting: the only format of the speaker.
  init(
    speaker: (any Speaker)? = nil, granting format: PCMFormat? = nil,
    links: @escaping SoundLinks = { _ throws(MediaError) in nil }
  ) {
    let simulated = SimulatedSpeaker(clock: clock, origin: .zero)
    let heard = heard
    simulated.listen { at, samples, format in heard.add(at, samples, format) }
    self.simulated = speaker == nil ? simulated : nil
    let used: any Speaker = speaker ?? format.map { StubbornSpeaker(simulated, format: $0) } ?? simulated
    player = Player(
      speaker: used,
      request: SoundRequest(
        format: PCMFormat(sampleRate: 48_000, channels: 2), periodFrames: Self.period, bufferFrames: 1920),
      links: links
    ) { [log] news in
      switch news {
      case .loaded(let id, let frames, _, let frame): log.lines.append("loaded \(id) \(frame)/\(frames)")
      case .brokeOff(_, let text): log.lines.append("broke off: \(text)")
      case .ended: log.lines.append("ended")
      case .looped(let start, let end):
        log.lines.append("looped " + [start, end].map { $0.map(String.init) ?? "-" }.joined(separator: "…"))
      case .failed(let code, _): log.lines.append("failed \(code)")
      }
    }
  }

  func run(for duration: Duration) {
    let end = clock.now + duration
    while clock.now < end {
      var next = min(end, simulated?.step(now: clock.now) ?? end)
      if let due = player.step(now: clock.now) { next = min(next, due) }
      clock.advance(to: max(next, clock.now + .nanoseconds(1)))
    }
  }
}

/// What came out of the speaker, left channel.
final class Heard: Sendable {
  private struct Core {
    var samples: [Float] = []
    var start: Instant?
    var rate = 48_000
  }

  private let core = Mutex(Core())

  func add(_ at: Instant, _ samples: UnsafeBufferPointer<Float>, _ format: PCMFormat) {
    core.withLock { core in
      core.rate = format.sampleRate
      if core.start == nil, samples.contains(where: { $0 != 0 }) { core.start = at }
      if core.start != nil {
        for index in stride(from: 0, to: samples.count, by: format.channels) { core.samples.append(samples[index]) }
      }
    }
  }

  /// From the first period that was not silent on.
  var sound: [Float] { core.withLock { $0.samples } }
  var peak: Float { sound.map(abs).max() ?? 0 }
  /// Frames that are not silent.
  var sounding: Int { sound.filter { $0 != 0 }.count }

  var largestStep: Float {
    let sound = sound
    return zip(sound, sound.dropFirst()).map { abs($0 - $1) }.max() ?? 0
  }

  func framesHeard(at now: Instant) -> Int {
    core.withLock { core in core.start.map { Int((now - $0).inSeconds * Double(core.rate)) } ?? 0 }
  }
}

/// Grants one format whatever is asked.
private final class StubbornSpeaker: Speaker {
  private let inner: SimulatedSpeaker
  private let format: PCMFormat

  init(_ inner: SimulatedSpeaker, format: PCMFormat) {
    self.inner = inner
    self.format = format
  }

  var name: String { inner.name }
  func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant {
    try inner.open(SoundRequest(format: format, periodFrames: request.periodFrames, bufferFrames: request.bufferFrames))
  }
  func start(from ring: UnsafeMutablePointer<RenderRing>) throws(DeviceError) { try inner.start(from: ring) }
  func close() { inner.close() }
  var isLost: Bool { inner.isLost }
  var counters: SoundCounters { inner.counters }
}

/// A device that holds 200 ms of sound.
final class DelayedSpeaker: Speaker {
  private var ring: UnsafeMutablePointer<RenderRing>?
  private var channels = 1
  let name = "delayed"
  let isLost = false
  let counters = SoundCounters()

  func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant {
    channels = request.format.channels
    return SoundGrant(
      format: request.format, periodFrames: 480, bufferFrames: 9600, sampleType: "S16_LE", timestamps: "virtual")
  }
  func start(from ring: UnsafeMutablePointer<RenderRing>) throws(DeviceError) { self.ring = ring }
  func close() { ring = nil }

  func render(frames: Int) {
    guard let ring else { return }
    var buffer = [Float](repeating: 0, count: frames * channels)
    ring.pointee.render(into: &buffer, frames: frames)
    ring.pointee.setDeviceDelay(frames: 9600)
  }
}

extension TemporaryFolder {
  func tool(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(program) \(arguments)")
  }

  /// A mono WAV file of 440 Hz at a quarter of full scale.
  func tone(seconds: Int, rate: Int = 48_000) throws -> String {
    let path = file("tone-\(seconds)-\(rate).wav")
    try tool(
      "sox",
      ["-D", "-r", "\(rate)", "-n", "-b", "16", "-c", "1", path, "synth", "\(seconds)", "sine", "440", "vol", "0.25"])
    return path
  }

  /// A mono 16-bit WAV file at 48 kHz whose samples count.
  func ramp(frames: Int) throws -> String {
    var raw = Data()
    for frame in 0..<frames {
      withUnsafeBytes(of: Int16(frame % 30_000 + 1).littleEndian) { raw.append(contentsOf: $0) }
    }
    try raw.write(to: URL(fileURLWithPath: file("ramp.raw")))
    try tool(
      "sox", ["-r", "48000", "-e", "signed", "-b", "16", "-c", "1", "-t", "raw", file("ramp.raw"), file("ramp.wav")])
    return file("ramp.wav")
  }
}
