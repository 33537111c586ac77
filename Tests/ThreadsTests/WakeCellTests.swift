import Synchronization
import Testing
import Threads

@Suite struct WakeCellTests {
  private final class Count: Sendable {
    let value = Atomic<Int>(0)
  }

  /// A closure kept in a `Mutex` by itself became one call deeper at each use, until the stack was full.
  @Test func wakingCostsTheSameTheMillionthTime() {
    let (cell, count) = (WakeCell(), Count())
    cell.call()
    cell.set { count.value.wrappingAdd(1, ordering: .relaxed) }
    for _ in 0..<1_000_000 { cell.call() }
    #expect(count.value.load(ordering: .relaxed) == 1_000_000)
  }
}
