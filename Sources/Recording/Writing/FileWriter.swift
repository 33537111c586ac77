public import Hardware
internal import Media

/// Takes recordings out of a pipe and makes their files, so that each can be played at every instant.
///
/// What is in the pipe is written in fragments, and made durable. Whatever the storage does, the steps can be repeated: a
/// stall loses nothing, a full card ends a recording with what is on it. Storage lane only.
public final class FileWriter {
  /// What the writer tells the control loop.
  public enum Event: Sendable {
    /// The file exists. Recordings that nobody hears of are not told of, but for `refused`.
    case started(RecordingOpening, id: String)
    /// The storage takes no more of it; the recorder must end it, with what is on it.
    case refused(recording: Int, StopReason, text: String)
    /// Complete, durable and visible, with its notes.
    case saved(RecordingKind, id: String, RecordingEnding)
    /// The sound of the take is kept, and its notes could not be written, or its file not be completed (`unfinished`);
    /// `noted` follows when they are.
    case unnoted(id: String, RecordingEnding, code: String, text: String)
    /// What could not be written at the end of a recording is now: it is saved.
    case noted(RecordingKind, id: String, RecordingEnding)
    /// A mark or a gap is not on the storage yet, and is written with the end of the take; or there is no room for a mark.
    case delayed(code: String, text: String)
    /// Nothing came of it, or its file could not be completed (recovery will try at the next start).
    case failed(RecordingOpening?, code: String, text: String)
    /// A snapshot is there: its path in the data directory.
    case picture(path: String)
  }

  /// Why an item of the pipe was not used, although nothing had gone wrong before: a fault of who sent it.
  public enum Unexpected: String, Hashable, Sendable {
    /// It belongs to no open recording.
    case noRecording
    /// A recording of this number is open already.
    case begunTwice
    /// The recording before it is still being opened or ended: its items are worked off before the next is taken.
    case notOpen
  }

  private enum State {
    /// The file is still to be made.
    case creating(RecordingOpening)
    /// It exists, its header is still to be written.
    case opening(OpenFile)
    case open(OpenFile)
    /// A mark or gap is still to be noted.
    case noting(OpenFile, Note)
    /// Marks that came one after the other are still to be written.
    case keeping(OpenFile)
    /// The storage refused; what comes is thrown away until the end.
    case refused(OpenFile, StopReason)
    case finishing(OpenFile, RecordingEnding)
    case completing(OpenFile, RecordingEnding)
    /// There is nothing in it: nothing of it stays. Why it has ended.
    case discarding(OpenFile, StopReason)
    /// Nothing came of it; everything up to its end is thrown away.
    case skipping
  }

  private enum Note {
    case mark(frame: Int, title: String?, told: MarkReply?)
    case gap(CaptureGap)
  }

  /// An item of the pipe, as far as the state of its recording decides what becomes of it.
  private enum Input {
    case begin(RecordingOpening)
    case picture(tick: Int, delay: Int, isKeyframe: Bool)
    case sound
    case note(Note)
    case end(RecordingEnding)
  }

  private let pipe: RecordingPipe
  private let stores: [RecordingKind: any RecordingStore]
  private let tasks: (any RecordingTasks)?
  private let clock: any DeviceClock
  private let notes: @Sendable (Instant, Instant) -> [Receipt.GovernorNote]
  private let steps: (any StepWatch)?
  private let tell: (Event) -> Void
  /// Open recordings by number; few at a time.
  private var states: [Int: State] = [:]
  private var kinds: [Int: RecordingKind] = [:]
  /// The recording that has work of its own to do before the next item is taken. Completing a file is none: it is done in
  /// pieces, when nothing waits in the pipe or enough of it was written.
  private var current: Int?
  private var task: RecordingTask?
  /// Items taken since the last piece of completing a file.
  private var taken = 0
  /// Recordings with marks that are not written yet, and who waits for that.
  private var unkept: [Int: [MarkReply?]] = [:]
  /// Items taken since the first of them.
  private var takenUnkept = 0
  /// Recordings that are complete but for notes, or a name, that the storage did not take.
  private var unnoted: [(kind: RecordingKind, id: String, ending: RecordingEnding)] = []
  /// Recordings that were to go on in another one, which cannot be begun: why they end.
  private var brokenOff: [Int: StopReason] = [:]
  /// When the first media of an open recording was durable.
  private var firstDurable: [Int: Instant] = [:]
  /// Items that were not used, by reason.
  public private(set) var unexpected: [Unexpected: Int] = [:]

