import Foundation
import Hardware
import SimulatedHardware
import Speech
import Streaming
import Testing

@testable import Dubbing

@Suite("Tracks in another language")
struct DubTrackTests {
  @Test func `A rendition takes the original's place, and the original comes back when it breaks off`() {
    let main = Fixtures.programme(seconds: 30, every: 2)
    let dub = Fixtures.tone(700, seconds: 30)
    dub.stalls = [(11 * 48_000, Instant(nanoseconds: 17_000_000_000))]
    let stage = spanish(dub, beside: main)
    stage.run(until: 33)
    let sound = stage.sound
    let zero = stage.start
    func isDub(_ second: Double) -> Bool { stage.amplitude(of: 700, at: second) > 0.15 }
    #expect(isDub(1) && isDub(5) && isDub(10))
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

  /// Where advertisements begin and end, the clock does.
  @Test func `A discontinuity does not bring the original back`() {
    let main = Fixtures.programme(seconds: 26)
    (main.cues, main.subtitleLanguages) = ([], [])
    let dub = Fixtures.tone(700, seconds: 26)
    main.discontinuities = [9 * 48_000, 15 * 48_000]
    dub.discontinuities = main.discontinuities
    let stage = spanish(dub, beside: main)
    stage.run(until: 24)
    let fell = stage.timedNews.filter { if case .fellBack = $0.news { true } else { false } }
    #expect(fell.isEmpty, "\(fell)")
    for second in 1...22 {
      #expect(stage.amplitude(of: 700, at: Double(second) + 0.4) > 0.15, "\(second)")
    }
  }

  /// A dub that has been ordered of a programme with this track in Spanish.
  private func spanish(
    _ track: TonedProgramme, beside main: TonedProgramme, source: String = "http://fake/live.m3u8"
  ) -> Stage {
    main.renditions["es"] = track
    main.soundLanguages = ["es"]
    let stage = Stage(main, settings: Fixtures.settings(service: false))
    stage.player.post(.start(source: source, language: "es"))
    return stage
  }

  /// Two languages that take 300 ms to load.
  private func bilingual(seconds: Double) -> TonedProgramme {
    let main = Fixtures.programme(seconds: seconds, every: 4)
    for (language, hertz) in [("es", 700.0), ("de", 900)] {
      main.renditions[language] = Fixtures.tone(hertz, seconds: seconds)
      main.renditions[language]?.loading = .milliseconds(300)
    }
    main.soundLanguages = ["es", "de"]
    return main
  }

  @Test func `Another language is heard within a second, and there is no hole`() {
    let stage = Stage(bilingual(seconds: 12), settings: Fixtures.settings(service: false))
    stage.player.post(.start(source: "http://fake/live.m3u8", language: "es"))
    stage.run(until: 4)
    let asked = Double(stage.sound.count - stage.start) / 48_000
    #expect(stage.player.status.rung == .rendition)
    stage.player.post(.language("de"))
    stage.run(until: 4.2)
    // Until it is loaded, what was heard goes on, and that is said.
    #expect(stage.player.status.rung == .rendition)
    #expect(stage.amplitude(of: 700, at: asked + 0.05) > 0.15)
    stage.run(until: 7)
    #expect(stage.amplitude(of: 900, at: asked + 0.8) > 0.15)
    #expect(stage.amplitude(of: 700, at: asked + 0.8) < 0.02)
    // And back, and to one that is not there.
    stage.player.post(.language("es"))
    stage.run(until: 8)
    #expect(stage.player.status.rung == .rendition)
    stage.player.post(.language("fr"))
    stage.run(until: 9)
    #expect(stage.player.status.rung == .original)
    #expect(stage.amplitude(of: 700, at: asked + 3.8) > 0.15)
    #expect(stage.amplitude(of: 700, at: asked + 4.7) < 0.02)
    #expect(stage.longestSilence(below: 0.001) <= 40)
    let sound = stage.sound
    for place in stride(from: stage.start + 24_000, to: sound.count - 4800, by: 480) {
      let power = sound[place..<(place + 480)].reduce(0) { $0 + $1 * $1 } / 480
      #expect(power.squareRoot() > 0.02)
    }
  }

  @Test func `A language that does not come is not waited for: the original is heard`() {
    let main = bilingual(seconds: 14)
    main.renditions["de"]?.loading = .seconds(60)
    let stage = Stage(main, settings: Fixtures.settings(service: false))
    stage.player.post(.start(source: "http://fake/live.m3u8", language: "es"))
    stage.run(until: 3)
    stage.player.post(.language("de"))
    stage.run(until: 9)
    #expect(stage.player.status.rung == .original)
    #expect(stage.amplitude(of: 700, at: 7.5) < 0.02)
    #expect(stage.longestSilence(below: 0.001) <= 40)
  }

  @Test func `Why a track is not heard is told, and the next one is asked for at once where there is one`() {
    for hasOther in [false, true] {
      let main = Fixtures.programme(seconds: 20, every: 4)
      let track = Fixtures.tone(700, seconds: 20)
      (track.failure, track.hasOther) = ("es.m3u8: SAMPLE-AES", hasOther)
      main.renditions["es"] = track
      main.soundLanguages = ["es"]
      let stage = Stage(main, settings: Fixtures.settings(service: false))
      stage.player.post(.start(source: "http://fake/live.m3u8", language: "es"))
      stage.run(until: 3.5)
      #expect(stage.player.status.reason == "es.m3u8: SAMPLE-AES")
      #expect(stage.player.status.rung == .original)
      #expect((main.asked["es", default: 0] > 5) == hasOther)
      track.failure = nil
      stage.run(until: 15)
      #expect(stage.player.status.rung == .rendition && stage.player.status.reason.isEmpty)
    }
  }

  @Test func `Subtitles that cannot be read are told where they are all that could dub`() {
    let main = Fixtures.programme(seconds: 12)
    main.cues = []
    main.subtitleProblem = "es.vtt: TTML"
    let stage = Stage(main, settings: Fixtures.settings(service: false))
    stage.player.post(.start(source: "http://fake/live.m3u8", language: "es"))
    stage.run(until: 5)
    #expect(stage.player.status.reason == "es.vtt: TTML")
    // There are none in this language.
    stage.player.post(.language("de"))
    stage.run(until: 10)
    #expect(stage.player.status.reason.isEmpty)
  }

  @Test func `Subtitles within a film, which are not read, are told where there are no others`() {
    let main = Fixtures.programme(seconds: 12)
    (main.cues, main.subtitleLanguages) = ([], [])
    main.subtitleProblem = "mov_text (spa)"
    let stage = Stage(main, settings: Fixtures.settings(service: false))
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 5)
    #expect(stage.player.status.reason == "mov_text (spa)")
  }

