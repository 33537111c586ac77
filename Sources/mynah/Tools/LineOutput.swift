import Glibc
import Synchronization
import Threads

/// Lines on standard output for a reader who may be slow, or read nothing at all: a device in real time does not wait for
/// him. Lines that he has no room for are left out, and their number is a line of its own: `{"lost":12}`.
final class LineOutput: Sendable {
  private struct State {
    var lines: [String] = []
    /// Those left out since these were taken in.
    var lost = 0
    /// Some are being written.
    var isWriting = false
  }

  private let state = Mutex(State())
  private let wakeup = Wakeup()
  /// Lines that wait at most.
  private static let most = 256
  /// How long the end of the program waits for the reader, in steps.
  private static let lastSteps = 200
  private static let lastStep: UInt32 = 5000

  init() {
    // Never joined: it may wait for the reader for ever.
    _ = WorkerThread(name: "mynah-lines") { self.write() }
  }

  /// Any thread; never waits.
  func say(_ line: String) {
    state.withLock { state in
      guard state.lines.count < Self.most else {
        state.lost += 1
        return
      }
      state.lines.append(line)
    }
    wakeup.signal()
  }

  /// The program ends: what waits is written, if the reader takes it within a second.
  func finish() {
    for _ in 0..<Self.lastSteps {
      guard state.withLock({ $0.isWriting || !$0.lines.isEmpty }) else { return }
      usleep(Self.lastStep)
    }
  }

  private func write() {
    // Signals are another thread's.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
    while true {
      let lines = state.withLock { state in
        defer { (state.lines, state.lost) = ([], 0) }
        state.isWriting = !state.lines.isEmpty
        // They came behind all that waits, and are told of also if nothing follows.
        return state.lines + (state.lost > 0 ? ["{\"lost\":\(state.lost)}"] : [])
      }
      for line in lines { Host.say(line) }
      if lines.isEmpty { wakeup.wait(until: .max) }
    }
  }
}