  /// Items that are taken before a file that is being completed has its turn: half a second of sound or more.
  private static let itemsInTurn = 32
  /// Items that are taken before marks are written although more waits.
  private static let mostUnkept = 256
  /// Pieces of completing a file in a step: some milliseconds on the slowest board, and others have their turn.
  private static let piecesInStep = 8
  /// How long a step goes on: with a past in the pipe, and a card that is slow to sync, others would wait for all of it.
  private static let longestStep = Duration.milliseconds(100)

  /// - Parameters:
  ///   - stores: where recordings of each kind that comes through the pipe are kept.
  ///   - tasks: what does the other work, if any comes.
  ///   - clock: for when files are durable.
  ///   - notes: what gave way on the board between two instants, for the receipt.
  ///   - steps: how long the lanes' steps take, for the receipt.
  public init(
    pipe: RecordingPipe, stores: [RecordingKind: any RecordingStore], tasks: (any RecordingTasks)? = nil,
    clock: any DeviceClock,
    notes: @escaping @Sendable (Instant, Instant) -> [Receipt.GovernorNote] = { _, _ in [] },
    steps: (any StepWatch)? = nil,
    report: @escaping (Event) -> Void
  ) {
    self.pipe = pipe
    self.stores = stores
    self.tasks = tasks
    self.clock = clock
    self.notes = notes
    self.steps = steps
    tell = report
  }

  /// Whether something that people hear of is being written.
  public var isBusy: Bool { states.keys.contains { kinds[$0] != .spool } || task != nil }

  /// Writes what is in the pipe, as much as a step may.
  ///
  /// - Returns: when to be called again, if the storage stalls, or there is more to be written or to be completed.
  public func step() -> Instant? {
    var pieces = 0
    let began = clock.now
    while true {
      guard pieces < Self.piecesInStep, clock.now - began < Self.longestStep else { return clock.now }
      // What a thrown error is about.
      var subject: Int?
      do throws(StorageError) {
        guard try advance(&subject, &pieces) else { return nil }
      } catch {
        if case .stalled(let until) = error.kind { return until }
        if let subject { handle(error, of: subject) } else if let task { failTask(task, error) }
      }
    }
  }

  /// Tries again what the storage did not take at the end of recordings; to be called now and then.
  public func retry() {
    unnoted.removeAll { recording in
      do throws(StorageError) {
        guard let store = stores[recording.kind] else { return true }
        try store.complete(recording.id, recording.ending)
        guard recording.kind.isHeard else { return true }
        tell(.noted(recording.kind, id: recording.id, store.kept(recording.id, recording.ending)))
        return true
      } catch {
        // Deleted meanwhile.
        return error.kind == .notFound
      }
    }
  }

