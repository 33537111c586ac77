public import Hardware
internal import JSON

/// What one line of a script does.
public enum ScriptAction: Hashable, Sendable {
  /// A short press.
  case press(Button)
  case hold(Button, Duration)
  /// T-MARK.
  case mark(title: String?)
  case fault(Fault)
  case expect(Expectation)
  /// Writes the OLED as a PNG, eight pixels for one, to this path.
  case screen(path: String)
  /// Writes what is on the screen for pictures as a PNG to this path.
  case picture(path: String)
  case call(CommandRequest)
  case quit
}

/// One line of a script.
public struct ScriptLine: Hashable, Sendable {
  /// Number of the line in its file, from 1.
  public let number: Int
  /// Time from the start of the run, never less than that of the line before.
  public let at: Duration
  public let action: ScriptAction
  /// The line as it was written, without time and comment.
  public let text: String
}

/// What is wrong with a script, or went otherwise than it expects: `script.txt:7: expected mode …`.
public struct ScriptError: Error, Hashable, Sendable, CustomStringConvertible {
  public let file: String
  /// From 1; 0 for the file as a whole.
  public let line: Int
  public let message: String

  public var description: String { line > 0 ? "\(file):\(line): \(message)" : "\(file): \(message)" }
}

/// A script: actions at times of the device's clock.
public struct Script: Hashable, Sendable {
  /// The largest script in bytes.
  public static let limit = 4 << 20

  /// Name for messages.
  public let name: String
  public let lines: [ScriptLine]

  public init(name: String, lines: [ScriptLine]) {
    self.name = name
    self.lines = lines
  }

  /// Reads a script; the first line that is wrong is the error.
  ///
  /// - Parameters:
  ///   - name: the file's name for messages.
  ///   - table: the methods that `call` may name.
  public init(parsing bytes: [UInt8], name: String, table: CommandCatalogue) throws(ScriptError) {
    guard bytes.count <= Self.limit else {
      throw ScriptError(file: name, line: 0, message: "the script is longer than \(Self.limit) bytes")
    }
    if let offset = firstInvalidUTF8(in: bytes) {
      let line = bytes.prefix(offset).count(where: { $0 == 0x0A }) + 1
      throw ScriptError(file: name, line: line, message: "not UTF-8")
    }
    var lines: [ScriptLine] = []
    for (index, raw) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let text = String(decoding: raw, as: UTF8.self)
      do throws(Complaint) {
        guard let line = try ScriptParser(table: table).line(text, number: index + 1) else { continue }
        if let last = lines.last, line.at < last.at {
          throw Complaint(
            "time \(Seconds.text(nanoseconds: line.at.nanoseconds)) is before that of line \(last.number), "
              + "\(Seconds.text(nanoseconds: last.at.nanoseconds)); lines go in order of time")
        }
        lines.append(line)
      } catch {
        throw ScriptError(file: name, line: index + 1, message: error.message)
      }
    }
    self.init(name: name, lines: lines)
  }
}

/// What was expected, before it is known in which file.
struct Complaint: Error {
  let message: String
  init(_ message: String) { self.message = message }
}

/// Where a run of a script is. Pure: the caller looks at its clock, performs what is due and judges expectations.
public struct ScriptRunner: Sendable {
  public let script: Script
  /// When the run began.
  public let start: Instant
  private var index = 0

  public init(_ script: Script, start: Instant = .zero) {
    self.script = script
    self.start = start
  }

  /// Whether every line has been taken, or `quit` has.
  public var isFinished: Bool { index >= script.lines.count }

  /// When the next line is due; `nil` when there is none.
  public var nextDue: Instant? { isFinished ? nil : start + script.lines[index].at }

  /// The next line that is due at `now`, in the order of the file; `nil` if none is yet. After `quit` there is none.
  public mutating func take(at now: Instant) -> ScriptLine? {
    guard let due = nextDue, due <= now else { return nil }
    let line = script.lines[index]
    index = line.action == .quit ? script.lines.count : index + 1
    return line
  }

  /// The error of a line that did not go as it expects.
  public func failure(of line: ScriptLine, _ message: String) -> ScriptError {
    ScriptError(file: script.name, line: line.number, message: message)
  }
}
