internal import Board
internal import Console
internal import Hardware
internal import JSON
internal import Library
internal import Operators
internal import Threads

/// Who may work with the device: checks passwords, keeps operators, and has it written down who did what. Control lane only.
final class OperatorDesk: CallGuard {
  private(set) var book: OperatorBook
  /// Why `operators.json` cannot be read; then nobody can log in.
  let damage: String?
  /// Who is being acted for at this moment; nil: nobody, or somebody at the keys.
  private(set) var actor: String?
  /// Told of operators who are no more what they were: their sessions end.
  var onChange: ((_ name: String) -> Void)?

  private let file: OperatorFile
  private let storage: StorageWorker
  private let events: EventStream
  private let clock: any DeviceClock
  private let inbox: Mailbox<ControlInput>
  private let audit: AuditWriter
  private let lane: PasswordLane
  /// The board file's technician is being set up.
  private var awaitsFirst = false
  /// Until when the next guess for a name has to wait; those that there are not wait together.
  private var waits: [String: Instant] = [:]
  /// What was not allowed, since it was written down last.
  private var denials: [String: (count: Int, until: Instant)] = [:]

  /// How long further denials of somebody at a console are only counted.
  private static let denialPause = Duration.seconds(60)

  init(_ ground: Ground, found: OperatorFile.Found, storage: StorageWorker, audit: AuditWriter) {
    file = OperatorFile(ground.hardware.storage)
    switch found {
    case .book(let book, _): (self.book, damage) = (book, nil)
    case .damaged(let reason): (book, damage) = (OperatorBook(), reason)
    }
    self.storage = storage
    self.audit = audit
    events = ground.events
    clock = ground.clock
    inbox = ground.inbox
    lane = PasswordLane(ground.inbox, isRealTime: ground.options.isRealTime)
    let wall = clock.wallNow.seconds
    for entry in book.entries { wait(entry.name, entry.failures.remaining(at: wall)) }
    wait("", book.strangers.remaining(at: wall))
    if let damage {
      log(.error, "\(damage): nobody can log in until \(OperatorFile.path) and its backup are taken away")
    }
    if case .book(_, let remark?) = found { log(.warning, remark) }
  }

  var isOn: Bool { damage != nil || !book.isEmpty || awaitsFirst }

  /// Sets up the technician that the board file names, where there is nobody yet. Until that is done nobody may do more
  /// than look who is there: the console must not be open to others for the second that it takes.
  func setUp(_ first: FirstOperator?) {
    guard let first, damage == nil, book.isEmpty, BoardPresets.complaint(about: first) == nil else { return }
    awaitsFirst = true
    change(
      password: first.password,
      reply: { [self] result in
        awaitsFirst = false
        switch result {
        case .success: log(.info, "\(first.name) of the board file is technician here")
        case .failure(let failure): log(.error, "\(first.name) of the board file is not set up: \(failure.message)")
        }
      }, { (book, hash) throws(OperatorBook.Refusal) in try book.add(first.name, .technician, hash: hash) })
  }

  // MARK: Logging in

  func logIn(
    _ name: String, _ password: String, from console: String,
    reply: @escaping (Result<SignedIn, CommandFailure>) -> Void
  ) {
    if let damage { return reply(.failure(CommandFailure(.denied, Self.advice(damage)))) }
    let isQueued = lane.enter { [self] done in
      // Asked when its turn comes: the guesses before it count.
      if let refusal = refusal(for: name) {
        if let more = countedBefore("locked-out \(key(name))") {
          write(
            "auth.login", book.entry(name)?.name, console, "locked-out", more > 0 ? ["before": .integer(more)] : [:],
            isPressing: true)
        }
        reply(.failure(refusal))
        return done()
      }
      guess(name, password, console) { result in
        reply(result)
        done()
      }
    }
    if !isQueued { reply(.failure(CommandFailure(.busy, "others are logging in; try again in a second"))) }
  }

