internal import Budget

/// Asks the kernel what the process uses, for all who want to know. Control lane only.
final class ProcessWatch {
  private var last: ProcessUsage?

  /// A sample that is at most this old serves the next one who asks, nanoseconds.
  private static let age: Int64 = 50_000_000

  func usage() -> ProcessUsage {
    if let last, ProcessUsage.now - last.at < Self.age { return last }
    let fresh = ProcessUsage.sample()
    last = fresh
    return fresh
  }
}
