public import Hardware

/// A take from REC to the moment it is safe, and what is told to and by the recorder.
public struct Recording: Hashable, Sendable {
  /// The take that is being made. Its id is empty until the recorder has named the file.
  private enum Phase: Hashable {
    case none
    case recording(TakeReference)
    case paused(TakeReference)
    /// It is being completed; the next one may have begun.
    case saving(TakeReference, next: Queued?)
  }

  /// A take that was asked for while the one before was still being saved. Nobody should have to wait for the card: the
  /// recorder has begun it, and its sound waits for the card where that of any take does.
  public struct Queued: Hashable, Sendable {
    /// When it was asked for.
    let start: Instant
    /// Its end has been asked for, or has come.
    public fileprivate(set) var isStopped = false
    fileprivate var told = Told()
    /// Its file, once it has a name.
    fileprivate var take: TakeReference?
    /// What programs are told of it once the one before is over: of takes they hear one after the other.
    fileprivate var untold: [Announcement] = []

    init(start: Instant) { self.start = start }
  }

  /// What the recorder has told of a take.
  fileprivate struct Told: Hashable {
    /// It has ended it: what it does from then on is the next one's.
    var hasEnded = false
    var isWaiting = false
    var marks: [Int] = []
    var gaps = 0
    /// Its first file, where it has gone on in another one.
    var first: TakeReference?
  }

  private var phase: Phase
  /// Of the open take, or else of the last one.
  private var told = Told()
  /// Nothing has come of a take that the recorder has still to end.
  private var isAwaitingEnd = false
  /// When the open take was asked for, or the last one was.
  public private(set) var start: Instant?
  /// Frames of the open take at which there are marks, in the order in which they were set.
  public var marks: [Int] { told.marks }
  /// Gaps of the open take, or else of the last one.
  public var gaps: Int { told.gaps }
  /// Silence is being left out: nothing is recorded before a voice is heard.
  public var isWaiting: Bool { told.isWaiting }

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

  /// What it is called: as its first file is.
  public var name: String { (told.first ?? take)?.displayName ?? "" }

  /// The take that comes after the one that is being saved.
  public var queued: Queued? { if case .saving(_, let next) = phase { next } else { nil } }

  private static func unnamed(sampleRate: Int) -> TakeReference {
    TakeReference(id: "", displayName: "", frames: 0, sampleRate: sampleRate)
  }

  // MARK: Orders

  /// Begins a take. The caller has asked whether it can.
  mutating func start(at time: Instant, _ transition: inout Transition) {
    open(Queued(start: time), transition)
    transition.recorder(.start(at: time))
  }

  private mutating func open(_ next: Queued, _ transition: borrowing Transition) {
    let take = next.take ?? Self.unnamed(sampleRate: transition.settings.recordingSampleRate)
    phase = next.isStopped ? .saving(take, next: nil) : .recording(take)
    start = next.start
    told = next.told
    if next.isStopped { told.isWaiting = false }
  }

  /// Begins the next take while the one before is being saved, and says so: the screen is still about that one.
  mutating func queue(at time: Instant, _ transition: inout Transition) {
    guard case .saving(let take, let next) = phase else { return }
    guard next == nil else {
      transition.refuse(.busy(next?.isStopped == false ? "queued" : "saving"))
      return
    }
    guard transition.health.hasMicrophone else {
      transition.refuse(.deviceMissing(.microphone))
      return
    }
    if let reason = transition.health.refusalToStore() { return transition.refuse(reason) }
    phase = .saving(take, next: Queued(start: time))
    transition.recorder(.start(at: time))
    transition.raise(.information, Self.queuedCode, .queued, for: .seconds(3))
  }

  private static let queuedCode = "queued"

  /// The take before is over: "this one" would be the next.
  static func dismissQueuedNotice(_ transition: inout Transition) {
    transition.dismissNotice { $0.code == queuedCode }
  }

