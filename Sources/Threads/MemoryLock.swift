internal import CLinux
internal import Glibc

/// Keeps the process in memory, so that no real-time thread waits for the disk.
public enum MemoryLock {
  /// Which pages to lock.
  public enum Scope: Hashable, Sendable {
    /// Every page from when it is first touched (MCL_ONFAULT): rings and stacks that were pre-faulted stay, and the
    /// parts of the program that never run cost nothing.
    case touched
    /// Every page that is mapped, now and later.
    case everything
  }

  /// The outcome of locking.
  public enum Outcome: Hashable, Sendable, CustomStringConvertible {
    case locked
    /// Nothing is locked: mlockall's errno, or EPERM where a limit would have made later allocations fail.
    case refused(code: Int32)

    public var description: String {
      switch self {
      case .locked: "memory is locked"
      case .refused(EPERM), .refused(ENOMEM):
        "memory is not locked: needs CAP_IPC_LOCK or an unlimited RLIMIT_MEMLOCK (LimitMEMLOCK=infinity in the unit)"
      case .refused(let code): "memory is not locked: mlockall refused, errno \(code)"
      }
    }
  }

  /// Locks the process's memory, present and future. Call once at start, before the rings are made.
  ///
  /// A finite RLIMIT_MEMLOCK that binds this process is refused without trying: with MCL_FUTURE it would turn every
  /// allocation beyond it into a failure.
  public static func lockAll(_ scope: Scope = .touched) -> Outcome {
    let code = mynah_lock_memory(scope == .touched ? 1 : 0)
    return code == 0 ? .locked : .refused(code: code)
  }
}
