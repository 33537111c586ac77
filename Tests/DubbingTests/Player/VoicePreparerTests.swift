import Foundation
import Hardware
import Synchronization
import TestSupport
import Testing

@testable import Dubbing

@Suite("Voices are made ready for the mixer")
struct VoiceBenchTests {
  private static func slot(_ id: Int) -> UtteranceSlot {
    UtteranceSlot(
      id: id, epoch: 0, start: id * 96_000, end: id * 96_000 + 48_000, limit: nil, text: "x", language: "es")
  }

  /// A tone of a second at a tenth of full scale, from the service.
  private static func sound(rate: Int = 24_000) -> ServiceSound {
    let mono = (0..<rate).map { 0.1 * sinf(2 * .pi * 440 * Float($0) / Float(rate)) }
    return ServiceSound(
      codec: .pcm16, channels: 1, sequence: 0, sampleRate: rate, pts: 0, duration: 90_000, language: "es",
      payload: ServiceSound.pcm(mono))
  }

  private static func job(_ id: Int, _ rung: DubRung = .service, raw: VoicePreparer.Raw = .service(sound()))
    -> VoicePreparer.Job
  {
    let slot = slot(id)
    return VoicePreparer.Job(slot: slot, rung: rung, raw: raw, start: slot.start, end: slot.start + 96_000)
  }

  @Test func `Voices come out in order, at the mixer's rate, fitted and levelled`() throws {
    let preparer = VoicePreparer()
    let told = Mutex(0)
    preparer.listen { told.withLock { $0 += 1 } }
    preparer.submit(Self.job(1))
    preparer.submit(Self.job(2, .synthesised, raw: .spoken([Float](repeating: 0, count: 4800))))
    #expect(preparer.take().isEmpty)
    #expect(preparer.step(now: .zero) == .zero)
    #expect(preparer.step(now: .zero) == nil)
    #expect(told.withLock { $0 } == 2)
    let done = preparer.take()
    #expect(done.map(\.job.slot.id) == [1, 2])
    let voice = try done[0].voice.get()
    #expect(abs(voice.samples.count - 48_000) <= 480)
    #expect(abs(voice.loudness + 18) < 0.5)
    #expect(voice.spans.count == 1)
    // Silence is an answer: a voice without a sample.
    #expect(try done[1].voice.get().samples.isEmpty)
  }

  @Test func `What is cancelled does not come out, and what comes after it does`() {
    let preparer = VoicePreparer()
    preparer.submit(Self.job(1))
    preparer.submit(Self.job(2))
    _ = preparer.step(now: .zero)
    preparer.cancel()
    #expect(preparer.take().isEmpty)
    #expect(preparer.step(now: .zero) == nil)
    preparer.submit(Self.job(3))
    _ = preparer.step(now: .zero)
    #expect(preparer.take().map(\.job.slot.id) == [3])
  }

  @Test func `What cannot be decoded is a fault, whatever its bytes`() {
    let preparer = VoicePreparer()
    var dice = SeededGenerator(seed: 5)
    for round in 0..<30 {
      var sound = Self.sound()
      sound.codec = .aac
      sound.payload = (0..<(round * 37)).map { _ in UInt8.random(in: 0...255, using: &dice) }
      preparer.submit(Self.job(round, raw: .service(sound)))
    }
    while preparer.step(now: .zero) != nil {}
    let done = preparer.take()
    #expect(done.count == 30)
    for outcome in done {
      guard case .failure(.undecodable) = outcome.voice else {
        Issue.record("\(outcome)")
        continue
      }
    }
  }
}