  private func guess(
    _ name: String, _ password: String, _ console: String,
    reply: @escaping (Result<SignedIn, CommandFailure>) -> Void
  ) {
    // It counts before it is looked at, and on the card: whoever cuts the power then has made it all the same.
    book.charge(name, at: clock.wallNow.seconds)
    wait(name, BackOff.seconds(after: book.failures(of: name).count))
    let entry = book.entry(name)
    let kept = entry?.hash ?? PasswordHash.ofNobody
    keep { [self] _ in
      lane.work({ PasswordHash.matches(password, kept) }) { [self] isRight in
        guard let isRight else { return reply(.failure(.noThread)) }
        guard isRight, let entry, book.entry(name)?.hash == kept else {
          note("auth.login", name, console, "wrong")
          log(.warning, "a wrong password at \(console)")
          let next = refusal(for: name).map { "; \($0.message)" } ?? ""
          return reply(.failure(CommandFailure(.denied, "name or password is wrong\(next)")))
        }
        book.clear(name)
        waits[key(name)] = nil
        note("auth.login", entry.name, console, "done")
        log(.info, "\(entry.name) has logged in at \(console)")
        keep { _ in reply(.success(SignedIn(name: entry.name, role: entry.role))) }
      }
    }
  }

  /// Why a guess has to wait, and until when.
  private func refusal(for name: String) -> CommandFailure? {
    guard let until = waits[key(name)], until > clock.now else { return nil }
    let seconds = Int((until - clock.now).inSeconds.rounded(.up))
    let end = WallTime(seconds: clock.wallNow.seconds + seconds)
    return CommandFailure(
      .denied, "too many wrong passwords: the next one is looked at in \(seconds) s, at \(end.iso8601)")
  }

  private func wait(_ name: String, _ seconds: Int) {
    waits[key(name)] = seconds > 0 ? clock.now + .seconds(seconds) : nil
  }

  private func key(_ name: String) -> String { book.entry(name)?.name.lowercased() ?? "" }

  func noteLogOut(_ who: SignedIn, from console: String, isIdle: Bool) {
    note("auth.logout", who.name, console, isIdle ? "timed-out" : "done")
  }

  // MARK: Operators

  /// Changes who there is, and answers when that is on the storage.
  func change(
    password: String?, reply: @escaping (Result<Void, CommandFailure>) -> Void,
    _ change: @escaping (inout OperatorBook, _ hash: String) throws(OperatorBook.Refusal) -> Void
  ) {
    if let damage { return reply(.failure(CommandFailure(.denied, Self.advice(damage)))) }
    if let password, !PasswordHash.lengths.contains(password.utf8.count) {
      let lengths = PasswordHash.lengths
      return reply(
        .failure(
          CommandFailure(
            .badArgument,
            "a password has \(lengths.lowerBound) to \(lengths.upperBound) bytes; a sentence is a good one")))
    }
    let isQueued = lane.enter { [self] done in
      guard let password else {
        return apply(change, "") {
          reply($0)
          done()
        }
      }
      lane.work({ PasswordHash.make(password) }) { [self] made in
        guard let made else {
          reply(.failure(.noThread))
          return done()
        }
        guard let hash = made else {
          reply(.failure(CommandFailure(.busy, "there is no memory for the password's hash; try again later")))
          return done()
        }
        apply(change, hash) {
          reply($0)
          done()
        }
      }
    }
    if !isQueued { reply(.failure(CommandFailure(.busy, "others are logging in; try again in a second"))) }
  }

