public import Hardware
internal import JSON

/// One console: the people's face at first, the machine's from the first line that begins with `{` until
/// `session.human`. Bytes in, bytes out; it opens nothing and blocks nowhere. Control loop only.
///
/// At the switch the prompt's line is ended with a line feed, so that every answer stands on a line of its own.
/// ^C within that first line takes the switch back.
public final class ConsoleSession {
  /// What a console may call on and what it is told.
  public struct Environment {
    /// Which console it is, for the audit log.
    public var name = "console"
    /// After so long without anything from the peer whoever has logged in is logged out; `nil`: never.
    public var timeout: () -> Duration? = { nil }
    /// Told of that.
    public var onTimeout: (SignedIn) -> Void = { _ in }
    /// Sends bytes to the peer; never blocks.
    public var send: ([UInt8]) -> Void
    /// Drops what was sent and the peer has not taken.
    public var discardUnsent: () -> Void = {}
    /// Bytes that the peer can take now; `nil` if there is no telling. Events wait, in bounded number, for room.
    public var room: (() -> Int)?
    /// Told of bytes of the peer's that have been dealt with; those behind requests that wait for their turn are not yet.
    public var handled: (Int) -> Void = { _ in }
    /// Told that something is to be answered yet, and that nothing is any more.
    public var owes: (Bool) -> Void = { _ in }
    /// A time as the device's people read it.
    public var dated: (WallTime) -> String = \.iso8601
    /// Lines of the terminal, after which a listing stops for a key; `nil` where nobody may be looking.
    public var height: Int?
    /// Answers completions at once, from memory.
    public var knowledge: (CompletionSubject) -> [String]
    /// Closes the connection; `nil` where it cannot be closed: a serial line.
    public var hangUp: (() -> Void)?

    public init(
      send: @escaping ([UInt8]) -> Void, room: (() -> Int)? = nil, height: Int? = nil,
      knowledge: @escaping (CompletionSubject) -> [String] = { _ in [] }, hangUp: (() -> Void)? = nil
    ) {
      self.send = send
      self.room = room
      self.height = height
      self.knowledge = knowledge
      self.hangUp = hangUp
    }
  }

  /// Typed-ahead bytes that are kept while a command has not been answered.
  private static let typeAheadLimit = 4096

  private let dispatcher: CommandDispatcher
  private var environment: Environment
  private let width: Int
  private var people: PeopleSession?
  private var machine: MachineSession?
  private var subscription: Subscription?
  /// Lines of the log are sent that matter at least so much.
  private var followed: LogSeverity?
  /// Lines that there was no room for, since the last one that was sent.
  private var lostLines = 0
  /// Who has logged in, and when something came last from this console; `nil`: since the last step.
  public private(set) var signedIn: SignedIn?
  private var lastInput: Instant?
  /// What the peer can take while nothing waits for it.
  private let wholeRoom: Int
  /// Files that are on their way; all bytes are theirs.
  private var transfer: (any LineTransfer)?
  private var input: [UInt8] = []
  /// Bytes of `input` that have been dealt with.
  private var taken = 0
  private var isDraining = false
  /// What `owes` was told last.
  private var isOwing = false
  /// Bytes received that nobody was told of as dealt with.
  private var unhandled = 0
  /// The line that switched to the machine's face has not ended.
  private var isTentative = false

  /// Whether programs are being served: no echo, no prompt.
  public private(set) var isMachine = false

  /// - Parameters:
  ///   - dispatcher: has done what is asked.
  ///   - width: columns of the terminal; a serial line has no way to tell, 80 is usual.
  public init(dispatcher: CommandDispatcher, width: Int = 80, environment: Environment) {
    self.dispatcher = dispatcher
    self.environment = environment
    wholeRoom = environment.room?() ?? 0
    self.width = max(20, width)
    let people = PeopleSession(
      catalogue: dispatcher.catalogue, width: self.width, height: environment.height,
      knowledge: { [weak self] subject in
        // Names of takes are nobody's before there is somebody.
        self.map { $0.isStranger ? [] : $0.environment.knowledge(subject) } ?? []
      },
      isOffered: { [weak self] word in self.map { $0.dispatcher.place(of: $0).allows(word) } ?? false },
      send: environment.send,
      isTaken: { [weak self] in self.map { ($0.environment.room?() ?? .max) >= $0.wholeRoom } ?? true },
      run: { [weak self] name, arguments, isWanted, finish in
        guard let self else { return }
        let width = self.people?.width ?? self.width
        self.dispatcher.run(name, arguments, at: self, width: width, isWanted: isWanted, finish: finish)
      },
      hangUp: { [weak self] in self?.endOfInput() })
    people.onIdle = { [weak self] in self?.drain() }
    people.hasTypedAhead = { [weak self] in
      // The line feed of a CR LF is no command.
      self.map { $0.input[$0.taken...].contains { $0 != 0x0A } } ?? false
    }
    people.onInterrupt = { [weak self] in self?.followed = nil }
    self.people = people
    machine = MachineSession(
      catalogue: dispatcher.catalogue,
      hasRoom: { [weak self] in self.map { ($0.environment.room?() ?? .max) > 0 } ?? true },
      emit: { [weak self] line in
        self?.emit(line)
        self?.tellOwing()
      },
      run: { [weak self] request, reply in self?.dispatcher.dispatch(request, at: self, reply: reply) })
    machine?.onProgress = { [weak self] in self?.drain() }
  }

