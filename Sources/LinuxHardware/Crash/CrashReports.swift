internal import Glibc
public import Hardware

/// The crash reports of a data directory, `log/crash-N.txt`: the newest five.
struct CrashReports: Sendable {
  private static let kept = 5
  /// A report is smaller.
  private static let limit = 128 * 1024
  /// The data directory.
  private let data: String

  /// - Parameter data: the data directory.
  init(data: String) { self.data = data }

  /// The log that every run leaves.
  var logPath: String { "\(data)/\(CrashReportName.folder)/mynah.log" }

  /// The numbers of those there are, in ascending order.
  var numbers: [Int] {
    guard let stream = opendir("\(data)/\(CrashReportName.folder)") else { return [] }
    defer { closedir(stream) }
    var found: [Int] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if let number = CrashReportName.number(of: name) { found.append(number) }
    }
    return found.sorted()
  }

  func text(_ number: Int) -> String { Self.text(path(number)) }

  private func path(_ number: Int) -> String { "\(data)/\(CrashReportName.path(number))" }

  /// Up to the first zero: behind it is room that was never used.
  static func text(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return "" }
    defer { Glibc.close(file) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = read(file, &bytes, limit)
    return String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 0 }, as: UTF8.self)
  }

  /// What ended the run: `SIGSEGV in mynah-media`; nil if the text tells of no crash.
  static func cause(in text: String) -> String? {
    let lines = text.split(separator: "\n", maxSplits: 40)
    func value(_ key: String) -> String? {
      lines.first { $0.hasPrefix(key) }.map { String($0.dropFirst(key.count)).shown }
    }
    return value("signal ").map { signal in value("thread ").map { "\(signal), in \($0)" } ?? signal }
  }

  /// Keeps a report under the next number, and removes those that are too old.
  ///
  /// - Returns: its path in the data directory.
  func keep(_ text: String) -> String? {
    let numbers = numbers
    let number = (numbers.last ?? 0) + 1
    for old in numbers.dropLast(Self.kept - 1) { unlink(path(old)) }
    let file = open(path(number), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard file >= 0 else { return nil }
    defer { Glibc.close(file) }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      bytes = bytes.dropFirst(count)
    }
    fsync(file)
    return CrashReportName.path(number)
  }
}

/// Tells what crash reports there are.
public struct CrashProbe: Probe {
  private let reports: CrashReports

  public init(data: String) { reports = CrashReports(data: data) }

  public func examine() -> [DeviceFinding] {
    let numbers = reports.numbers
    guard let newest = numbers.last else { return [DeviceFinding("crashes", .works, "none is reported")] }
    let cause = CrashReports.cause(in: reports.text(newest)) ?? "it cannot be read"
    return [
      DeviceFinding(
        "crashes", place: CrashReportName.path(newest), .limited, "\(numbers.count) reported; the newest: \(cause)",
        remedy: "send the report to whoever makes your firmware (log.crash shows it), then delete it",
        facts: ["reports": .integer(numbers.count), "cause": .text(cause)])
    ]
  }
}
