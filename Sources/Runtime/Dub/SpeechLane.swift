internal import Hardware
internal import Speech
internal import Synchronization

/// The desk at which speech is made, asleep until something is played with a dub: its voices take memory.
final class SpeechLane: Stepper, @unchecked Sendable {
  let desk: SpeechDesk
  private let isOpen = Atomic<Bool>(false)
  private let wake = Mutex<@Sendable () -> Void>({})

  init(data: @escaping () throws(SpeechError) -> SpeechData) { desk = SpeechDesk(data: data) }

  /// Sets what wakes the lane. Before it runs.
  func attach(wake: @escaping @Sendable () -> Void) {
    self.wake.withLock { $0 = wake }
    desk.attach(wake: wake)
  }

  /// Has the voices loaded. Any thread.
  func open() {
    isOpen.store(true, ordering: .releasing)
    wake.withLock { $0 }()
  }

  func step(now: Instant) -> Instant? { isOpen.load(ordering: .acquiring) ? desk.step(now: now) : nil }
}