  @Test func `A track that breaks off and says why is told`() {
    let main = Fixtures.programme(seconds: 30, every: 2)
    let track = Fixtures.tone(700, seconds: 30)
    track.stalls = [(8 * 48_000, Instant(nanoseconds: 30_000_000_000))]
    let stage = spanish(track, beside: main)
    stage.run(until: 14)
    #expect(stage.player.status.reason == "the link is down")
    #expect(stage.news.contains(.fellBack(to: .original, reason: "the link is down")))
  }

  /// It is read ahead: when the hole is heard, what lies behind it has been there for seconds.
  @Test func `A hole in a track is told as what it is, and only while it is heard`() {
    let main = Fixtures.programme(seconds: 30, every: 2)
    let track = Fixtures.tone(700, seconds: 30)
    track.hole = (8 * 48_000..<13 * 48_000, "es4.ts: 404")
    let stage = spanish(track, beside: main, source: "http://fake/vod.m3u8")
    stage.run(until: 7)
    #expect(stage.player.status.rung == .rendition && stage.player.status.reason.isEmpty)
    stage.run(until: 11)
    #expect(stage.amplitude(of: 700, at: 10) < 0.02)
    #expect(stage.player.status.reason == "es4.ts: 404")
    #expect(stage.news.contains(.fellBack(to: .original, reason: "es4.ts: 404")))
    stage.run(until: 24)
    #expect(stage.amplitude(of: 700, at: 22) > 0.15)
    #expect(stage.player.status.rung == .rendition && stage.player.status.reason.isEmpty)
  }

  @Test func `A track beside a clip is a sidecar`() {
    let main = bilingual(seconds: 6)
    main.renditions["es"]?.isBeside = true
    let stage = Stage(main, settings: Fixtures.settings(service: false))
    stage.player.post(.start(source: "/clips/a.mp4", language: "es"))
    stage.run(until: 4)
    #expect(stage.player.status.rung == .sidecar)
    #expect(stage.amplitude(of: 700, at: 3) > 0.15)
    stage.player.post(.language("de"))
    stage.run(until: 5.5)
    #expect(stage.player.status.rung == .rendition)
  }

  @Test func `Switched off and on again, and after a seek, the track is heard at once`() {
    let stage = Stage(bilingual(seconds: 20), settings: Fixtures.settings(service: false))
    stage.player.post(.start(source: "http://fake/live.m3u8", language: "es"))
    stage.run(until: 3)
    stage.player.post(.dubbing(false))
    stage.run(until: 4)
    #expect(stage.player.status.rung == .original)
    stage.player.post(.dubbing(true))
    stage.run(until: 5)
    #expect(stage.player.status.rung == .rendition)
    #expect(stage.amplitude(of: 700, at: 3.5) < 0.02)
    #expect(stage.amplitude(of: 700, at: 4.5) > 0.15)
    stage.player.post(.seek(seconds: 6))
    stage.run(until: 6)
    let place = Double(stage.sound.count - stage.start) / 48_000 - 0.2
    #expect(stage.amplitude(of: 700, at: place) > 0.15)
  }

  @Test(arguments: [true, false])
  func `In low-power mode the stream takes less, and the dub stays or goes as it is set`(isKept: Bool) {
    let main = bilingual(seconds: 12)
    var settings = Fixtures.settings(service: false)
    settings.dubsInLowPower = isKept
    let stage = Stage(main, settings: settings)
    stage.player.post(.start(source: "http://fake/live.m3u8", language: "es"))
    stage.run(until: 3)
    stage.player.post(.lowPower(true))
    stage.run(until: 5)
    #expect(main.isLowPower)
    #expect(stage.player.status.isLowPower)
    #expect((stage.amplitude(of: 700, at: 4) > 0.15) == isKept)
    #expect(stage.player.status.rung == (isKept ? .rendition : .original))
    stage.player.post(.lowPower(false))
    stage.run(until: 7)
    #expect(!main.isLowPower)
    #expect(stage.player.status.rung == .rendition)
  }
}
