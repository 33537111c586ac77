import ArgumentParser
import Glibc
import Hardware
import LinuxHardware
import Threads

/// SIGINT and SIGTERM as a polite request: whatever is open is completed first, if that does not take for ever.
enum Signals {
  /// From the first signal to the end, whatever hangs: less than the five seconds that are promised.
  private static let patience = Duration.milliseconds(4500)

  /// Blocks the signals in this and all later threads and waits for them in one of its own. A process that has not ended
  /// `patience` after the first is ended as it is: what is open is completed at the next start.
  ///
  /// - Parameters:
  ///   - handler: called for every signal, on that thread.
  ///   - culprits: what has not come back, in words; called on that thread.
  static func onEnd(_ handler: @escaping @Sendable () -> Void, culprits: @escaping @Sendable () -> String) {
    signal(SIGPIPE, SIG_IGN)
    let numbers = [SIGINT, SIGTERM, SIGHUP]
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // Never joined: it ends with the process.
    _ = WorkerThread(name: "mynah-signals") {
      var waited = sigset_t()
      sigemptyset(&waited)
      for number in numbers { sigaddset(&waited, number) }
      var number: Int32 = 0
      guard sigwait(&waited, &number) == 0 else { return }
      let clock = SystemClock()
      let end = clock.now + patience
      handler()
      while true {
        let left = max(0, end.nanoseconds - clock.now.nanoseconds)
        var time = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
        if sigtimedwait(&waited, nil, &time) > 0 {
          handler()
        } else if clock.now >= end {
          Host.mention("mynah: \(culprits()) did not come back; the next start completes what is open")
          _exit(Exit.internalError.rawValue)
        }
      }
    }
  }
}
