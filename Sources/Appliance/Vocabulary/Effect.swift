public import Hardware

/// What the recorder is told.
public enum RecorderOrder: Hashable, Sendable {
  /// Starts a take whose first sound is that of `at` minus the pre-record time.
  case start(at: Instant)
  case pause(at: Instant)
  case resume(at: Instant)
  case mark(at: Instant, title: String?)
  case stop(at: Instant, reason: StopReason)
  /// To find the next (+1) or the previous (−1) microphone that is there.
  case stepSource(by: Int)
}

/// What the player is told. Positions are in seconds of the take.
public enum PlayerOrder: Hashable, Sendable {
  /// Opens a take at its last position (`fromStart` false) or at its beginning, and plays if `playing`.
  case load(id: String, playing: Bool, fromStart: Bool)
  case play
  case pause
  /// Stops, keeps the last position.
  case stop
  case seek(by: Double)
  /// Steps of 2 s every 200 ms with a preview of the sound, until `scrub(0)`.
  case scrub(direction: Int)
  case mark(title: String?)
  /// To a frame.
  case go(to: Int)
  /// To the next (+1) or the previous (−1) of these frames.
  case skip(direction: Int, among: [Int])
  /// A, B, or neither any more, counted from then.
  case stepLoop(at: Instant)
  case loop(ClosedRange<Double>?)
}

/// What is done to several takes at once.
public enum TakesWork: Hashable, Sendable {
  /// One undo brings all of them back.
  case delete
  case favourite(Bool)
  case protect(Bool)
  /// To the stick.
  case export
}

/// What the library is told.
public enum LibraryOrder: Hashable, Sendable {
  case window(start: Int, count: Int, view: ListView = ListView())
  case delete(id: String)
  /// Brings back what was deleted last.
  case undelete
  case favourite(id: String, Bool)
  /// Keeps a take from being deleted, or no longer.
  case protect(id: String, Bool)
  case work(TakesWork, ids: [String])
  /// Ends what is being done to several takes; what is done stays so.
  case cancelWork
  /// Gives a take the name that people see.
  case rename(id: String, String)
  /// Gives a take a tag, or takes it away.
  case tag(id: String, String, Bool)
  /// Asks for all tags that takes have.
  case tags
  /// Asks for what is known of a take.
  case facts(id: String)
  case copy(id: String)
  case cancelCopy
  /// Copies a take to the stick.
  case export(id: String)
  /// Copies all takes and clips to the stick.
  case exportAll
  case cancelExport
  /// Moves a mark of a take.
  case moveMark(MarkReference, take: String)
  case removeMark(id: String, take: String)
  /// Brings back the mark that was removed last.
  case restoreMark
  case clipWindow(start: Int, count: Int)
  case deleteClip(id: String)
  /// Keeps a clip from being deleted, or no longer.
  case protectClip(id: String, Bool)
  /// Has the receipt of a clip ready for the screen.
  case receipt(id: String)
}

/// What the machine tells the world; the console turns these into events.
public enum Announcement: Hashable, Sendable {
  case modeChanged(from: String, to: String)
  case takeStarted(TakeReference, preRecordedFrames: Int)
  case takeSaved(TakeReference, StopReason)
  /// - Parameter number: its place among the marks of the take, where that is known.
  case mark(takeID: String, frame: Int, number: Int? = nil, title: String? = nil)
  case gap(frame: Int, frames: Int, reason: String)
  case deviceLost(Device, text: String)
  case deviceReturned(Device, text: String)
  case sourceChanged(to: String, from: String, SourceChangeReason)
  case storage(StorageLevel)
  case lock(Bool)
  case error(code: String, text: String)
  case settingChanged(key: String, value: SettingValue)
  case bufferReady(seconds: Double)
  case captureStarted(number: Int, source: TriggerSource, at: Instant, ends: Instant)
  /// A trigger has become part of the clip.
  case captureExtended(number: Int, source: TriggerSource, at: Instant, ends: Instant)
  case captureCompleted(number: Int, TakeReference)
  case snapshotSaved(path: String)
  case dubbing(DubbingStatus)
  case feed(FeedStatus)
}

/// What the machine asks the runtime to do. Effects are performed in order.
public enum Effect: Hashable, Sendable {
  case recorder(RecorderOrder)
  case player(PlayerOrder)
  case library(LibraryOrder)
  case clip(ClipOrder)
  case dub(DubOrder)
  case clock(ClockOrder)
  case update(UpdateOrder)
  case feed(FeedOrder)
  case setTimer(Timer, at: Instant)
  case cancelTimer(Timer)
  case announce(Announcement)
  /// The press or command did nothing, and why.
  case ignored(IgnoredReason)
  /// Settings changed and want to be kept.
  case saveSettings
  /// Settings changed that these follow.
  case applySettings(SettingUsers)
}
