/// How the run before this one ended.
public enum LastEnd: Hashable, Sendable {
  /// There was none in this data directory.
  case none
  case inOrder
  /// It crashed; the report is a file of the data directory.
  case crashed(report: String, cause: String)
  /// It was cut off without a word. `sameBoot`: killed or restarted by a watchdog; else the power went, or the board's
  /// own watchdog reset it.
  case cutOff(sameBoot: Bool)

  public var isInOrder: Bool { self == .none || self == .inOrder }

  /// In a sentence.
  public var sentence: String {
    switch self {
    case .none: "this is the first run in this data directory"
    case .inOrder: "the run before ended in order"
    case .crashed(let report, let cause): "the run before crashed (\(cause)); \(report) tells where"
    case .cutOff(true):
      "the run before ended without a word: it was killed, by hand, by a watchdog, or for want of memory"
    case .cutOff(false): "the run before was cut off: the power went, or a watchdog reset the board"
    }
  }
}

/// The names of crash reports, in the data directory.
public enum CrashReportName {
  public static let folder = "log"

  /// - Parameter number: 1 or more.
  public static func path(_ number: Int) -> String { "\(folder)/crash-\(number).txt" }

  /// The number of a report by its name in the folder; `nil` for other files.
  public static func number(of name: String) -> Int? {
    guard name.hasPrefix("crash-"), name.hasSuffix(".txt"), let number = Int(name.dropFirst(6).dropLast(4)),
      (1...1_000_000_000).contains(number)
    else { return nil }
    return number
  }
}

/// Keeps what happened last where a crash finds it. Control thread only.
public protocol BlackBox: AnyObject {
  /// How the run before this one ended.
  var lastEnd: LastEnd { get }
  func keep(event: String)
  func keep(line: String)
  /// This run ends in order: the next one is told so.
  func close()
}
