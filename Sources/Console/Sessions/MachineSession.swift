internal import JSON

/// The machine's face: JSON-RPC 2.0 (jsonrpc.org/specification), one document a line each way.
///
/// Answers may come in another order than the requests; `id` tells. Control loop only.
final class MachineSession {
  /// The longest line in bytes, the line feed not counted.
  static let lineLimit = 65_536
  /// Requests that may wait for their answers; more are refused with `busy`.
  static let pendingLimit = 256

  private let catalogue: CommandCatalogue
  private let emit: ([UInt8]) -> Void
  private let run: (CommandRequest, @escaping (Result<JSONValue, CommandFailure>) -> Void) -> Void
  private var line: [UInt8] = []
  private var isDiscarding = false
  private var pending = 0

  init(
    catalogue: CommandCatalogue, emit: @escaping ([UInt8]) -> Void,
    run: @escaping (CommandRequest, @escaping (Result<JSONValue, CommandFailure>) -> Void) -> Void
  ) {
    self.catalogue = catalogue
    self.emit = emit
    self.run = run
  }

  /// Bytes of the line so far.
  var typed: Int { line.count }

  /// Forgets the line so far.
  func clear() {
    line = []
    isDiscarding = false
  }

  /// Takes one byte; CR, LF and CR LF end a line, empty lines are nothing.
  func receive(_ byte: UInt8) {
    if byte == 0x0A || byte == 0x0D {
      let complete = line
      clear()
      if !complete.isEmpty { handle(complete) }
    } else if !isDiscarding {
      guard line.count < Self.lineLimit else {
        isDiscarding = true
        line = []
        let failure = CommandFailure(
          .badArgument, "the line is longer than \(Self.lineLimit) bytes; all of it is ignored")
        return emit(Answer.failure(id: "null", failure, code: Answer.invalidRequest))
      }
      line.append(byte)
    }
  }

  private func handle(_ bytes: [UInt8]) {
    do {
      let limits = JSONLimits(bytes: Self.lineLimit, depth: 64)
      let document = try JSONValue(parsing: bytes, limits: limits)
      guard case .array(let requests) = document else {
        return start(document) { [emit] answer in if let answer { emit(answer) } }
      }
      guard !requests.isEmpty else {
        return emit(Answer.invalid("an empty batch"))
      }
      let batch = Batch(count: requests.count, emit: emit)
      for (index, request) in requests.enumerated() {
        start(request) { batch.answer(index, $0) }
      }
    } catch {
      let failure = CommandFailure(
        .badArgument,
        "not JSON: \(error.description); {\"jsonrpc\":\"2.0\",\"method\":\"session.human\"} leaves this mode")
      emit(Answer.failure(id: "null", failure, code: Answer.parseError))
    }
  }

  /// Performs one request; `completion` gets its answer, or `nil` for a notification.
  private func start(_ request: JSONValue, completion: @escaping ([UInt8]?) -> Void) {
    guard case .object(let members) = request else { return completion(Answer.invalid("it has to be an object")) }
    let id: String
    switch members["id"] {
    case .string?, .integer?, .number?, .null?: id = members["id"]?.text ?? "null"
    case nil: id = ""
    default: return completion(Answer.invalid("id has to be a string, a number or null"))
    }
    let shownID = id.isEmpty ? "null" : id
    guard members["jsonrpc"] == "2.0" else {
      return completion(Answer.invalid("jsonrpc has to be \"2.0\"", id: shownID))
    }
    guard let method = members["method"]?.stringValue else {
      return completion(Answer.invalid("method has to be a string", id: shownID))
    }
    switch members["params"] {
    case nil, .object?, .array?: break
    default: return completion(Answer.invalid("params has to be an object or an array", id: shownID))
    }
    func done(_ result: Result<JSONValue, CommandFailure>) {
      guard !id.isEmpty else { return completion(nil) }
      switch result {
      case .success(let value): completion(Answer.success(id: id, value))
      case .failure(let failure):
        let isKnown = catalogue.method(method) != nil
        completion(Answer.failure(id: id, failure, code: Answer.code(failure.code, isKnown: isKnown)))
      }
    }
    guard pending < Self.pendingLimit else {
      return done(.failure(CommandFailure(.busy, "\(pending) requests wait for their answers already")))
    }
    pending += 1
    run(CommandRequest(method, members["params"] ?? [:])) { [weak self] result in
      self?.pending -= 1
      done(result)
    }
  }

  /// Collects the answers of a batch and sends them in one line, in the order of the requests.
  private final class Batch {
    private var answers: [[UInt8]?]
    private var remaining: Int
    private let emit: ([UInt8]) -> Void

    init(count: Int, emit: @escaping ([UInt8]) -> Void) {
      answers = Array(repeating: nil, count: count)
      remaining = count
      self.emit = emit
    }

    func answer(_ index: Int, _ answer: [UInt8]?) {
      answers[index] = answer
      remaining -= 1
      let given = answers.compactMap(\.self)
      if remaining == 0, !given.isEmpty {
        emit(Array("[".utf8) + given.joined(separator: Array(",".utf8)) + Array("]".utf8))
      }
    }
  }
}

/// The lines that go back.
private enum Answer {
  static let parseError = -32_700
  static let invalidRequest = -32_600

  static func code(_ code: FailureCode, isKnown: Bool) -> Int {
    switch code {
    case _ where !isKnown: -32_601
    case .badArgument: -32_602
    case .internal: -32_603
    default: -32_000
    }
  }

  static func success(id: String, _ result: JSONValue) -> [UInt8] {
    Array("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"result\":".utf8) + result.bytes + Array("}".utf8)
  }

  static func failure(id: String, _ failure: CommandFailure, code: Int) -> [UInt8] {
    let error: JSONValue = [
      "code": .integer(code), "message": .string(failure.message), "data": ["code": .string(failure.code.rawValue)],
    ]
    return Array("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"error\":".utf8) + error.bytes + Array("}".utf8)
  }

  static func invalid(_ text: String, id: String = "null") -> [UInt8] {
    failure(id: id, CommandFailure(.badArgument, "not a JSON-RPC 2.0 request: \(text)"), code: invalidRequest)
  }
}
