internal import Hardware
internal import Synchronization

/// What a sound thread and the rest of the program tell each other: a stop, a loss, counters. Any thread.
struct StreamGauges: ~Copyable {
  private let wantsStop = Atomic<Bool>(false)
  private let lossCode = Atomic<Int>(0)
  private let frameCount = Atomic<Int>(0)
  private let xrunCount = Atomic<Int>(0)
  private let overflowCount = Atomic<Int>(0)
  private let allocationCount = Atomic<Int>(0)

  /// Whether the thread should leave.
  var isStopping: Bool {
    @_noLocks @_noAllocation get { wantsStop.load(ordering: .acquiring) }
  }

  /// errno with which the device went away since the last start, or 0.
  var loss: Int32 {
    @_noLocks @_noAllocation get { Int32(truncatingIfNeeded: lossCode.load(ordering: .acquiring)) }
  }

  /// The counters, each true at some moment of the call.
  var counters: SoundCounters {
    SoundCounters(
      frames: frameCount.load(ordering: .relaxed), xruns: xrunCount.load(ordering: .relaxed),
      ringOverflows: overflowCount.load(ordering: .relaxed), allocations: allocationCount.load(ordering: .relaxed))
  }

  /// Before a thread starts.
  borrowing func reset() {
    wantsStop.store(false, ordering: .releasing)
    lossCode.store(0, ordering: .releasing)
  }

  borrowing func stop() { wantsStop.store(true, ordering: .releasing) }

  @_noLocks @_noAllocation
  borrowing func lose(_ code: Int32) { lossCode.store(Int(code), ordering: .releasing) }

  @_noLocks @_noAllocation
  borrowing func count(frames: Int) { _ = frameCount.wrappingAdd(frames, ordering: .relaxed) }

  @_noLocks @_noAllocation
  borrowing func countXrun() { _ = xrunCount.wrappingAdd(1, ordering: .relaxed) }

  @_noLocks @_noAllocation
  borrowing func countOverflow() { _ = overflowCount.wrappingAdd(1, ordering: .relaxed) }

  @_noLocks @_noAllocation
  borrowing func count(allocations: Int) { _ = allocationCount.wrappingAdd(allocations, ordering: .relaxed) }
}