  /// One piece of work; false when there is none.
  private func advance(_ subject: inout Int?, _ pieces: inout Int) throws(StorageError) -> Bool {
    if let number = current {
      subject = number
      try work(on: number)
      return true
    }
    if let task {
      // It may be about what has ended before it.
      if try complete(&subject, &pieces) { return true }
      subject = nil
      let event = try tasks?.perform(task)
      self.task = nil
      if let event { tell(event) }
      return true
    }
    // What was appended last may make a fragment due, or a sync.
    for number in states.keys.sorted() {
      guard case .open(let file) = states[number] else { continue }
      subject = number
      if try file.flushIfDue(hasMore: pipe.hasMore, clock) { firstDurable[number] = clock.now }
      try file.keepProof()
    }
    subject = nil
    if taken >= Self.itemsInTurn, try complete(&subject, &pieces) { return true }
    if takenUnkept >= Self.mostUnkept, startKeeping() { return true }
    guard let item = pipe.next() else {
      if startKeeping() { return true }
      return try complete(&subject, &pieces)
    }
    taken += 1
    takenUnkept = unkept.isEmpty ? 0 : takenUnkept + 1
    switch item {
    case .picture(let number, let tick, let delay, let isKeyframe):
      take(.picture(tick: tick, delay: delay, isKeyframe: isKeyframe), of: number)
    case .sound(let number, _): take(.sound, of: number)
    case .order(.begin(let opening)): take(.begin(opening), of: opening.number)
    case .order(.mark(let number, let frame, let title, let told)):
      let isOpen = if case .open = states[number] { true } else { false }
      if !isOpen { told?(("not-found", "the take that it belongs to has ended")) }
      take(.note(.mark(frame: frame, title: title, told: told)), of: number)
    case .order(.gap(let number, let gap)): take(.note(.gap(gap)), of: number)
    case .order(.end(let ending)): take(.end(ending), of: ending.number)
    case .order(.task(let task)): self.task = task
    }
    return true
  }

  /// Marks of an open recording are written next; false if there are none.
  private func startKeeping() -> Bool {
    takenUnkept = 0
    for number in unkept.keys.sorted() {
      guard case .open(let file) = states[number] else { continue }
      states[number] = .keeping(file)
      current = number
      return true
    }
    return false
  }

  private func answerMarks(of number: Int, _ failure: (code: String, text: String)? = nil) {
    for told in unkept.removeValue(forKey: number) ?? [] { told?(failure) }
  }

  /// A piece of completing a file; false if there is none to complete.
  private func complete(_ subject: inout Int?, _ pieces: inout Int) throws(StorageError) -> Bool {
    taken = 0
    let numbers = states.keys.filter { if case .finishing = states[$0] { true } else { false } }
    guard let number = numbers.min() else { return false }
    subject = number
    pieces += 1
    try work(on: number)
    return true
  }

  // MARK: Items

  private func take(_ input: Input, of number: Int) {
    switch (states[number], input) {
    case (nil, .begin(let opening)):
      states[number] = .creating(opening)
      kinds[number] = opening.kind
      steps?.begin(number, opening.kind)
      current = number
    case (.open(let file), .picture(let tick, let delay, let isKeyframe)):
      file.append(picture: pipe.sample, tick: tick, delay: delay, isKeyframe: isKeyframe)
    case (.open(let file), .sound): file.append(sound: pipe.sample)
    case (.open(let file), .note(let note)):
      states[number] = .noting(file, note)
      current = number
    case (.open(let file), .end(var ending)):
      if let reason = brokenOff[number] { ending.breakOff(reason) }
      end(file, ending)
    case (.refused(let file, let reason), .end(var ending)):
      ending.reason = reason
      end(file, ending)
    case (.skipping, .end): close(number)
    // The storage has said no, and the recorder has not heard of it yet.
    case (.refused, .picture), (.refused, .sound), (.refused, .note): break
    case (.skipping, .picture), (.skipping, .sound), (.skipping, .note): break
    case (nil, .picture), (nil, .sound), (nil, .note), (nil, .end): count(.noRecording)
    case (.some, .begin): count(.begunTwice)
    case (.creating, _), (.opening, _), (.noting, _), (.keeping, _), (.finishing, _), (.completing, _),
      (.discarding, _):
      count(.notOpen)
    }
  }

  private func count(_ reason: Unexpected) { unexpected[reason, default: 0] += 1 }

  private func end(_ file: OpenFile, _ ending: RecordingEnding) {
    let isEmpty = file.isEmpty(ending)
    if isEmpty { file.close() }
    states[ending.number] = isEmpty ? .discarding(file, ending.reason) : .finishing(file, ending)
    guard isEmpty else { return }
    current = ending.number
    if let before = file.opening.takeBefore { breakOff(before, ending.reason) }
  }

  // MARK: Work

