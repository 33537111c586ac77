internal import Console
internal import Hardware
internal import Recording
internal import Sound

/// Who hears the microphone or plays on the speaker over the sound's socket. Media lane only.
final class PCMClients {
  private final class Member {
    let connection: any ConsoleConnection
    var inbox = PCMInbox()
    var hello: PCMHello?
    var listener: PCMListener?
    var writer: PCMWriter?
    var unhandled = 0
    var isGone = false

    init(_ connection: any ConsoleConnection) { self.connection = connection }
  }

  /// More are turned away.
  private static let most = 4

  private let speaker: SpokenSpeaker?
  private let request: SoundRequest
  private let say: (String) -> Void
  private var members: [Member] = []
  private var talkBack: TalkBack?

  /// - Parameters:
  ///   - request: what the board file says of its speaker.
  ///   - say: gets a sentence for the log.
  init(speaker: SpokenSpeaker?, request: SoundRequest, say: @escaping (String) -> Void) {
    self.speaker = speaker
    self.request = request
    self.say = say
  }

  /// Whether nobody wants anything.
  var isEmpty: Bool { members.isEmpty && talkBack == nil }

  /// Switches on and off that the microphone is heard on the speaker.
  ///
  /// - Parameter input: asked for shorter periods meanwhile.
  func talk(_ isOn: Bool, _ input: CaptureInput) {
    input.isPrompt = isOn && speaker != nil
    guard isOn != (talkBack != nil) else { return }
    talkBack?.close()
    talkBack = isOn ? speaker.map { TalkBack(speaker: $0.makeGuest(), request: request) } : nil
  }

  func take(_ event: ConsolePortEvent) {
    switch event {
    case .opened(let connection):
      if members.count < Self.most {
        members.append(Member(connection))
      } else {
        refuse(connection, PCMRefusal(code: "busy", reason: "\(Self.most) clients are there already"))
      }
    case .received(let connection, let bytes):
      guard let member = members.first(where: { $0.connection === connection }) else { return }
      member.inbox.add(bytes)
      member.unhandled += bytes.count
    case .closed(let connection):
      // What a player has sent is still heard.
      guard let member = members.first(where: { $0.connection === connection }) else { return }
      member.isGone = true
      member.writer?.end()
    case .drained, .trouble: break
    }
  }

  /// - Returns: when to come again, besides when the microphone has delivered.
  func step(now: Instant, _ input: CaptureInput) -> Instant? {
    guard !isEmpty else { return nil }
    var next = talkBack?.step(now: now, input)
    for member in members {
      read(member)
      if !member.isGone { member.listener?.step(input, to: member.connection) }
      guard let writer = member.writer else { continue }
      let again = writer.step(now: now, member.connection)
      next = min(next ?? again, again)
      if writer.isDone || member.isGone && !writer.isOpen {
        writer.tell(now: now, member.connection)
        leave(member)
      }
    }
    for member in members where member.isGone && member.writer == nil { leave(member) }
    members.removeAll { $0.isGone && $0.writer == nil }
    return next
  }

  private func leave(_ member: Member) {
    if let hello = member.hello { say("sound client has left: \(PCMClientRow(hello, self.lost(member)).text)") }
    member.hello = nil
    member.writer?.close()
    member.writer = nil
    member.isGone = true
    member.connection.close()
  }

  private func read(_ member: Member) {
    while member.writer?.hasRoom ?? true, let item = member.inbox.next() {
      switch item {
      case .hello(let hello): begin(member, hello)
      case .samples(let bytes): member.writer?.add(bytes)
      case .end: member.writer?.end()
      case .refused(let refusal):
        refuse(member.connection, refusal)
        leave(member)
      }
    }
    // A client is held back by what is not dealt with.
    let done = member.unhandled - member.inbox.count
    guard done > 0 else { return }
    member.unhandled -= done
    member.connection.handled(done)
  }

  private func begin(_ member: Member, _ hello: PCMHello) {
    if hello.isPlayer, speaker == nil {
      refuse(member.connection, PCMRefusal(code: "unsupported", reason: "the board has no speaker"))
      return leave(member)
    }
    member.hello = hello
    member.connection.send(hello.answer)
    if hello.isPlayer {
      member.writer = PCMWriter(hello, speaker: speaker?.makeGuest(), request: request)
    } else {
      member.listener = PCMListener(hello)
    }
    say("sound client: \(PCMClientRow(hello, 0).text)")
  }

  private func refuse(_ connection: any ConsoleConnection, _ refusal: PCMRefusal) {
    connection.send(refusal.answer)
    connection.close()
  }

  private func lost(_ member: Member) -> Int { member.listener?.lost ?? member.writer?.lost ?? 0 }

  /// Who is there.
  var rows: [PCMClientRow] { members.compactMap { member in member.hello.map { PCMClientRow($0, lost(member)) } } }

  /// Ends all of them, at once.
  func close() {
    for member in members { member.writer?.close() }
    members = []
    talkBack?.close()
    talkBack = nil
  }
}

/// A client, as it is told.
struct PCMClientRow: Hashable, Sendable {
  let direction: String
  let format: PCMFormat
  let samples: String
  let lost: Int

  init(_ hello: PCMHello, _ lost: Int) {
    direction = hello.isPlayer ? "play" : "record"
    format = hello.format
    samples = hello.samples.rawValue
    self.lost = lost
  }

  var text: String { "\(direction) \(format.sampleRate) Hz, \(format.channels) x \(samples), \(lost) frames lost" }
}

extension PCMClientRow: WireObject {
  static let fields: [Field<Self>] = [
    Field("direction", \.direction, "record or play"), Field("sampleRate", \.format.sampleRate, "Hz"),
    Field("channels", \.format.channels, "how many"), Field("format", \.samples, "of its samples"),
    Field("lost", \.lost, "frames that it did not take in time, or did not deliver in time"),
  ]
}
