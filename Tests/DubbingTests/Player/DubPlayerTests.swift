import Foundation
import Hardware
import SimulatedHardware
import Speech
import Streaming
import Testing

@testable import Dubbing

@Suite("Dubbing player")
struct DubPlayerTests {
  /// Noise that belongs to the frame.
  private func noise(_ frame: Int) -> Float {
    var mixed = UInt64(bitPattern: Int64(frame)) &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Float(Int64(mixed >> 40) - (1 << 23)) / Float(1 << 23) * 0.1
  }

  private func programme(seconds: Double, every gap: Double = 3) -> TonedProgramme {
    let programme = TonedProgramme { noise($0) }
    programme.length = Int(seconds * 48_000)
    programme.cues = stride(from: 2, to: seconds - 3, by: gap).enumerated().map { index, start in
      SubtitleCue(
        epoch: 0, start: Int(start * 48_000), end: Int((start + 1.5) * 48_000), text: "frase \(index)", language: "es")
    }
    programme.subtitleLanguages = ["es"]
    return programme
  }

  private func settings(_ mode: DubSettings.Mode = .mix, service: Bool = true) -> DubSettings {
    var settings = DubSettings()
    settings.mode = mode
    settings.serviceURL = service ? "ws://fake/dub" : ""
    settings.synthesises = false
    return settings
  }

  /// A voice that can be found again: a chirp of half a second.
  private func chirp() -> [Float] {
    (0..<24_000).map { Float(0.3 * sin(0.02 * Double($0) + 3e-6 * Double($0) * Double($0))) }
  }

  /// Where the programme's frame 0 lies in what was heard.
  private func offset(_ sound: [Float]) -> Int? {
    let probe = (30_000..<30_050).map { noise($0) }
    return (30_000..<(30_000 + 48_000)).first { place in
      place + 50 < sound.count && (0..<50).allSatisfy { sound[place + $0] == probe[$0] }
    }.map { $0 - 30_000 }
  }

  @Test func `Original and dub are aligned to the sample, and the original passes untouched`() throws {
    let stage = Stage(programme(seconds: 20), settings: settings())
    stage.service.voice = { _ in chirp() }
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 22)
    let sound = stage.sound
    let zero = try #require(offset(sound))
    #expect(stage.service.requests.count >= 5)
    // Frame 0 is heard within 50 ms of being asked for.
    #expect(zero < 48_000 / 2)
    let voice = chirp()
    var found = 0
    for start in stride(from: 2, to: 17, by: 3) {
      let slot = start * 48_000
      // What is heard less the original is the voice, and where it fits best is where it lies.
      let scores = (-5...5).map { lag -> Double in
        (1000..<20_000).reduce(0) { sum, index in
          let place = slot + index + lag
          return sum + Double((sound[zero + place] - noise(place)) * voice[index])
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
    #expect((49_000..<95_000).allSatisfy { sound[zero + $0] == noise($0) })
    #expect(stage.longestSilence(tail: 3) < 1)
    #expect(stage.news.last == .ended)
    #expect(stage.player.status.percentOnTime == 100)
  }

  @Test func `It starts at once, tells so, and ends when all was heard`() {
    let stage = Stage(programme(seconds: 5), settings: settings(service: false))
    stage.player.post(.start(source: "fake", language: ""))
    stage.run(until: 8)
    let started = stage.timedNews.first
    #expect((started?.at ?? 9) < 0.5)
    #expect(stage.news.last == .ended)
    let sound = stage.sound
    let zero = offset(sound) ?? 0
    #expect((1000..<(5 * 48_000 - 300)).allSatisfy { sound[zero + $0] == noise($0) })
    #expect(stage.player.status.phase == .idle)
    #expect(stage.programme.isClosed)
  }

  @Test(arguments: ["slow", "silent", "close", "sequence", "text", "truncated", "refuse", "cut"])
  func `Whatever the service does there is no silence, and it returns by itself`(fault: String) {
    let stage = Stage(programme(seconds: 38, every: 2), settings: settings(.duck))
    stage.service.voice = { _ in chirp() }
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 40) { now in
      let isFaulty = now.seconds > 5 && now.seconds < 12
      let service = stage.service
      service.delay = .milliseconds(isFaulty && fault == "slow" ? 9000 : 500)
      service.fault =
        switch isFaulty ? fault : "" {
        case "silent": .silent
        case "close": .close(1011)
        case "sequence": .wrongSequence
        case "text": .text
        case "truncated": .truncated
        case "refuse": .refuse
        default: .none
        }
      if fault == "cut" {
        if isFaulty, service.isReachable { service.cut() }
        if !isFaulty, !service.isReachable { service.heal() }
      }
    }
    #expect(stage.longestSilence(tail: 4) < 1)
    let fell = stage.timedNews.first { if case .fellBack = $0.news { true } else { false } }
    let returned = stage.timedNews.first { if case .returned = $0.news { true } else { false } }
    #expect((fell?.at ?? 0) > 5)
    // The back-off of a short fault, and two utterances.
    #expect((returned?.at ?? 99) < 36)
    #expect((returned?.at ?? 0) > 10)
    let status = stage.player.status
    #expect(status.percentOnTime > 15 && status.percentOnTime < 100)
    #expect(status.longestGapMilliseconds == 0)
    if fault == "cut" {
      #expect((returned?.at ?? 99) < 20)
      #expect(stage.news.contains { if case .linkLost = $0 { true } else { false } })
    }
  }

  @Test func `A service that never was there leaves the original`() {
    let stage = Stage(programme(seconds: 20), settings: settings())
    stage.service.isReachable = false
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 22)
    #expect(stage.longestSilence(tail: 3) < 1)
    #expect(stage.player.status.percentOnTime == 0)
    #expect(stage.news.contains { if case .linkLost = $0 { true } else { false } })
    // The first retry at once, then with growing pauses: no storm.
    #expect((2...14).contains(stage.service.attempts.count))
  }

