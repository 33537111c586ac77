import Dubbing
import Foundation
import Hardware
import SimulatedHardware
import Speech
import Streaming
import Synchronization

/// A player in virtual time with a simulated speaker; keeps what is heard.
final class Stage {
  let clock = VirtualClock()
  let speaker: SimulatedSpeaker
  let service = FakeService()
  let player: DubPlayer
  let programme: TonedProgramme
  private let heard = HeardBox()

  init(_ programme: TonedProgramme, settings: DubSettings, speech: SpeechQueue? = nil) {
    self.programme = programme
    speaker = SimulatedSpeaker(clock: clock, origin: .zero)
    let told = TellBox()
    let clock = clock
    player = DubPlayer(
      parts: DubParts(
        open: { _, _, _ in programme }, network: service, speech: speech, preparer: preparer, speaker: speaker,
        request: SoundRequest(
          format: PCMFormat(sampleRate: 48_000, channels: 2), periodFrames: 480, bufferFrames: 1920)),
      settings: settings, report: { told.add(clock.now, $0) })
    box = told
    self.speech = speech
    let heard = heard
    speaker.listen { _, samples, _ in heard.add(samples) }
  }

  private let box: TellBox
  private let speech: SpeechQueue?
  private let preparer = VoicePreparer()
  /// Texts that were spoken, but for the last one that waited each time.
  private(set) var spokenTexts = 0
  /// When the voices begin to be loaded.
  var speechFrom = Instant.zero
  private var playerDue = Instant.zero
  private var speakerDue = Instant.zero

  /// Lets virtual time pass: the player and the speaker take turns.
  func run(until seconds: Double, each: ((Instant) -> Void)? = nil) {
    let end = Instant(nanoseconds: Int64(seconds * 1e9))
    while clock.now < end {
      let now = clock.now
      service.now = now
      each?(now)
      while preparer.step(now: now) != nil {}
      if let speech, now >= speechFrom { while speech.step(now: now) != nil { spokenTexts += 1 } }
      if now >= playerDue { playerDue = max(player.step(now: now) ?? now + .milliseconds(50), now + .milliseconds(1)) }
      if now >= speakerDue { speakerDue = speaker.step(now: now) ?? now + .milliseconds(5) }
      clock.advance(to: min(max(now + .microseconds(100), min(playerDue, speakerDue)), end))
    }
  }

  /// One channel of all that was heard.
  var sound: [Float] { heard.all }
  /// Forgets what was heard; `isKept`: whether what comes is.
  func forgetSound(isKept: Bool) { heard.restart(isKept: isKept) }
  var news: [DubEvent] { box.all.map(\.news) }
  var timedNews: [(at: Double, news: DubEvent)] { box.all }

  /// Where sound begins.
  var start: Int { sound.firstIndex { $0 != 0 } ?? 0 }

  /// The longest run of silence after the sound began, in milliseconds; the last `tail` seconds are not looked at.
  func longestSilence(below level: Float = 1e-6, tail: Double = 0) -> Double {
    let all = sound
    var longest = 0
    var current = 0
    for sample in all[start..<max(start, all.count - Int(tail * 48_000))] {
      current = abs(sample) < level ? current + 1 : 0
      longest = max(longest, current)
    }
    return Double(longest) / 48
  }
}

final class TellBox: Sendable {
  private let kept = Mutex<[(at: Double, news: DubEvent)]>([])

  func add(_ at: Instant, _ news: DubEvent) { kept.withLock { $0.append((at.seconds, news)) } }
  var all: [(at: Double, news: DubEvent)] { kept.withLock { $0 } }
}

/// One channel of what was heard.
final class HeardBox: Sendable {
  private let kept = Mutex<[Float]?>([])

  func add(_ samples: UnsafeBufferPointer<Float>) {
    kept.withLock { kept in
      guard kept != nil else { return }
      for index in stride(from: 0, to: samples.count, by: 2) { kept?.append(samples[index]) }
    }
  }

  func restart(isKept: Bool) { kept.withLock { $0 = isKept ? [] : nil } }

  var all: [Float] { kept.withLock { $0 ?? [] } }
}