  private func work(on number: Int) throws(StorageError) {
    switch states[number] {
    case .creating(let opening):
      guard let store = store(of: number) else { return close(number) }
      states[number] = .opening(OpenFile(try store.begin(opening), opening: opening))
    case .opening(let file):
      try file.begin()
      try file.keepProof()
      leave(.open(file), number)
      report(.started(file.opening, id: file.id), of: number)
    case .noting(let file, let note):
      switch note {
      case .mark(let frame, let title, let told):
        if let reason = try store(of: number)?.addMark(file.id, frame: frame, title: title) {
          report(.delayed(code: "bad-argument", text: "the mark is not kept: \(reason)"), of: number)
          told?(("bad-argument", reason))
        } else {
          unkept[number, default: []].append(told)
          file.note(mark: frame, title: title)
        }
      case .gap(let gap):
        try store(of: number)?.addGap(file.id, gap)
        file.note(gap)
      }
      leave(.open(file), number)
    case .keeping(let file):
      try store(of: number)?.keepMarks(file.id)
      leave(.open(file), number)
      answerMarks(of: number)
    case .finishing(let file, let ending):
      let marks = store(of: number)?.marks(of: file.id) ?? []
      guard var kept = try file.finishStep(ending, marks: marks, clock) else { return }
      kept.receipt.id = file.id
      kept.receipt.firstDurableAt = firstDurable[number]
      kept.receipt.durableAt = clock.now
      kept.receipt.governor = notes(kept.receipt.start, kept.receipt.end)
      kept.receipt.longestSteps = steps?.longest(number, file.opening.kind) ?? [:]
      kept.receipt.anchors.append(Receipt.Anchor(instant: kept.receipt.durableAt, wall: clock.wallNow))
      states[number] = .completing(file, kept)
      current = number
    case .completing(let file, let ending):
      try store(of: number)?.complete(file.id, ending)
      answerMarks(of: number)
      if let why = ending.unfinished {
        unnoted.append((file.opening.kind, file.id, ending))
        let text = "the sound of \(file.id) is kept up to here, and its file is not complete yet: \(why)"
        let code = ending.reason == .storageFull ? "storage-full" : "internal"
        report(.unnoted(id: file.id, ending, code: code, text: text), of: number)
      } else {
        report(.saved(file.opening.kind, id: file.id, ending), of: number)
      }
      close(number)
    case .discarding(let file, let reason):
      try store(of: number)?.discard(file.id)
      if file.opening.takeBefore != nil {
        let code = reason == .storageFull ? "storage-full" : "internal"
        fail(file, code, "the take ends here, for nothing of its next file could be kept")
      } else {
        fail(file, "empty", "\(nothingMade(file)): it ended before its first \(first(of: file))")
      }
    case .open, .refused, .skipping, nil: current = nil
    }
  }

  private func leave(_ state: State, _ number: Int) {
    states[number] = state
    current = nil
  }

  private func close(_ number: Int) {
    answerMarks(of: number, ("internal", "the take has ended, and its notes are not kept yet"))
    states[number] = nil
    kinds[number] = nil
    firstDurable[number] = nil
    brokenOff[number] = nil
    if current == number { current = nil }
  }

  private func store(of number: Int) -> (any RecordingStore)? { kinds[number].flatMap { stores[$0] } }

  private func report(_ event: Event, of number: Int) {
    if case .refused = event { return tell(event) }
    if kinds[number]?.isHeard == true { tell(event) }
  }

  private func fail(_ file: OpenFile, _ code: String, _ text: String) {
    let number = file.opening.number
    if !file.isToldLost { report(.failed(file.opening, code: code, text: text), of: number) }
    close(number)
  }

  private func nothingMade(_ file: OpenFile) -> String { "no \(file.opening.kind.word) was made" }
  private func first(of file: OpenFile) -> String { file.opening.kind.isTake ? "sound" : "picture" }

  // MARK: Refusals

  private func failTask(_ task: RecordingTask, _ error: StorageError) {
    self.task = nil
    if let event = tasks?.fail(task, error) { tell(event) }
  }

