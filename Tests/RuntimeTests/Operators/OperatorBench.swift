import Hardware
import JSON
import TestSupport
import Testing

/// A device at which several consoles are open at once; what each is told is looked at after the run.
final class OperatorBench {
  let bench: RuntimeBench
  private var ports: [String: FakePort] = [:]
  private var asked = 0

  /// - Parameter names: of the consoles.
  init(_ names: [String], continuing other: OperatorBench? = nil, onDisk: Bool = false) throws {
    bench = try RuntimeBench(onDisk: onDisk, continuing: other?.bench)
    for name in names { ports[name] = FakePort() }
    bench.hardware.consolePorts = names.compactMap { ports[$0] }
  }

  func port(_ name: String) -> FakePort { ports[name] ?? FakePort() }

  /// Asks at a time.
  ///
  /// - Returns: the number of the question.
  @discardableResult
  func at(_ time: Double, _ console: String, _ method: String, _ parameters: JSONValue = [:]) -> Int {
    asked += 1
    let request: JSONValue = [
      "jsonrpc": "2.0", "id": .integer(asked), "method": .string(method), "params": parameters,
    ]
    let port = port(console)
    bench.hardware.steppers.append(AtTime(.at(time), bench) { _ in port.type(request.text) })
    return asked
  }

  /// Asks again and again.
  ///
  /// - Returns: the numbers of the questions.
  func guess(_ console: String, _ name: String, from start: Double, to end: Double, every interval: Double) -> [Int] {
    let count = Int((end - start) / interval)
    let first = asked + 1
    asked += count
    bench.hardware.steppers.append(
      Repeated(.at(start), .milliseconds(Int(interval * 1000)), count) { [port = port(console)] number in
        let request: JSONValue = [
          "jsonrpc": "2.0", "id": .integer(first + number), "method": "auth.login",
          "params": ["name": .string(name), "password": .string("guess number \(number)")],
        ]
        port.type(request.text)
      })
    return Array(first..<(first + count))
  }

  func logIn(_ time: Double, _ console: String, _ name: String, _ password: String) -> Int {
    at(time, console, "auth.login", ["name": .string(name), "password": .string(password)])
  }

  /// What all questions were answered, once the run is over.
  private lazy var answers: [Int: JSONValue] = {
    var answers: [Int: JSONValue] = [:]
    for port in ports.values {
      for line in port.lines where line.hasPrefix("{") {
        if let answer = try? JSONValue(parsing: line), let number = answer["id"]?.integerValue {
          answers[number] = answer
        }
      }
    }
    return answers
  }()

  /// What a question was answered; to be asked after the run.
  func answer(_ number: Int) -> JSONValue? { answers[number] }

  /// The code of a question's failure; nil if it was answered.
  func code(_ number: Int) -> String? { answer(number)?["error"]?["data"]?["code"]?.stringValue }
  func message(_ number: Int) -> String { answer(number)?["error"]?["message"]?.stringValue ?? "" }

  /// A script that sets up one of each role, whose passwords are their names and `'s password`.
  static let setUp = """
    0.1 call operators.add {"name":"tess","role":"technician","password":"tess's password"}
    0.3 call operators.add {"name":"otto","role":"operator","password":"otto's password"}
    0.5 call operators.add {"name":"vera","role":"viewer","password":"vera's password"}

    """
}

/// Does something again and again.
private final class Repeated: Stepper {
  private var next: Instant
  private let interval: Duration
  private let count: Int
  private var done = 0
  private let action: (Int) -> Void

  init(_ start: Instant, _ interval: Duration, _ count: Int, _ action: @escaping (Int) -> Void) {
    (next, self.interval, self.count, self.action) = (start, interval, count, action)
  }

  func step(now: Instant) -> Instant? {
    guard done < count else { return nil }
    if now >= next {
      action(done)
      done += 1
      next = next + interval
    }
    return done < count ? next : nil
  }
}
