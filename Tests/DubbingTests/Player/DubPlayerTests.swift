import Foundation
import Hardware
import SimulatedHardware
import Speech
import Streaming
import TestSupport
import Testing

@testable import Dubbing

@Suite("Dubbing player")
struct DubPlayerTests {
  /// At the start, and in the midst.
  @Test(arguments: [0, 2], [("fake", "the card"), ("http://h/x", "the network or the server")])
  func `Where nothing has come for three seconds and nobody says why, that is told`(
    from: Int, of source: (String, String)
  ) throws {
    let programme = Fixtures.programme(seconds: 20)
    programme.cues = []
    programme.isQuiet = true
    programme.stalls = [(frame: from * 48_000, until: Instant(nanoseconds: 10_000_000_000))]
    let stage = Stage(programme, settings: Fixtures.settings(service: false))
    stage.player.post(.start(source: source.0, language: "es"))
    stage.run(until: 14)
    let told = stage.timedNews.filter { if case .linkLost = $0.news { true } else { false } }
    #expect(told.count == 1)
    let lost = try #require(told.first)
    #expect((Double(from) + 2.5...Double(from) + 5).contains(lost.at), "\(lost.at)")
    if case .linkLost(let reason) = lost.news { #expect(reason == "no sound has come for 3 s: \(source.1) is slow") }
    let back = stage.timedNews.first { if case .linkRestored = $0.news { true } else { false } }
    #expect((10...12).contains(back?.at ?? 0))
  }

  @Test func `Original and dub are aligned to the sample, and the original passes untouched`() throws {
    let stage = Stage(Fixtures.programme(seconds: 20), settings: Fixtures.settings())
    stage.service.voice = { _ in Fixtures.chirp }
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 22)
    let sound = stage.sound
    let zero = try #require(stage.zero)
    #expect(stage.service.requests.count >= 5)
    // Frame 0 is heard within 50 ms of being asked for.
    #expect(zero < 48_000 / 2)
    let voice = Fixtures.chirp
    var found = 0
    for start in stride(from: 2, to: 17, by: 3) {
      let slot = start * 48_000
      // What is heard less the original is the voice, and where it fits best is where it lies.
      let scores = (-5...5).map { lag -> Double in
        (1000..<20_000).reduce(0) { sum, index in
          let place = slot + index + lag
          return sum + Double((sound[zero + place] - Fixtures.noise(place)) * voice[index])
        }
      }
      let best = try #require(scores.max())
      if best > 1 {
        #expect(scores[5] == best)
        found += 1
      }
    }
    #expect(found >= 5)
    // Between the voices nothing is changed.
    #expect((49_000..<95_000).allSatisfy { sound[zero + $0] == Fixtures.noise($0) })
    #expect(stage.longestSilence(tail: 3) < 1)
    #expect(stage.news.last == .ended)
    #expect(stage.player.status.percentOnTime == 100)
  }

  @Test func `It starts at once, tells so, and ends when all was heard`() {
    let stage = Stage(Fixtures.programme(seconds: 5), settings: Fixtures.settings(service: false))
    stage.player.post(.start(source: "fake", language: ""))
    stage.run(until: 8)
    let started = stage.timedNews.first
    #expect((started?.at ?? 9) < 0.5)
    #expect(stage.news.last == .ended)
    let sound = stage.sound
    let zero = stage.zero ?? 0
    #expect((1000..<(5 * 48_000 - 300)).allSatisfy { sound[zero + $0] == Fixtures.noise($0) })
    #expect(stage.player.status.phase == .idle)
    #expect(stage.programme.isClosed)
  }

