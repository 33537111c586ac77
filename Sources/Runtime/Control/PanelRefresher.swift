internal import Appliance
internal import Hardware
internal import Panel

/// Decides when a new picture is due and has it made and shown. Control lane only.
///
/// A change of state is drawn at once; what moves by itself (timer, meters) at the display's rate, in step with the
/// level readings: every new one wakes the control lane, and the picture that shows it goes out with it. While the device
/// stands armed and nobody touches it, the display's lane has the readings without it.
final class PanelRefresher {
  private let display: DisplayWorker?
  private let gatherer: ReadingsGatherer
  private let onStatus: ((String, Bool) -> Void)?
  private let usual: Duration
  /// Whether what moves by itself moves a few times a second only.
  var isSpared = false
  /// How often the rest of a standing picture is looked at: the clock, the card.
  private static let standingInterval = Duration.milliseconds(500)
  /// What is read and not watched.
  private static let wordsInterval = Duration.milliseconds(200)
  /// How often levels come.
  var pace = MeterPace.lively
  private var lastState: State?
  private var lastReadings: Readings?
  /// What the display's lane follows by itself.
  private var standing: StandingPicture?
  private var revision = -1
  private var shownSound = Instant.zero
  private var shownTrial: Frame?
  /// Earliest time of the next picture of the same state.
  private var mayDraw = Instant.zero
  /// Its latest time, if no reading comes.
  private var mustDraw = Instant.zero

  /// - Parameters:
  ///   - framesPerSecond: what the display's bus can take.
  ///   - onStatus: told with every new picture what goes on, in a line of words, and whether the keys are locked.
  init(
    display: DisplayWorker?, gatherer: ReadingsGatherer, framesPerSecond: Int,
    onStatus: ((String, Bool) -> Void)? = nil
  ) {
    self.display = display
    self.onStatus = onStatus
    self.gatherer = gatherer
    usual = .nanoseconds(1_000_000_000 / Int64(max(1, framesPerSecond)))
  }

  /// Shows a new picture if one is due.
  ///
  /// - Parameters:
  ///   - revision: another one whenever the state may be another one.
  ///   - trial: what is shown instead, while somebody tests the display.
  /// - Returns: when the next one is.
  func refresh(_ state: State, _ revision: Int, trial: Frame?, now: Instant) -> Instant? {
    guard let display else { return nil }
    if trial != shownTrial {
      shownTrial = trial
      if let trial { display.post(trial, soundFrom: nil) } else { lastState = nil }
      standing = nil
    }
    if trial != nil { return nil }
    // A display that is slower than the levels come has to be held back.
    if !isSpared, usual <= pace.interval, StandingPicture.fits(state, pace) {
      return stand(state, revision, on: display, now: now)
    }
    if standing != nil { (standing, lastReadings) = (nil, nil) }
    let isDue = now >= mayDraw
    let isNew = lastState == nil || revision != self.revision && state != lastState
    self.revision = revision
    guard isDue || isNew else { return mustDraw }
    if isDue {
      let pace = pace(of: state)
      // Readings come a little faster or slower than the display's rate, never at twice it. A dub shows none.
      let hasLevels = state.mode != .dub && state.mode != .feed
      mayDraw = now + (hasLevels ? pace * 4 / 5 : pace)
      mustDraw = now + (hasLevels ? pace * 3 / 2 : pace)
    }
    let readings = gatherer.readings(for: state)
    if isNew || readings != lastReadings {
      if isNew { lastState = state }
      lastReadings = readings
      // Levels count once, in the first picture that shows them.
      let isNewSound = gatherer.levelsFrom > shownSound
      shownSound = gatherer.levelsFrom
      display.post(
        Screens.render(state, readings, at: now), look: DisplayLook(state.settings),
        soundFrom: isNewSound ? shownSound : nil)
      onStatus?(Screens.statusLine(state, readings), state.isLocked)
    }
    return mustDraw
  }

  /// Leaves the meters to the display's lane, and looks at the rest from time to time.
  private func stand(_ state: State, _ revision: Int, on display: DisplayWorker, now: Instant) -> Instant? {
    let isNew = standing == nil || revision != self.revision && standing?.isOther(than: state) ?? true
    self.revision = revision
    guard isNew || now >= mustDraw else { return mustDraw }
    mustDraw = now + Self.standingInterval
    let readings = gatherer.readings(for: state)
    let picture = gatherer.standing(state, readings)
    if standing.map(picture.differs) ?? true {
      (standing, lastState) = (picture, state)
      display.post(picture, look: DisplayLook(state.settings))
      onStatus?(Screens.statusLine(state, readings), state.isLocked)
    }
    return mustDraw
  }

  private var interval: Duration {
    let spared = isSpared ? Duration.nanoseconds(1_000_000_000 / Int64(GovernorDeeds.displayRate)) : .zero
    return max(usual, spared, pace == .calm ? pace.interval : .zero)
  }

  /// From one picture of a state to the next.
  ///
  /// In clip mode the levels only tell that there is sound, and the device may stand armed for days; of a dub's pictures
  /// every other one of the display shows a new one. Without pictures only its seconds and its buffer move.
  private func pace(of state: State) -> Duration {
    switch state.mode {
    case .dictaphone: interval
    case .clips: interval * 2
    case .dub, .feed: lastReadings?.dub.preview == nil ? max(interval, Self.wordsInterval) : interval * 2
    }
  }

  /// The picture that belongs to the state now, for whoever asks.
  func compose(_ state: State, now: Instant) -> ScreenPicture {
    Screens.compose(state, gatherer.readings(for: state), at: now)
  }
}

extension DisplayLook {
  fileprivate init(_ settings: Settings) {
    self.init(brightness: settings.brightness == 0 ? nil : settings.brightness, isInverted: settings.isInverted)
  }
}
