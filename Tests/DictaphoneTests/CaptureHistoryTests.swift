import Hardware
import Sound
import Testing

@testable import Recording

/// What the microphone's blocks become: frames without a hole, and what is known of them.
@Suite struct CaptureHistoryTests {
  private static let format = PCMFormat(sampleRate: 8000, channels: 1)

  /// A history after some blocks of 80 frames (10 ms), the first at the instant 0.
  private static func heard(_ blocks: Int) -> CaptureHistory {
    let history = CaptureHistory(format: format, seconds: 1)
    for block in 0..<blocks { hear(history, end: .milliseconds(10 * (block + 1))) }
    return history
  }

  private static func hear(_ history: CaptureHistory, end: Duration) {
    history.add(CaptureBlock(.sound, frames: 80, end: .zero + end))
    history.ring.push([Float](repeating: 0.5, count: 80), frames: 80)
  }

  @Test func framesAndInstantsAreOneAnother() {
    let history = Self.heard(10)
    #expect(history.ring.endFrame == 800)
    #expect(history.frame(at: .zero + .milliseconds(50)) == 400)
    #expect(history.instant(ofFrame: 400) == .zero + .milliseconds(50))
  }

  @Test func lostSoundIsSilenceAndAGap() {
    let history = Self.heard(10)
    history.add(CaptureBlock(.discontinuity, frames: 0, end: .zero + .milliseconds(100)))
    Self.hear(history, end: .milliseconds(130))
    #expect(history.gaps == [CaptureGap(frame: 800, frames: 160, reason: "overrun")])
    #expect(history.ring.endFrame == 1040)
  }

  @Test func anotherSourceLeavesOutWhatTheOneBeforeHasTold() {
    let history = Self.heard(10)
    history.join("usb", name: "USB")
    let early = CaptureBlock(.sound, frames: 80, end: .zero + .milliseconds(95))
    #expect(history.overlap(of: early) == 80)
    let next = CaptureBlock(.sound, frames: 80, end: .zero + .milliseconds(105))
    #expect(history.overlap(of: next) == 40)
    #expect(history.overlap(of: next) == 0, "only its first sound")
    #expect(history.changes.map(\.frame) == [800])
  }

  @Test func countingGoesOnWithANewOpening() {
    let history = Self.heard(10)
    history.begin(Self.format, seconds: 1)
    #expect(history.isUntimed && history.ring.heldFrames == 0 && history.generation == 1)
    #expect(history.ring.endFrame == 800 && history.firstOfOpening == 800)
    Self.hear(history, end: .seconds(5))
    #expect(history.instant(ofFrame: 800) == .zero + .milliseconds(4990))
  }

  @Test func anotherLengthKeepsWhatFits() {
    let history = Self.heard(10)
    #expect(!history.hold(seconds: 1))
    #expect(history.hold(seconds: 2))
    #expect(history.ring.heldFrames == 800)
  }

  @Test(
    arguments: [
      (nil, nil, 100), (nil, 500, 500), (300, nil, 300), (300, 200, 300), (300, 900, 900),
    ] as [(Int?, Int?, Int)])
  func takesBeginWithWhatIsKept(keptFrom: Int?, quietFrom: Int?, first: Int) {
    var kept = KeptSound()
    let instant = { (frame: Int) in Instant.zero + .milliseconds(frame) }
    if let keptFrom {
      kept.forget()
      kept.keep(from: instant(keptFrom))
    }
    if let quietFrom { kept.hush(until: instant(quietFrom)) }
    let frame = { (instant: Instant) in Int(instant.nanoseconds / 1_000_000) }
    #expect(kept.first(before: 800, oldest: 100, frame) == first)
  }

  @Test func speechThatAKeyHasEndedIsOverSooner() {
    var kept = KeptSound()
    kept.hush(until: .zero + .milliseconds(900))
    kept.hush(until: .zero + .milliseconds(330))
    #expect(kept.first(before: 300, oldest: 0) { Int($0.nanoseconds / 1_000_000) } == 330)
  }

  @Test func nothingIsKeptOfWhatIsForgotten() {
    var kept = KeptSound()
    kept.forget()
    #expect(kept.first(before: 800, oldest: 100) { _ in 0 } == 800)
  }
}
