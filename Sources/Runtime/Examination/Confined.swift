internal import CLinux
internal import Glibc

/// What processes have in common that look into strangers' files.
enum Confined {
  /// An index of the largest file that is played, and what decoding takes.
  static let memoryBytes = 192 << 20

  /// Ends the process by SIGALRM if an answer takes longer: nobody may be left who would. 0: it may take its time.
  static func allow(seconds: Int) {
    var timer = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: seconds, tv_usec: 0))
    setitimer(Int32(ITIMER_REAL.rawValue), &timer, nil)
  }

  /// Writes to standard output, all of it.
  ///
  /// - Returns: false: nobody reads it any more.
  static func put(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Starts one, with the other end of a socket as its input and output.
  ///
  /// - Parameter file: its descriptor 3; −1: none.
  /// - Returns: errno, if it could not be started.
  static func start(_ program: [String], file: Int32 = -1, _ process: inout pid_t, _ socket: inout Int32) -> Int32 {
    var arguments: [UnsafeMutablePointer<CChar>?] = program.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    return mynah_spawn_server(&arguments, file, &process, &socket)
  }
}
