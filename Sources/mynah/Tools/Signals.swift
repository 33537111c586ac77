import Glibc
import Threads

/// SIGINT and SIGTERM as a polite request: whatever is open is completed first.
enum Signals {
  /// Blocks the signals in this and all later threads and waits for them in one of its own.
  ///
  /// - Parameter handler: called for every signal, on that thread.
  static func onEnd(_ handler: @escaping @Sendable () -> Void) {
    signal(SIGPIPE, SIG_IGN)
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // Never joined: it ends with the process.
    _ = WorkerThread(name: "mynah-signals") {
      var waited = sigset_t()
      sigemptyset(&waited)
      for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&waited, number) }
      var number: Int32 = 0
      while sigwait(&waited, &number) == 0 { handler() }
    }
  }
}
