import Dictaphone
import Hardware
import Library
import Media
import Streaming
import TestSupport

@testable import Dubbing
@testable import Network
@testable import Runtime

extension FuzzTarget {
  /// What the process says that looks at strangers' files, and that such a file may have taken over.
  static let examiner = FuzzTarget(
    "examiner",
    .text([
      "{\"damaged\":\"", "\"frames\":9223372036854775807,", "\"sampleRate\":0,", "\"channels\":-1,",
      "\"format\":\"mp3\"",
      "{\"seccomp\":1}", "\u{1B}[2J", "\u{202E}",
    ])
  ) { bytes in
    for line in bytes.split(separator: 0x0A) {
      _ = ExaminerAnswer.refusal(Array(line))
      switch ExaminerAnswer.diagnosis(Array(line)) {
      case .complete(let shape), .unfinished(let shape):
        guard (0...1 << 48).contains(shape.frames), shape.sampleRate > 0, shape.channels >= 0 else { return "\(shape)" }
        guard shape.format.shown == shape.format else { return "a format that steers a terminal" }
      case .damaged(let reason), .unanswered(let reason, _):
        guard reason.shown == reason, reason.unicodeScalars.count <= 300 else { return "a reason of \(reason.shown)" }
      }
    }
    return nil
  }

  /// What the process says that decodes a stranger's file for the player.
  static let decoder = FuzzTarget("decoder", .bytes, make: { Decoded.valid(&$0) }) { bytes in
    var answers = SoundAnswers()
    do {
      for place in stride(from: 0, to: bytes.count, by: 777) {
        answers.feed(Array(bytes[place..<min(bytes.count, place + 777)]))
        while let answer = try answers.next() {
          switch answer {
          case .opened(let facts):
            guard facts.format.sampleRate >= 1000, facts.format.channels > 0, facts.frames ?? 0 >= 0 else {
              return "\(facts)"
            }
            guard facts.codecName.shown == facts.codecName else { return "a codec that steers a terminal" }
          case .sound(let from, let samples):
            guard from >= 0, samples.allSatisfy({ abs($0) <= 64 }) else { return "sound that is none" }
          case .peak(let peak): guard peak >= 0 else { return "\(peak)" }
          case .failed(_, let operation, let reason):
            guard operation.shown == operation, reason.shown == reason else { return "a reason of \(reason.shown)" }
          }
          guard SoundAnswers.areSame(answer) else { return "\(answer) is read as another" }
        }
      }
    } catch {}
    // And the other way round.
    if let question = SoundQuestion(Array(bytes.prefix(SoundQuestion.bytes))) {
      guard SoundQuestion(question.encoded) == question else { return "\(question) is read as another" }
    }
    if let question = ProgrammeQuestion(Array(bytes.prefix(ProgrammeQuestion.bytes))) {
      guard ProgrammeQuestion(question.encoded) == question else { return "\(question) is read as another" }
    }
    return Decoded.problem(ofProgramme: bytes)
  }

  /// What a client of the sound's socket says: a line, then packets of samples.
  static let pcm = FuzzTarget("pcm", .bytes, make: { PCMTalk.valid(&$0) }) { bytes in
    var inbox = PCMInbox()
    var frameBytes = 1
    var isOver = false
    var floats: [Float] = []
    for place in stride(from: 0, to: bytes.count, by: 333) {
      inbox.add(Array(bytes[place..<min(bytes.count, place + 333)]))
      while let item = inbox.next() {
        if isOver { return "something after the end: \(item)" }
        switch item {
        case .hello(let hello):
          frameBytes = hello.frameBytes
          guard (try? PCMHello.read(Array(hello.answer.dropLast())).get()) == hello else { return "\(hello)" }
        case .samples(let sound):
          guard sound.count % frameBytes == 0, !sound.isEmpty else { return "half a frame" }
          for samples in PCMSamples.allCases { samples.unpack(sound, to: &floats) }
          guard floats.allSatisfy({ abs($0) <= 1 }) else { return "sound that is none" }
          floats.removeAll(keepingCapacity: true)
        case .end, .refused: isOver = true
        }
      }
      guard inbox.count <= PCMInbox.longestHello + 333 else { return "\(inbox.count) bytes wait" }
    }
    return nil
  }