  @Test func `1013 is waited for`() {
    let stage = Stage(programme(seconds: 30), settings: settings())
    stage.service.fault = .close(1013)
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 12)
    #expect(stage.service.attempts.count == 1)
  }

  @Test func `A rendition takes the original's place, and the original comes back when it breaks off`() {
    let main = programme(seconds: 30, every: 2)
    let dub = TonedProgramme { TonedProgramme.coded($0, hertz: 700, level: 0.2) }
    dub.length = 30 * 48_000
    dub.stalls = [(11 * 48_000, Instant(nanoseconds: 17_000_000_000))]
    main.renditions["es"] = dub
    main.soundLanguages = ["es"]
    let stage = Stage(main, settings: settings(service: false))
    stage.player.post(.start(source: "http://fake/live.m3u8", language: "es"))
    stage.run(until: 33)
    let sound = stage.sound
    let zero = stage.start
    func isDub(_ second: Double) -> Bool {
      let place = zero + Int(second * 48_000)
      let share = (0..<4800).reduce(0) { sum, index in
        sum + Double(sound[place + index]) * sin(2 * .pi * 700 * Double(index) / 48_000)
      }
      let quadrature = (0..<4800).reduce(0) { sum, index in
        sum + Double(sound[place + index]) * cos(2 * .pi * 700 * Double(index) / 48_000)
      }
      return (share * share + quadrature * quadrature).squareRoot() / 2400 > 0.15
    }
    #expect(!isDub(1) && isDub(5) && isDub(10))
    #expect(!isDub(13) && !isDub(15))
    #expect(isDub(26))
    #expect(stage.longestSilence(tail: 4) < 1)
    #expect(stage.news.contains(.returned(to: .rendition)))
    // The cross-fade of equal power has no hole: no 10 ms are quieter than half of the quieter side.
    for place in stride(from: zero + 48_000, to: zero + 28 * 48_000, by: 480) {
      let power = sound[place..<(place + 480)].reduce(0) { $0 + $1 * $1 } / 480
      #expect(power.squareRoot() > 0.02)
    }
  }

  @Test func `A dub of another epoch never plays`() {
    let main = programme(seconds: 30)
    main.cues = main.cues.map { cue in
      var cue = cue
      cue.epoch = cue.start >= 15 * 48_000 ? 1 : 0
      return cue
    }
    // The voice of an utterance just before the new epoch is long.
    main.cues.insert(
      SubtitleCue(epoch: 0, start: 14 * 48_000, end: 14 * 48_000 + 24_000, text: "larga", language: "es"), at: 4)
    main.discontinuities = [15 * 48_000]
    let stage = Stage(main, settings: settings())
    stage.service.voice = {
      $0.text.hasPrefix("larga") ? (0..<120_000).map { Float(0.3 * sin(0.05 * Double($0))) } : chirp()
    }
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 32)
    let sound = stage.sound
    guard let zero = offset(sound) else {
      Issue.record("the original was not found")
      return
    }
    // Heard before the joint, not after it.
    let before = (14 * 48_000 + 10_000)..<(14 * 48_000 + 40_000)
    #expect(before.contains { abs(sound[zero + $0] - noise($0)) > 0.1 })
    let after = (15 * 48_000 + 480)..<(16 * 48_000)
    #expect(after.allSatisfy { sound[zero + $0] == noise($0) })
  }

  @Test func `A stall of the stream is told, and playing goes on by itself`() {
    let main = programme(seconds: 20)
    main.stalls = [(9 * 48_000, Instant(nanoseconds: 14_000_000_000))]
    let stage = Stage(main, settings: settings(service: false))
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

  @Test func `Pause, seek, volumes and languages are obeyed`() {
    let stage = Stage(programme(seconds: 40), settings: settings())
    stage.service.voice = { _ in chirp() }
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
    stage.player.post(.nextLanguage)
    stage.run(until: 14.1)
    #expect(stage.news.contains(.language("es")))
    stage.player.post(.volumes(original: 0, dub: nil))
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
    let main = programme(seconds: 5)
    main.length = 0
    main.failure = "http://fake/x.m3u8 answers 404"
    let stage = Stage(main, settings: settings())
    stage.player.post(.start(source: "http://fake/x.m3u8", language: "es"))
    stage.run(until: 2)
    #expect(stage.news == [.failed("http://fake/x.m3u8 answers 404")])
  }

  @Test func `A speaker that goes away ends it, with a word`() {
    let stage = Stage(programme(seconds: 20), settings: settings())
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 5)
    stage.speaker.unplug()
    stage.run(until: 6)
    #expect(stage.news.contains { if case .failed = $0 { true } else { false } })
    #expect(stage.player.status.phase == .idle)
  }

  @Test func `Without a network speech is made on the device`() {
    let main = programme(seconds: 20)
    var settings = settings(.duck, service: false)
    settings.synthesises = true
    let desk = SpeechDesk(data: { () throws(SpeechError) in .system })
    _ = desk.step(now: .zero)
    let stage = Stage(main, settings: settings, speech: desk)
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 22)
    #expect(stage.player.status.percentOnTime == 100)
    #expect(stage.player.status.utterances >= 5)
    #expect(stage.longestSilence(tail: 3) < 1)
    #expect((stage.sound.map(abs).max() ?? 1) <= 0.8913)
    #expect((stage.sound.map(abs).max() ?? 0) > 0.15)
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
    let crossings = (1..<samples.count).count { samples[$0 - 1] < 0 && samples[$0] >= 0 }
    #expect((430...450).contains(crossings))
    var dice = Dice(1)
    for size in 0..<40 { _ = AACSound.decode((0..<(size * 20)).map { _ in UInt8.random(in: 0...255, using: &dice) }) }
  }

  @Test func `A random service is survived`() {
    for seed in 1...2 as ClosedRange<UInt64> {
      var dice = Dice(seed)
      let stage = Stage(programme(seconds: 28, every: 2), settings: settings(.duck))
      stage.service.voice = { _ in chirp() }
      var next = 0.0
      stage.player.post(.start(source: "fake", language: "es"))
      stage.run(until: 31) { now in
        guard now.seconds >= next else { return }
        next = now.seconds + Double.random(in: 0.2...4, using: &dice)
        stage.service.delay = .milliseconds(Int.random(in: 0...6000, using: &dice))
        stage.service.fault =
          [.none, .none, .silent, .close(1011), .wrongSequence, .text, .truncated, .refuse]
          .randomElement(using: &dice) ?? .none
        switch Int.random(in: 0...5, using: &dice) {
        case 0: stage.service.cut()
        case 1, 2: stage.service.heal()
        default: break
        }
      }
      #expect(stage.longestSilence(tail: 4) < 1)
      #expect((stage.sound.map(abs).max() ?? 1) <= 0.8913)
    }
  }
}