  mutating func pause(at time: Instant, _ transition: inout Transition) {
    guard let take else { return }
    told.isWaiting = false
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

  /// Ends the take that sound goes into: the open one, or the one that is queued behind it.
  mutating func stop(at time: Instant, reason: StopReason, _ transition: inout Transition) {
    switch phase {
    case .none: return
    case .recording(let take), .paused(let take): phase = .saving(take, next: nil)
    case .saving(let take, var next?) where !next.isStopped:
      next.isStopped = true
      phase = .saving(take, next: next)
    case .saving: return transition.refuse(.busy("saving"))
    }
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
    /// The open take is safe; the one that was queued, if one was, is the open one now.
    case safe(TakeReference)
    /// Nothing came of it; with the one that was queued it is as above.
    case failed
  }

  /// The take before is over.
  private mutating func end(_ transition: inout Transition) {
    guard let queued else {
      phase = .none
      return
    }
    open(queued, transition)
    for announcement in queued.untold { transition.announce(announcement) }
  }

  /// A file of the queued take, where that goes on in another one, may be saved before the take before is over.
  private mutating func tellQueued(of saved: TakeReference, _ transition: inout Transition) {
    guard case .saving(let take, var next?) = phase else { return }
    let isItsOwn = next.untold.contains {
      if case .takeStarted(let file, _) = $0 { file.id == saved.id } else { false }
    }
    guard isItsOwn else { return }
    for announcement in next.untold { transition.announce(announcement) }
    next.untold = []
    phase = .saving(take, next: next)
  }

  /// What comes of the queued take: on the storage it is the one that was asked for then, and what the recorder does once it
  /// has ended the one before is done with it.
  ///
  /// - Returns: whether it is that.
  private mutating func hearOfQueued(_ report: RecorderReport, _ transition: inout Transition) -> Bool {
    guard case .saving(let take, var next?) = phase else { return false }
    switch report {
    case .started(let file, let preRecorded, let asked) where asked == next.start:
      next.told.first = next.told.first ?? file
      next.take = file
      next.untold.append(.takeStarted(file, preRecordedFrames: preRecorded))
    case .waiting(let waits) where told.hasEnded: next.told.isWaiting = waits
    case .marked(let frame, let before, _) where told.hasEnded: next.told.marks.append(before + frame)
    case .gap(let frame, let frames, let reason) where told.hasEnded:
      next.told.gaps += 1
      next.untold.append(.gap(frame: frame, frames: frames, reason: reason))
      warnOfGap(reason, &transition)
    case .stopping(let reason) where told.hasEnded:
      (next.isStopped, next.told.hasEnded) = (true, true)
      tellStopping(reason, &transition)
    case .failed(let code, let text, let asked) where asked == next.start:
      phase = .saving(take, next: nil)
      tellFailure(code, text, &transition)
      return true
    case .notBegun(let code, let text) where told.hasEnded:
      phase = .saving(take, next: nil)
      tellFailure(code, text, &transition)
      return true
    default: return false
    }
    phase = .saving(take, next: next)
    return true
  }

  mutating func handle(_ report: RecorderReport, _ transition: inout Transition) -> Outcome {
    if hearOfQueued(report, &transition) { return .goesOn }
    switch (phase, report) {
    case (_, .stopping) where isAwaitingEnd: isAwaitingEnd = false
    case (_, .paused): break
    case (_, .resumed): told.isWaiting = false
    case (.recording, .waiting(let waits)): told.isWaiting = waits
    case (_, .waiting): break
    case (.recording(let open), .started(let take, let preRecorded, _)) where goesOn(open, as: take):
      goOn(from: open, as: take, .recording(take), preRecorded, &transition)
    case (.paused(let open), .started(let take, let preRecorded, _)) where goesOn(open, as: take):
      goOn(from: open, as: take, .paused(take), preRecorded, &transition)
    case (.saving(let open, let next), .started(let take, let preRecorded, _)) where goesOn(open, as: take):
      goOn(from: open, as: take, .saving(take, next: next), preRecorded, &transition)
    // It has this name, or there is none that could have one.
    case (_, .started): break
    case (.none, .marked), (.none, .gap), (.none, .stopping): break  // Its take is over.
    case (_, .marked(let frame, let before, let cause)):
      told.marks.append(before + frame)
      guard let take, !take.id.isEmpty else { break }
      // What is put by itself is counted, and covers no screen.
      guard cause == nil else {
        transition.announce(.mark(takeID: take.id, frame: frame, number: marks.count, title: cause))
        break
      }
      transition.tellMark(in: take, frame: frame, after: before, number: marks.count)
    case (_, .gap(let frame, let frames, let reason)):
      told.gaps += 1
      tellGap(frame, frames, reason, &transition)
    case (.recording(let take), .stopping(let reason)), (.paused(let take), .stopping(let reason)):
      phase = .saving(take, next: nil)
      told.hasEnded = true
      tellStopping(reason, &transition)
    case (.saving, .stopping(let reason)):
      told.hasEnded = true
      tellStopping(reason, &transition)
    case (_, .saved(let file, let reason)):
      let take = named(file)
      tellQueued(of: take, &transition)
      transition.announce(.takeSaved(take, reason))
      guard isEnd(of: take, reason) else { break }
      return safe(take, &transition)
    case (_, .unnoted(let take, let reason, let code, let text)):
      transition.raise(.error, code, .unnoted(take.displayName))
      transition.announce(.error(code: code, text: text))
      guard isEnd(of: take, reason) else { break }
      return safe(take, &transition)
    case (_, .noted(let take, let reason)):
      tellQueued(of: take, &transition)
      transition.announce(.takeSaved(take, reason))
      // An error that stays would hide that it is over.
      transition.dismissNotice { $0.sentence == .unnoted(take.displayName) }
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
    case (_, .notBegun(let code, let text)):
      tellFailure(code, text, &transition)
      guard activity != nil else { break }
      end(&transition)
      return .failed
    case (_, .failed(let code, let text, _)):
      tellFailure(code, text, &transition)
      guard activity != nil else { break }
      isAwaitingEnd = !told.hasEnded
      end(&transition)
      return .failed
    }
    return .goesOn
  }

  /// Somebody has given the open take another name.
  mutating func renew(_ file: TakeReference) {
    if told.first?.id == file.id { told.first?.displayName = file.displayName }
    guard var open = take, open.id == file.id else { return }
    open.displayName = file.displayName
    switch phase {
    case .none: break
    case .recording: phase = .recording(open)
    case .paused: phase = .paused(open)
    case .saving(_, let next): phase = .saving(open, next: next)
    }
  }

  /// A file of the open take by the name that this has now.
  private func named(_ file: TakeReference) -> TakeReference {
    guard let take, take.id == file.id else { return file }
    var file = file
    file.displayName = take.displayName
    return file
  }

  private mutating func safe(_ take: TakeReference, _ transition: inout Transition) -> Outcome {
    let beginning = told.first ?? take
    isAwaitingEnd = false
    end(&transition)
    return .safe(beginning)
  }

  private func tellGap(_ frame: Int, _ frames: Int, _ reason: String, _ transition: inout Transition) {
    transition.announce(.gap(frame: frame, frames: frames, reason: reason))
    warnOfGap(reason, &transition)
  }

  private func warnOfGap(_ reason: String, _ transition: inout Transition) {
    // Of another microphone it has been said.
    guard reason != "source" else { return }
    transition.raise(.warning, "gap", .gap(reason: reason), for: .seconds(3))
  }

  private func tellFailure(_ code: String, _ text: String, _ transition: inout Transition) {
    transition.fail(code, text, device: code == "device-lost" ? .microphone : nil)
  }

  /// Its file has a name, or it goes on in another one.
  private mutating func goOn(
    from open: TakeReference, as take: TakeReference, _ phase: Phase, _ preRecordedFrames: Int,
    _ transition: inout Transition
  ) {
    told.first = told.first ?? (open.id.isEmpty ? take : open)
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
