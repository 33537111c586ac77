public import Hardware

/// What a finger did, as recognised from debounced edges.
public enum GestureKind: String, Hashable, Sendable, CaseIterable {
  /// The key went down. Keys without a held meaning act on this, at once.
  case press
  /// The key came up, after however long.
  case release
  /// It came up before 600 ms: a tap.
  case short
  /// It has been down for 600 ms.
  case long
  /// Every 200 ms after `long`, while it stays down.
  case `repeat`
  /// It has been down for 2 s (LOCK's way to unlock).
  case veryLong
}

/// One gesture, stamped with the kernel's time of the edge that began it.
public struct Gesture: Hashable, Sendable {
  public var kind: GestureKind
  public var button: Button
  /// When the key went down.
  public var pressedAt: Instant
  /// Other keys that were down when this one went down, in `Button.allCases` order: a chord.
  public var chord: [Button]

  public init(_ kind: GestureKind, _ button: Button, pressedAt: Instant, chord: [Button] = []) {
    self.kind = kind
    self.button = button
    self.pressedAt = pressedAt
    self.chord = chord
  }
}

/// An order that came from the console or a script instead of a key. It obeys the same rules of state,
/// but not the lock: whoever sits at the console may command a locked device.
public enum Command: Hashable, Sendable {
  case record
  case pause
  case resume
  case stop
  case mark(title: String?)
  /// Plays the take with this id; `nil`: the loaded one.
  case play(id: String?)
  case seek(seconds: Double)
  /// To the next (+1) or the previous (−1) mark of the loaded take.
  case skip(direction: Int)
  /// Repeats what lies between two places of the loaded take, in seconds; `nil`: plays on.
  case loop(ClosedRange<Double>?)
  case showScreen(Screen)
  case lock
  case unlock
  /// Changes the mode, as a held STOP does.
  case take(Mode)
  /// A clip from now.
  case trigger
  /// Clips without end, until `endPostRoll`.
  case continuous
  /// A picture every so many milliseconds (100…86,400,000), until `endPostRoll`.
  case timeLapse(milliseconds: Int)
  case endPostRoll
  case snapshot
  /// Plays a source with a dub; see `SourceList` for what names one.
  case startDub(source: String?, language: String?)
  case stopDub
  /// Dub or original.
  case enableDub(Bool)
  /// Opens a feed; see `FeedSources` for what names one.
  case openFeed(source: String?)
  /// The item before (−1) or behind (+1).
  case stepFeed(Int)
  case refreshFeed
  case muteFeed(Bool)
  /// Makes the item that is shown a favourite, or no longer.
  case likeItem
  /// Settings by key, as one change: all of them, or none.
  case set([String: SettingValue])
  /// Power is about to go: close and sync whatever is open.
  case shutDown
}

/// What the recorder reports back.
public enum RecorderReport: Hashable, Sendable {
  /// The file exists and receives sound. `preRecorded` frames come from before the press; its take was asked for at `asked`.
  case started(TakeReference, preRecorded: Int, asked: Instant? = nil)
  case paused
  case resumed
  /// Silence is left out of the take until a voice is heard (false).
  case waiting(Bool)
  /// A mark was put at this frame of the take's present file, before which there are others with so many frames. One with
  /// a cause was put by itself: `overload`, `gap`, `source`, `voice`.
  case marked(frame: Int, before: Int = 0, cause: String? = nil)
  /// Sound is missing and was replaced by exact silence: `frames` at `frame` of the take.
  case gap(frame: Int, frames: Int, reason: String)
  /// The recorder stopped by itself and is saving.
  case stopping(StopReason)
  /// The take is complete and durable, with its notes.
  case saved(TakeReference, StopReason)
  /// Its sound is complete and durable, its notes and marks could not be written; `noted` follows when they are.
  case unnoted(TakeReference, StopReason, code: String, text: String)
  case noted(TakeReference, StopReason)
  /// The recorder could not begin the take; `code` as in console errors.
  case notBegun(code: String, text: String)
  /// The storage made no take of it, or could not complete it.
  case failed(code: String, text: String, asked: Instant? = nil)
  /// The microphone beside the one that is heard, as was asked for; `nil`: there is no other.
  case sourceBeside(String?)
  /// The take is not quite what the settings ask for, and why.
  case told(code: String, text: String)
}

/// What the player reports back.
public enum PlayerReport: Hashable, Sendable {
  /// The take is open, at `frame`.
  case loaded(TakeReference, frame: Int)
  case marked(frame: Int)
  /// It ends before the file says that it does, and why; reported before the end.
  case brokeOff(code: String, text: String)
  /// It has played to the end.
  case ended
  /// What is repeated lies between these frames; nothing is without the latter.
  case looped(start: Int?, end: Int?)
  case failed(code: String, text: String)
}

