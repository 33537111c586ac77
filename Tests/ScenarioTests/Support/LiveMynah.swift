import Foundation
import Glibc
import JSON
import TestSupport

/// `mynah` while it runs on the real clock: what it says is read as it says it, and it can be killed.
final class LiveMynah: @unchecked Sendable {
  private let process = Process()
  private let folder: TemporaryFolder
  /// How much of the output has been read, and what has not made a line yet.
  private var consumed: UInt64 = 0
  private var rest = Data()
  private(set) var events: [Mynah.Event] = []

  /// Starts the executable; output goes to files, so no pipe can fill up.
  ///
  /// - Parameters:
  ///   - environment: variables beside those of the test.
  ///   - words: a program, and its words, that becomes it: `setpriv` and the like.
  ///   - log: where standard error goes in place of a file.
  init(
    _ arguments: [String], environment: [String: String] = [:], by words: [String] = [], log: FileHandle? = nil
  ) throws {
    folder = TemporaryFolder()
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    process.executableURL = words.isEmpty ? Mynah.executable : URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = (words.isEmpty ? [] : words + [Mynah.executable.path]) + arguments
    let files = try ["out", "err"].map { name -> FileHandle in
      _ = FileManager.default.createFile(atPath: folder.file(name), contents: nil)
      return try FileHandle(forWritingTo: URL(fileURLWithPath: folder.file(name)))
    }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = files[0]
    process.standardError = log ?? files[1]
    try process.run()
  }

  deinit { if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) } }

  var isRunning: Bool { process.isRunning }
  var identifier: Int32 { process.processIdentifier }

  /// What it said on standard error, and on standard output, so far.
  var errors: String { said("err") }
  var output: String { said("out") }

  private func said(_ file: String) -> String {
    String(decoding: (try? Data(contentsOf: URL(fileURLWithPath: folder.file(file)))) ?? Data(), as: UTF8.self)
  }

  /// Waits until an event of this topic that fits has been said; gives up when the process ends or never says it.
  func wait(
    for topic: String, seconds: Double = 60, where fits: (Mynah.Event) -> Bool = { _ in true }
  ) throws -> Mynah.Event {
    let end = Monotonic.now + seconds
    while true {
      try readOutput()
      if let event = events.last(where: { $0.topic == topic && fits($0) }) { return event }
      guard process.isRunning, Monotonic.now < end else {
        throw Tool.Failure(description: "no \(topic) within \(seconds) s\n\(errors)")
      }
      usleep(5000)
    }
  }

  /// Waits until these words are on standard error; gives up when the process ends or never says them.
  func wait(forWords words: String, seconds: Double = 60) throws {
    let end = Monotonic.now + seconds
    while !errors.contains(words) {
      guard process.isRunning, Monotonic.now < end else {
        throw Tool.Failure(description: "no \(words) within \(seconds) s\n\(errors)")
      }
      usleep(5000)
    }
  }

  private func readOutput() throws {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder.file("out")))
    defer { try? file.close() }
    try file.seek(toOffset: consumed)
    let new = try file.readToEnd() ?? Data()
    consumed += UInt64(new.count)
    rest += new
    while let end = rest.firstIndex(of: 0x0A) {
      if let event = Mynah.event(line: String(decoding: rest[rest.startIndex..<end], as: UTF8.self)) {
        events.append(event)
      }
      rest = Data(rest[(end + 1)...])
    }
  }

  /// Ends it without a word, as the kernel's out-of-memory killer would.
  ///
  /// - Returns: the monotonic time just before.
  func kill() -> Double {
    let instant = Monotonic.now
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return instant
  }

  /// Waits for the end of its script; its exit status.
  func end() throws -> Int32 {
    process.waitUntilExit()
    try readOutput()
    return process.terminationStatus
  }

  /// Asks it to end and waits; its exit status.
  func terminate() -> Int32 {
    if process.isRunning { Glibc.kill(process.processIdentifier, SIGTERM) }
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// Confined processes that it has started, by a word of their command.
  func children(_ word: String) throws -> [Int32] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { name in
      guard let process = Int32(name),
        let status = try? String(contentsOfFile: "/proc/\(name)/status", encoding: .utf8),
        status.contains("PPid:\t\(identifier)\n"), status.contains("Seccomp:\t2"),
        (try? String(contentsOfFile: "/proc/\(name)/cmdline", encoding: .utf8))?.contains(word) == true
      else { return nil }
      return process
    }
  }

  /// One of them, as soon as there is one.
  func child(_ word: String) throws -> Int32 {
    let end = Monotonic.now + 30
    while Monotonic.now < end {
      if let found = try children(word).first { return found }
      usleep(2000)
    }
    throw Tool.Failure(description: "no process of \(word)")
  }

  /// Seconds that its threads have been ready to run and were not let by the machine (`proc(5)`, schedstat), summed.
  var secondsKeptWaiting: Double {
    let tasks = "/proc/\(process.processIdentifier)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    let waits = threads.map { thread -> Double in
      let text = (try? String(contentsOfFile: "\(tasks)/\(thread)/schedstat", encoding: .utf8)) ?? ""
      return text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
    }
    return waits.reduce(0, +) / 1e9
  }
}

/// CLOCK_MONOTONIC in seconds: the `t` of events on the real clock.
enum Monotonic {
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Sleeps until then; not at all if it is past.
  static func sleep(until instant: Double) {
    let left = instant - now
    if left > 0 { Thread.sleep(forTimeInterval: left) }
  }
}

/// Does work that waits for other programs on threads of its own, all items at once, results in their order.
func onThreads<Item: Sendable, Result: Sendable>(
  _ items: [Item], _ work: @escaping @Sendable (Item) -> Result
) async -> [Result] {
  await withTaskGroup(of: (Int, Result).self) { group in
    for (index, item) in items.enumerated() {
      group.addTask {
        await withCheckedContinuation { continuation in
          Thread.detachNewThread { continuation.resume(returning: (index, work(item))) }
        }
      }
    }
    var results: [(Int, Result)] = []
    for await result in group { results.append(result) }
    return results.sorted { $0.0 < $1.0 }.map(\.1)
  }
}
