import Synchronization
import Testing
import Threads

@Suite("Work that one lane does for another")
struct WorkQueueTests {
  private final class Count: Sendable {
    private let calls = Atomic<Int>(0)
    var value: Int { calls.load(ordering: .relaxed) }
    func add() { calls.wrappingAdd(1, ordering: .relaxed) }
  }

  @Test func `Products come in the order of the orders, and each is told`() {
    let queue = WorkQueue<Int, String>()
    let told = Count()
    queue.listen { told.add() }
    #expect(!queue.work { "\($0)" })
    #expect(told.value == 0)
    for order in 0..<3 { #expect(queue.submit(order)) }
    #expect(queue.take().isEmpty)
    #expect(queue.work { "\($0)" })
    #expect(queue.take() == ["0"])
    #expect(queue.work { "\($0)" })
    #expect(!queue.work { "\($0)" })
    #expect(queue.take() == ["1", "2"])
    #expect(queue.take().isEmpty)
    #expect(told.value == 3)
  }

  @Test func `Orders have a bound, and one that is refused wakes nobody`() {
    let queue = WorkQueue<Int, Int>(limit: 2)
    let woken = Count()
    queue.attach { woken.add() }
    #expect(queue.submit(0))
    #expect(queue.submit(1))
    #expect(!queue.submit(2))
    #expect(woken.value == 2)
    #expect(queue.work { $0 })
    #expect(queue.submit(3))
    #expect(!queue.submit(4))
    #expect(woken.value == 3)
  }

  @Test func `Products have a bound, and the lane is woken when there is place again`() {
    let queue = WorkQueue<Int, Int>(limit: 2)
    let woken = Count()
    for order in 0..<2 { #expect(queue.submit(order)) }
    while queue.work({ $0 }) {}
    #expect(queue.submit(2))
    queue.attach { woken.add() }
    var isMade = false
    let hasMore = queue.work { order in
      isMade = true
      return order
    }
    #expect(!isMade && !hasMore)
    #expect(queue.take() == [0, 1])
    #expect(woken.value == 1)
    #expect(!queue.work { $0 })
    #expect(queue.take() == [2])
    // There was place: it did not sleep for want of it.
    #expect(woken.value == 1)
  }

  @Test func `The lane is not told of more while its product has no place`() {
    let queue = WorkQueue<Int, Int>(limit: 2)
    #expect(queue.submit(0))
    #expect(queue.submit(1))
    #expect(queue.work { $0 })
    #expect(queue.submit(2))
    #expect(!queue.work { $0 })
    #expect(queue.take() == [0, 1])
    #expect(!queue.work { $0 })
    #expect(queue.take() == [2])
  }

  @Test func `What is cancelled while it is worked on does not come out, and what is ordered then does`() {
    let queue = WorkQueue<Int, Int>()
    let told = Count()
    queue.listen { told.add() }
    for order in 0..<3 { #expect(queue.submit(order)) }
    #expect(queue.work { $0 })
    // The lock is not held meanwhile, or this would never return.
    let hasMore = queue.work { order in
      queue.cancel()
      #expect(queue.submit(7))
      return order
    }
    #expect(hasMore)
    #expect(told.value == 2)
    #expect(queue.take().isEmpty)
    #expect(!queue.work { $0 })
    #expect(queue.take() == [7])
  }

  @Test func `A queue that is closed forgets what waits and takes nothing more`() {
    let queue = WorkQueue<Int, Int>()
    let woken = Count()
    for order in 0..<2 { #expect(queue.submit(order)) }
    #expect(queue.work { $0 })
    queue.close()
    queue.attach { woken.add() }
    #expect(!queue.submit(2))
    #expect(woken.value == 0)
    #expect(!queue.work { $0 })
    // What was made already is still there.
    #expect(queue.take() == [0])
  }

  @Test(.timeLimit(.minutes(1))) func `Between two threads nothing is lost, and nobody sleeps for ever`() {
    let queue = WorkQueue<Int, Int>(limit: 3)
    let (lane, asker) = (Wakeup(), Wakeup())
    queue.attach { lane.signal() }
    queue.listen { asker.signal() }
    let count = 10_000
    let worker = WorkerThread(name: "work-queue") {
      var made = 0
      while made < count {
        let hasMore = queue.work { order in
          made += 1
          return order
        }
        if !hasMore, made < count { lane.wait(until: .max) }
      }
    }
    var next = 0
    var taken: [Int] = []
    while taken.count < count {
      while next < count, queue.submit(next) { next += 1 }
      let products = queue.take()
      taken += products
      if products.isEmpty { asker.wait(until: .max) }
    }
    worker.join()
    #expect(taken == Array(0..<count))
  }
}