/// What the library reports back.
public enum LibraryReport: Hashable, Sendable {
  /// A window of the list.
  case window(start: Int, takes: [TakeReference], count: Int)
  /// Takes came or went; any window is stale.
  case changed(count: Int)
  /// - Parameter number: of so many that go together it is the last so far.
  case deleted(TakeReference, number: Int = 1)
  /// Its name, its tags or the like are others now.
  case renewed(TakeReference)
  /// All tags that takes have, A to Z.
  case tags([String])
  case facts(TakeFacts)
  /// How much of a copy is made, in percent; `nil`: it has come to nothing.
  case copying(Int?)
  /// How much of what is done to several takes is done, in percent.
  case working(Int)
  /// To so many it was done, and to so many it could not be done.
  case worked(TakesWork, done: Int, failed: Int)
  /// The copy is there.
  case copied(TakeReference)
  /// What is in the socket for a stick.
  case stick(StickState.Condition)
  /// How much of what is copied to the stick is there, in percent; `nil`: nothing is being copied any more.
  case exporting(Int?)
  /// So many takes are on the stick, and it may be pulled out.
  case exported(count: Int, name: String)
  /// Not all that was to be copied is on the stick; `text` for programs.
  case exportFailed(StickTrouble, text: String)
  /// What was deleted is back.
  ///
  /// - Parameter number: of so many that come back together it is the last.
  case restored(TakeReference, number: Int = 1)
  /// The marks of a take, in the order of time: one that was loaded, or of which they have changed.
  case marks(take: String, [MarkReference])
  /// A window of the list of clips.
  case clipWindow(start: Int, clips: [TakeReference], count: Int)
  /// Clips came or went; `last` is the newest.
  case clipsChanged(count: Int, last: TakeReference?)
  /// A clip is protected now, or no longer.
  case protected(TakeReference)
  case failed(code: String, text: String)
}

/// The devices whose coming and going the machine hears of.
public enum Device: String, Hashable, Sendable, CaseIterable {
  case microphone
  case camera
  case speaker
  case display
  case buttons
  case lamps
  case console
  case storage
  /// The way to other machines.
  case network
}

/// How full the storage is.
public enum StorageLevel: String, Hashable, Sendable {
  case ample
  case low
  case full
}

/// What the storage takes no files of: all of it is read-only, or the folder for them is somebody else's.
public struct StorageRefusal: Hashable, Sendable {
  public var takes = false
  public var clips = false

  public init(takes: Bool = false, clips: Bool = false) { (self.takes, self.clips) = (takes, clips) }
}

/// Everything that can happen to the machine.
public enum Event: Hashable, Sendable {
  case gesture(Gesture)
  case command(Command)
  case recorder(RecorderReport)
  case player(PlayerReport)
  case library(LibraryReport)
  case clip(ClipReport)
  /// What the dub player tells of a run.
  case dub(DubReport, run: Int)
  /// What can be played with a dub.
  case dubSources([DubSource])
  case feed(FeedReport)
  /// The board's trigger input, with the kernel's time of its edge.
  case clipTrigger(at: Instant, source: TriggerSource)
  case deviceLost(Device, text: String)
  case deviceReturned(Device, text: String)
  /// Another microphone is heard.
  case sourceChanged(to: String, from: String, SourceChangeReason)
  case storage(StorageLevel)
  case storageRefuses(StorageRefusal)
  case schedule(ScheduleEvent)
  /// What the wall clock answers to the panel.
  case clock(ClockReport)
  case update(UpdateNews)
  /// So many wrong PINs were entered on the panel before the restart.
  case pinMistakes(Int)
  /// A timer that was set by an effect has run out.
  case timer(Timer)
}

/// What the schedules ask for, and tell.
public enum ScheduleEvent: Hashable, Sendable {
  /// A take is to be begun.
  case begin(Occurrence.Key)
  /// Its take, if nobody has ended it by hand, is to be ended.
  case end(Occurrence.Key)
  /// In a sentence: what was not recorded.
  case missed(Sentence)
  /// In a sentence: what comes next, after a change.
  case planned(Sentence)
}

/// The timers that the machine may set; setting one again moves it.
public enum Timer: String, Hashable, Sendable, CaseIterable {
  case noticeExpires
  case lockHintExpires
  /// Nobody goes on entering the panel's PIN.
  case pinExpires
}
