internal import Dubbing
internal import Hardware
internal import Speech
internal import Synchronization
internal import Threads

/// Where voices come from: one queue of texts to speak, one of voices to make ready for the mixer. Asleep until
/// something is played with a dub, because the synthesiser's voices take memory.
final class SpeechLane: Stepper, @unchecked Sendable {
  let queue: SpeechQueue
  let preparer = VoicePreparer()
  private let isOpen = Atomic<Bool>(false)
  private let wake = WakeCell()

  init(data: @escaping () throws(SpeechError) -> SpeechData) { queue = SpeechQueue(data: data) }

  /// Sets what wakes the lane. Before it runs.
  func attach(wake: @escaping @Sendable () -> Void) {
    self.wake.set(wake)
    queue.attach(wake: wake)
    preparer.attach(wake: wake)
  }

  /// Has the voices loaded. Any thread.
  func open() {
    isOpen.store(true, ordering: .releasing)
    wake.call()
  }

  func step(now: Instant) -> Instant? {
    // What has been spoken elsewhere is due sooner than what is not spoken yet.
    if let next = preparer.step(now: now) { return next }
    return isOpen.load(ordering: .acquiring) ? queue.step(now: now) : nil
  }
}
