internal import Glibc

/// What one thread has used.
public struct ThreadUsage: Hashable, Sendable {
  /// Kernel's thread id.
  public var id: Int
  /// Name of the thread, at most 15 bytes.
  public var name: String
  /// Processor time since the thread began, seconds, to the tick (10 ms).
  public var cpuSeconds: Double
}

/// What the process uses, at one moment.
public struct ProcessUsage: Hashable, Sendable {
  /// CLOCK_MONOTONIC, nanoseconds.
  public var at: Int64
  /// Resident memory now, KiB.
  public var rssKB: Int
  /// Highest resident memory so far, KiB (VmHWM).
  public var peakRSSKB: Int
  /// Processor time of all threads, those that have ended too, seconds.
  public var cpuSeconds: Double
  /// Threads that are alive, by id.
  public var threads: [ThreadUsage]
  /// Of the resident memory, what is pages of files, code above all, and what is the process's own, KiB (RssFile, RssAnon).
  public var fileKB = 0
  public var anonymousKB = 0

  /// Samples this process from /proc; some 50 µs and as many again a thread. Any thread but a real-time one.
  ///
  /// What /proc does not give reads as zero, and threads that end meanwhile are left out.
  public static func sample() -> ProcessUsage {
    let at = now
    let ticksPerSecond = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    let pageKB = max(1, Int(sysconf(Int32(_SC_PAGESIZE))) / 1024)
    let rssKB = (ProcFiles.residentPages(read("/proc/self/statm")) ?? 0) * pageKB
    let process = ProcFiles.stat(read("/proc/self/stat"))
    var threads: [ThreadUsage] = []
    for id in threadIDs() {
      guard let stat = ProcFiles.stat(read("/proc/self/task/\(id)/stat")) else { continue }
      threads.append(ThreadUsage(id: stat.id, name: stat.name, cpuSeconds: Double(stat.ticks) / ticksPerSecond))
    }
    let status = read("/proc/self/status")
    return ProcessUsage(
      at: at, rssKB: rssKB, peakRSSKB: max(rssKB, ProcFiles.kilobytes("VmHWM", in: status) ?? 0),
      cpuSeconds: Double(process?.ticks ?? 0) / ticksPerSecond, threads: threads,
      fileKB: ProcFiles.kilobytes("RssFile", in: status) ?? 0,
      anonymousKB: ProcFiles.kilobytes("RssAnon", in: status) ?? 0)
  }

  /// CLOCK_MONOTONIC, nanoseconds.
  public static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Memory of this machine, KiB; nil if the kernel does not say.
  public static func physicalMemoryKB() -> Int? { ProcFiles.kilobytes("MemTotal", in: read("/proc/meminfo")) }

  /// Cores of this machine that are in use.
  public static func cores() -> Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  private static func threadIDs() -> [Int] {
    guard let directory = opendir("/proc/self/task") else { return [] }
    defer { closedir(directory) }
    var ids: [Int] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if let id = Int(name) { ids.append(id) }
    }
    return ids.sorted()
  }

  /// The beginning of a file, up to 8 KiB; empty if it cannot be read.
  private static func read(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    return [UInt8](unsafeUninitializedCapacity: 8192) { buffer, count in
      while count < buffer.count, let base = buffer.baseAddress {
        let got = Glibc.read(descriptor, base + count, buffer.count - count)
        guard got > 0 else { break }
        count += got
      }
    }
  }
}
