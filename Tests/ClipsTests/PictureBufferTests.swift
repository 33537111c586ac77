import Synchronization
import Testing

@testable import Clips

@Suite struct PictureBufferTests {
  /// A closure kept in a `Mutex` by itself became one call deeper at each use, until the stack was full.
  @Test func wakingTheCameraCostsTheSameTheMillionthTime() {
    final class Count: Sendable {
      let value = Atomic<Int>(0)
    }
    let (buffer, count) = (PictureBuffer(), Count())
    buffer.attach { count.value.wrappingAdd(1, ordering: .relaxed) }
    for _ in 0..<1_000_000 { buffer.wakeCamera() }
    #expect(count.value.load(ordering: .relaxed) == 1_000_000)
  }
}
