internal import CLinux
internal import Glibc
public import Hardware

/// The black box of a process: `log/run` is there from start to end, and a crash is told in it. What is found there at a
/// start tells how the run before ended.
///
/// The file has its blocks from the beginning: a card that is full later does not cost the report.
public final class CrashRecorder: BlackBox {
  public let lastEnd: LastEnd
  private let path: String
  /// −1: there is no place for it.
  private let file: Int32
  /// More than a report needs.
  private static let room: Int64 = 72 * 1024

  /// Call once, before there are threads.
  ///
  /// - Parameters:
  ///   - data: the data directory, which exists and is ours.
  ///   - program: name and version, for the report.
  ///   - boot: tells one boot of the machine from another; empty if that is not known.
  public init(data: String, program: String, boot: String) {
    let folder = data + "/" + CrashReportName.folder
    mkdir(folder, 0o755)
    path = folder + "/run"
    // A link leads to where neither `run` nor `crash-1.txt` is the device's.
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      lastEnd = .none
      file = -1
      return
    }
    lastEnd = Self.end(of: CrashReports.text(path), in: CrashReports(data: data), isNew: !Self.exists(path), boot: boot)
    unlink(path)
    file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard file >= 0 else { return }
    var identity = [CChar](repeating: 0, count: 128)
    let length = mynah_build_id(&identity, identity.count)
    let build =
      length > 0 ? String(decoding: identity.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self) : "-"
    let head =
      "\(program), process \(getpid())\nbuild \(build)\nstarted \(SystemClock().wallNow.iso8601)\nboot \(boot)\n"
    _ = mynah_allocate(file, 0, Self.room)
    _ = head.withCString { write(file, $0, strlen($0)) }
    mynah_crash_arm(file)
  }

  private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  private static func end(of text: String, in reports: CrashReports, isNew: Bool, boot: String) -> LastEnd {
    if isNew { return exists(reports.logPath) ? .inOrder : .none }
    guard let cause = CrashReports.cause(in: text) else {
      let isSame = text.split(separator: "\n").contains { $0 == "boot \(boot)" }
      return .cutOff(sameBoot: isSame && !boot.isEmpty)
    }
    return .crashed(report: reports.keep(text) ?? "no file", cause: cause)
  }

  public func keep(event: String) { Self.keep(event, mynah_crash_keep_event) }
  public func keep(line: String) { Self.keep(line, mynah_crash_keep_line) }

  private static func keep(_ text: String, _ keep: (UnsafePointer<CChar>?, Int) -> Void) {
    var text = text
    text.withUTF8 { bytes in bytes.withMemoryRebound(to: CChar.self) { keep($0.baseAddress, $0.count) } }
  }

  public func close() {
    if file >= 0 { unlink(path) }
  }
}
