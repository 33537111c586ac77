internal import Hardware
internal import Speech
internal import Synchronization
internal import Threads

/// The desk at which speech is made, asleep until something is played with a dub: its voices take memory.
final class SpeechLane: Stepper, @unchecked Sendable {
  let desk: SpeechDesk
  private let isOpen = Atomic<Bool>(false)
  private let wake = WakeCell()

  init(data: @escaping () throws(SpeechError) -> SpeechData) { desk = SpeechDesk(data: data) }

  /// Sets what wakes the lane. Before it runs.
  func attach(wake: @escaping @Sendable () -> Void) {
    self.wake.set(wake)
    desk.attach(wake: wake)
  }

  /// Has the voices loaded. Any thread.
  func open() {
    isOpen.store(true, ordering: .releasing)
    wake.call()
  }

  func step(now: Instant) -> Instant? { isOpen.load(ordering: .acquiring) ? desk.step(now: now) : nil }
}
