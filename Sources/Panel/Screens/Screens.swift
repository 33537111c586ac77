public import Appliance
public import Hardware

/// A picture for the OLED, with what it says in words.
public struct ScreenPicture: Hashable, Sendable {
  /// 128×64 pixels.
  public var frame: Frame
  /// What it shows, for `panel.state`: `idle`, `recording`, `files`, …; a card that lies over it counts:
  /// `notice`, `lockHint`, `pinEntry`, `deleteQuestion`.
  public var name: String
  /// The texts as shown, from top to bottom as they were drawn; what a card covers is left out.
  public var texts: [String]
}

/// Draws what a person sees on the OLED.
///
/// Pure functions of their arguments, fast enough for every frame; any thread may call them. They allocate, so no
/// real-time thread should.
public enum Screens {
  /// The picture for a state: 128×64 pixels.
  ///
  /// - Parameter now: used for the lock hint's end and for what moves.
  public static func render(_ state: State, _ readings: Readings, at now: Instant) -> Frame {
    draw(state, readings, at: now).canvas.frame
  }

  /// The picture for a state, with its name and texts.
  public static func compose(_ state: State, _ readings: Readings, at now: Instant) -> ScreenPicture {
    let drawn = draw(state, readings, at: now)
    return ScreenPicture(
      frame: drawn.canvas.frame, name: drawn.name,
      texts: drawn.canvas.texts.map(\.shown).filter { !$0.isEmpty })
  }

  /// Draws, and keeps the record of texts for tests.
  static func draw(_ state: State, _ readings: Readings, at now: Instant) -> (canvas: Canvas, name: String) {
    var drawing = Drawing(state: state, readings: readings, now: now)
    var name: String
    switch state.screen {
    case .main: name = drawing.main()
    case .files: name = drawing.files()
    case .marks: name = drawing.marks()
    case .options: name = drawing.options()
    case .schedules: name = drawing.schedules()
    case .schedule: name = drawing.schedule()
    case .clock: name = drawing.clock()
    case .guide: name = drawing.guide()
    case .receipt: name = drawing.receipt()
    case .library: name = drawing.library()
    }
    if let notice = state.notice {
      drawing.notice(notice)
      name = "notice"
    }
    if state.isLocked, let until = state.lock.hintUntil, now < until {
      drawing.lockHint()
      name = "lockHint"
    } else if state.isLocked, state.lock.pin.digits != nil {
      drawing.pinEntry(state.lock.pin)
      name = "pinEntry"
    }
    return (drawing.canvas, name)
  }
}

/// One picture in the making: each family of screens extends it in a file of its own.
///
/// The top nine rows are the status bar on every screen; cards leave it free, so that lock and recording are
/// always in sight.
struct Drawing {
  let state: State
  let readings: Readings
  let now: Instant
  var canvas = Canvas()

  init(state: State, readings: Readings, now: Instant) {
    self.state = state
    self.readings = readings
    self.now = now
    language = state.settings.language
    amounts = Amounts(language)
  }

  /// The status bar's rows, and the bottom line's.
  static let statusHeight = 9
  static let bottom = Area(0, 57, Canvas.width, 7)

  let language: Language
  let amounts: Amounts

  func text(_ phrase: Phrase) -> String { phrase.text(in: language) }

  /// A take's name for people.
  func shown(_ name: String) -> String { TakeNames.shown(name, in: language) }

  mutating func main() -> String {
    if state.mode == .clips { return clips() }
    if state.mode == .dub { return dub() }
    if state.mode == .feed { return feed() }
    switch state.activity {
    case .idle: idle()
    case .recording, .paused: recording()
    case .saving: saving()
    case .playing, .playbackPaused: playing()
    }
    return state.activity.rawValue
  }

  /// The name of the take that is open or in the player.
  var takeName: String {
    if !readings.fileName.isEmpty { return shown(readings.fileName) }
    let take = state.hasTakeInHand ? state.openTake : state.loaded
    if let name = take?.displayName, !name.isEmpty { return shown(name) }
    return state.hasTakeInHand ? text(.preparing) : ""
  }
}

extension State {
  /// A take is open or being completed.
  var hasTakeInHand: Bool {
    mode == .dictaphone && (activity == .recording || activity == .paused || activity == .saving)
  }
}