  /// A dubbing service's messages: after each `=== ` line one, binary if the line goes on with `b`.
  static let service = FuzzTarget(
    "service",
    .text([
      "=== t\n{\"type\":\"welcome\",\"version\":1,\"languages\":[\"es\"],\"inFlight\":2}",
      "=== b\nMYDB\u{1}\u{1}\u{1}\u{0}",
      "=== t\n{\"type\":\"refused\",\"sequence\":0,\"code\":\"x\",\"message\":\"y\"}",
      "=== t\n{\"type\":\"languages\",\"languages\":[\"de\"]}", "=== sound",
    ]), make: { Services.valid(&$0) }
  ) { bytes in
    var session = ServiceSession(language: "es", codecs: ["pcm16", "aac"])
    var now = Instant.zero
    session.opened(now: now)
    for sequence in 0..<4 {
      _ = session.submit(
        ServiceRequest(
          sequence: sequence, pts: sequence == 3 ? .max : Int64(sequence) * 90_000, duration: 90_000, language: "es",
          text: "hello", textLanguage: "en", sound: [], deadline: now + .seconds(3)), now: now)
    }
    for message in Services.messages(in: bytes) {
      session.received(message, now: now)
      for case .dubbed(let sound, _) in session.takeOutcomes() {
        _ = sound.codec == .aac ? AACSound.decode(sound.payload)?.count : sound.monoSamples.count
      }
      _ = session.takeActions()
      now = now + .milliseconds(100)
      _ = session.tick(now: now)
    }
    session.lost(now: now)
    session.opened(now: now)
    session.cancelAll()
    return session.inFlight == 0 ? nil : "\(session.inFlight) requests are on their way after all were cancelled"
  }

  /// A WebSocket's answer to the handshake, and frames; addresses and ranges as servers write them.
  static let handshake = FuzzTarget(
    "handshake",
    .text([
      "HTTP/1.1 101 Switching Protocols\r", "Upgrade: websocket\r", "Connection: Upgrade\r",
      "Sec-WebSocket-Accept: \(Upgrade.acceptance(of: "AAAAAAAAAAAAAAAAAAAAAA=="))\r", "\r",
      "content-range: bytes 100-199/1000", "\u{1}\u{5}hello", "wss://user:pw@[::1]:70000/a b?c#d",
      "\u{2}\u{7F}\u{7F}", "Sec-WebSocket-Extensions: x\r",
    ])
  ) { bytes in
    if let found = ContentRange.parse(bytes), found.range.isEmpty { return "an empty range" }
    _ = try? WebAddress(String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)).transport
    guard let address = try? WebAddress("ws://h/") else { return "no address" }
    var upgrade = Upgrade(to: address, subprotocol: nil, nonce: [UInt8](repeating: 0, count: 16))
    var rest = bytes
    for place in stride(from: 0, to: bytes.count, by: 1000) {
      if case .accepted(let frames) = upgrade.feed(Array(bytes[place..<min(bytes.count, place + 1000)])) {
        rest = frames
      }
    }
    guard let frames = WebSocketFrames(largestMessage: 1 << 16) else { return "no frames" }
    for place in stride(from: 0, to: rest.count, by: 333) {
      frames.feed(rest[place..<min(rest.count, place + 333)])
      frames.produce()
    }
    return frames.arrived.allSatisfy { $0.byteCount <= 1 << 16 } ? nil : "a message larger than wanted"
  }
}

extension SoundAnswers {
  /// Whether what was read is read again, as far as text is not cut.
  fileprivate static func areSame(_ answer: SoundAnswer) -> Bool {
    if case .failed = answer { return true }
    var answers = SoundAnswers()
    answers.feed(answer.encoded)
    guard let again = try? answers.next() else { return false }
    if case .opened(let before) = answer, case .opened(let after) = again { return before.format == after.format }
    return again == answer
  }
}

enum Decoded {
  static func valid(_ dice: inout SeededGenerator) -> [UInt8]? {
    let question = SoundQuestion.sound(
      from: dice.below(1 << 20), count: 1 + dice.below(1 << 14), output: PCMFormat(sampleRate: 44_100, channels: 2))
    let answers: [SoundAnswer] = [
      .sound(from: dice.below(1 << 20), (0..<dice.below(64)).map { Float($0) / 64 }), .peak(0.5),
      .failed(.damaged, operation: "decode", reason: "too much of it is unreadable"),
    ]
    if dice.chance(2) { return programme(&dice) }
    return dice.chance(4) ? question.encoded : answers.flatMap(\.encoded)
  }

  /// What the process says that reads a file for a programme.
  private static func programme(_ dice: inout SeededGenerator) -> [UInt8] {
    if dice.chance(6) { return ProgrammeQuestion.open(track: dice.below(9), from: dice.below(1 << 30)).encoded }
    let start = dice.below(1 << 20)
    let records: [ProgrammeRecord] = [
      .opened(
        length: dice.chance(2) ? nil : start, sounds: ["de", "es"], subtitles: ["ru"], tracks: ["es"], beside: 1),
      .sound(start: start, (0..<2 * dice.below(64)).map { Float($0) / 64 }),
      .picture(start: start, isKeyframe: dice.chance(2), lost: start, [UInt8](repeating: 7, count: dice.below(64))),
      .cue(start: start, end: start + dice.below(1 << 20), language: "es", text: "hola\nmundo"),
      .state(
        length: start, isOver: dice.chance(2), hasPictures: dice.chance(2),
        subtitleProblem: dice.chance(2) ? nil : "es.vtt: no subtitles"),
      .failed(StreamFault("damaged", "too much of it is unreadable")),
      .breaksOff(StreamFault("damaged", "its sound ends before its time")), .remark("its subtitles are none"),
    ]
    return ProgrammeAnswers.answer(records.filter { _ in dice.chance(2) })
  }

