internal import JSON

/// What a method can ask of the console that it was called from.
protocol ConsoleFace: AnyObject {
  /// Sends events of these topics from now on; returns the number that the next one will have.
  func subscribe(to topics: Set<EventTopic>) -> Int
  func unsubscribe()
  /// Sends lines of the log from now on that matter at least so much; `nil`: no longer.
  func follow(_ level: LogSeverity?)
  /// Goes back to the prompt.
  func becomeHuman()
  /// Lines after which a listing stops until a key is pressed; `nil`: never.
  func stop(after lines: Int?)
  /// Empties the terminal.
  func clear()
  /// Repeats a command until a key is pressed.
  func watch(_ line: String, every interval: Duration)
  /// Shows lines while a word is under way.
  func say(_ lines: [String])
  /// Asks for something that is not shown while it is typed.
  func askSecret(_ question: String, then: @escaping (String) -> Void)
  /// Which console it is, for the audit log.
  var name: String { get }
  /// Who has logged in here.
  var signedIn: SignedIn? { get }
  func signIn(_ who: SignedIn)
  /// Ends all that was begun for whoever had logged in.
  func signOut()
  /// Asks a question: yes, no, or neither.
  func ask(_ question: String, then: @escaping (Bool?) -> Void)
  /// Sends files by ZMODEM; the console's bytes are the transfer's until it ends.
  func transfer(_ files: [TransferFile], finish: @escaping (ZmodemSender.Outcome) -> Void)
  /// Takes files by ZMODEM, in the same way.
  func receive(into sink: @escaping TransferSink, finish: @escaping (ZmodemReceiver.Outcome) -> Void)
  /// Closes the connection; `nil` where it cannot be closed.
  var hangUp: (() -> Void)? { get }
}

/// Where a call comes from.
struct CallPlace {
  /// `nil`: a script.
  let console: (any ConsoleFace)?
  let catalogue: CommandCatalogue
  /// Who may call what; `nil`: everybody may do everything.
  let guardian: (any CallGuard)?

  /// The console, for what makes sense there only.
  func face(_ method: String) throws(CommandFailure) -> any ConsoleFace {
    guard let console else { throw CommandFailure(.unsupported, "\(method) belongs to a console") }
    return console
  }
}

/// A method that concerns a console itself and not the device behind it.
protocol ConsoleMethod: MethodDeclaration {
  static func answer(_ parameters: Parameters, at place: CallPlace) throws(CommandFailure) -> Answer
  /// What is done once the answer has gone.
  static func conclude(at place: CallPlace)
}

extension ConsoleMethod {
  static func conclude(at place: CallPlace) {}

  static func perform(_ parameters: Parameters, at place: CallPlace, reply: @escaping Reply) {
    if let refusal = place.refusal(of: row) { return reply(.failure(refusal)) }
    do throws(CommandFailure) {
      reply(.success(try answer(parameters, at: place)))
      conclude(at: place)
    } catch {
      reply(.failure(error))
    }
  }
}

/// The methods and words that every console has.
enum ConsoleMethods {
  static func entries<Context>() -> [MethodEntry<Context>] {
    [
      MethodEntry(login: AuthLogin.self), MethodEntry(ofConsole: AuthLogout.self),
      MethodEntry(ofConsole: AuthStatus.self),
      MethodEntry(ofConsole: EventsSubscribe.self), MethodEntry(ofConsole: EventsUnsubscribe.self),
      MethodEntry(ofConsole: LogFollow.self), MethodEntry(ofConsole: SessionPage.self),
      MethodEntry(ofConsole: SessionHuman.self), MethodEntry(ofConsole: SessionEnd.self),
      MethodEntry(ofConsole: SessionHelp.self), MethodEntry(ofConsole: RPCMethods.self),
    ]
  }

