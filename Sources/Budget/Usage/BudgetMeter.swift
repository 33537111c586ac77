public import Board

/// Processor load between two samples, by part of the firmware.
public struct BudgetLoad: Hashable, Sendable {
  /// Percent of one core, of the whole process.
  public var totalPercent: Double
  /// Percent of one core, by part; parts without a thread of their own are absent.
  public var percent: [Subsystem: Double]
}

/// Turns samples of usage into loads. A plain value, owned by the sampler.
public struct BudgetMeter: Sendable {
  /// Which part a thread works for, by the thread's name; threads that are not named here are the program's.
  public static let usualThreads: [String: Subsystem] = [
    "microphone": .audioIn, "media": .encoder, "encoder": .encoder, "speaker": .audioOut, "decoder": .audioOut,
    "storage": .library, "display": .display, "panel": .display, "console": .console, "camera": .camera,
    "mynah-media": .encoder, "mynah-storage": .library, "mynah-display": .display, "mynah-camera": .camera,
    "mynah-dubbing": .dubbing, "mynah-network": .dubbing,
    "mynah-speech": .dubbing, "mynah-prompts": .dubbing,
  ]

  private let threads: [String: Subsystem]
  private var last: ProcessUsage?

  /// - Parameter threads: part by name of thread.
  public init(threads: [String: Subsystem] = BudgetMeter.usualThreads) { self.threads = threads }

  /// Takes a sample.
  ///
  /// - Returns: the load since the sample before; nil for the first one, and for one that is not later.
  public mutating func add(_ usage: ProcessUsage) -> BudgetLoad? {
    defer { last = usage }
    guard let last, usage.at > last.at else { return nil }
    let seconds = Double(usage.at - last.at) / 1e9
    let total = max(0, usage.cpuSeconds - last.cpuSeconds) / seconds * 100
    let before = Dictionary(last.threads.map { ($0.id, $0.cpuSeconds) }, uniquingKeysWith: { first, _ in first })
    var percent: [Subsystem: Double] = [:]
    var named = 0.0
    for thread in usage.threads {
      guard let subsystem = threads[thread.name], subsystem != .program else { continue }
      // A thread that was not there before may have an ended one's id; never less than nothing.
      let load = max(0, thread.cpuSeconds - (before[thread.id] ?? 0)) / seconds * 100
      percent[subsystem, default: 0] += load
      named += load
    }
    // Everything else, threads that have ended since too, is the program's.
    percent[.program] = max(0, total - named)
    return BudgetLoad(totalPercent: total, percent: percent)
  }
}
