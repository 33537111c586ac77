internal import Glibc
public import Hardware

/// Measures the data directory: what a synced write costs, and how much room there is.
///
/// Writes to a file without a name, which is gone when the probe is.
public struct StorageProbe: Probe {
  private let root: String
  private let reserveBytes: Int
  private let lowBytes: Int
  private let appliance: Int?

  /// Bytes a write: some 0.2 s of a take at the highest bit rate, one fragment.
  private static let writeBytes = 8192
  private static let writes = 200
  /// The measurement ends after this long, ns, whatever the card does.
  private static let patience: Int64 = 4_000_000_000
  /// Slower than this, and a take lives from what memory holds, ns.
  private static let slow = 1_000_000

  /// - Parameters:
  ///   - root: the data directory; it is not made.
  ///   - reserveBytes: what ordinary writes leave free.
  ///   - lowBytes: free space below which the device says that it is low.
  ///   - appliance: process id of the mynah that works in it, if one does.
  public init(root: String, reserveBytes: Int, lowBytes: Int, appliance: Int?) {
    self.root = root
    self.reserveBytes = reserveBytes
    self.lowBytes = lowBytes
    self.appliance = appliance
  }

  public func examine() -> [DeviceFinding] {
    let mount = Mount.of(root)
    var facts: [String: Fact] = [:]
    if let mount { facts["fileSystem"] = .text(mount.kind) }
    if let appliance { facts["holder"] = .integer(appliance) }
    var status = stat()
    guard stat(root, &status) == 0 else {
      return [
        finding(.missing, "it is not there", "mkdir -p \(root), owned by mynah's user; mynah run makes it too", facts)
      ]
    }
    do throws(StorageError) {
      let storage = try FileStorage(root: root, reserveBytes: reserveBytes, share: FileStorage.usualShare)
      let space = try storage.space()
      facts["freeBytes"] = .integer(space.free)
      facts["totalBytes"] = .integer(space.total)
      let times = try measure(storage)
      facts.merge(times.facts) { _, new in new }
      return [judge(space.free, times, mount, facts)]
    } catch {
      return [explain(error, facts)]
    }
  }

  private func judge(_ free: Int, _ times: WriteTimes, _ mount: Mount?, _ facts: [String: Fact]) -> DeviceFinding {
    let kind = mount.map { " on \($0.kind)" } ?? ""
    var detail = "\(free / 1_000_000) MB free\(kind), \(times.text)"
    if let appliance {
      detail += appliance == Int(getpid()) ? "; this mynah works in it" : "; mynah (process \(appliance)) works in it"
    }
    if free <= 0 {
      return finding(
        .failed, "full but for the reserve; \(detail)", "delete or export takes, or put in a larger card", facts)
    }
    if let mount, mount.isVolatile {
      return finding(
        .limited, "takes are gone when the power goes; \(detail)", "mount a card or a disk there", facts)
    }
    if free < lowBytes {
      return finding(.limited, "space is low; \(detail)", "delete or export takes", facts)
    }
    if times.syncs.maximum > Self.slow {
      return finding(
        .limited, "slow to sync; \(detail)",
        "nothing is lost by it (ten seconds of stall are held in memory), but a card of class A1 is better", facts)
    }
    return finding(.works, detail, "", facts)
  }

  private func explain(_ error: StorageError, _ facts: [String: Fact]) -> DeviceFinding {
    let verdict: Verdict
    let remedy: String
    switch error.kind {
    case .denied where error.code == EROFS:
      (verdict, remedy) = (.denied, "it is mounted read-only: mount it with rw; dmesg says if the card forced that")
    case .denied: (verdict, remedy) = (.denied, "give it to mynah's user: chown -R mynah: \(root)")
    case .full: (verdict, remedy) = (.failed, "delete or export takes; not even the reserve is left")
    case .notFound: (verdict, remedy) = (.missing, "mkdir -p \(root)")
    default: (verdict, remedy) = (.failed, "dmesg tells what the kernel saw; replace the card if it has errors")
    }
    return finding(verdict, "cannot \(error.operation) (errno \(error.code))", remedy, facts)
  }

  private func finding(_ verdict: Verdict, _ detail: String, _ remedy: String, _ facts: [String: Fact]) -> DeviceFinding
  {
    DeviceFinding("storage", place: root, verdict, detail, remedy: remedy, facts: facts)
  }

  private func measure(_ storage: FileStorage) throws(StorageError) -> WriteTimes {
    let file = try storage.scratch()
    defer { file.close() }
    file.usesReserve = true
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.writeBytes, alignment: 1)
    defer { bytes.deallocate() }
    // Not zeros: some cards and file systems leave those out.
    for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 167 &+ index >> 8) }
    var writes: [Int] = []
    var syncs: [Int] = []
    let end = Monotonic.now + Self.patience
    for index in 0..<Self.writes where Monotonic.now < end {
      let begin = Monotonic.now
      try file.write(UnsafeRawBufferPointer(bytes), at: index * Self.writeBytes)
      let written = Monotonic.now
      try file.sync()
      writes.append(Int((written - begin) / 1000))
      syncs.append(Int((Monotonic.now - written) / 1000))
    }
    return WriteTimes(writes: Quantiles(writes), syncs: Quantiles(syncs), count: writes.count)
  }
}

/// Microseconds of writes and syncs.
private struct WriteTimes {
  let writes: Quantiles
  let syncs: Quantiles
  let count: Int

  var text: String {
    "sync p50 \(syncs.p50) p99 \(syncs.p99) max \(syncs.maximum) µs, write p50 \(writes.p50) max \(writes.maximum) µs "
      + "of \(count)"
  }

  var facts: [String: Fact] {
    [
      "writes": .integer(count), "writeP50Microseconds": .integer(writes.p50),
      "writeP99Microseconds": .integer(writes.p99), "writeMaxMicroseconds": .integer(writes.maximum),
      "syncP50Microseconds": .integer(syncs.p50), "syncP99Microseconds": .integer(syncs.p99),
      "syncMaxMicroseconds": .integer(syncs.maximum),
    ]
  }
}

/// A file system as /proc/self/mounts lists it.
struct Mount: Hashable {
  var point: String
  /// `ext4`, `vfat`, `tmpfs`.
  var kind: String

  /// What is in memory only.
  var isVolatile: Bool { kind == "tmpfs" || kind == "ramfs" }

  /// The file system that a path, or the part of it that exists, is on.
  static func of(_ path: String) -> Mount? {
    var absolute = path
    if let resolved = realpath(path, nil) {
      absolute = String(cString: resolved)
      free(resolved)
    }
    return find(absolute, in: ProcText.read("/proc/self/mounts"))
  }

  /// The longest mount point that `path` begins with; of several at one point, the last, which hides the others.
  static func find(_ path: String, in mounts: String) -> Mount? {
    var best: Mount?
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count >= 3 else { continue }
      let point = String(fields[1])
      let isAbove = point == "/" || path == point || path.hasPrefix(point + "/")
      if isAbove, point.utf8.count >= best?.point.utf8.count ?? 0 {
        best = Mount(point: point, kind: String(fields[2]))
      }
    }
    return best
  }
}