  /// Greets: shows the prompt.
  ///
  /// - Parameter greeting: a line above it, such as name and version.
  public func start(greeting: String? = nil) {
    if let greeting { environment.send(Array("\(greeting.shown)\r\n".utf8)) }
    people?.showPrompt()
  }

  /// The peer has gone: whatever was under way with it is dropped. Who waits for a key or for files to be taken holds the
  /// console, and would for ever. Requests of a program that wait for their turn are still done, step by step, while there
  /// are some; nobody hears their answers.
  public func close() {
    (people, transfer, subscription, followed) = (nil, nil, nil, nil)
    environment.send = { _ in }
    environment.room = nil
    if !hasRequests { machine = nil }
  }

  /// Whether requests of a program wait for their turn.
  public var hasRequests: Bool { machine?.isWaiting == true }

  /// Takes what the peer has sent, in any portions.
  public func receive(_ bytes: [UInt8]) {
    lastInput = nil
    if let transfer {
      transfer.receive(bytes)
      return environment.handled(bytes.count)
    }
    unhandled += bytes.count
    input += bytes
    machine?.takeTurn()
    drain()
  }

  /// Goes on with requests that wait for their turn, and with what has come behind them.
  ///
  /// - Returns: whether there is more to begin.
  private func stepRequests() -> Bool {
    guard let machine, machine.isWaiting, transfer == nil else { return false }
    machine.takeTurn()
    drain()
    return machine.canGoOn
  }

  /// Does what has its time.
  ///
  /// - Returns: when to be called again; nil while nothing waits.
  public func step(now: Instant) -> Instant? {
    defer { tellOwing() }
    let due = stepRequests() ? now : nil
    return [due, stepTimeout(now), transfer?.step(now: now), isMachine ? nil : people?.step(now: now)]
      .compactMap { $0 }.min()
  }

  /// Logs out whoever has left.
  private func stepTimeout(_ now: Instant) -> Instant? {
    guard let who = signedIn, transfer == nil, let timeout = environment.timeout() else { return nil }
    let since = lastInput ?? now
    lastInput = since
    guard now >= since + timeout else { return since + timeout }
    signOut()
    environment.onTimeout(who)
    announce("logged out: nothing was typed for \(timeout.components.seconds / 60) min")
    return nil
  }

  /// Operators are set up, and none of them is here.
  private var isStranger: Bool { signedIn == nil && dispatcher.place(of: self).guardian?.isOn == true }

  /// Tells of an event; it is passed on if this console has subscribed to its topic.
  public func deliver(_ event: EventRecord) {
    guard subscription != nil else { return }
    subscription?.offer(event)
    pump()
  }

  /// Tells of a line of the log; it is passed on if this console follows it.
  public func deliver(_ line: LogLine) {
    guard let followed, line.severity >= followed, transfer == nil else { return }
    let text = isMachine ? line.notification(lost: lostLines) : line.line(dated: environment.dated)
    if let room = environment.room?(), room < text.utf8.count + (isMachine ? 1 : 3 * width) {
      lostLines += 1
      return
    }
    if isMachine {
      environment.send(Array(text.utf8) + [0x0A])
    } else {
      if lostLines > 0 { people?.printAbove("(\(lostLines) lines of the log are left out: this console is too slow)") }
      people?.printAbove(text)
    }
    lostLines = 0
  }

  /// Prints a line above the prompt; programs do not get it.
  public func announce(_ text: String) {
    if !isMachine, transfer == nil { people?.printAbove(text) }
  }

  /// Sends what waited for room; to be called when the peer has taken some bytes.
  public func pump() {
    if !isMachine, transfer == nil { people?.goOn() }
    _ = stepRequests()
    while transfer == nil, let event = subscription?.next {
      let line = isMachine ? event.notification : event.textForPeople
      // The prompt and the typed line are printed again after a person's event.
      if let room = environment.room?(), room < line.utf8.count + (isMachine ? 1 : 2 * width) { return }
      _ = subscription?.take()
      if isMachine { environment.send(Array(line.utf8) + [0x0A]) } else { people?.printAbove(line) }
    }
  }

