import Foundation
import Hardware
import Streaming

@testable import Dubbing

/// What players are tested with.
enum Fixtures {
  /// Noise that belongs to the frame.
  static func noise(_ frame: Int) -> Float {
    var mixed = UInt64(bitPattern: Int64(frame)) &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Float(Int64(mixed >> 40) - (1 << 23)) / Float(1 << 23) * 0.1
  }

  /// Noise with an utterance of 1.5 s, or of half of `gap`, every `gap` seconds from the second one on.
  static func programme(seconds: Double, every gap: Double = 3) -> TonedProgramme {
    let programme = TonedProgramme { noise($0) }
    programme.length = Int(seconds * 48_000)
    programme.cues = stride(from: 2, to: seconds - gap, by: gap).enumerated().map { index, start in
      SubtitleCue(
        epoch: 0, start: Int(start * 48_000), end: Int((start + min(1.5, gap / 2)) * 48_000), text: "frase \(index)",
        language: "es")
    }
    programme.subtitleLanguages = ["es"]
    return programme
  }

  static func settings(_ mode: DubSettings.Mode = .mix, service: Bool = true) -> DubSettings {
    var settings = DubSettings()
    settings.mode = mode
    settings.serviceURL = service ? "ws://fake/dub" : ""
    settings.synthesises = false
    return settings
  }

  /// A voice that can be found again: a chirp of half a second.
  static let chirp: [Float] = (0..<24_000).map {
    Float(0.3 * sin(0.02 * Double($0) + 3e-6 * Double($0) * Double($0)))
  }

  /// A voice of one tone.
  static let toneHertz = 1000.0
  static let toneVoice: [Float] = (0..<24_000).map { Float(0.2 * sin(2 * Double.pi * toneHertz * Double($0) / 48_000)) }

  /// A tone that belongs to the frame, as a programme of its own.
  static func tone(_ hertz: Double, seconds: Double) -> TonedProgramme {
    let tone = TonedProgramme { TonedProgramme.coded($0, hertz: hertz, level: 0.2) }
    tone.length = Int(seconds * 48_000)
    return tone
  }
}

extension Stage {
  /// Where the programme's frame 0 lies in what was heard.
  var zero: Int? {
    let sound = sound
    let probe = (30_000..<30_050).map { Fixtures.noise($0) }
    return (30_000..<(30_000 + 48_000)).first { place in
      place + 50 < sound.count && (0..<50).allSatisfy { sound[place + $0] == probe[$0] }
    }.map { $0 - 30_000 }
  }

  /// What is heard beside a tone, in 100 ms: root of the mean square.
  func level(at second: Double, without hertz: Double) -> Double {
    let place = start + Int(second * 48_000)
    guard place + 4800 <= sound.count else { return 0 }
    let power = sound[place..<(place + 4800)].reduce(0) { $0 + Double($1) * Double($1) } / 4800
    let tone = amplitude(of: hertz, at: second)
    return max(0, power - tone * tone / 2).squareRoot()
  }

  /// Amplitude of a tone in 100 ms of what was heard, `second` seconds after its beginning.
  func amplitude(of hertz: Double, at second: Double) -> Double {
    let place = start + Int(second * 48_000)
    guard place + 4800 <= sound.count else { return 0 }
    let span = sound[place..<(place + 4800)]
    var (sine, cosine) = (0.0, 0.0)
    for (index, sample) in span.enumerated() {
      let angle = 2 * Double.pi * hertz * Double(index) / 48_000
      sine += Double(sample) * sin(angle)
      cosine += Double(sample) * cos(angle)
    }
    return (sine * sine + cosine * cosine).squareRoot() / 2400
  }
}
