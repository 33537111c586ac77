public import Hardware

/// The client's side of the dubbing protocol (PROTOCOL.md): what is asked, what is awaited, what is wrong.
///
/// Pure: it is given messages and times, and says what to send. It survives connections; what was asked and not answered
/// when one was lost is asked again on the next, as long as its time has not come.
public struct ServiceSession: Sendable {
  /// What came of a request, or of the service as a whole.
  public enum Outcome: Hashable, Sendable {
    /// The answer; `isLate` if its deadline had passed.
    case dubbed(ServiceSound, isLate: Bool)
    /// The deadline passed without an answer; it may still come.
    case missed(sequence: Int)
    /// The service will not speak this one.
    case refused(sequence: Int, code: String, message: String)
    /// The service is there (again), and speaks these.
    case languages([String])
    /// A message broke the rules and was dropped.
    case wrong(ServiceFault)
  }

  /// What the connection is to do.
  public enum Action: Hashable, Sendable {
    case send(WebSocketMessage)
    case close(code: Int, reason: String)
  }

  /// A request on its way.
  private struct Flight {
    var request: ServiceRequest
    var sent: Instant
    var isMissed = false
  }

  public static let subprotocol = "mynah-dub.1"
  /// Requests that wait for their turn; what comes beyond is not taken.
  public static let queueLimit = 8
  private static let inFlightLimit = 2
  private static let welcomeTimeout = Duration.seconds(5)
  /// After this long without any answer, while one is awaited, the service is taken for dead. It may speak one at a time:
  /// what is second in line waits for the first.
  public static let answerTimeout = Duration.seconds(8)
  private static let mostWrongInARow = 3

  private enum Phase {
    case down
    /// `hello` is under way.
    case greeting(since: Instant)
    case up(inFlight: Int)
    /// Given up; the connection is about to be closed.
    case over
  }

  private var phase = Phase.down
  private let codecs: [String]
  /// The language that `hello` asks for.
  public var language: String
  private var waiting: [ServiceRequest] = []
  private var flights: [Flight] = []
  private var acknowledged = -1
  private var lastAnswer = Instant.zero
  /// Requests that were cancelled on their way: their answers may be on theirs.
  private var recalled: Set<Int> = []
  private var wrongInARow = 0
  /// What was wrong with the last message, until a good one comes.
  private var lastWrong: ServiceFault?
  private var roundTrips = RoundTrips()
  private var actions: [Action] = []
  private var outcomes: [Outcome] = []

  /// Messages that broke the rules, since the start.
  public private(set) var wrongMessages = 0
  /// Languages of the last `welcome`.
  public private(set) var languages: [String] = []

  public init(language: String, codecs: [String] = ["pcm16"]) {
    self.language = language
    self.codecs = codecs
  }

  /// Whether the service has said welcome on this connection.
  public var isUp: Bool { if case .up = phase { true } else { false } }
  /// Whether another request would be taken.
  public var hasRoom: Bool { waiting.count < Self.queueLimit }
  /// Requests sent and unanswered.
  public var inFlight: Int { flights.count }
  /// 95 % of the answers took at most this long; `nil` before the first.
  public var roundTrip: Duration? { roundTrips.p95 }

  // MARK: From above

  /// Asks for a segment.
  ///
  /// - Returns: false if the queue is full.
  public mutating func submit(_ request: ServiceRequest, now: Instant) -> Bool {
    guard hasRoom else { return false }
    waiting.append(request)
    dispatch(now)
    return true
  }

  /// Forgets every request: after a seek, or in another language.
  public mutating func cancelAll() {
    let last = (flights.map(\.request) + waiting).map(\.sequence).max()
    if isUp, let last { actions.append(.send(.text(ServiceText.cancel(last).text))) }
    if let last { acknowledged = max(acknowledged, last) }
    recalled.formUnion(flights.map(\.request.sequence))
    flights = []
    waiting = []
  }

  /// What the connection is to do now, in this order.
  public mutating func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  /// What happened, in order.
  public mutating func takeOutcomes() -> [Outcome] {
    defer { outcomes = [] }
    return outcomes
  }

  // MARK: From the connection

  /// The WebSocket is open.
  public mutating func opened(now: Instant) {
    phase = .greeting(since: now)
    wrongInARow = 0
    lastWrong = nil
    recalled = []
    let hello = ServiceText.hello(
      language: language, codecs: codecs, inFlight: Self.inFlightLimit, resumeAfter: acknowledged)
    actions = [.send(.text(hello.text))]
  }

  /// The connection is gone; what was under way is asked for again on the next one.
  public mutating func lost(now: Instant) {
    phase = .down
    actions = []
    waiting = flights.filter { !$0.isMissed && $0.request.deadline > now }.map(\.request) + waiting
    for flight in flights where !flight.isMissed && flight.request.deadline <= now {
      outcomes.append(.missed(sequence: flight.request.sequence))
    }
    flights = []
  }

  public mutating func received(_ message: WebSocketMessage, now: Instant) {
    do throws(ServiceFault) {
      switch message {
      case .text(let text):
        try take(ServiceText(parsing: text), now: now)
        accept()
      case .binary(let bytes):
        let sound = try ServiceSound(parsing: bytes)
        try take(sound, now: now)
        // Whether AAC is any good is known once it is decoded.
        if sound.codec == .pcm16 { accept() }
      }
    } catch {
      reject(error)
    }
    dispatch(now)
  }

  /// A message, or sound that has been decoded, kept to the rules.
  public mutating func accept() {
    wrongInARow = 0
    lastWrong = nil
  }