  private func drain() {
    guard !isDraining else { return }
    isDraining = true
    defer {
      isDraining = false
      tellOwing()
    }
    while taken < input.count, machine?.isBehind != true {
      if !isMachine, let people, people.isBusy, !people.isListening {
        // Bytes wait for the answer; ^C gives up waiting, and what was typed ahead of it.
        guard let interrupt = input[taken...].lastIndex(of: 0x03) else { break }
        taken = interrupt + 1
        people.abandon()
      } else {
        taken += 1
        take(input[taken - 1])
      }
    }
    input.removeFirst(min(taken, input.count))
    taken = 0
    guard machine?.isBehind != true else { return }
    environment.handled(unhandled)
    unhandled = 0
    if input.count > Self.typeAheadLimit { input.removeLast(input.count - Self.typeAheadLimit) }
  }

  /// Who waits for a key, or for files to be taken, owes nothing: there may be nobody.
  private func tellOwing() {
    let isAnswering = transfer == nil && people.map { $0.isBusy && !$0.isListening } ?? false
    let owing = isAnswering || machine?.isOwing ?? false
    guard owing != isOwing else { return }
    isOwing = owing
    environment.owes(owing)
  }

  private func take(_ byte: UInt8) {
    if !isMachine {
      guard byte == UInt8(ascii: "{"), people?.isAtStartOfLine == true else {
        people?.receive(byte)
        return
      }
      people?.leave()
      isMachine = true
      isTentative = true
    } else if isTentative {
      let isErased = (byte == 0x08 || byte == 0x7F) && machine?.typed == 1
      if byte == 0x03 || isErased { return showPrompt() }
      if byte == 0x0A || byte == 0x0D { isTentative = false }
    }
    machine?.receive(byte)
  }

  private func showPrompt() {
    machine?.clear()
    isMachine = false
    isTentative = false
    people?.showPrompt()
  }

  private func endOfInput() {
    guard let hangUp = environment.hangUp else { return environment.send([0x07]) }
    hangUp()
  }

  private func emit(_ line: [UInt8]) {
    if isMachine {
      environment.send(line + [0x0A])
    } else {
      people?.printAbove(String(decoding: line, as: UTF8.self))
    }
  }
}

extension ConsoleSession: ConsoleFace {
  var hangUp: (() -> Void)? { environment.hangUp }
  var name: String { environment.name }

  func signIn(_ who: SignedIn) {
    // What the one before has typed and asked for is not the next one's.
    if signedIn != who { forget() }
    signedIn = who
    lastInput = nil
  }

  public func signOut() {
    signedIn = nil
    forget()
  }

  private func forget() {
    subscription = nil
    followed = nil
    people?.forget()
  }

  func askSecret(_ question: String, then: @escaping (String) -> Void) { people?.askSecret(question, then: then) }

  func becomeHuman() { if isMachine { showPrompt() } }

  func subscribe(to topics: Set<EventTopic>) -> Int {
    let fresh = subscription?.retuned(to: topics) ?? Subscription(topics: topics)
    subscription = fresh
    return fresh.nextSeq
  }

  func unsubscribe() { subscription = nil }

  func stop(after lines: Int?) { people?.stop(after: lines) }

  func clear() { people?.clear() }

  func watch(_ line: String, every interval: Duration) { people?.repeatCommand(line, every: interval) }

  func follow(_ level: LogSeverity?) { followed = level }

  func say(_ lines: [String]) { people?.say(lines) }

  func ask(_ question: String, then: @escaping (Bool?) -> Void) { people?.ask(question, then: then) }

  func transfer(_ files: [TransferFile], finish: @escaping (ZmodemSender.Outcome) -> Void) {
    let transfer = FileTransfer(files, send: environment.send, discardUnsent: environment.discardUnsent) {
      [weak self] in self?.end($0, finish)
    }
    self.transfer = transfer
    transfer.begin()
  }

  func receive(into sink: @escaping TransferSink, finish: @escaping (ZmodemReceiver.Outcome) -> Void) {
    let reception = FileReception(sink, send: environment.send) { [weak self] in self?.end($0, finish) }
    transfer = reception
    reception.begin()
    if let early = takeSent() { reception.receive(early) }
  }

  /// What a sender has sent by itself already: `**` at the beginning of a line and what follows, and the `rz` before it.
  /// It is no command.
  private func takeSent() -> [UInt8]? {
    let waiting = input[taken...]
    let start = waiting.indices.first { index in
      waiting[index] == ZmodemWire.pad && (index == taken || waiting[index - 1] == 0x0A || waiting[index - 1] == 0x0D)
    }
    guard let start else { return nil }
    let early = Array(input[start...])
    input.removeSubrange(start...)
    let call = Array("rz\r".utf8)
    if input[taken...].suffix(call.count).elementsEqual(call) { input.removeLast(call.count) }
    return early
  }

  private func end<Outcome>(_ outcome: Outcome, _ finish: (Outcome) -> Void) {
    transfer = nil
    finish(outcome)
    pump()
  }
}
