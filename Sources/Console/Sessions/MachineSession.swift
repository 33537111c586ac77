internal import JSON

/// The machine's face: JSON-RPC 2.0 (jsonrpc.org/specification), one document a line each way.
///
/// Answers may come in another order than the requests; `id` tells. Control loop only.
final class MachineSession {
  /// The longest line in bytes, the line feed not counted.
  static let lineLimit = 65_536
  /// Requests that may wait for their answers; more are refused with `busy`.
  static let pendingLimit = 256
  /// What is begun in a step of the control loop: so many requests, none after so many bytes of answers.
  static let requestsInTurn = 16
  static let bytesInTurn = 32 << 10
  /// Bytes of a batch's answers after which the rest of it is refused with `busy`, and how many of it wait for theirs.
  static let batchLimit = 256 << 10
  static let batchPendingLimit = 32
  /// Requests of batches that wait for others of theirs and hold nobody else up.
  static let queueLimit = 1024

  private let catalogue: CommandCatalogue
  private let emit: ([UInt8]) -> Void
  private let run: (CommandRequest, @escaping (Result<JSONValue, CommandFailure>) -> Void) -> Void
  private let hasRoom: () -> Bool
  /// Something that waited was begun outside of a turn.
  var onProgress: () -> Void = {}
  private var queue: [Waiting] = []
  /// What this turn has begun, and the bytes that were answered in it.
  private var begun = 0
  private var told = 0
  private var isAdvancing = false
  private var line: [UInt8] = []
  private var isDiscarding = false
  private var pending = 0

  /// A request that is to be begun.
  private struct Waiting {
    let request: JSONValue
    /// What it is a part of, and its place there.
    let batch: (Batch, index: Int)?
  }

  /// - Parameter hasRoom: whether the peer has taken the answers before, as good as.
  init(
    catalogue: CommandCatalogue, hasRoom: @escaping () -> Bool = { true }, emit: @escaping ([UInt8]) -> Void,
    run: @escaping (CommandRequest, @escaping (Result<JSONValue, CommandFailure>) -> Void) -> Void
  ) {
    self.catalogue = catalogue
    self.hasRoom = hasRoom
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

  /// Whether something is to be answered yet.
  var isOwing: Bool { pending > 0 || isWaiting }
  /// Whether requests wait for their turn, for room, or for others of their batch.
  var isWaiting: Bool { !queue.isEmpty }
  /// Whether nothing is taken meanwhile. What a batch waits for holds up nothing that came behind it, such as the start of
  /// a take.
  var isBehind: Bool { isWaiting && (canGoOn || !hasRoom() || queue.count >= Self.queueLimit) }
  /// Whether one of them can be begun with the next turn.
  var canGoOn: Bool { next != nil }
  private var next: Int? { isWaiting && hasRoom() ? queue.firstIndex(where: mayBegin) : nil }

  /// A step of the control loop has begun: goes on with what waits.
  func takeTurn() {
    (begun, told) = (0, 0)
    advance()
  }

  private func advance() {
    guard !isAdvancing else { return }
    isAdvancing = true
    defer { isAdvancing = false }
    while begun < Self.requestsInTurn, told < Self.bytesInTurn, let place = next {
      let next = queue.remove(at: place)
      begun += 1
      start(next.request, of: next.batch?.0) { [weak self, emit] answer in
        self?.told += answer?.count ?? 0
        if let (batch, index) = next.batch { batch.answer(index, answer) } else if let answer { emit(answer) }
        self?.progress()
      }
    }
  }

  private func mayBegin(_ waiting: Waiting) -> Bool {
    waiting.batch.map { $0.0.pending < Self.batchPendingLimit } ?? true
  }

  /// An answer that came later may have been waited for.
  private func progress() {
    guard !isAdvancing, isWaiting else { return }
    takeTurn()
    onProgress()
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
        queue.append(Waiting(request: document, batch: nil))
        return advance()
      }
      guard !requests.isEmpty else {
        return emit(Answer.invalid("an empty batch"))
      }
      let batch = Batch(count: requests.count, emit: emit)
      for (index, request) in requests.enumerated() {
        queue.append(Waiting(request: request, batch: (batch, index)))
      }
      advance()
    } catch {
      let failure = CommandFailure(
        .badArgument,
        "not JSON: \(error.description); {\"jsonrpc\":\"2.0\",\"method\":\"session.human\"} leaves this mode")
      emit(Answer.failure(id: "null", failure, code: Answer.parseError))
    }
  }

  /// Performs one request; `completion` gets its answer, or `nil` for a notification.
  private func start(_ request: JSONValue, of batch: Batch?, completion: @escaping ([UInt8]?) -> Void) {
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
    guard batch.map({ $0.bytes < Self.batchLimit }) ?? true else {
      let text = "the answers of this batch are very long already; ask for the rest in another one"
      return done(.failure(CommandFailure(.busy, text)))
    }
    pending += 1
    batch?.pending += 1
    run(CommandRequest(method, members["params"] ?? [:])) { [weak self] result in
      self?.pending -= 1
      batch?.pending -= 1
      done(result)
    }
  }

  /// Collects the answers of a batch and sends them in one line, in the order of the requests.
  private final class Batch {
    private var answers: [[UInt8]?]
    private var remaining: Int
    /// Bytes of the answers so far.
    private(set) var bytes = 0
    /// Requests that have been begun and not answered.
    var pending = 0
    private let emit: ([UInt8]) -> Void

    init(count: Int, emit: @escaping ([UInt8]) -> Void) {
      answers = Array(repeating: nil, count: count)
      remaining = count
      self.emit = emit
    }

    func answer(_ index: Int, _ answer: [UInt8]?) {
      answers[index] = answer
      bytes += answer?.count ?? 0
      remaining -= 1
      guard remaining == 0 else { return }
      let given = answers.compactMap(\.self)
      if !given.isEmpty {
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
