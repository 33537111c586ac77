import Foundation
import Hardware
import SimulatedHardware
import Streaming
import Testing

@testable import Dubbing

@Suite("An hour of a live stream")
struct DubHourTests {
  private static let hour = 3600.0

  @Test(arguments: [-100.0, 100])
  func `Original and dub are together to the sample, and in time, on a speaker whose crystal is off`(ppm: Double) throws
  {
    let stage = Self.stage()
    stage.speaker.drift(partsPerMillion: ppm, at: .zero)
    stage.player.post(.start(source: "fake", language: "es"))
    stage.forgetSound(isKept: false)
    var errors: [Double] = []
    var nextLook = 10.0
    stage.run(until: Self.hour + 4) { now in
      guard now.seconds >= nextLook else { return }
      nextLook += 0.5
      errors.append(abs(stage.player.status.driftMilliseconds))
    }
    errors.sort()
    #expect(errors[errors.count * 99 / 100] <= 2)
    #expect(abs(stage.player.status.speakerPPM - ppm) < 1)
    #expect(stage.player.status.longestGapMilliseconds == 0)

    let first = stage.player.status.frame
    stage.forgetSound(isKept: true)
    stage.run(until: Self.hour + 30)
    let sound = stage.sound
    var found = 0
    for start in stride(from: Self.hour + 8, to: Self.hour + 26, by: 3) {
      let slot = Int(start * 48_000)
      // Where the original lies before and after the voice: between them the speaker's rate is constant.
      let (before, after) = (slot - 12_000, slot + 60_000)
      let left = try #require(Self.place(of: before, in: sound, near: before - first, within: 6000))
      let right = try #require(Self.place(of: after, in: sound, near: left + after - before, within: 60))
      let rate = Double(right - left) / Double(after - before)
      #expect(abs(rate - 1) < 200e-6)
      let scores = (-5...5).map { lag in
        (1000..<20_000).reduce(0.0) { sum, index in
          let place = Double(left) + Double(slot + index + lag - before) * rate
          let whole = Int(place)
          let share = Float(place - Double(whole))
          let heard = sound[whole] * (1 - share) + sound[whole + 1] * share
          return sum + Double(heard * Fixtures.chirp[index])
        }
      }
      let best = try #require(scores.max())
      guard best > 1 else { continue }
      found += 1
      #expect(scores[4...6].contains(best))
    }
    #expect(found >= 5)
  }

  /// Silence for an hour, then noise and an utterance every three seconds.
  private static func stage() -> Stage {
    let programme = Fixtures.programme(seconds: hour + 60)
    programme.cues.removeAll { $0.start < Int((hour + 2) * 48_000) }
    programme.length = nil
    programme.firstSound = Int(hour * 48_000)
    programme.isLive = true
    programme.edge = 480_000
    let stage = Stage(programme, settings: Fixtures.settings())
    stage.service.voice = { _ in Fixtures.chirp }
    return stage
  }

  /// Where 400 frames of the original from `frame` on are in what was heard.
  private static func place(of frame: Int, in sound: [Float], near: Int, within: Int) -> Int? {
    let probe = (0..<400).map { Fixtures.noise(frame + $0) }
    let least = probe.reduce(0) { $0 + $1 * $1 } / 2
    // Indices and no sequences: these are half a million sums of 400, in code that is not optimised.
    return sound.withUnsafeBufferPointer { sound in
      probe.withUnsafeBufferPointer { probe in
        var best: (place: Int, score: Float)?
        for place in max(0, near - within)..<min(sound.count - 400, near + within) {
          var score: Float = 0
          var index = 0
          while index < 400 {
            score += probe[index] * sound[place + index]
            index += 1
          }
          if score > least, score > best?.score ?? 0 { best = (place, score) }
        }
        return best?.place
      }
    }
  }
}
