internal import Hardware
internal import Synchronization

/// What a camera's thread and the rest of the program tell each other: a stop, a wish, counters. Any thread.
struct CameraGauges: ~Copyable {
  private let wantsStop = Atomic<Bool>(false)
  private let wantsKeyframe = Atomic<Bool>(false)
  private let frameCount = Atomic<Int>(0)
  private let missedCount = Atomic<Int>(0)
  private let brokenCount = Atomic<Int>(0)
  private let overflowCount = Atomic<Int>(0)

  /// Whether the thread should leave.
  var isStopping: Bool {
    @_noLocks @_noAllocation get { wantsStop.load(ordering: .acquiring) }
  }

  /// The counters, each true at some moment of the call.
  var counters: CameraCounters {
    CameraCounters(
      frames: frameCount.load(ordering: .relaxed), missed: missedCount.load(ordering: .relaxed),
      broken: brokenCount.load(ordering: .relaxed), overflows: overflowCount.load(ordering: .relaxed))
  }

  /// Before a thread starts.
  borrowing func reset() {
    wantsStop.store(false, ordering: .releasing)
    wantsKeyframe.store(false, ordering: .releasing)
  }

  borrowing func stop() { wantsStop.store(true, ordering: .releasing) }

  borrowing func askForKeyframe() { wantsKeyframe.store(true, ordering: .releasing) }

  /// Whether a keyframe was asked for since the last call.
  @_noLocks @_noAllocation
  borrowing func takeKeyframeWish() -> Bool { wantsKeyframe.exchange(false, ordering: .acquiringAndReleasing) }

  @_noLocks @_noAllocation
  borrowing func countFrame() { _ = frameCount.wrappingAdd(1, ordering: .relaxed) }

  @_noLocks @_noAllocation
  borrowing func count(missed: Int) { _ = missedCount.wrappingAdd(missed, ordering: .relaxed) }

  @_noLocks @_noAllocation
  borrowing func countBroken() { _ = brokenCount.wrappingAdd(1, ordering: .relaxed) }

  @_noLocks @_noAllocation
  borrowing func countOverflow() { _ = overflowCount.wrappingAdd(1, ordering: .relaxed) }
}
