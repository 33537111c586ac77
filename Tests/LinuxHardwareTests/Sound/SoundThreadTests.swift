import Foundation
import Testing
import Threads

/// Real-time threads as the sound drivers use them.
@Suite struct SoundThreadTests {
  private struct Seen {
    var name = ""
    var policy: Int32 = -1
    var priority: Int32 = -1
  }

  @Test(arguments: [64 * 1024, 256 * 1024, 1024 * 1024])
  func `A real-time thread has its name, its priority or an honest refusal, and its stack`(bytes: Int) throws {
    let seen = UnsafeMutablePointer<Seen>.allocate(capacity: 1)
    seen.initialize(to: Seen())
    defer {
      seen.deinitialize(count: 1)
      seen.deallocate()
    }
    let thread = try RealtimeThread.start(
      name: "a name that is too long", priority: 12, stackBytes: bytes, context: seen
    ) { raw in
      guard let seen = raw?.assumingMemoryBound(to: Seen.self) else { return }
      let file = open("/proc/thread-self/comm", O_RDONLY)
      seen.pointee.name = String(
        unsafeUninitializedCapacity: 32, initializingUTF8With: { max(0, read(file, $0.baseAddress, $0.count)) })
      close(file)
      var parameter = sched_param()
      pthread_getschedparam(pthread_self(), &seen.pointee.policy, &parameter)
      seen.pointee.priority = parameter.sched_priority
    }
    thread.join()
    #expect(seen.pointee.name == "a name that is \n")
    switch thread.scheduling {
    case .firstInFirstOut(let priority):
      #expect(priority == 12)
      #expect(seen.pointee.policy == SCHED_FIFO)
      #expect(seen.pointee.priority == 12)
    case .ordinary(let refusal):
      #expect(refusal == EPERM)
      #expect(seen.pointee.policy == SCHED_OTHER)
      #expect(thread.scheduling.description.contains("LimitRTPRIO"))
    }
  }

  @Test func `Locking memory works or says what it needs`() {
    let outcome = MemoryLock.lockAll()
    munlockall()
    if case .refused = outcome { #expect(outcome.description.contains("LimitMEMLOCK")) }
  }
}