  private func apply(
    _ change: (inout OperatorBook, String) throws(OperatorBook.Refusal) -> Void, _ hash: String,
    reply: @escaping (Result<Void, CommandFailure>) -> Void
  ) {
    let before = book
    do throws(OperatorBook.Refusal) { try change(&book, hash) } catch {
      return reply(.failure(CommandFailure(error.code, error.reason)))
    }
    let changed = before.entries.filter { old in
      book.entry(old.name).map { $0.role != old.role || $0.hash != old.hash } ?? true
    }
    keep { [self] failure in
      if let failure {
        book = before
        return reply(.failure(CommandFailure(failure.code, "nothing is changed: \(failure.message)")))
      }
      // Before the first of all there was nobody whose doing it could be.
      if before.isEmpty, let first = book.entries.first {
        write(
          "operators.add", nil, "set-up", "done",
          ["name": .string(first.name), "role": .string(first.role.rawValue)], isPressing: true)
      }
      reply(.success(()))
      for entry in changed {
        waits[entry.name.lowercased()] = nil
        onChange?(entry.name)
      }
    }
  }

  /// Has the book written.
  private func keep(then: @escaping (CommandFailure?) -> Void) {
    let answer = ControlLaneReply<CommandFailure?>(inbox, then)
    storage.submit { [file, book] _ throws(LibraryError) in
      do throws(StorageError) { try file.save(book) } catch { throw .storage(error) }
      answer.send(nil)
    } onFailure: { error in
      answer.send(CommandFailure(error))
    }
  }

  // MARK: What is written down

  func note(_ call: GuardedCall) {
    switch call.outcome {
    case .done: note(call, "done")
    case .failed(let code): note(call, code.rawValue)
    case .denied:
      // Of each who tries the first time is written down, whoever has tried there before.
      guard let more = countedBefore("\(call.console) \(call.caller?.name ?? "")") else { return }
      note(call, "denied", more > 0 ? ["before": .integer(more)] : [:])
    }
  }

  /// Whoever may not do something is not to fill the log, nor wear out the card, by trying: once a minute it is written down.
  ///
  /// - Returns: how often it was not, since the last time; nil: it is not now.
  private func countedBefore(_ place: String) -> Int? {
    let before = denials[place]
    if let before, before.until > clock.now {
      denials[place]?.count += 1
      return nil
    }
    // Each console has a name of its own, however often it comes back.
    if denials.count > 100 { denials = [:] }
    denials[place] = (0, clock.now + Self.denialPause)
    return before?.count ?? 0
  }

  private func note(_ call: GuardedCall, _ outcome: String, _ more: [String: JSONValue] = [:]) {
    let details = call.details.merging(more) { $1 }
    let isPressing = call.caller?.role != .operator
    write(call.method, call.caller?.name, call.console, outcome, details, isPressing: isPressing)
  }

  private func note(_ method: String, _ name: String, _ console: String, _ outcome: String) {
    // What somebody has typed for a name may be their password.
    write(method, book.entry(name)?.name, console, outcome, [:], isPressing: true)
  }

  private func write(
    _ method: String, _ who: String?, _ console: String, _ outcome: String, _ details: [String: JSONValue],
    isPressing: Bool
  ) {
    let now = clock.now
    var fields: JSONValue = [
      "wall": .string(clock.wallNow.iso8601), "t": .number((now.seconds * 1000).rounded() / 1000),
      "who": who.map { .string($0) } ?? .null, "from": .string(console.shown), "what": .string(method),
      "outcome": .string(outcome),
    ]
    if !details.isEmpty { fields["with"] = Self.shown(.object(details)) }
    audit.add(fields, at: now, isPressing: isPressing)
  }

  /// With texts as they may stand in a line: ids are names of files, which others may have made.
  private static func shown(_ value: JSONValue) -> JSONValue {
    switch value {
    case .string(let text): .string(text.shown)
    case .array(let values): .array(values.map(shown))
    case .object(let members): .object(members.mapValues(shown))
    case .null, .bool, .integer, .number: value
    }
  }

  func act(as who: String?, _ work: () -> Void) {
    let before = actor
    actor = who
    work()
    actor = before
  }

  private func log(_ severity: LogSeverity, _ text: String) {
    events.log(severity, "operators", text, at: clock.now)
  }

  private static func advice(_ damage: String) -> String {
    "\(damage): nobody can log in; put the card into a computer and take \(OperatorFile.path) and its backup away"
  }
}
