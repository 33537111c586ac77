public import Hardware

/// What clip capture is doing. The raw value follows `clips.` in the mode's name.
public enum ClipActivity: String, Hashable, Sendable, CaseIterable {
  /// The ring is being filled: what happens now is already kept for a while.
  case buffering
  /// A trigger has come, and the clip's post-roll is running.
  case capturing
  /// The last picture is in; a clip is being completed on the storage.
  case saving
}

/// A clip between its trigger and the moment it is durable.
public struct OpenClip: Hashable, Sendable {
  /// Counts the clips of this run; the file's name comes only when it is saved.
  public var number: Int
  /// When its post-roll is over.
  public var ends: Instant
  /// The post-roll is over, and the file is being completed.
  public var isSaving = false
  /// A time-lapse has none.
  public var hasSound = true
  /// Whoever has pressed the key for it looks at the screen.
  public var isByKey = false

  public init(number: Int, ends: Instant, isSaving: Bool = false, hasSound: Bool = true, isByKey: Bool = false) {
    self.number = number
    self.ends = ends
    self.isSaving = isSaving
    self.hasSound = hasSound
    self.isByKey = isByKey
  }
}

/// The clips that are not safe yet. Several may be open at a time: triggers never wait.
public struct Captures: Hashable, Sendable {
  /// Triggers that the recorder has not answered yet.
  public private(set) var unanswered: Int
  /// What was ordered to go on without end, and the recorder has not answered yet.
  public private(set) var awaited: Set<TriggerSource> = []
  /// A time-lapse was ordered, and its end was not.
  public private(set) var hasTimeLapse = false
  /// Clips that are not durable yet, the oldest first.
  public private(set) var open: [OpenClip]

  /// Triggers that may wait for an answer at a time; the recorder answers within milliseconds.
  public static let mostUnanswered = 64

  public init(unanswered: Int = 0, open: [OpenClip] = []) {
    self.unanswered = unanswered
    self.open = open
  }

  /// What is going on: the clip that is still being captured counts before those that are being saved.
  public var activity: ClipActivity {
    if unanswered > 0 || !awaited.isEmpty || open.contains(where: { !$0.isSaving }) { return .capturing }
    return open.isEmpty ? .buffering : .saving
  }

  /// Whether a clip is being captured that goes on with sound alone.
  var goesOnWithoutPictures: Bool {
    unanswered > 0 || awaited.contains(.continuous) || open.contains { !$0.isSaving && $0.hasSound }
  }

  /// Keeps what is in the ring, and what follows. The caller has asked whether there is anything.
  mutating func trigger(_ source: TriggerSource, _ transition: inout Transition) {
    guard unanswered < Self.mostUnanswered else {
      transition.refuse(.busy("clip"))
      return
    }
    unanswered += 1
    transition.clips(.trigger(at: transition.at, source: source))
  }

  /// Goes on without end. A clip is running from here on: who ends it in the same breath, or leaves the mode, means this one.
  mutating func goOn(_ source: TriggerSource, by order: ClipOrder, _ transition: inout Transition) {
    awaited.insert(source)
    if source == .timeLapse { hasTimeLapse = true }
    transition.clips(order)
  }

  /// Ends every post-roll that is running, and what goes on without end.
  mutating func end(_ transition: inout Transition) {
    hasTimeLapse = false
    transition.clips(.endPostRoll(at: transition.at))
  }

  /// - Returns: the clip, if it has become durable.
  mutating func handle(_ report: ClipReport, _ transition: inout Transition) -> TakeReference? {
    switch report {
    case .started(let number, let source, let at, let ends):
      guard !open.contains(where: { $0.number == number }), answered(source) else { break }
      open.append(OpenClip(number: number, ends: ends, hasSound: source != .timeLapse, isByKey: source == .key))
      if source == .timeLapse { hasTimeLapse = true }
      transition.announce(.captureStarted(number: number, source: source, at: at, ends: ends))
    case .joined(let number, let source, let at, let ends):
      guard answered(source) else { break }
      for index in open.indices where open[index].number == number {
        open[index].ends = ends
        open[index].isByKey = open[index].isByKey || source == .key
      }
      transition.announce(.captureExtended(number: number, source: source, at: at, ends: ends))
    case .bounced(let source): _ = answered(source)
    case .refused(let source, let code, let text):
      guard answered(source) else { break }
      if source == .timeLapse { hasTimeLapse = false }
      transition.fail(code, text, device: code == "device-lost" ? .camera : nil)
    case .ended(let number):
      noteOver(number)
      for index in open.indices where open[index].number == number { open[index].isSaving = true }
    case .completed(let number, let clip):
      // One that was given up because its receipt could not be written is announced when it is there after all.
      transition.announce(.captureCompleted(number: number, clip))
      guard let kept = open.first(where: { $0.number == number }) else { break }
      open.removeAll { $0.number == number }
      if kept.isByKey { tellKept(clip, &transition) }
      return clip
    case .failed(let number, let code, let text):
      noteOver(number)
      open.removeAll { $0.number == number }
      transition.fail(code, text)
    case .bufferReady, .dropped, .snapshotSaved, .trouble: break  // Of no clip.
    }
    return nil
  }

  /// A clip that is captured no more may have been the time-lapse.
  private mutating func noteOver(_ number: Int) {
    if open.contains(where: { $0.number == number && !$0.isSaving && !$0.hasSound }) { hasTimeLapse = false }
  }

  /// Without a post-roll all is over within milliseconds: nobody should have to wonder whether the key was felt.
  private func tellKept(_ clip: TakeReference, _ transition: inout Transition) {
    // A clip takes nothing out of reach.
    guard transition.notice?.offer == nil else { return }
    transition.raise(.information, "clip", .clipKept(clip.displayName), for: .milliseconds(1500))
  }

  /// Takes a trigger off those that wait for an answer; false if none of this source does.
  private mutating func answered(_ source: TriggerSource) -> Bool {
    guard source.isOrdered else {
      awaited.remove(source)
      return true
    }
    guard unanswered > 0 else { return false }
    unanswered -= 1
    return true
  }
}