  /// Sound of an answer that turned out to be useless: counts like any other wrong message.
  public mutating func reject(_ fault: ServiceFault) {
    wrongMessages += 1
    wrongInARow += 1
    lastWrong = fault
    outcomes.append(.wrong(fault))
    if wrongInARow >= Self.mostWrongInARow { end(code: 1002, reason: "\(fault)") }
  }

  /// Sees to deadlines.
  ///
  /// - Returns: when it must be called again at the latest.
  public mutating func tick(now: Instant) -> Instant? {
    for index in flights.indices where !flights[index].isMissed && flights[index].request.deadline <= now {
      flights[index].isMissed = true
      outcomes.append(.missed(sequence: flights[index].request.sequence))
    }
    let expired = waiting.filter { $0.deadline <= now }
    if !expired.isEmpty {
      waiting.removeAll { $0.deadline <= now }
      outcomes += expired.map { .missed(sequence: $0.sequence) }
    }
    if case .greeting(let since) = phase, now - since >= Self.welcomeTimeout {
      end(code: 1002, reason: inVain("welcome", Self.welcomeTimeout))
    }
    if let deadline = answerDeadline, now >= deadline {
      end(code: 1001, reason: inVain("answer", Self.answerTimeout))
    }
    dispatch(now)
    return nextTime
  }

  private var nextTime: Instant? {
    var times = waiting.map(\.deadline) + flights.filter { !$0.isMissed }.map(\.request.deadline)
    if case .greeting(let since) = phase { times.append(since + Self.welcomeTimeout) }
    if isUp, let deadline = answerDeadline { times.append(deadline) }
    return times.min()
  }

  private var answerDeadline: Instant? { flights.first.map { max($0.sent, lastAnswer) + Self.answerTimeout } }

  // MARK: Within

  private func inVain(_ what: String, _ time: Duration) -> String {
    "no \(what) within \(time.inSeconds) s" + (lastWrong.map { ", only \($0)" } ?? "")
  }

  private mutating func end(code: Int, reason: String) {
    if case .over = phase { return }
    phase = .over
    actions.append(.close(code: code, reason: reason))
  }

  private mutating func dispatch(_ now: Instant) {
    guard case .up(let limit) = phase else { return }
    while flights.count < limit, !waiting.isEmpty {
      let request = waiting.removeFirst()
      // What would come too late only holds up what is behind it. One is always asked: how else would we learn that the
      // service has become faster?
      if !flights.isEmpty, let roundTrip, now + roundTrip > request.deadline {
        outcomes.append(.missed(sequence: request.sequence))
        continue
      }
      let due = (request.deadline - now).nanoseconds / 1_000_000
      actions.append(.send(.text(ServiceText.segment(request, dueIn: Int(max(0, due))).text)))
      if !request.sound.isEmpty { actions.append(.send(.binary(request.soundMessage))) }
      flights.append(Flight(request: request, sent: now))
    }
  }

  private mutating func take(_ text: ServiceText, now: Instant) throws(ServiceFault) {
    switch (text, phase) {
    case (.welcome(let names, let limit), .greeting):
      phase = .up(inFlight: min(limit, Self.inFlightLimit))
      languages = names
      outcomes.append(.languages(names))
    case (.languages(let names), .up):
      languages = names
      outcomes.append(.languages(names))
    case (.refused(let sequence, let code, let message), .up):
      guard recalled.remove(sequence) == nil else { return }
      let flight = try answered(sequence)
      lastAnswer = now
      acknowledge(sequence)
      guard !flight.isMissed else { return }
      outcomes.append(.refused(sequence: sequence, code: code, message: message))
    case (.welcome, _): throw .unexpected("welcome")
    case (.languages, _): throw .unexpected("languages")
    case (.refused, _): throw .unexpected("refused")
    case (.hello, _), (.segment, _), (.ack, _), (.cancel, _): throw .unexpected("a client's message")
    }
  }

  private mutating func take(_ sound: ServiceSound, now: Instant) throws(ServiceFault) {
    guard isUp else { throw .unexpected("sound") }
    guard recalled.remove(sound.sequence) == nil else { return }
    guard let place = flights.firstIndex(where: { $0.request.sequence == sound.sequence }) else {
      throw .sequence(sound.sequence, expected: flights.first?.request.sequence)
    }
    let flight = flights[place]
    let request = flight.request
    guard sound.isIn(request.language) else { throw .language(sound.language) }
    let (offset, overflow) = sound.pts.subtractingReportingOverflow(request.pts)
    guard !overflow, (0...Int64(max(0, request.duration))).contains(offset) else { throw .pts(sound.pts) }
    leaveOut(before: place)
    flights.removeFirst()
    lastAnswer = now
    recalled = recalled.filter { $0 > sound.sequence }
    acknowledge(sound.sequence)
    roundTrips.add(now - flight.sent)
    outcomes.append(.dubbed(sound, isLate: flight.isMissed || request.deadline <= now))
  }

  private mutating func answered(_ sequence: Int) throws(ServiceFault) -> Flight {
    guard let place = flights.firstIndex(where: { $0.request.sequence == sequence }) else {
      throw .sequence(sequence, expected: flights.first?.request.sequence)
    }
    leaveOut(before: place)
    return flights.removeFirst()
  }

  /// Answers come in order: what lies before this one has been left out.
  private mutating func leaveOut(before place: Int) {
    for left in flights[..<place] where !left.isMissed { outcomes.append(.missed(sequence: left.request.sequence)) }
    flights.removeFirst(place)
  }

  private mutating func acknowledge(_ sequence: Int) {
    acknowledged = max(acknowledged, sequence)
    actions.append(.send(.text(ServiceText.ack(sequence).text)))
  }
}
