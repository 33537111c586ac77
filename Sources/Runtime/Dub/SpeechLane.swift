internal import Dubbing
internal import Hardware
internal import Speech
internal import Synchronization
internal import Threads

/// Where voices come from: the bench at which all are made ready, and the desk at which speech is made, asleep until something
/// is played with a dub: its voices take memory.
final class SpeechLane: Stepper, @unchecked Sendable {
  let desk: SpeechDesk
  let bench = VoiceBench()
  private let isOpen = Atomic<Bool>(false)
  private let wake = WakeCell()

  init(data: @escaping () throws(SpeechError) -> SpeechData) { desk = SpeechDesk(data: data) }

  /// Sets what wakes the lane. Before it runs.
  func attach(wake: @escaping @Sendable () -> Void) {
    self.wake.set(wake)
    desk.attach(wake: wake)
    bench.attach(wake: wake)
  }

  /// Has the voices loaded. Any thread.
  func open() {
    isOpen.store(true, ordering: .releasing)
    wake.call()
  }

  func step(now: Instant) -> Instant? {
    // What has been spoken elsewhere is due sooner than what is not spoken yet.
    if let next = bench.step(now: now) { return next }
    return isOpen.load(ordering: .acquiring) ? desk.step(now: now) : nil
  }
}