  /// The storage said no for good.
  private func handle(_ error: StorageError, of number: Int) {
    let isFull = error.kind == .full
    let reason: StopReason = isFull ? .storageFull : .error
    let code = isFull ? "storage-full" : "internal"
    switch states[number] {
    case .creating(let opening):
      leave(.skipping, number)
      tellLost(opening, error, reason, code)
    case .opening(let file) where file.opening.takeBefore != nil:
      file.refuse()
      file.isToldLost = true
      leave(.refused(file, reason), number)
      tellLost(file.opening, error, reason, code)
    case .opening(let file), .open(let file):
      let kept = file.hasBegun ? "the \(file.opening.kind.word) is kept up to here" : nothingMade(file)
      file.refuse()
      leave(.refused(file, reason), number)
      let text = isFull ? "the storage is full; \(kept)" : "\(error)"
      report(.refused(recording: number, reason, text: text), of: number)
    case .noting(let file, let note):
      // A mark or gap that could not be noted must not end the recording.
      leave(.open(file), number)
      if case .mark(_, _, let told) = note {
        delay("the mark is", error, code, number)
        told?((code, "\(error)"))
      } else {
        delay("a gap is", error, code, number)
      }
    case .keeping(let file):
      leave(.open(file), number)
      delay("the mark is", error, code, number)
      answerMarks(of: number, (code, "the mark is kept with the end of the take: \(error)"))
    case .finishing(let file, let ending): leaveUnfinished(file, ending, error, reason, code)
    case .completing(let file, let ending):
      let kind = file.opening.kind
      if kind == .spool { store(of: number)?.abandon(file.id) } else { unnoted.append((kind, file.id, ending)) }
      guard kind.isTake else {
        return fail(file, code, "\(file.id) is whole, and appears when the storage takes its receipt: \(error)")
      }
      guard error.kind != .notFound else {
        return fail(
          file, "not-found", "\(file.id) is not on the storage any more: it was removed while it was recorded")
      }
      // The sound is complete and listed.
      report(
        .unnoted(
          id: file.id, ending, code: code,
          text: "the sound of \(file.id) is kept, its notes and marks are not yet: \(error)"), of: number)
      close(number)
    case .discarding(let file, _):
      // An empty file stays behind; the next start removes it.
      fail(file, "empty", "\(nothingMade(file)), and its empty file could not be removed: \(error)")
    case .refused, .skipping, nil: current = nil
    }
  }

  /// A file could not be begun: nothing comes of its recording, or the one that was to go on in it ends before.
  private func tellLost(_ opening: RecordingOpening, _ error: StorageError, _ reason: StopReason, _ code: String) {
    var text = "no \(opening.kind.word) was made: \(error)"
    if let before = opening.takeBefore {
      breakOff(before, reason)
      text = "the take ends here, for its next file could not be begun: \(error)"
    }
    report(.failed(opening, code: code, text: text), of: opening.number)
    report(.refused(recording: opening.number, reason, text: text), of: opening.number)
  }

  private func breakOff(_ number: Int, _ reason: StopReason) {
    switch states[number] {
    case .finishing(let file, var ending) where !file.isFinishing:
      ending.breakOff(reason)
      states[number] = .finishing(file, ending)
    // Its end is still to come.
    case .open: brokenOff[number] = reason
    // That it was to go on is in it, and stays so.
    default: break
    }
  }

  private func delay(_ what: String, _ error: StorageError, _ code: String, _ number: Int) {
    let text = "\(what) not on the storage yet, and is kept with the end of the take: \(error)"
    report(.delayed(code: code, text: text), of: number)
  }

  /// Its last bytes or tables could not be written, not even in the reserve: the file stays as it is, playable. Of a take
  /// the store completes it when the storage lets it; the next start completes the rest.
  private func leaveUnfinished(
    _ file: OpenFile, _ ending: RecordingEnding, _ error: StorageError, _ reason: StopReason, _ code: String
  ) {
    file.close()
    guard file.opening.kind.isTake else {
      store(of: ending.number)?.abandon(file.id)
      return fail(file, code, "\(file.id) is kept, and will be completed at the next start: \(error)")
    }
    var left = file.left(of: ending, reason)
    left.unfinished = "\(error)"
    states[ending.number] = .completing(file, left)
    current = ending.number
  }
}
