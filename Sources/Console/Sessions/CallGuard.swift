public import JSON

/// Somebody who has logged in at a console.
public struct SignedIn: Hashable, Sendable {
  /// As it is kept: what `operators.list` shows.
  public let name: String
  public let role: Role

  public init(name: String, role: Role) { (self.name, self.role) = (name, role) }
}

/// A call as whoever keeps account of them is told of it.
public struct GuardedCall: Sendable {
  /// How it ended.
  public enum Outcome: Sendable {
    case done
    case failed(FailureCode)
    /// Whoever called may not.
    case denied
  }

  public let method: String
  /// What the method says of its parameters; never a secret.
  public let details: [String: JSONValue]
  /// `nil`: nobody has logged in.
  public let caller: SignedIn?
  /// Which console.
  public let console: String
  public let outcome: Outcome
}

/// Who may call, and who is told of it. Control loop only.
public protocol CallGuard: AnyObject {
  /// Whether operators are set up: without any, everybody may do everything.
  var isOn: Bool { get }
  /// Checks a password, on another thread; the session that is answered has the operator from then on.
  func logIn(
    _ name: String, _ password: String, from console: String,
    reply: @escaping (Result<SignedIn, CommandFailure>) -> Void)
  /// Somebody has logged out, or was for having done nothing for so long.
  func noteLogOut(_ who: SignedIn, from console: String, isIdle: Bool)
  /// A call that changes something has ended, or one was not allowed.
  func note(_ call: GuardedCall)
  /// Does something in the name of whoever called; `nil`: of nobody.
  func act(as who: String?, _ work: () -> Void)
}

extension CallPlace {
  /// Whether whoever is at the console may call this. A script is whoever has started the program.
  func allows(_ row: MethodRow) -> Bool {
    guard let guardian, guardian.isOn, let console, !row.isForAnybody else { return true }
    return console.signedIn.map { $0.role >= row.role } ?? false
  }

  /// Whether a word does anything for whoever is at the console.
  func allows(_ word: WordDescription) -> Bool {
    word.methods.isEmpty || word.methods.contains { catalogue.method($0).map { allows($0.row) } ?? true }
  }

  /// The one gate of all methods: why this one is not done for whoever calls; `nil` if it is.
  func refusal(of row: MethodRow) -> CommandFailure? {
    guard !allows(row) else { return nil }
    note(row, [:], .denied)
    let advice = "log in: \"login NAME\", or auth.login {name, password}"
    guard let who = console?.signedIn else {
      return CommandFailure(.denied, "\(row.method) is for a \(row.role.rawValue), and nobody has logged in; \(advice)")
    }
    return CommandFailure(
      .denied, "\(row.method) is for a \(row.role.rawValue), and \(who.name) is a \(who.role.rawValue); \(advice)")
  }

  /// The same for a word, none of whose methods would be done: before anything is looked up for it.
  func refusal(of word: WordDescription) -> CommandFailure? {
    guard !allows(word) else { return nil }
    let rows = word.methods.compactMap { catalogue.method($0)?.row }
    return rows.min { $0.role < $1.role }.flatMap { refusal(of: $0) }
  }

  /// Answers as `reply` does, and has it noted what became of a call that may change something.
  func noting<Answer>(
    _ row: MethodRow, _ details: @autoclosure () -> [String: JSONValue],
    _ reply: @escaping (Result<Answer, CommandFailure>) -> Void
  ) -> (Result<Answer, CommandFailure>) -> Void {
    guard let guardian, guardian.isOn, console != nil, !row.isForAnybody, row.role > .viewer else { return reply }
    let details = details()
    // Who has called, whoever is there when it is answered.
    let caller = console?.signedIn
    return { result in
      switch result {
      case .success: note(row, details, .done, by: caller)
      case .failure(let failure): note(row, details, .failed(failure.code), by: caller)
      }
      reply(result)
    }
  }

  private func note(_ row: MethodRow, _ details: [String: JSONValue], _ outcome: GuardedCall.Outcome) {
    note(row, details, outcome, by: console?.signedIn)
  }

  private func note(
    _ row: MethodRow, _ details: [String: JSONValue], _ outcome: GuardedCall.Outcome, by caller: SignedIn?
  ) {
    guardian?.note(
      GuardedCall(
        method: row.method, details: details, caller: caller, console: console?.name ?? "script", outcome: outcome))
  }

  /// Does something in the name of whoever is at the console.
  func act(_ work: () -> Void) {
    guard let guardian, guardian.isOn, let who = console?.signedIn else { return work() }
    guardian.act(as: who.name, work)
  }
}
