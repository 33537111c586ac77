internal import CLinux
internal import Glibc
public import Hardware
internal import Threads

/// Looks at what the kernel grants a program that must not be late: the clock, real-time priority, locked memory.
public struct SystemProbe: Probe {
  private let appliance: Int?

  /// - Parameter appliance: process id of a running mynah, whose rights are then told instead of the doctor's own.
  public init(appliance: Int?) { self.appliance = appliance }

  public func examine() -> [DeviceFinding] { [clock, scheduling, memory] }

  private var clock: DeviceFinding {
    var resolution = timespec()
    clock_getres(CLOCK_MONOTONIC, &resolution)
    let nanoseconds = Int(resolution.tv_sec) * 1_000_000_000 + Int(resolution.tv_nsec)
    let folder = "/sys/devices/system/clocksource/clocksource0"
    let source = ProcText.line("\(folder)/current_clocksource") ?? "unknown"
    let others = ProcText.line("\(folder)/available_clocksource") ?? ""
    let facts: [String: Fact] = [
      "resolutionNanoseconds": .integer(nanoseconds), "source": .text(source), "available": .text(others),
    ]
    let detail = "CLOCK_MONOTONIC by \(source), to \(nanoseconds) ns"
    // jiffies counts ticks of some milliseconds.
    if nanoseconds > 1000 || source.hasSuffix("jiffies") {
      return DeviceFinding(
        "clock", .limited, "too coarse: \(detail)", remedy: "choose another of \(others) by clocksource= at boot",
        facts: facts)
    }
    return DeviceFinding("clock", .works, detail, facts: facts)
  }

  private var scheduling: DeviceFinding {
    if let appliance, appliance != Int(getpid()) { return schedulingOf(appliance) }
    let ceiling = mynah_realtime_limit()
    var facts: [String: Fact] = ["limit": .integer(ceiling)]
    guard
      let thread = try? RealtimeThread.start(name: "doctor", priority: 70, context: nil, body: { _ in })
    else {
      return DeviceFinding("scheduling", .failed, "no thread can be made", remedy: "raise TasksMax= or free memory")
    }
    thread.join()
    facts["thread"] = .text("\(thread.scheduling)")
    if case .firstInFirstOut = thread.scheduling {
      return DeviceFinding("scheduling", .works, "\(thread.scheduling) is granted", facts: facts)
    }
    return DeviceFinding(
      "scheduling", .limited, "this process gets no real-time priority (limit \(ceiling))",
      remedy: "the service has LimitRTPRIO=; by hand, run it as root or as a user of the group audio", facts: facts)
  }

  /// How the threads of a running appliance are scheduled.
  private func schedulingOf(_ process: Int) -> DeviceFinding {
    var realtime: [String] = []
    for task in ProcText.entries("/proc/\(process)/task").compactMap({ Int32($0) }) {
      guard sched_getscheduler(task) & 0xff == SCHED_FIFO else { continue }
      realtime.append(ProcText.line("/proc/\(process)/task/\(task)/comm") ?? "?")
    }
    let facts: [String: Fact] = ["holder": .integer(process), "threads": .text(realtime.joined(separator: " "))]
    if realtime.isEmpty {
      return DeviceFinding(
        "scheduling", .limited, "mynah (process \(process)) has no thread at real-time priority",
        remedy: "without microphone and speaker it needs none; else give it LimitRTPRIO=80", facts: facts)
    }
    return DeviceFinding(
      "scheduling", .works, "mynah (process \(process)): SCHED_FIFO for \(realtime.joined(separator: ", "))",
      facts: facts)
  }

  private var memory: DeviceFinding {
    if let appliance {
      let locked = Self.kilobytes("VmLck", of: appliance)
      let resident = Self.kilobytes("VmRSS", of: appliance)
      let facts: [String: Fact] = [
        "holder": .integer(appliance), "lockedKB": .integer(locked), "residentKB": .integer(resident),
      ]
      let who = "mynah (process \(appliance))"
      return locked > 0
        ? DeviceFinding("memory", .works, "\(who) keeps \(resident / 1024) MiB in memory", facts: facts)
        : DeviceFinding(
          "memory", .limited, "\(who) may be paged out", remedy: "give it LimitMEMLOCK=infinity", facts: facts)
    }
    let limit = mynah_memory_lock_limit()
    let facts: [String: Fact] = ["limitKB": limit < 0 ? .text("unlimited") : .integer(limit / 1024)]
    if geteuid() == 0 || limit < 0 { return DeviceFinding("memory", .works, "may be locked", facts: facts) }
    return DeviceFinding(
      "memory", .limited, "this process may lock \(limit / 1024) KiB only",
      remedy: "the service has LimitMEMLOCK=infinity; by hand, run it as root", facts: facts)
  }

  private static func kilobytes(_ name: String, of process: Int) -> Int {
    for line in ProcText.read("/proc/\(process)/status").split(separator: "\n") where line.hasPrefix("\(name):") {
      return line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) } ?? 0
    }
    return 0
  }
}
