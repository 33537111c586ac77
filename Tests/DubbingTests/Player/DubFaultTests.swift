import Foundation
import Hardware
import SimulatedHardware
import Speech
import Streaming
import TestSupport
import Testing

@testable import Dubbing

@Suite("Faults of a dubbing service")
struct DubFaultTests {
  /// Faulty from the third second to the ninth; subtitles are known some five seconds ahead, as in a live stream.
  @Test(arguments: ["slow", "silent", "close", "sequence", "text", "truncated", "refuse", "cut"])
  func `Whatever the service does there is no silence, and it returns by itself`(fault: String) {
    let programme = Fixtures.programme(seconds: 26, every: 1)
    programme.cueLead = 0
    var settings = Fixtures.settings(.duck)
    settings.segments = 1
    let stage = Stage(programme, settings: settings)
    stage.service.voice = { _ in Fixtures.chirp }
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 27) { now in
      stage.service.misbehave(fault, isFaulty: now.seconds > 3 && now.seconds < 9)
    }
    #expect(stage.longestSilence(tail: 3) < 1)
    let fell = stage.timedNews.first { if case .fellBack = $0.news { true } else { false } }
    let returned = stage.timedNews.first { if case .returned = $0.news { true } else { false } }
    #expect((3.0...10).contains(fell?.at ?? 0))
    // The back-off of a short fault, or the answer's time-out, and two utterances.
    #expect((9.0...22).contains(returned?.at ?? 0))
    let status = stage.player.status
    #expect(status.fallbacks >= 1)
    #expect(status.percentOnTime > 15 && status.percentOnTime < 100)
    #expect(status.longestGapMilliseconds == 0)
    if fault == "cut" {
      #expect((returned?.at ?? 99) < 14)
      #expect(stage.news.contains { if case .linkLost = $0 { true } else { false } })
    }
  }

  @Test(arguments: ["slow", "silent", "close", "text", "cut"])
  func `What the service leaves out the device speaks itself, every utterance of it`(fault: String) {
    let programme = Fixtures.programme(seconds: 50, every: 3)
    var settings = Fixtures.settings(.duck)
    settings.synthesises = true
    let queue = SpeechQueue(data: { () throws(SpeechError) in .system })
    _ = queue.step(now: .zero)
    let stage = Stage(programme, settings: settings, speech: queue)
    stage.service.voice = { _ in Fixtures.chirp }
    stage.player.post(.start(source: "fake", language: "es"))
    var rungs: Set<DubRung> = []
    stage.run(until: 48) { now in
      stage.service.misbehave(fault, isFaulty: now.seconds > 12 && now.seconds < 24)
      rungs.insert(stage.player.status.rung)
    }
    // The original, too: in the pause in which the service goes.
    #expect(rungs.isSuperset(of: [.service, .synthesised]))
    #expect(stage.player.status.fallbacks <= 2)
    let status = stage.player.status
    #expect(status.rung == .service)
    #expect(status.played[.original, default: 0] == 0)
    // What the device speaks itself is not what was wanted, and each rung is counted apart.
    #expect(status.played[.synthesised, default: 0] >= 1)
    #expect(status.played[.service, default: 0] == status.utterancesOnTime)
    #expect(status.percentOnTime < 100)
    #expect(stage.longestSilence(tail: 3) < 1)
  }

  @Test func `What is told is what is heard: a service that has gone dubs nothing`() throws {
    let programme = Fixtures.programme(seconds: 40)
    // After these two nobody speaks any more.
    programme.cues = Array(programme.cues.prefix(2))
    let stage = Stage(programme, settings: Fixtures.settings(.duck))
    stage.service.voice = { _ in Fixtures.chirp }
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 3)
    #expect(stage.player.status.rung == .service)
    stage.service.cut()
    // What it had sent is still heard, and then it is not.
    stage.run(until: 5.2)
    #expect(stage.player.status.rung == .service)
    stage.run(until: 6)
    #expect(stage.player.status.rung == .original)
    #expect(stage.player.status.fallbacks == 1)
    #expect(stage.player.status.serviceConnected == false)
    let told = stage.news.compactMap { if case .fellBack(to: .original, let reason) = $0 { reason } else { nil } }
    #expect(told == ["the connection ended"])
  }

  @Test func `A replaced original is back within 40 milliseconds wherever the dub pauses, ends or fails`() {
    let programme = Fixtures.programme(seconds: 14, every: 4)
    programme.cueLead = 0
    var settings = Fixtures.settings(.replace)
    settings.segments = 1
    let stage = Stage(programme, settings: settings)
    // Half a second of voice, a pause of the same length, and voice again.
    let voice =
      Fixtures.toneVoice.prefix(24_000) + [Float](repeating: 0, count: 24_000) + Fixtures.toneVoice.prefix(12_000)
    stage.service.voice = { _ in Array(voice) }
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 16) { now in if now.seconds > 7, stage.service.isReachable { stage.service.cut() } }
    #expect(stage.player.status.utterancesOnTime >= 1)
    #expect(stage.longestSilence(below: 0.001, tail: 3) <= 40)
    // While the voice speaks, nothing of the original is heard; in its pauses, all of it.
    let amplitude = stage.amplitude(of: Fixtures.toneHertz, at: 2.2)
    let rest = stage.level(at: 2.2, without: Fixtures.toneHertz)
    #expect(amplitude > 0.1 && rest < 0.02, "\(amplitude), \(rest)")
    #expect(stage.amplitude(of: Fixtures.toneHertz, at: 2.7) < 0.02)
    #expect(stage.level(at: 2.7, without: Fixtures.toneHertz) > 0.04)
  }

  @Test func `A service that never was there leaves the original`() {
    let stage = Stage(Fixtures.programme(seconds: 20), settings: Fixtures.settings())
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
    let stage = Stage(Fixtures.programme(seconds: 30), settings: Fixtures.settings())
    stage.service.fault = .close(1013)
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 12)
    #expect(stage.service.attempts.count == 1)
  }

  @Test func `A random service is survived`() {
    for seed in 1...2 as ClosedRange<UInt64> {
      var dice = SeededGenerator(seed: seed)
      let stage = Stage(Fixtures.programme(seconds: 20, every: 1), settings: Fixtures.settings(.duck))
      stage.service.voice = { _ in Fixtures.chirp }
      var next = 0.0
      stage.player.post(.start(source: "fake", language: "es"))
      stage.run(until: 22) { now in
        guard now.seconds >= next else { return }
        next = now.seconds + Double.random(in: 0.2...3, using: &dice)
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

  @Test func `A service hears the sound where there are no subtitles, also on a board of one segment`() {
    let programme = Fixtures.programme(seconds: 40)
    programme.cues = []
    programme.subtitleLanguages = []
    var settings = Fixtures.settings()
    settings.segments = 1
    let stage = Stage(programme, settings: settings)
    stage.service.delay = .milliseconds(500)
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 30)
    #expect(stage.service.requests.count >= 5)
    #expect(stage.service.requests.allSatisfy { $0.text.isEmpty })
    #expect(stage.player.status.rung == .service)
    #expect(stage.player.status.played[.service, default: 0] >= 4)
    #expect(stage.player.status.reason.isEmpty)
  }

  @Test func `A service that is dead is told, and not hidden by the device's own voice`() {
    var settings = Fixtures.settings(.duck)
    settings.synthesises = true
    let queue = SpeechQueue(data: { () throws(SpeechError) in .system })
    _ = queue.step(now: .zero)
    let stage = Stage(Fixtures.programme(seconds: 30), settings: settings, speech: queue)
    stage.service.isReachable = false
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 20)
    let status = stage.player.status
    #expect(status.rung == .synthesised)
    #expect(status.reason == "nobody answers")
    #expect(status.percentOnTime == 0)
    #expect(status.played[.synthesised, default: 0] >= 4)
    #expect(status.played[.service, default: 0] == 0)
  }
}