  static func problem(ofProgramme bytes: [UInt8]) -> String? {
    var answers = ProgrammeAnswers()
    for place in stride(from: 0, to: bytes.count, by: 777) {
      answers.feed(Array(bytes[place..<min(bytes.count, place + 777)]))
      while let records = try? answers.next() {
        for record in records {
          switch record {
          case .sound(let start, let samples):
            guard start >= 0, samples.count % 2 == 0, samples.allSatisfy({ abs($0) <= 64 }) else {
              return "sound that is none"
            }
          case .cue(let start, let end, let language, let text):
            guard start <= end, language.shown == language, text.split(separator: "\n").allSatisfy({ $0.shown == $0 })
            else { return "a subtitle that steers a terminal" }
          case .opened(_, let sounds, let subtitles, let tracks, let beside):
            guard (sounds + subtitles + tracks).allSatisfy({ $0.shown == $0 }), beside <= tracks.count else {
              return "languages that are none"
            }
          case .failed(let fault), .breaksOff(let fault):
            guard fault.text.shown == fault.text else { return "a reason that steers a terminal" }
          case .remark(let text), .state(_, _, _, let text?):
            guard text.shown == text else { return "a remark that steers a terminal" }
          case .picture, .state: break
          }
        }
        let again = ProgrammeAnswers.answer(records)
        var other = ProgrammeAnswers()
        other.feed(again)
        guard let same = try? other.next(), ProgrammeAnswers.answer(same) == again else { return "is read as another" }
      }
    }
    return nil
  }
}

enum PCMTalk {
  static func valid(_ dice: inout SeededGenerator) -> [UInt8]? {
    let samples = PCMSamples.allCases[dice.below(PCMSamples.allCases.count)]
    let channels = 1 + dice.below(2)
    let hello =
      "{\"direction\":\"\(dice.chance(4) ? "record" : "play")\",\"sampleRate\":8000,\"channels\":\(channels),"
      + "\"format\":\"\(samples.rawValue)\"}\n"
    var bytes = Array(hello.utf8)
    for _ in 0..<dice.below(5) {
      let size = samples.bytes * channels * dice.below(300)
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
      bytes += (0..<size).map { _ in UInt8(dice.below(256)) }
    }
    return bytes
  }
}

enum Services {
  static func messages(in bytes: [UInt8]) -> [WebSocketMessage] {
    var messages: [WebSocketMessage] = []
    var isBinary = false
    var content: [UInt8] = []
    func keep() {
      guard !content.isEmpty else { return }
      content.removeLast()
      messages.append(isBinary ? .binary(content) : .text(String(decoding: content, as: UTF8.self)))
    }
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      guard line.starts(with: "=== ".utf8) else {
        content += line + [0x0A]
        continue
      }
      keep()
      content = []
      isBinary = line.dropFirst(4).first == UInt8(ascii: "b")
    }
    keep()
    return messages
  }

  static func valid(_ dice: inout SeededGenerator) -> [UInt8]? {
    var bytes = Array("=== t\n{\"type\":\"welcome\",\"version\":1,\"languages\":[\"es\",\"de\"],\"inFlight\":2}\n".utf8)
    for sequence in 0..<dice.below(4) {
      switch dice.below(3) {
      case 0:
        bytes += Array(
          "=== t\n{\"type\":\"refused\",\"sequence\":\(sequence),\"code\":\"busy\",\"message\":\"m\"}\n".utf8)
      case 1:
        let frames = 80 * (1 + dice.below(20))
        bytes += sound(.pcm16, sequence, [UInt8](repeating: 7, count: 2 * frames), ticks: frames * 90_000 / 8000)
      default: bytes += sound(.aac, sequence, Playlists.segment, ticks: 90_000)
      }
    }
    return bytes
  }

  private static func sound(_ codec: ServiceSound.Codec, _ sequence: Int, _ payload: [UInt8], ticks: Int) -> [UInt8] {
    Array("=== b\n".utf8)
      + ServiceSound(
        codec: codec, channels: 1, sequence: sequence, sampleRate: codec == .aac ? 48_000 : 8000,
        pts: Int64(sequence) * 90_000, duration: ticks, language: "es", payload: payload
      ).bytes + [0x0A]
  }
}
