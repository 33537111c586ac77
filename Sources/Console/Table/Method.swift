public import JSON

/// What a method has to know of the device before it is let through.
public protocol CommandSurroundings: AnyObject, SendableMetatype {
  /// Who may call what; `nil`: everybody may do everything.
  var guardian: (any CallGuard)? { get }

  /// Whether a take or a clip is being recorded or saved.
  var isRecording: Bool { get }

  /// Finds takes or clips by what a person has typed for them; a word that names none is left as it is, for the method
  /// to refuse. Answered on the control loop, once.
  ///
  /// - Parameter isClip: clips are meant rather than takes.
  func identify(
    _ words: [String], isClip: Bool, reply: @escaping (Result<[String], CommandFailure>) -> Void)
}

extension CommandSurroundings {
  public var guardian: (any CallGuard)? { nil }
}

/// The least that somebody has to be to call a method; each may do what those before it may.
public enum Role: String, Hashable, Sendable, CaseIterable, Comparable {
  /// Looks and listens.
  case viewer
  /// Records, plays, names, deletes: what the keys of the panel do.
  case `operator`
  /// Changes how the device works, and what is wrong with it.
  case technician

  private var rank: Int {
    switch self {
    case .viewer: 0
    case .operator: 1
    case .technician: 2
    }
  }

  public static func < (one: Role, other: Role) -> Bool { one.rank < other.rank }
}

/// What a method may do while a take or a clip is being recorded.
public enum WhileRecording: String, Hashable, Sendable, CaseIterable {
  /// All that it does otherwise; where the machine's state forbids it, that is the reason given.
  case allowed
  /// Its work on the storage comes after what is being recorded, and may take its time.
  case queued
  /// Nothing: it is refused as `busy`.
  case refused
}

/// What there is to know of a method beside what it takes and gives.
public struct MethodRow: Hashable, Sendable {
  /// `noun.verb`.
  public let method: String
  /// One line without a full stop.
  public let summary: String
  public let role: Role
  /// It is answered before anybody has logged in, too.
  public let isForAnybody: Bool
  public let whileRecording: WhileRecording
  /// What else there is to know; may be empty.
  public let discussion: String

  public init(
    _ method: String, _ summary: String, _ role: Role, isForAnybody: Bool = false,
    whileRecording: WhileRecording = .allowed, discussion: String = ""
  ) {
    self.isForAnybody = isForAnybody
    self.method = method
    self.summary = summary
    self.role = role
    self.whileRecording = whileRecording
    self.discussion = discussion
  }
}

/// A method as it is declared: one type has its row, what it takes and what it gives.
public protocol MethodDeclaration: SendableMetatype {
  /// What it takes; nothing unless it says so.
  associatedtype Parameters: ParameterSet = NoParameters
  /// What it gives; nothing beyond that it is done unless it says so.
  associatedtype Answer: WireValue = Done
  static var row: MethodRow { get }
  /// What the audit log says of a call beside its name: nothing that is not named here, and never a secret.
  static func audited(_ parameters: Parameters) -> [String: JSONValue]
}

extension MethodDeclaration {
  public static func audited(_ parameters: Parameters) -> [String: JSONValue] { [:] }

  /// Answers a call, now or later, on the control loop; called once.
  public typealias Reply = (Result<Answer, CommandFailure>) -> Void

  /// All that help, completion, the manual page and programs are told of it.
  public static var description: MethodDescription {
    let (parameters, names) = Given.described(Parameters.self)
    return MethodDescription(row: row, parameters: parameters, names: names, answer: Answer.schema)
  }
}

/// A method of the device, and how it is performed: without that it cannot be in the table.
public protocol Method<Context>: MethodDeclaration {
  /// What it acts on.
  associatedtype Context: CommandSurroundings

  /// Does what is asked. Control loop only.
  static func perform(_ parameters: Parameters, in context: Context, reply: @escaping Reply)
}

extension Method {
  /// Performs the method, unless whoever calls may not, or something is being recorded that it would disturb.
  static func call(_ parameters: Parameters, in context: Context, at place: CallPlace, reply: @escaping Reply) {
    if let refusal = place.refusal(of: row) { return reply(.failure(refusal)) }
    let reply = place.noting(row, audited(parameters), reply)
    guard row.whileRecording != .refused || !context.isRecording else {
      return reply(
        .failure(CommandFailure(.busy, "\(row.method): not while something is being recorded; end that first")))
    }
    place.act { perform(parameters, in: context, reply: reply) }
  }
}

/// A method as help, completion, the manual page and programs know it.
public struct MethodDescription: Sendable {
  public let row: MethodRow
  public let parameters: [Parameter]
  /// What members beside `parameters` are taken, as the names and values of `settings.set` are; `nil`: none.
  public let names: Parameter?
  public let answer: Schema

  public var method: String { row.method }
}