  static func words<Context>() -> [Word<Context>] {
    AuthWords.all() + [
      Word(
        "events", "shows events as they happen; \"events off\" shows no more",
        methods: [EventsSubscribe.self, EventsUnsubscribe.self]
      ) { (arguments: EventsArguments, call: WordCall<Context>) in
        guard arguments.topics.contains(.off) else {
          let topics = arguments.topics.compactMap(\.topic)
          return EventsSubscribe.perform(EventsSubscribe.Parameters(topics: topics), at: call.place) {
            call.end(with: $0) { _, _ in [] }
          }
        }
        EventsUnsubscribe.perform(NoParameters(), at: call.place) { call.end(with: $0) { _, _ in [] } }
      },
      Word("help", aliases: ["?"], "lists the commands, or explains one", calls: SessionHelp.self) { help, _ in
        help.lines
      },
      Word(
        "methods", aliases: ["rpc.methods"], "lists what programs can call: names, parameters, what each does",
        calls: RPCMethods.self, lines: MethodSummary.text),
      Word(
        "page", "has long listings stop every so many lines; page 0: never", methods: [SessionPage.self]
      ) { (page: SessionPage.Parameters, call: WordCall<Context>) in
        SessionPage.perform(page, at: call.place) { call.end(with: $0) { _, _ in [] } }
      },
      Word("clear", "empties the terminal", methods: []) { (_: NoParameters, call: WordCall<Context>) in
        call.place.console?.clear()
        call.show([])
      },
      Word(
        "watch", "repeats a command that only looks, until a key is pressed",
        discussion: "Every two seconds, or every so many: watch 10 status.", methods: []
      ) { (wanted: WatchedCommand, call: WordCall<Context>) in
        do throws(CommandFailure) { try call.watch(wanted) } catch { call.fail(error) }
      },
      Word("exit", aliases: ["quit"], "closes this console", typedInFull: true, calls: SessionEnd.self) {
        (_: Done, _) in []
      },
    ]
  }

  /// A topic, or `off`.
  private struct TopicWord: RawRepresentable, CaseIterable, Hashable {
    static let off = TopicWord(topic: nil)
    static let allCases = EventTopic.allCases.map { TopicWord(topic: $0) } + [off]
    let topic: EventTopic?

    init(topic: EventTopic?) { self.topic = topic }
    init?(rawValue: String) {
      let topic = EventTopic(rawValue: rawValue)
      guard topic != nil || rawValue == "off" else { return nil }
      self.init(topic: topic)
    }
    var rawValue: String { topic?.rawValue ?? "off" }
  }

  private struct EventsArguments: ParameterSet {
    let topics: [TopicWord]

    init(_ given: inout Given) throws(CommandFailure) {
      topics = try given.optional("topics", .list(), "which; all of them without it") ?? []
    }
  }
}

enum EventsSubscribe: ConsoleMethod {
  static let row = MethodRow(
    "events.subscribe", "sends events to this console from now on", .viewer,
    discussion: "Each console counts its own events, without a hole. Events that it is too slow to take are "
      + "dropped, oldest first, and counted in \"lost\" of the next one.")

  struct Parameters: ParameterSet {
    let topics: [EventTopic]

    init(topics: [EventTopic]) { self.topics = topics }
    init(_ given: inout Given) throws(CommandFailure) {
      topics = try given.optional("topics", .list(), "which; all of them without it, or if it is empty") ?? []
    }
  }

  struct Answer: WireObject {
    let topics: [String]
    let seq: Int
    static let fields: [Field<Self>] = [
      Field("topics", \.topics, "those that will be sent"),
      Field("seq", \.seq, "the number that the next event will have"),
    ]
  }

  static func answer(_ parameters: Parameters, at place: CallPlace) throws(CommandFailure) -> Answer {
    let topics = Set(parameters.topics.isEmpty ? EventTopic.allCases : parameters.topics)
    let seq = try place.face(row.method).subscribe(to: topics)
    return Answer(topics: topics.map(\.rawValue).sorted(), seq: seq)
  }
}

enum EventsUnsubscribe: ConsoleMethod {
  static let row = MethodRow("events.unsubscribe", "sends no more events to this console", .viewer)

  static func answer(_ parameters: NoParameters, at place: CallPlace) throws(CommandFailure) -> Done {
    try place.face(row.method).unsubscribe()
    return Done()
  }
}

enum SessionPage: ConsoleMethod {
  static let row = MethodRow(
    "session.page", "has long listings stop every so many lines, for people", .viewer, isForAnybody: true,
    discussion: "A serial line begins with 24, mynah console on a terminal with the terminal's own; others never stop. "
      + "At a stop SPACE goes on, ENTER by a line, q or ^C ends it, and any other key begins the next command. Nothing "
      + "stops if more has been typed meanwhile.")

  struct Parameters: ParameterSet {
    let lines: Int

    init(_ given: inout Given) throws(CommandFailure) {
      lines = try given.value("lines", .integer(0...1000), "of the terminal; 0: no stops")
    }
  }

