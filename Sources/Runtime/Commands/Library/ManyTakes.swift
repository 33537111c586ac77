internal import Console
internal import Hardware
internal import JSON
internal import Library
internal import Synchronization
internal import Threads

/// One take, or several.
struct SomeTakes: ParameterSet {
  let id: String?
  let ids: [String]?

  init(_ given: inout Given) throws(CommandFailure) {
    id = try given.optional("id", .take, "the take's file name, as library.list shows it")
    ids = try given.optional("ids", .takes, "instead of it, the names of many")
  }

  init(_ id: String) { (self.id, ids) = (id, nil) }

  /// Each of them once.
  var all: [String] {
    var seen: Set<String> = []
    return ((id.map { [$0] } ?? []) + (ids ?? [])).filter { seen.insert($0).inserted }
  }
}

/// What came of work on one take or on many.
struct TakesAnswer: WireObject {
  /// A take to which nothing was done.
  struct Failure: WireObject {
    let id: String
    let code: String
    let message: String
    static let fields: [Field<Self>] = [
      Field("id", \.id, "the take"), Field("code", \.code, "as that of an error"), Field("message", \.message, "why"),
    ]

    /// What an export could not read.
    static func all(of outcome: ExportOutcome?) -> [Failure] {
      (outcome?.failures ?? []).map { Failure(id: $0.id, code: $0.error.code, message: "\($0.error)") }
    }
  }

  let id: String?
  var done = 0
  var isCancelled = false
  var failures: [Failure] = []

  static let fields: [Field<Self>] = [
    Field("id", ifAny: \.id, "the take, of one"), Field("done", \.done, "to how many takes it was done"),
    Field("cancelled", \.isCancelled, "whether library.cancel has ended it before all were done"),
    Field("failed", \.failures, "those to which it was not done, of many"),
  ]
}

/// Work on many takes, and copies, that can be stopped on the way.
final class LibraryWorks: Sendable {
  private let state = Mutex((underWay: 0, stops: 0))

  /// - Returns: what `isStopped` has to be asked with.
  func begin() -> Int {
    state.withLock { state in
      state.underWay += 1
      return state.stops
    }
  }
  func end() { state.withLock { $0.underWay -= 1 } }
  func isStopped(_ token: Int) -> Bool { state.withLock { $0.stops != token } }

  /// - Returns: how much work that is.
  func stop() -> Int {
    state.withLock { state in
      state.stops += 1
      return state.underWay
    }
  }
}

/// Tells how far work has got: a hundred times at most.
struct ProgressTeller: Sendable {
  private let reply: ControlLaneReply<JSONValue>
  private let work: String
  private let id: String?
  private var told = -1

  init(_ device: CommandContext, _ work: String, id: String? = nil) {
    self.work = work
    self.id = id
    reply = ControlLaneReply(device.inbox) { [events = device.events, clock = device.clock] data in
      events.publish(.onLibraryProgress, data, at: clock.now)
    }
  }

  mutating func tell(_ done: Int, of total: Int) {
    let percent = total > 0 ? Int(Double(done) / Double(total) * 100) : 100
    guard percent > told else { return }
    told = percent
    var data: [String: JSONValue] = ["work": .string(work), "done": .integer(done), "total": .integer(total)]
    data["id"] = id.map { .string($0) }
    reply.send(.object(data))
  }
}

extension CommandContext {
  /// Does something to one take after the other, a take a step.
  ///
  /// - Parameter each: is told how many it was done to before.
  func onTakes(
    _ chosen: SomeTakes, _ work: String, _ reply: @escaping (Result<TakesAnswer, CommandFailure>) -> Void,
    _ each: @escaping @Sendable (Library, String, Int) throws(LibraryError) -> Void
  ) {
    let ids = chosen.all
    guard let first = ids.first else {
      return reply(.failure(CommandFailure(.badArgument, "library.\(work) needs id, or ids")))
    }
    let single = chosen.ids == nil ? first : nil
    let state = BetweenSteps((next: 0, answer: TakesAnswer(id: single), teller: ProgressTeller(self, work)))
    let (works, token) = (works, works.begin())
    let done = { (result: Result<TakesAnswer, CommandFailure>) in
      works.end()
      reply(result)
    }
    onLibraryInSteps(done) { library throws(LibraryError) in
      if state.value.next < ids.count, works.isStopped(token) { state.value.answer.isCancelled = true }
      guard state.value.next < ids.count, !state.value.answer.isCancelled else {
        return state.value.answer
      }
      let id = ids[state.value.next]
      do throws(LibraryError) {
        try each(library, id, state.value.answer.done)
        state.value.answer.done += 1
      } catch {
        if error.stalledUntil != nil || single != nil { throw error }
        state.value.answer.failures.append(TakesAnswer.Failure(id: id, code: error.code, message: "\(error)"))
      }
      state.value.next += 1
      if single == nil { state.value.teller.tell(state.value.next, of: ids.count) }
      return nil
    }
  }
}
