import Hardware
import JSON
import TestSupport
import Testing

@testable import Dubbing

@Suite("Session with a dubbing service")
struct ServiceSessionTests {
  private let welcome = WebSocketMessage.text(#"{"type":"welcome","version":1,"languages":["es"],"inFlight":2}"#)

  private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

  private func request(_ sequence: Int, deadline: Double = 100) -> ServiceRequest {
    ServiceRequest(
      sequence: sequence, pts: Int64(sequence) * 180_000, duration: 180_000, language: "es", text: "hola \(sequence)",
      textLanguage: "es", sound: [], deadline: at(deadline))
  }

  private func answer(_ sequence: Int, pts: Int64? = nil, language: String = "es") -> WebSocketMessage {
    .binary(
      ServiceSound(
        codec: .pcm16, channels: 1, sequence: sequence, sampleRate: 16_000, pts: pts ?? Int64(sequence) * 180_000,
        duration: 9000, language: language, payload: [UInt8](repeating: 0, count: 3200)
      ).bytes)
  }

  private func open(_ session: inout ServiceSession, at now: Double = 0) {
    session.opened(now: at(now))
    session.received(welcome, now: at(now))
    _ = session.takeOutcomes()
    _ = session.takeActions()
  }

  /// Sequences of the segments that are sent, and the other messages' types.
  private func sent(_ session: inout ServiceSession) -> [String] {
    session.takeActions().map { action in
      switch action {
      case .close(let code, _): return "close \(code)"
      case .send(.binary): return "sound"
      case .send(.text(let text)):
        let value = (try? JSONValue(parsing: text)) ?? .null
        return (value["type"]?.stringValue ?? "?") + (value["sequence"]?.integerValue.map { " \($0)" } ?? "")
      }
    }
  }

  @Test func `Behind a service that just keeps up, what would be too late is left out, and the rest is in time`() {
    var session = ServiceSession(language: "es")
    open(&session)
    var queue: [Int] = []
    var busyUntil = 0.0
    var inTime = 0
    // The first ones cannot be in time: it begins in their midst.
    _ = session.submit(request(0, deadline: 1.8), now: at(0))
    _ = session.submit(request(1, deadline: 5.8), now: at(0))
    // An utterance every four seconds, asked for up to twelve before it is due; one answer at a time, each of four.
    for tick in 0..<1600 {
      let now = Double(tick) * 0.05
      let next = 4 * (tick / 80) + 8
      if tick.isMultiple(of: 80) {
        _ = session.submit(request(next / 4, deadline: Double(next) + 1.8), now: at(now))
      }
      _ = session.tick(now: at(now))
      for entry in sent(&session) where entry.hasPrefix("segment ") {
        if queue.isEmpty { busyUntil = now + 4 }
        queue.append(Int(entry.dropFirst(8)) ?? 0)
      }
      if let first = queue.first, now >= busyUntil {
        queue.removeFirst()
        busyUntil = now + 4
        session.received(answer(first), now: at(now))
      }
      for case .dubbed(_, let isLate) in session.takeOutcomes() where !isLate && now > 30 { inTime += 1 }
    }
    #expect(inTime >= 11)
  }

  @Test func `It greets, asks for two at a time in order, and acknowledges`() {
    var session = ServiceSession(language: "es")
    for sequence in 0..<4 { #expect(session.submit(request(sequence), now: at(0)) == true) }
    #expect(sent(&session).isEmpty)
    session.opened(now: at(0))
    #expect(sent(&session) == ["hello"])
    session.received(welcome, now: at(0.1))
    #expect(sent(&session) == ["segment 0", "segment 1"])
    #expect(session.takeOutcomes() == [.languages(["es"])])
    session.received(answer(0), now: at(1))
    #expect(sent(&session) == ["ack 0", "segment 2"])
    #expect(session.inFlight == 2)
    session.received(answer(1), now: at(1.5))
    session.received(.text(#"{"type":"refused","sequence":2,"code":"text","message":"what?"}"#), now: at(1.6))
    #expect(sent(&session) == ["ack 1", "segment 3", "ack 2"])
    let outcomes = session.takeOutcomes()
    #expect(outcomes.count == 3)
    #expect(outcomes.last == .refused(sequence: 2, code: "text", message: "what?"))
    #expect(session.roundTrip == .milliseconds(1400))
  }

  @Test func `A refusal behind one that was left out is taken, and that one is not awaited any more`() {
    var session = ServiceSession(language: "es")
    open(&session)
    for sequence in 0..<3 { _ = session.submit(request(sequence), now: at(0)) }
    session.received(.text(#"{"type":"refused","sequence":1,"code":"text","message":"what?"}"#), now: at(1))
    #expect(session.takeOutcomes() == [.missed(sequence: 0), .refused(sequence: 1, code: "text", message: "what?")])
    #expect(sent(&session) == ["segment 0", "segment 1", "ack 1", "segment 2"])
    #expect(session.inFlight == 1 && session.wrongMessages == 0)
    // One that nobody asked for is still none.
    session.received(.text(#"{"type":"refused","sequence":9,"code":"text"}"#), now: at(1))
    #expect(session.takeOutcomes() == [.wrong(.sequence(9, expected: 2))])
  }

  @Test func `The queue has an end`() {
    var session = ServiceSession(language: "es")
    for sequence in 0..<ServiceSession.queueLimit { #expect(session.submit(request(sequence), now: at(0)) == true) }
    #expect(session.submit(request(100), now: at(0)) == false)
    #expect(!session.hasRoom)
  }

  @Test func `What comes after its deadline is late, and still frees its place`() {
    var session = ServiceSession(language: "es")
    open(&session)
    for sequence in 0..<3 { _ = session.submit(request(sequence, deadline: 2), now: at(0)) }
    #expect(session.tick(now: at(1)) == at(2))
    _ = session.tick(now: at(2))
    #expect(session.takeOutcomes() == [0, 1, 2].map { .missed(sequence: $0) })
    session.received(answer(0), now: at(3))
    guard case .dubbed(_, isLate: true) = session.takeOutcomes().first else {
      Issue.record("not late")
      return
    }
    #expect(session.inFlight == 1)
  }

  @Test func `Wrong messages are counted by name, and three in a row end the connection`() {
    var session = ServiceSession(language: "es")
    open(&session)
    for sequence in 0..<2 { _ = session.submit(request(sequence), now: at(0)) }
    session.received(answer(5), now: at(1))
    session.received(answer(0, language: "de"), now: at(1))
    #expect(session.takeOutcomes() == [.wrong(.sequence(5, expected: 0)), .wrong(.language("de"))])
    // A good one in between: nothing in a row.
    session.received(answer(0), now: at(1))
    session.received(answer(1, pts: 5), now: at(1))
    session.received(.text("no JSON"), now: at(1))
    _ = sent(&session)
    session.received(.binary([1, 2, 3]), now: at(1))
    #expect(sent(&session) == ["close 1002"])
    #expect(session.wrongMessages == 5)
  }

  @Test func `Times that cannot be subtracted are refused`() {
    var session = ServiceSession(language: "es")
    open(&session)
    _ = session.submit(request(0), now: at(0))
    for pts in [Int64.max, .min, -1] { session.received(answer(0, pts: pts), now: at(1)) }
    #expect(session.wrongMessages == 3)
  }

  @Test func `A service that never greets, or never answers, is given up`() {
    var silent = ServiceSession(language: "es")
    silent.opened(now: at(0))
    _ = silent.takeActions()
    #expect(silent.tick(now: at(1)) == at(5))
    _ = silent.tick(now: at(5))
    #expect(sent(&silent) == ["close 1002"])
    var dead = ServiceSession(language: "es")
    open(&dead)
    _ = dead.submit(request(0, deadline: 3), now: at(0))
    _ = dead.takeActions()
    _ = dead.tick(now: at(3))
    #expect(dead.tick(now: at(4)) == at(8))
    _ = dead.tick(now: at(8))
    #expect(sent(&dead) == ["close 1001"])
  }

  @Test func `After a lost connection it asks again for what still has time, from where it was`() {
    var session = ServiceSession(language: "es")
    open(&session)
    _ = session.submit(request(0), now: at(0))
    _ = session.submit(request(1, deadline: 2), now: at(0))
    _ = session.submit(request(2), now: at(0))
    session.received(answer(0), now: at(1))
    _ = session.takeOutcomes()
    session.lost(now: at(3))
    #expect(session.takeOutcomes() == [.missed(sequence: 1)])
    session.opened(now: at(4))
    guard case .send(.text(let hello)) = session.takeActions().first else {
      Issue.record("no hello")
      return
    }
    #expect((try? JSONValue(parsing: hello))?["resumeAfter"] == 0)
    session.received(welcome, now: at(4))
    #expect(sent(&session) == ["segment 2"])
  }

  @Test func `After a seek nothing that was asked for matters`() {
    var session = ServiceSession(language: "es")
    open(&session)
    for sequence in 0..<3 { _ = session.submit(request(sequence), now: at(0)) }
    _ = session.takeActions()
    session.cancelAll()
    #expect(sent(&session) == ["cancel 2"])
    _ = session.submit(request(3), now: at(0))
    session.received(answer(0), now: at(1))
    // Its answer was on its way; a second one is nobody's.
    #expect(session.takeOutcomes().isEmpty)
    session.received(answer(0), now: at(1))
    #expect(session.takeOutcomes() == [.wrong(.sequence(0, expected: 3))])
    session.received(answer(3), now: at(1))
    #expect(session.takeOutcomes().count == 1)
  }

  @Test func `Whatever comes in whatever order, at most two are in flight and every request has one end`() {
    for seed in 0..<300 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      var session = ServiceSession(language: "es")
      var next = 0
      var ended: [Int: Int] = [:]
      var submitted: Set<Int> = []
      for turn in 0..<200 {
        let now = at(Double(turn) * 0.1)
        switch Int.random(in: 0...9, using: &dice) {
        case 0: session.opened(now: now)
        case 1: session.received(welcome, now: now)
        case 2: session.lost(now: now)
        case 3, 4:
          if session.submit(request(next, deadline: Double(turn) * 0.1 + 2), now: now) { submitted.insert(next) }
          next += 1
        case 5, 6, 7: session.received(answer(Int.random(in: 0...(next + 1), using: &dice)), now: now)
        case 8: session.received(.binary([0]), now: now)
        default: _ = session.tick(now: now)
        }
        #expect(session.inFlight <= 2)
        _ = session.takeActions()
        for outcome in session.takeOutcomes() {
          switch outcome {
          case .dubbed(let sound, isLate: false): ended[sound.sequence, default: 0] += 1
          case .dubbed(let sound, isLate: true) where ended[sound.sequence] == nil: ended[sound.sequence] = 1
          case .missed(let sequence): ended[sequence, default: 0] += 1
          default: break
          }
        }
      }
      session.lost(now: at(1000))
      _ = session.tick(now: at(1000))
      for case .missed(let sequence) in session.takeOutcomes() { ended[sequence, default: 0] += 1 }
      #expect(Set(ended.keys) == submitted)
      #expect(ended.values.allSatisfy { $0 == 1 })
    }
  }

  @Test func `Any language tag is welcome, and what is none costs itself only`() {
    var session = ServiceSession(language: "zh-Hant-TW")
    session.opened(now: at(0))
    session.received(
      .text(
        #"{"type":"welcome","version":1,"languages":["zh-Hant-TW","","es_MX","de-1996","toolongasubtag"],"inFlight":2}"#
      ),
      now: at(0))
    #expect(session.isUp)
    #expect(session.languages == ["zh-Hant-TW", "de-1996"])
    var request = request(1)
    request.language = "zh-Hant-TW"
    _ = session.submit(request, now: at(0))
    _ = session.takeOutcomes()
    session.received(answer(1, language: "zh-Hant-TW"), now: at(1))
    guard case .dubbed(let sound, false)? = session.takeOutcomes().first else {
      Issue.record("no dub")
      return
    }
    #expect(sound.language == "zh-Hant-")
  }

  @Test func `Of a welcome's languages each wrong one costs itself, and two hundred are kept`() {
    let many = (0..<250).map { #""aa-\#($0)""# }.joined(separator: ",")
    for (list, count) in [(#""es",null,5,["de"],{},"fr""#, 2), (#""es",\#(many)"#, 200)] {
      var session = ServiceSession(language: "es")
      session.opened(now: at(0))
      session.received(.text(#"{"type":"welcome","version":1,"languages":[\#(list)],"inFlight":2}"#), now: at(0))
      #expect(session.isUp)
      #expect(session.languages.count == count && session.languages.first == "es")
    }
  }

  @Test func `Three voices that cannot be decoded end the connection, as three wrong messages do`() {
    func voice(_ sequence: Int) -> WebSocketMessage {
      .binary(
        ServiceSound(
          codec: .aac, channels: 1, sequence: sequence, sampleRate: 16_000, pts: Int64(sequence) * 180_000,
          duration: 9000, language: "es", payload: [1, 2, 3]
        ).bytes)
    }
    var session = ServiceSession(language: "es")
    open(&session)
    for sequence in 0..<6 { _ = session.submit(request(sequence), now: at(0)) }
    for sequence in 0..<2 {
      session.received(voice(sequence), now: at(1))
      session.reject(.undecodable("3 bytes of AAC"))
    }
    // One that could be decoded.
    session.received(voice(2), now: at(1))
    session.accept()
    for sequence in 3..<5 {
      session.received(voice(sequence), now: at(1))
      session.reject(.undecodable("3 bytes of AAC"))
    }
    #expect(!sent(&session).contains("close 1002"))
    session.received(voice(5), now: at(1))
    session.reject(.undecodable("3 bytes of AAC"))
    #expect(sent(&session).last == "close 1002")
  }

  @Test func `A close says why`() {
    func reasons(_ session: inout ServiceSession) -> [String] {
      session.takeActions().compactMap { if case .close(_, let reason) = $0 { reason } else { nil } }
    }
    var session = ServiceSession(language: "es")
    session.opened(now: at(0))
    _ = session.tick(now: at(5))
    #expect(reasons(&session) == ["no welcome within 5.0 s"])
    session = ServiceSession(language: "es")
    session.opened(now: at(0))
    session.received(.text(#"{"type":"welcome","version":2,"languages":["es"],"inFlight":2}"#), now: at(0))
    _ = session.tick(now: at(5))
    #expect(reasons(&session) == ["no welcome within 5.0 s, only version 2 of the protocol; this is 1"])
    session = ServiceSession(language: "es")
    open(&session)
    for _ in 0..<3 { session.received(.text("what?"), now: at(1)) }
    #expect(reasons(&session).first?.hasPrefix("a text message that cannot be read") == true)
    session = ServiceSession(language: "es")
    open(&session)
    _ = session.submit(request(1), now: at(0))
    _ = session.tick(now: at(8))
    #expect(reasons(&session) == ["no answer within 8.0 s"])
  }
}
