import Appliance
import Hardware
import TestSupport
import Testing

@testable import Panel

@Suite("Buzzer")
struct BuzzerTests {
  /// Milliseconds on, off, on, … of what sounds after a change, and whether anything does.
  private static func heard(_ buzzer: Buzzer, from begin: Instant) -> [Int64] {
    var beats: [Int64] = []
    var now = begin
    while let next = buzzer.nextChange(after: now) {
      #expect(buzzer.isOn(at: now) == beats.count.isMultiple(of: 2))
      beats.append((next - now).nanoseconds / 1_000_000)
      now = next
    }
    #expect(!buzzer.isOn(at: now))
    return beats
  }

  private static func playing(_ change: (inout DubState) -> Void = { _ in }) -> State {
    SampleScreens.state {
      $0.mode = .dub
      var play = DubPlay(of: DubSource(id: "a.mp4", name: "A", kind: .clip))
      play.isBuffering = false
      play.rung = .service
      $0.dub = DubState(isAvailable: true, play: play)
      change(&$0.dub)
    }
  }

  @Test func `Every change of a dub has a call of its own`() {
    let changes: [(from: State, to: State, call: BuzzerCall?)] = [
      (Self.playing { $0.play?.rung = .original }, Self.playing(), .dubbed),
      (Self.playing(), Self.playing { $0.play?.rung = .original }, .original),
      (Self.playing(), Self.playing { $0.isOn = false }, .original),
      (Self.playing(), Self.playing { $0.play?.isBuffering = true }, .buffering),
      (Self.playing { $0.play?.isBuffering = true }, Self.playing(), nil),
      (Self.playing(), Self.playing { $0.play?.isLinkLost = true }, .linkLost),
      (Self.playing { $0.play?.isLinkLost = true }, Self.playing(), .linkRestored),
      // The worst of what comes at once.
      (
        Self.playing(),
        Self.playing {
          $0.play?.isLinkLost = true
          $0.play?.rung = .original
        }, .linkLost
      ),
      (Self.playing(), Self.playing { $0.play?.rung = .synthesised }, nil),
      (Self.playing(), Self.playing { $0.play?.isPaused = true }, nil),
      (Self.playing(), Self.playing { $0.play = nil }, nil),
    ]
    for (place, change) in changes.enumerated() {
      var buzzer = Buzzer()
      buzzer.follow(change.from, now: .zero)
      let now = Instant(nanoseconds: 60_000_000_000)
      buzzer.follow(change.to, now: now)
      #expect(Self.heard(buzzer, from: now) == change.call?.beats ?? [], "change \(place)")
    }
    #expect(Set(BuzzerCall.allCases.map(\.beats)).count == BuzzerCall.allCases.count)
  }

  @Test func `It begins without a word, and says what is heard then`() {
    var buzzer = Buzzer()
    buzzer.follow(SampleScreens.state { $0.mode = .dub }, now: .zero)
    buzzer.follow(
      Self.playing {
        $0.play?.isBuffering = true; $0.play?.rung = .original
      }, now: .zero)
    #expect(buzzer.nextChange(after: .zero) == nil)
    buzzer.follow(Self.playing { $0.play?.rung = .original }, now: .zero)
    #expect(buzzer.nextChange(after: .zero) == nil)
    buzzer.follow(Self.playing(), now: .zero)
    #expect(Self.heard(buzzer, from: .zero) == BuzzerCall.dubbed.beats)
  }

  @Test func `Beside a microphone that is listened to it is silent, whatever happens`() {
    var generator = SeededGenerator(seed: 11)
    var buzzer = Buzzer()
    var now = Instant.zero
    for _ in 0..<20_000 {
      let state = generator.state()
      now = now + .seconds(1)
      buzzer.follow(state, now: now)
      if state.mode != .dub { #expect(!buzzer.isOn(at: now)) }
    }
  }

  @Test func `It can be silenced`() {
    var buzzer = Buzzer()
    var before = Self.playing()
    try? before.settings.set("ui.buzzer", to: .flag(false))
    buzzer.follow(before, now: .zero)
    var after = Self.playing { $0.play?.isLinkLost = true }
    try? after.settings.set("ui.buzzer", to: .flag(false))
    buzzer.follow(after, now: .zero)
    #expect(buzzer.nextChange(after: .zero) == nil)
  }
}
