public import Hardware

/// A take from REC to the moment it is safe, and what is told to and by the recorder.
public struct Recording: Hashable, Sendable {
  /// The take that is being made. Its id is empty until the recorder has named the file.
  private enum Phase: Hashable {
    case none
    case recording(TakeReference)
    case paused(TakeReference)
    /// It is being completed; the next one may have been asked for.
    case saving(TakeReference, next: Queued?)
  }

  /// A take that was asked for while the one before was still being saved. Nobody should have to wait for the card:
  /// it starts as soon as it can, and the pre-record ring covers the time since the press.
  public struct Queued: Hashable, Sendable {
    /// The take starts from then.
    public let start: Instant
    /// The STOP that ends it, if that came before the saving was over, too.
    public fileprivate(set) var stop: Instant?
  }

  private var phase: Phase
  /// When the open take was asked for, or the last one was.
  public private(set) var start: Instant?
  /// The first file of the take, where it has gone on in another one.
  private var first: TakeReference?
  /// Frames of the open take at which there are marks, in the order in which they were set.
  public private(set) var marks: [Int] = []
  /// Silence is being left out: nothing is recorded before a voice is heard.
  public private(set) var isWaiting = false

  /// A recording that is at this point: `idle`, `playing` and `playbackPaused` mean none.
  public init(_ activity: Activity = .idle, take: TakeReference? = nil) {
    let take = take ?? Self.unnamed(sampleRate: 48_000)
    phase =
      switch activity {
      case .recording: .recording(take)
      case .paused: .paused(take)
      case .saving: .saving(take, next: nil)
      case .idle, .playing, .playbackPaused: .none
      }
  }

  /// What is done with the take that is open; `nil`: none is.
  var activity: Activity? {
    switch phase {
    case .none: nil
    case .recording: .recording
    case .paused: .paused
    case .saving: .saving
    }
  }

  /// The take that is open.
  public var take: TakeReference? {
    switch phase {
    case .none: nil
    case .recording(let take), .paused(let take), .saving(let take, _): take
    }
  }

  /// The take that comes after the one that is being saved.
  public var queued: Queued? { if case .saving(_, let next) = phase { next } else { nil } }

  private static func unnamed(sampleRate: Int) -> TakeReference {
    TakeReference(id: "", displayName: "", frames: 0, sampleRate: sampleRate)
  }

  // MARK: Orders

  /// Begins a take. The caller has asked whether it can.
  mutating func start(at time: Instant, _ transition: inout Transition) {
    phase = .recording(Self.unnamed(sampleRate: transition.settings.recordingSampleRate))
    start = time
    first = nil
    marks = []
    isWaiting = false
    transition.recorder(.start(at: time))
  }

  /// Keeps a REC until the take before is safe, and says that it is kept: no lamp shows it.
  mutating func queue(at time: Instant, _ transition: inout Transition) {
    guard case .saving(let take, let next) = phase else { return }
    guard next == nil else {
      transition.refuse(.busy(next?.stop == nil ? "queued" : "saving"))
      return
    }
    guard transition.health.hasMicrophone else {
      transition.refuse(.deviceMissing(.microphone))
      return
    }
    if let reason = transition.health.refusalToStore { return transition.refuse(reason) }
    phase = .saving(take, next: Queued(start: time))
    transition.raise(.information, "queued", .queued, for: .seconds(3))
  }

  /// Keeps the STOP of the take that is queued.
  mutating func stopQueued(at time: Instant, _ transition: inout Transition) {
    guard case .saving(let take, var next?) = phase, next.stop == nil else {
      transition.refuse(.busy("saving"))
      return
    }
    next.stop = time
    phase = .saving(take, next: next)
  }

  mutating func forgetQueued() { if case .saving(let take, _) = phase { phase = .saving(take, next: nil) } }

  mutating func pause(at time: Instant, _ transition: inout Transition) {
    guard let take else { return }
    isWaiting = false
    phase = .paused(take)
    transition.recorder(.pause(at: time))
  }

  mutating func resume(at time: Instant, _ transition: inout Transition) {
    guard transition.health.hasMicrophone else {
      transition.refuse(.deviceMissing(.microphone))
      return
    }
    guard let take else { return }
    phase = .recording(take)
    transition.recorder(.resume(at: time))
  }

  mutating func stop(at time: Instant, reason: StopReason, _ transition: inout Transition) {
    guard let take else { return }
    phase = .saving(take, next: nil)
    transition.recorder(.stop(at: time, reason: reason))
  }

  mutating func changeLevel(by step: Int, _ transition: inout Transition) {
    var changed = transition.settings
    changed.inputGain += step
    guard Settings.inputGains.contains(changed.inputGain) else {
      transition.refuse(.atLimit)
      return
    }
    transition.adopt(changed)
  }

  // MARK: Reports

  /// What a report of the recorder's came to.
  enum Outcome {
    case goesOn
    /// The open take is safe.
    case safe(TakeReference, next: Queued?)
    /// Nothing came of it.
    case failed(next: Queued?)
  }

