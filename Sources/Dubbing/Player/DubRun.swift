internal import Hardware
internal import Sound
internal import Speech
internal import Streaming

/// One programme that is being played: its sound and its dub, from the source to the speaker. Dubbing lane only.
final class DubRun {
  enum Phase {
    case buffering
    case playing
    case ended
    case failed(String)
  }

  let source: String
  let programme: any Programme
  /// What the programme said of itself when it was last seen to.
  private(set) var programmeStatus: ProgrammeStatus
  let sources: DubSources
  let feed: SpeakerFeed
  let mixer = Mixer()
  let report: (DubEvent) -> Void
  let pictures: (any PictureTaker)?

  var settings: DubSettings
  private(set) var language: String
  var isDubbing = true
  var isLowPower = false
  var isPaused = false

  var phase = Phase.buffering
  var ladder: Ladder
  let tracks = DubTracks()
  var slots = SlotMaker()
  var pending: SoundBlock?
  var hasCues = false
  var cueLanguage: String?
  /// Of the subtitle that was taken last.
  var lastCueLanguage = ""
  var subtitleWish = ""
  var nextChoice = Instant.zero
  /// `languages`, as of the last look at what there is.
  var knownLanguages: [String] = []
  /// Sound broke off: so much is waited for that it does not at once again.
  var hasBrokenOff = false
  var heldCue: SubtitleCue?
  var picture: ProgrammePicture?
  var current: UtteranceSlot?
  /// What does not come at the moment.
  var lost: Set<Source> = []
  var hasStarted = false
  var isFinishing = false
  var drainedAt: Instant?
  let live = LiveControl()
  let begun: Instant
  var startTime: Duration?

  /// What can be lost on the way.
  enum Source {
    case stream
    case service
  }

  init(
    source: String, language: String, programme: any Programme, sources: DubSources, feed: SpeakerFeed,
    settings: DubSettings, ladder: Ladder, now: Instant, pictures: (any PictureTaker)?,
    report: @escaping (DubEvent) -> Void
  ) {
    self.source = source
    self.language = language
    self.programme = programme
    programmeStatus = programme.status
    self.sources = sources
    self.feed = feed
    self.settings = settings
    self.ladder = ladder
    self.pictures = pictures
    self.report = report
    begun = now
    mixer.settings = settings
    pictures?.restart(isPlaying: true)
    followWishes(now)
  }

  func close() {
    pictures?.restart(isPlaying: false)
    tracks.close()
    programme.close()
    sources.cancel()
    sources.disconnect()
    feed.close()
  }

  // MARK: Orders

  func configure(_ settings: DubSettings, now: Instant) {
    self.settings = settings
    mixer.settings = settings
    followWishes(now)
  }

  /// Dubs into another language: tracks as soon as they are loaded, voices from the next utterance on.
  func setLanguage(_ language: String, now: Instant) {
    guard language != self.language else { return }
    self.language = language
    sources.cancel()
    ladder.restart()
    cueLanguage = nil
    tracks.leave(now: now)
    followWishes(now)
    report(.language(language))
  }

  func setDubbing(_ isOn: Bool, now: Instant) {
    guard isOn != isDubbing else { return }
    isDubbing = isOn
    followWishes(now)
  }

  /// The board is throttled or on battery: the stream takes its lowest variant, and the dub goes if that is wished.
  func setLowPower(_ isLow: Bool, now: Instant) {
    if isLow != isLowPower { pictures?.restart(isPlaying: !isLow) }
    isLowPower = isLow
    programme.setLowPower(isLow)
    followWishes(now)
    if isLow, !settings.dubsInLowPower { tracks.close() }
  }

  /// Dubs or does not, as it is wished now.
  private func followWishes(_ now: Instant) {
    if allowsDub, !wasDubbing {
      ladder.restart()
      tracks.mayJoin = true
    } else if !allowsDub, wasDubbing {
      mixer.dropDubs()
    }
    wasDubbing = allowsDub
    chooseSources(now)
  }

  func seek(bySeconds seconds: Double, now: Instant) {
    guard seconds.isFinite else { return }
    let from = feed.heard(at: now).map { Int($0.timeline) } ?? mixer.position
    // Nobody's stream is longer than a century, and the sum must not overflow.
    seek(to: max(0, from + Int(max(-3e9, min(3e9, seconds)) * 48_000)))
  }

  func seek(to frame: Int) {
    programme.seek(to: frame)
    programmeStatus = programme.status
    tracks.restart()
    pending = nil
    heldCue = nil
    picture = nil
    pictures?.restart(isPlaying: !isLowPower)
    sources.cancel()
    slots.reset(at: frame)
    mixer.reset(at: frame)
    feed.flush()
    live.restart()
    current = nil
    isFinishing = false
    hasBrokenOff = false
    drainedAt = nil
    nextSupply = .zero
    phase = .buffering
  }

  // MARK: Work

  /// - Returns: when to call again at the latest.
  func step(now: Instant) -> Instant? {
    // Before its time: somebody woke it, because there is something to be seen to.
    if now >= nextSupply || now < due { nextSupply = supply(now) }
    feed.observe()
    play(now)
    pullPictures(now)
    switch phase {
    case .ended, .failed: return nil
    case .buffering: nextSupply = min(nextSupply, now + Self.step)
    case .playing: break
    }
    due = min(nextSupply, now + (isPaused ? Self.idleStep : Self.step))
    return due
  }

  /// Sees to what is played next: what is fetched, decoded, asked for.
  ///
  /// - Returns: when to do so again at the latest.
  private func supply(_ now: Instant) -> Instant {
    var wishes = [programme.step(now: now), tracks.step(now: now)]
    programmeStatus = programme.status
    wishes.append(
      sources.step(now: now, limit: { [slots] slot in Self.limit(of: slot, in: slots) }) { news in tell(news) })
    pullCues()
    pullSound(now)
    // What was taken out of it is not in it any more.
    programmeStatus = programme.status
    watchProgramme()
    watchService()
    askAhead(now)
    joinTrack()
    knownLanguages = languages
    wishes.append(now + (isPaused ? Self.idleStep : Self.supplyStep))
    return wishes.compactMap { $0 }.min() ?? now
  }

  private static func limit(of slot: UtteranceSlot, in slots: SlotMaker) -> Int? {
    slots.slots.first { $0.epoch == slot.epoch && $0.start > slot.start }?.start ?? slot.limit
  }

  private var wasDubbing = false
  private var nextSupply = Instant.zero
  /// When it asked to be called.
  private var due = Instant.zero

  private static let step = SpeakerFeed.lead / 3
  /// What is decoded and asked for is seconds ahead of what is played.
  private static let supplyStep = step * 2
  private static let idleStep = Duration.milliseconds(200)

  /// Whether a dub is wanted at all.
  var allowsDub: Bool { isDubbing && !language.isEmpty && (!isLowPower || settings.dubsInLowPower) }
}