  @Test func `A dub of another epoch never plays`() {
    let main = Fixtures.programme(seconds: 30)
    main.cues = main.cues.map { cue in
      var cue = cue
      cue.epoch = cue.start >= 15 * 48_000 ? 1 : 0
      return cue
    }
    // The voice of an utterance just before the new epoch is long.
    main.cues.insert(
      SubtitleCue(epoch: 0, start: 14 * 48_000, end: 14 * 48_000 + 24_000, text: "larga", language: "es"), at: 4)
    main.discontinuities = [15 * 48_000]
    let stage = Stage(main, settings: Fixtures.settings())
    stage.service.voice = {
      $0.text.hasPrefix("larga") ? (0..<120_000).map { Float(0.3 * sin(0.05 * Double($0))) } : Fixtures.chirp
    }
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 32)
    let sound = stage.sound
    guard let zero = stage.zero else {
      Issue.record("the original was not found")
      return
    }
    // Heard before the joint, not after it.
    let before = (14 * 48_000 + 10_000)..<(14 * 48_000 + 40_000)
    #expect(before.contains { abs(sound[zero + $0] - Fixtures.noise($0)) > 0.1 })
    let after = (15 * 48_000 + 480)..<(16 * 48_000)
    #expect(after.allSatisfy { sound[zero + $0] == Fixtures.noise($0) })
  }

  @Test func `A gap in a live stream is not taken for the drift of the speaker`() {
    let main = Fixtures.programme(seconds: 200)
    main.length = nil
    main.isLive = true
    main.behind = 480_000
    main.stalls = [(30 * 48_000, Instant(nanoseconds: 40_000_000_000))]
    let stage = Stage(main, settings: Fixtures.settings())
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 25)
    #expect(abs(stage.player.status.driftMilliseconds) < 0.1)
    var worst = 0.0
    stage.run(until: 60) { now in
      if now.seconds > 41 { worst = max(worst, abs(stage.player.status.driftMilliseconds)) }
    }
    #expect(stage.player.status.longestGapMilliseconds > 1000)
    #expect(worst < 1)
  }

  @Test func `A stall of the stream is told, and playing goes on by itself`() {
    let main = Fixtures.programme(seconds: 20)
    main.stalls = [(9 * 48_000, Instant(nanoseconds: 14_000_000_000))]
    let stage = Stage(main, settings: Fixtures.settings(service: false))
    stage.player.post(.start(source: "fake", language: ""))
    stage.run(until: 11)
    #expect(stage.player.status.phase == .buffering)
    stage.run(until: 30)
    #expect(stage.news.contains(.linkLost(reason: "the link is down")))
    #expect(stage.news.contains(.linkRestored))
    #expect(stage.news.last == .ended)
    let silence = stage.longestSilence(tail: 6)
    #expect(silence > 4000 && silence < 5500)
    // Neither end of the hole clicks.
    let sound = stage.sound
    let steepest = zip(sound, sound.dropFirst()).map { abs($0 - $1) }.max() ?? 0
    #expect(steepest <= 0.2)
  }

  /// Plays a live stream that has no subtitles, 10 s behind its edge.
  private func live() -> (TonedProgramme, Stage) {
    let programme = Fixtures.programme(seconds: 300)
    programme.cues = []
    programme.length = nil
    programme.isLive = true
    programme.edge = 480_000
    let stage = Stage(programme, settings: Fixtures.settings(service: false))
    stage.player.post(.start(source: "fake", language: "en"))
    return (programme, stage)
  }

  @Test(arguments: [true, false])
  func `What is live is heard on from where somebody paused it or went back to`(_ isPaused: Bool) {
    let (_, stage) = live()
    stage.run(until: 40)
    stage.player.post(isPaused ? .pause : .seek(seconds: -12))
    stage.run(until: 55)
    if isPaused { stage.player.post(.resume) }
    stage.run(until: 57)
    let frame = stage.player.status.frame
    stage.run(until: 117)
    #expect(abs(stage.player.status.frame - frame - 60 * 48_000) < 24_000)
  }

  @Test func `What was paused and has gone on without us is not gone back in`() {
    let (programme, stage) = live()
    stage.run(until: 40)
    stage.player.post(.pause)
    stage.run(until: 60)
    stage.player.post(.resume)
    stage.run(until: 100)
    // Its window has left the place: what is played is 18 s nearer to the edge.
    programme.edge = 480_000 - 18 * 48_000
    let frame = stage.player.status.frame
    stage.run(until: 180)
    #expect(abs(stage.player.status.frame - frame - 80 * 48_000) < 48_000)
  }

  @Test func `What was heard is not heard again where a live stream had a hole`() {
    let (programme, stage) = live()
    stage.run(until: 40)
    // Its encoder was away for five seconds: what is played is so much nearer to the edge.
    programme.edge = 480_000 - 5 * 48_000
    let frame = stage.player.status.frame
    stage.run(until: 80)
    #expect(abs(stage.player.status.frame - frame - 40 * 48_000) < 2 * 48_000)
  }

  @Test func `What is left out to be near the live edge again is told`() {
    let (programme, stage) = live()
    programme.stalls = [(frame: 40 * 48_000, until: Instant(nanoseconds: 55_000_000_000))]
    stage.run(until: 110)
    #expect((10...16).contains(stage.player.status.lostSeconds), "\(stage.player.status.lostSeconds)")
    #expect(stage.news.contains { if case .remark = $0 { true } else { false } })
  }

  @Test func `Pause, seek, volumes and languages are obeyed`() {
    var settings = Fixtures.settings()
    let stage = Stage(Fixtures.programme(seconds: 40), settings: settings)
    stage.service.voice = { _ in Fixtures.chirp }
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 5)
    stage.player.post(.pause)
    stage.run(until: 6)
    #expect(stage.player.status.phase == .paused)
    let frame = stage.player.status.frame
    stage.run(until: 8)
    #expect(abs(stage.player.status.frame - frame) < 2400)
    stage.player.post(.resume)
    stage.player.post(.seek(seconds: 10))
    stage.run(until: 9)
    #expect(abs(stage.player.status.frame - frame - 11 * 48_000) < 12_000)
    stage.player.post(.seek(seconds: -.infinity))
    stage.player.post(.seek(seconds: -1e300))
    stage.run(until: 10)
    #expect(stage.player.status.frame < 96_000)
    stage.player.post(.language("de"))
    stage.run(until: 14)
    #expect(stage.player.status.language == "de")
    #expect(stage.service.requests.last?.language == "de")
    stage.player.post(.language("es"))
    stage.run(until: 14.1)
    #expect(stage.news.contains(.language("es")))
    settings.originalVolume = 0
    stage.player.post(.configure(settings))
    stage.run(until: 17)
    stage.player.post(.dubbing(false))
    stage.run(until: 18)
    #expect(stage.sound.suffix(9600).allSatisfy { abs($0) < 1e-6 })
    stage.player.post(.stop)
    stage.run(until: 18.2)
    #expect(stage.player.status.phase == .idle)
    stage.player.post(.shutDown)
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 18.5)
    #expect(stage.player.status.phase == .idle)
  }

  @Test func `What cannot be played is told in a sentence`() {
    let main = Fixtures.programme(seconds: 5)
    main.length = 0
    main.failure = "http://fake/x.m3u8 answers 404"
    let stage = Stage(main, settings: Fixtures.settings())
    stage.player.post(.start(source: "http://fake/x.m3u8", language: "es"))
    stage.run(until: 2)
    #expect(stage.news == [.failed(StreamFault("http-404", "http://fake/x.m3u8 answers 404"))])
  }

  @Test func `A speaker that goes away ends it, with a word`() {
    let stage = Stage(Fixtures.programme(seconds: 20), settings: Fixtures.settings())
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 5)
    stage.speaker.unplug()
    stage.run(until: 6)
    #expect(stage.news.contains { if case .failed = $0 { true } else { false } })
    #expect(stage.player.status.phase == .idle)
  }

  @Test func `Without a network speech is made on the device`() {
    let main = Fixtures.programme(seconds: 20)
    var settings = Fixtures.settings(.duck, service: false)
    settings.synthesises = true
    let queue = SpeechQueue(data: { () throws(SpeechError) in .system })
    _ = queue.step(now: .zero)
    let stage = Stage(main, settings: settings, speech: queue)
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 22)
    #expect(stage.player.status.percentOnTime == 100)
    #expect(stage.player.status.utterances >= 5)
    #expect(stage.longestSilence(tail: 3) < 1)
    #expect((stage.sound.map(abs).max() ?? 1) <= 0.8913)
    #expect((stage.sound.map(abs).max() ?? 0) > 0.15)
  }

  /// For a second at most; who has no words there does not wait.
  @Test(arguments: [(0, 500), (0, 3000), (300, 500), (300, 3000), (nil, 3000)] as [(Int?, Int)])
  func `What is said at once waits for the voices, and is told where they do not come`(said: Int?, loaded: Int) {
    let programme = Fixtures.programme(seconds: 8)
    programme.cues = [said, 5000].compactMap { $0 }.map {
      SubtitleCue(epoch: 0, start: 48 * $0, end: 48 * ($0 + 2000), text: "hola a todos", language: "es")
    }
    var settings = Fixtures.settings(.duck, service: false)
    settings.synthesises = true
    let stage = Stage(programme, settings: settings, speech: SpeechQueue(data: { () throws(SpeechError) in .system }))
    stage.speechFrom = Instant(nanoseconds: Int64(loaded) * 1_000_000)
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 3.2)
    let isWaited = said != nil
    #expect(isWaited ? (450...1300).contains(stage.player.status.startMilliseconds ?? 0) : true)
    #expect(isWaited ? true : (stage.player.status.startMilliseconds ?? 9999) < 400)
    let status = stage.player.status
    let isSpoken = isWaited && loaded < 1000
    #expect(status.played[.synthesised, default: 0] == (isSpoken ? 1 : 0))
    #expect(status.late[.synthesised, default: 0] == (isWaited && !isSpoken ? 1 : 0))
    #expect(status.percentOnTime == (isWaited && !isSpoken ? 0 : 100))
    #expect(status.reason.contains("voices") == (isWaited && !isSpoken), "\(status.reason)")
    stage.run(until: 10)
    #expect(stage.player.status.played[.synthesised] == (isSpoken ? 2 : 1))
  }

  @Test(arguments: [("es", true), ("en", false)])
  func `The device speaks subtitles of the dub's language only`(language: String, speaks: Bool) {
    var settings = Fixtures.settings(.duck, service: false)
    settings.synthesises = true
    let queue = SpeechQueue(data: { () throws(SpeechError) in .system })
    _ = queue.step(now: .zero)
    let stage = Stage(Fixtures.programme(seconds: 20), settings: settings, speech: queue)
    stage.player.post(.start(source: "fake", language: language))
    stage.run(until: 10)
    #expect((stage.spokenTexts > 0) == speaks)
    #expect((stage.player.status.rung == .synthesised) == speaks)
  }

  @Test func `An answer in AAC is decoded`() throws {
    let path = NSTemporaryDirectory() + "mynah-dub-\(UUID().uuidString).aac"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/ffmpeg")
    process.arguments = [
      "-v", "error", "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=24000:duration=1", "-c:a", "aac", path,
    ]
    try process.run()
    process.waitUntilExit()
    let samples = try #require(AACSound.decode([UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))))
    // The encoder's priming and padding are in it.
    #expect((47_000...54_000).contains(samples.count))
    // Half a second of it, away from both ends: around silence there is noise.
    let crossings = (12_000..<36_000).count { samples[$0 - 1] < 0 && samples[$0] >= 0 }
    #expect((219...221).contains(crossings))
    var dice = SeededGenerator(seed: 1)
    for size in 0..<40 { _ = AACSound.decode((0..<(size * 20)).map { _ in UInt8.random(in: 0...255, using: &dice) }) }
  }
}