  static func answer(_ wanted: Parameters, at place: CallPlace) throws(CommandFailure) -> Done {
    try place.face(row.method).stop(after: wanted.lines > 0 ? wanted.lines : nil)
    return Done()
  }
}

enum SessionHuman: ConsoleMethod {
  static let row = MethodRow("session.human", "goes back to the prompt", .viewer, isForAnybody: true)

  static func answer(_ parameters: NoParameters, at place: CallPlace) throws(CommandFailure) -> Done {
    _ = try place.face(row.method)
    return Done()
  }

  static func conclude(at place: CallPlace) { place.console?.becomeHuman() }
}

enum SessionEnd: ConsoleMethod {
  static let row = MethodRow("session.end", "closes this console, where it can be closed", .viewer, isForAnybody: true)

  static func answer(_ parameters: NoParameters, at place: CallPlace) throws(CommandFailure) -> Done {
    guard try place.face(row.method).hangUp != nil else {
      throw CommandFailure(.unsupported, "this console is a serial line, it stays open")
    }
    return Done()
  }

  static func conclude(at place: CallPlace) { place.console?.hangUp?() }
}

enum SessionHelp: ConsoleMethod {
  static let row = MethodRow("session.help", "explains the commands", .viewer, isForAnybody: true)

  struct Parameters: ParameterSet {
    let command: String?

    init(_ given: inout Given) throws(CommandFailure) {
      command = try given.optional("command", .command, "one command; a list of all without it")
    }
  }

  struct Answer: WireObject {
    let lines: [String]
    static let fields: [Field<Self>] = [Field("lines", \.lines, "the text, of at most 80 columns")]
  }

  static func answer(_ parameters: Parameters, at place: CallPlace) throws(CommandFailure) -> Answer {
    guard let name = parameters.command else { return Answer(lines: place.catalogue.overview(width: 80, for: place)) }
    guard let text = place.catalogue.explanation(of: name, width: 80) else { throw place.catalogue.refusal(name) }
    return Answer(lines: text)
  }
}

enum RPCMethods: ConsoleMethod {
  static let row = MethodRow(
    "rpc.methods", "lists the methods, what they take and what they give", .viewer, isForAnybody: true,
    discussion: "The whole of it, as an OpenRPC document: mynah console --schema.")

  typealias Answer = [MethodSummary]

  static func answer(_ parameters: NoParameters, at place: CallPlace) throws(CommandFailure) -> Answer {
    place.catalogue.methods.map { MethodSummary(method: $0) }
  }
}

/// A method as `rpc.methods` lists it.
struct MethodSummary: WireObject {
  let method: MethodDescription

  /// As people read it: a line or two a method.
  @Sendable static func text(_ methods: [MethodSummary], width: Int) -> [String] {
    methods.flatMap { summary in
      let method = summary.method
      let taken =
        method.parameters.map { $0.isOptional ? "[\($0.name)]" : $0.name }
        + (method.names == nil ? [] : ["name=value..."])
      return PeopleText.wrap(([method.method] + taken).joined(separator: " "), width: width, rest: "      ")
        + PeopleText.wrap(
          "\(method.row.summary) (\(method.row.role.rawValue))", width: width, first: "    ", rest: "    ")
    }
  }

  static let fields: [Field<Self>] = [
    Field("method", \.method.method, "its name"), Field("summary", \.method.row.summary, "what it does"),
    Field("parameters", { $0.method.parameters.map { ParameterSummary(parameter: $0) } }, "what it takes, in order"),
    Field("open", { $0.method.names != nil }, "whether names and values are taken as they are"),
    Field("result", \.method.answer.outline, "the fields of its answer"),
    Field("role", \.method.row.role.rawValue, "the least that may call it: viewer, operator, technician"),
    Field("beforeLogin", \.method.row.isForAnybody, "whether it is answered before anybody has logged in, too"),
    Field("whileRecording", \.method.row.whileRecording.rawValue, "allowed, queued or refused"),
  ]
}

/// A parameter as `rpc.methods` lists it.
struct ParameterSummary: WireObject {
  let parameter: Parameter

  static let fields: [Field<Self>] = [
    Field("name", \.parameter.name, "its name"), Field("optional", \.parameter.isOptional, "may be left out"),
    Field("takes", \.parameter.expectation, "what values"), Field("summary", \.parameter.summary, "what it is for"),
    Field("default", ifAny: \.parameter.fallback, "what stands for it when it is left out"),
  ]
}
