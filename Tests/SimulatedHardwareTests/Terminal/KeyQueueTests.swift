import Hardware
import Testing

@testable import SimulatedHardware

@Suite struct KeyQueueTests {
  /// Plays the queue to its end and tells what was pressed when, in milliseconds.
  private func play(_ queue: inout KeyQueue, from start: Int64 = 0) -> [(at: Int64, press: KeyQueue.Press)] {
    var now = Instant(nanoseconds: start * 1_000_000)
    var played: [(Int64, KeyQueue.Press)] = []
    while true {
      while let press = queue.next(at: now) { played.append((now.nanoseconds / 1_000_000, press)) }
      guard let due = queue.nextDue else { return played }
      now = max(due, now + .milliseconds(1))
    }
  }

  private func tap(_ button: Button) -> KeyQueue.Press { KeyQueue.Press(button: button, length: KeyQueue.tap) }

  @Test("A press is played at once")
  func atOnce() {
    var queue = KeyQueue()
    queue.add(tap(.rec))
    #expect(queue.next(at: .zero) == tap(.rec))
    #expect(queue.next(at: .zero) == nil)
    #expect(queue.nextDue == nil)
  }

  @Test("Taps of different keys come one after the other, in their order")
  func order() {
    var queue = KeyQueue()
    for button in [Button.rec, .mark, .stop] { queue.add(tap(button)) }
    let played = play(&queue)
    #expect(played.map(\.press.button) == [.rec, .mark, .stop])
    #expect(played.map(\.at) == [0, 80, 160])
  }

  @Test("A held key keeps no other key waiting, but itself until it is let go")
  func hold() {
    var queue = KeyQueue()
    queue.add(KeyQueue.Press(button: .lock, length: .milliseconds(2200)))
    queue.add(tap(.lock))
    queue.add(tap(.rec))
    let played = play(&queue)
    #expect(played.map(\.press.button) == [.lock, .rec, .lock])
    #expect(played.map(\.at) == [0, 0, 2230])
  }

  @Test("What a repeating key piles up is forgotten")
  func repeating() {
    var queue = KeyQueue()
    for _ in 0..<100 { queue.add(tap(.down)) }
    #expect(play(&queue).count == KeyQueue.limits.key)
  }
}