  mutating func handle(_ report: RecorderReport, _ transition: inout Transition) -> Outcome {
    switch (phase, report) {
    case (_, .paused): break
    case (_, .resumed): isWaiting = false
    case (.recording, .waiting(let waits)): isWaiting = waits
    case (_, .waiting): break
    case (.recording(let open), .started(let take, let preRecorded)) where goesOn(open, as: take):
      goOn(from: open, as: take, .recording(take), preRecorded, &transition)
    case (.paused(let open), .started(let take, let preRecorded)) where goesOn(open, as: take):
      goOn(from: open, as: take, .paused(take), preRecorded, &transition)
    case (.saving(let open, let next), .started(let take, let preRecorded)) where goesOn(open, as: take):
      goOn(from: open, as: take, .saving(take, next: next), preRecorded, &transition)
    // It has this name, or there is none that could have one.
    case (_, .started): break
    case (.none, .marked), (.none, .gap), (.none, .stopping): break  // Its take is over.
    case (_, .marked(let frame, let before, let cause)):
      marks.append(before + frame)
      guard let take, !take.id.isEmpty else { break }
      // What is put by itself is counted, and covers no screen.
      guard cause == nil else {
        transition.announce(.mark(takeID: take.id, frame: frame, number: marks.count, title: cause))
        break
      }
      transition.tellMark(in: take, frame: frame, number: marks.count)
    case (_, .gap(let frame, let frames, let reason)):
      transition.announce(.gap(frame: frame, frames: frames, reason: reason))
      // Of another microphone it has been said.
      guard reason != "source" else { break }
      transition.raise(.warning, "gap", .gap(reason: reason), for: .seconds(3))
    case (.recording(let take), .stopping(let reason)), (.paused(let take), .stopping(let reason)):
      phase = .saving(take, next: nil)
      tellStopping(reason, &transition)
    case (.saving, .stopping(let reason)): tellStopping(reason, &transition)
    case (_, .saved(let take, let reason)):
      transition.announce(.takeSaved(take, reason))
      guard isEnd(of: take, reason) else { break }
      let next = queued
      phase = .none
      return .safe(first ?? take, next: next)
    case (_, .unnoted(let take, let reason, let code, let text)):
      transition.raise(.error, code, .unnoted(take.displayName))
      transition.announce(.error(code: code, text: text))
      guard isEnd(of: take, reason) else { break }
      let next = queued
      phase = .none
      return .safe(first ?? take, next: next)
    case (_, .noted(let take, let reason)):
      transition.announce(.takeSaved(take, reason))
      transition.raise(.information, "saved", .noted(take.displayName), for: .seconds(3))
    case (_, .sourceBeside(let name?)):
      var changed = transition.settings
      changed.sources = ([name] + changed.sourceNames.filter { $0 != name }.prefix(MicrophoneOrder.most - 1)).joined(
        separator: ",")
      transition.adopt(changed)
    case (_, .sourceBeside(nil)):
      transition.raise(.information, "source", .noOtherSource, for: .seconds(2))
    case (_, .told(let code, let text)):
      transition.raise(.warning, code, .told(code: code, text), for: .seconds(5))
      transition.announce(.error(code: code, text: text))
    case (_, .failed(let code, let text)):
      transition.fail(code, text, device: code == "device-lost" ? .microphone : nil)
      guard activity != nil else { break }
      let next = queued
      phase = .none
      return .failed(next: next)
    }
    return .goesOn
  }

  /// Its file has a name, or it goes on in another one.
  private mutating func goOn(
    from open: TakeReference, as take: TakeReference, _ phase: Phase, _ preRecordedFrames: Int,
    _ transition: inout Transition
  ) {
    first = first ?? (open.id.isEmpty ? take : open)
    self.phase = phase
    transition.announce(.takeStarted(take, preRecordedFrames: preRecordedFrames))
  }

  /// Whether a take gets its name: its first, or the next one's where it goes on in another file.
  private func goesOn(_ open: TakeReference, as take: TakeReference) -> Bool {
    !take.id.isEmpty && take.id != open.id
  }

  /// Whether a saved take is the open one, and not one that was recovered or split off meanwhile.
  private func isEnd(of saved: TakeReference, _ reason: StopReason) -> Bool {
    guard let take else { return false }
    if !take.id.isEmpty && take.id == saved.id { return reason != .split }
    guard reason != .recovered && reason != .split else { return false }
    return take.id.isEmpty || activity == .saving
  }

  /// The recorder ends the take by itself.
  private func tellStopping(_ reason: StopReason, _ transition: inout Transition) {
    switch reason {
    case .deviceLost:
      transition.raise(.error, "device-lost", .stopping(reason), device: .microphone)
    case .storageFull: transition.raise(.error, "storage-full", .stopping(reason))
    case .error: transition.raise(.error, "device-lost", .stopping(reason))
    case .user, .schedule, .postRoll, .power, .recovered, .split, .voice: break
    }
  }
}
