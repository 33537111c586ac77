internal import Appliance
internal import Console
internal import Hardware
internal import JSON
internal import Library
internal import Threads

// How methods have their work done: by the machine at once, or by the storage lane later.

extension CommandFailure {
  /// A library's error under its own code.
  init(_ error: LibraryError) { self.init(FailureCode(rawValue: error.code) ?? .internal, "\(error)") }
}

extension CommandContext: CommandSurroundings {
  var guardian: (any CallGuard)? { operators }

  var isRecording: Bool { state.hasOpenWork }

  /// Why the machine did not do something, as a failure.
  ///
  /// - Parameter mode: that it was for; the one that is taken up without it.
  func failure(_ reason: IgnoredReason, in mode: Mode? = nil) -> CommandFailure {
    var told = state
    if let mode { told.mode = mode }
    return CommandFailure(FailureCode(rawValue: reason.code) ?? .unsupported, told.explain(reason))
  }

  /// Has the machine decide on an order; its refusal is the failure.
  func order(_ command: Command) throws(CommandFailure) {
    if let reason = handle(.command(command)) { throw failure(reason, in: command.takesUp) }
  }

  /// The same of an order that means something in one mode only, or something else in the others.
  func order(_ command: Command, only mode: Mode) throws(CommandFailure) {
    guard state.mode == mode else {
      let name = mode.rawValue
      throw CommandFailure(.badArgument, "only in the mode \(name): take it up first, by mode \(name) or panel.mode")
    }
    try order(command)
  }

  /// Runs work on the library on the storage lane and has its outcome told on the control lane.
  func onLibrary<Answer: Sendable>(
    _ reply: @escaping (Result<Answer, CommandFailure>) -> Void,
    _ work: @escaping @Sendable (Library) throws(LibraryError) -> Answer
  ) {
    let answer = ControlLaneReply(inbox, reply)
    storage.submit { library throws(LibraryError) in
      answer.send(.success(try library.minding(work)))
    } onFailure: { error in
      answer.send(.failure(CommandFailure(error)))
    }
  }

  /// The same a piece at a time, so that whatever else the storage has to do comes in between.
  ///
  /// - Parameter step: nil while there is more to do.
  func onLibraryInSteps<Answer: Sendable>(
    _ reply: @escaping (Result<Answer, CommandFailure>) -> Void,
    _ step: @escaping @Sendable (Library) throws(LibraryError) -> Answer?
  ) {
    storage.goOn(ControlLaneReply(inbox, reply), step)
  }

  /// The same for clips.
  func onClips<Answer: Sendable>(
    _ reply: @escaping (Result<Answer, CommandFailure>) -> Void,
    _ work: @escaping @Sendable (ClipLibrary) throws(LibraryError) -> Answer
  ) {
    onLibrary(reply) { library throws(LibraryError) in try work(library.clips) }
  }
}

extension StorageWorker {
  /// Queues the next piece of some work, and the answer when it was the last.
  func goOn<Answer: Sendable>(
    _ answer: ControlLaneReply<Result<Answer, CommandFailure>>,
    _ step: @escaping @Sendable (Library) throws(LibraryError) -> Answer?
  ) {
    submit { library throws(LibraryError) in
      guard let done = try library.minding(step) else { return self.goOn(answer, step) }
      answer.send(.success(done))
    } onFailure: { error in
      answer.send(.failure(CommandFailure(error)))
    }
  }
}

extension StorageWorker {
  /// Reads a clip's receipt a piece at a time, and has it told on the control lane.
  func receipt<Answer: Sendable>(
    of id: String, _ answer: ControlLaneReply<Result<Answer, CommandFailure>>,
    as make: @escaping @Sendable (JSONValue) -> Answer
  ) {
    let reading = BetweenSteps<ReceiptReading?>(nil)
    goOn(answer) { library throws(LibraryError) in
      if reading.value == nil { reading.value = try library.clips.receiptReading(of: id) }
      return try reading.value?.step().map(make)
    }
  }
}

/// What work in steps keeps from one to the next; storage lane only.
final class BetweenSteps<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }
}

/// A method that is answered at once.
protocol DeviceMethod: Method where Context == CommandContext {
  static func answer(_ parameters: Parameters, in device: CommandContext) throws(CommandFailure) -> Answer
}

extension DeviceMethod {
  static func perform(
    _ parameters: Parameters, in device: CommandContext, reply: @escaping (Result<Answer, CommandFailure>) -> Void
  ) {
    do throws(CommandFailure) { reply(.success(try answer(parameters, in: device))) } catch { reply(.failure(error)) }
  }
}

/// A method that is answered later, when another lane, or a finger, has done its part.
protocol DeviceTask: Method where Context == CommandContext {}

/// A method that is an order to the machine, which decides at once whether it means anything now.
protocol OrderMethod: DeviceMethod where Answer == Done {
  static func order(_ parameters: Parameters) -> Command
}

extension OrderMethod {
  static func answer(_ parameters: Parameters, in device: CommandContext) throws(CommandFailure) -> Done {
    try device.order(order(parameters))
    return Done()
  }
}
