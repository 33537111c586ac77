internal import Hardware
internal import Streaming

/// Dubs a programme utterance by utterance: asks for voices and tracks ahead of their time, and decides just before an
/// utterance begins which rung of the ladder dubs it. Dubbing lane only.
final class UtteranceDubber {
  private(set) var wish: DubWish
  /// The text of what is dubbed now.
  private(set) var caption = ""
  private let programme: any Programme
  private let sources: DubSources
  private let mixer: Mixer
  private let links: LostLinks
  private let report: (DubEvent) -> Void
  private let tracks = DubTracks()
  private var ladder = Ladder()
  private var slots = SlotMaker()
  private var subtitles = SubtitleIntake()
  /// Why there are no subtitles in the language that is wished, although the programme has some.
  private var subtitleProblem = ""
  private var nextChoice = Instant.zero
  /// Why what is heard is not the best that was wanted, for people; empty if it is.
  private var reason = ""
  private var wasDubbing = false
  /// The service is not asked, because the way is too narrow.
  private var sparesWay = false
  /// Something has been heard.
  private var hasStarted = false

  /// What the device's own voice is given to speak an utterance in.
  private static let voiceFrames = 3 * 48_000
  /// What is decoded ahead without a dub, and with one for each segment that may be buffered.
  private static let leadFrames = 2 * 48_000
  private static let dubLeadFrames = 4 * 48_000
  /// What is said so soon is worth waiting for.
  private static let firstFrames = 48_000
  private static let choicePause = Duration.milliseconds(200)

  init(
    programme: any Programme, sources: DubSources, mixer: Mixer, wish: DubWish, links: LostLinks,
    report: @escaping (DubEvent) -> Void
  ) {
    self.programme = programme
    self.sources = sources
    self.mixer = mixer
    self.wish = wish
    self.links = links
    self.report = report
    mixer.settings = wish.settings
  }

  func close() {
    tracks.close()
    sources.cancel()
    sources.disconnect()
  }

  // MARK: What is wished

  func configure(_ settings: DubSettings, now: Instant) {
    wish.settings = settings
    mixer.settings = settings
    follow(now)
  }

  /// Dubs into another language: tracks as soon as they are loaded, voices from the next utterance on.
  func setLanguage(_ language: String, now: Instant) {
    guard language != wish.language else { return }
    wish.language = language
    sources.cancel()
    ladder.restart()
    reason = ""
    subtitles.forgetSubstitute()
    tracks.leave(now: now)
    follow(now)
    report(.language(language))
  }

  func setDubbing(_ isOn: Bool, now: Instant) {
    guard isOn != wish.isDubbing else { return }
    wish.isDubbing = isOn
    follow(now)
  }

  func setLowPower(_ isLow: Bool, now: Instant) {
    wish.isLowPower = isLow
    follow(now)
    if isLow, !wish.settings.dubsInLowPower { tracks.close() }
  }

  /// Dubs or does not, as it is wished now.
  func follow(_ now: Instant) {
    if wish.allowsDub, !wasDubbing {
      ladder.restart()
      tracks.mayJoin = true
    } else if !wish.allowsDub, wasDubbing {
      mixer.dropDubs()
    }
    wasDubbing = wish.allowsDub
    chooseSources(now)
  }

  /// The timeline goes on at `frame`.
  func restart(at frame: Int) {
    tracks.restart()
    sources.cancel()
    slots.reset(at: frame)
    caption = ""
  }

  /// The first sound is on its way.
  func start() { hasStarted = true }

  /// The original goes on at `frame`, which may lie before what was expected.
  func uncover(from frame: Int) { slots.uncover(from: frame) }

  // MARK: Ahead of time

  /// How much of the original is to be decoded ahead, in frames.
  ///
  /// A service that dubs by the sound alone has to hear a piece to its end, and to answer before it begins.
  var lead: Int {
    guard wish.allowsDub else { return Self.leadFrames }
    let least = wish.usesService && !subtitles.hasCues ? 2 : 1
    return Self.dubLeadFrames * max(least, min(3, wish.settings.segments))
  }

  /// Carries what is under way.
  ///
  /// - Returns: when to call again at the latest.
  func step(now: Instant) -> Instant? {
    let forTracks = tracks.step(now: now)
    let forVoices = sources.step(now: now, limit: { [slots] in Self.limit(of: $0, in: slots) }) { event in
      switch event {
      case .up: links.find(.service)
      case .down(let reason): links.lose(.service, reason: reason)
      }
    }
    return [forTracks, forVoices].compactMap { $0 }.min()
  }

  private static func limit(of slot: UtteranceSlot, in slots: SlotMaker) -> Int? {
    slots.slots.first { $0.epoch == slot.epoch && $0.start > slot.start }?.start ?? slot.limit
  }

  func pullCues(_ status: ProgrammeStatus) {
    let known = status.subtitleLanguages
    if subtitles.pull(from: programme, into: &slots, language: wish.language, available: known) { sources.cancel() }
    let isThere = known.isEmpty || known.contains { Languages.match($0, wish.language) }
    subtitleProblem = isThere ? status.subtitleProblem ?? "" : ""
  }

  func pullTracks(now: Instant) { tracks.pull(into: mixer, now: now) }

  /// Looks for what there is of the language that is wished.
  private func chooseSources(_ now: Instant) {
    if wish.usesService {
      sources.connect(wish.settings.serviceURL, token: wish.settings.serviceToken, language: wish.language)
    } else {
      sources.disconnect()
      links.find(.service)
    }
    guard wish.allowsDub else { return }
    let place = hasStarted ? mixer.position : 0
    if subtitles.choose(wish.language, of: programme, from: place, hasStarted: hasStarted) {
      slots.reset(at: place)
      sources.cancel()
    }
    guard !tracks.isWantedThere, now >= tracks.retryAt ?? now else { return }
    if let track = programme.rendition(language: wish.language, from: place) {
      tracks.load(track)
    } else {
      tracks.loadNone(in: mixer)
    }
  }

  /// Asks for what will be due.
  func askAhead(_ status: ProgrammeStatus, now: Instant) {
    guard wish.allowsDub else { return }
    if !tracks.isWantedThere || !subtitles.isChosen(wish.language), now >= nextChoice {
      nextChoice = now + Self.choicePause
      chooseSources(now)
    }
    slots.cover(
      upTo: mixer.original.end, from: mixer.position, epoch: { mixer.original.epoch(at: $0) ?? 0 },
      quietest: { mixer.original.quietest(in: $0) })
    let hasCues = subtitles.hasCues
    mixer.measuresProgramme = wish.usesService || (hasCues && wish.speaks(subtitles.lastLanguage))
    sparesWay = wish.usesService && Self.isNarrow(status)
    sources.ask(
      slots.slots, at: mixer.position, now: now, language: wish.language,
      allowsService: wish.usesService && servesLanguage && !sparesWay, allowsSpeech: needsVoice,
      time: { mixer.original.sourceTime(at: $0.start, epoch: $0.epoch) },
      sound: { hasCues ? [] : original(of: $0) })
  }

  /// Whether the way is hardly wide enough for the stream itself: a dub must not push out what it dubs.
  private static func isNarrow(_ status: ProgrammeStatus) -> Bool {
    status.measuredBandwidth > 0 && status.measuredBandwidth < status.variantBandwidth * 5 / 4
  }

  /// While the voices are being loaded they may speak anything: what is asked for then is the first they are given.
  private var synthesises: Bool {
    wish.settings.synthesises
      && (sources.loadsVoices || sources.speechLanguages.contains { Languages.match($0, wish.language) })
  }

  /// Whether the device's own voice, which nothing better takes the place of, is not there yet for what is said within the
  /// first second.
  var awaitsVoice: Bool {
    guard wish.allowsDub, !wish.usesService, tracks.rung == nil else { return false }
    return slots.slots.contains {
      $0.start < mixer.position + Self.firstFrames && $0.end > mixer.position && canSpeak($0) && sources.mayBeSpoken($0)
    }
  }

  /// Whether the device's own voice is to be made for a slot.
  ///
  /// While the service dubs, or may be about to, it is only for what may not come in time, and for what follows that: a
  /// rung that has failed is not trusted with the next utterance.
  private func needsVoice(_ slot: UtteranceSlot) -> Bool {
    let isBeginning = ladder.current == nil && wish.usesService && sources.linkReason == nil
    guard ladder.current == .service || isBeginning else { return canSpeak(slot) }
    guard slot.start < mixer.position + Self.voiceFrames, canSpeak(slot) else { return false }
    return slots.slots.contains { $0.start <= slot.start && !sources.isReady($0, .service) }
  }

  /// Whether the device's own voice can dub a slot: it speaks what is written, and translates nothing.
  private func canSpeak(_ slot: UtteranceSlot) -> Bool {
    !slot.text.isEmpty && wish.speaks(slot.language) && synthesises
  }

  /// The original of a slot as the service wants it: one channel at 16 kHz.
  private func original(of slot: UtteranceSlot) -> [UInt8] {
    let frames = min(slot.end, mixer.original.end) - slot.start
    guard frames > 4800, slot.start >= mixer.original.start else { return [] }
    var stereo = [Float](repeating: 0, count: 2 * frames)
    stereo.withUnsafeMutableBufferPointer {
      if let start = $0.baseAddress { mixer.original.copy(from: slot.start, into: start, frames: frames) }
    }
    // A mean of three frames is filter enough for recognition.
    let mono = (0..<(frames / 3)).map { index in stereo[(6 * index)..<(6 * index + 6)].reduce(0, +) / 6 }
    return ServiceSound.pcm(mono)
  }

  // MARK: In time

  /// Decides about what begins within the ladder's lead.
  func decide() {
    for slot in slots.take(before: mixer.position + Ladder.leadFrames) {
      let wanted = wantedRungs(slot)
      guard !wanted.isEmpty, slot.end > mixer.position else {
        if wish.allowsDub, slot.end > mixer.position {
          let unserved = unserved(slot)
          reason = unserved.isEmpty ? subtitleProblem : unserved
        }
        sources.forget(slot)
        continue
      }
      var ready = sources.readyRungs(slot)
      if let rung = tracks.rung, hasTrack(at: slot) { ready.insert(rung) }
      // What has never been there yet has not failed either.
      var starting = wanted.subtracting(sources.hasServed).filter { !$0.isTrack }
      if tracks.mayJoin, let rung = tracks.rung { starting.insert(rung) }
      var missing: Set<DubRung> = []
      if sources.linkReason != nil || sources.hasFailed(slot) || sparesWay { missing.insert(.service) }
      if sources.loadsVoices { missing.insert(.synthesised) }
      let decision = ladder.decide(
        wanted: wanted, ready: ready.intersection(wanted), starting: starting, missing: missing)
      caption = slot.text
      reason = shortfall(of: decision.rung, wanted: wanted, slot)
      if reason.isEmpty, !wanted.contains(.service) { reason = unserved(slot) }
      let voice = sources.take(slot, rung: decision.rung)
      play(slot, decision.rung, voice)
      announce(decision)
    }
  }

  /// Why the best rung that was wanted is not the one that plays; empty if it is.
  private func shortfall(of rung: DubRung, wanted: Set<DubRung>, _ slot: UtteranceSlot) -> String {
    guard let best = wanted.min(), best != rung else { return "" }
    guard best == .service else {
      if best.isTrack, ladder.distrusts(best), hasTrack(at: slot) { return "its sound has to be in time again first" }
      if best.isTrack { return tracks.shortfall(at: mixer.position) }
      if sources.loadsVoices { return "the device's own voices are not loaded yet" }
      return sources.reason(slot) ?? "it was not ready in time"
    }
    if let reason = sources.reason(slot) { return reason }
    guard let link = sources.link else { return "there is no network to the dubbing service" }
    if !link.isUp { return "the dubbing service has not answered yet" }
    if sparesWay { return "the network is too slow for the stream and the dubbing service" }
    return ladder.distrusts(.service) && sources.isReady(slot, .service)
      ? "the dubbing service has to be in time again first" : "the dubbing service was not in time"
  }

  /// Why the service is not even asked for a slot; empty where nobody would ask it.
  private func unserved(_ slot: UtteranceSlot) -> String {
    guard wish.usesService, isSpoken(slot), !servesLanguage else { return "" }
    return "the dubbing service does not speak \(wish.language)"
  }

  private func isSpoken(_ slot: UtteranceSlot) -> Bool { !slot.text.isEmpty || !subtitles.hasCues }

  /// Whether the service speaks the language that is wished, as far as it has said.
  private var servesLanguage: Bool {
    let known = sources.serviceLanguages
    return known.isEmpty || known.contains { Languages.match($0, wish.language) }
  }

  private func play(_ slot: UtteranceSlot, _ rung: DubRung, _ voice: DubSources.Voice?) {
    mixer.setTrack(rung.isTrack, from: slot.start)
    if rung.isTrack {
      tracks.mayJoin = false
    } else if let voice {
      mixer.place(
        slot: slot.id, rung: rung, epoch: slot.epoch, start: max(voice.start, mixer.position), voice: voice.voice)
    }
  }

  /// A track that has come after all begins at once if nothing else is heard but the original.
  func joinTrack() {
    guard tracks.mayJoin, wish.allowsDub, let rung = tracks.loadedRung, tracks.isThere(in: mixer) else { return }
    guard mixer.voiceRung == nil else { return }
    tracks.mayJoin = false
    if ladder.join(rung) { mixer.setTrack(true, from: mixer.position) }
  }

  /// The track that was heard had no sound when it should have had.
  func noteBrokenTrack() {
    guard mixer.takeBroken() else { return }
    tracks.mayJoin = false
    reason = tracks.shortfall(at: mixer.position)
    announce(ladder.broke(tracks.loadedRung ?? .rendition))
  }

  /// The service has gone, and nothing is left of what it sent: it is not what is heard.
  func watchService() {
    guard ladder.current == .service, sources.link?.isUp != true, !sources.holds(.service), mixer.voiceRung != .service
    else { return }
    tracks.mayJoin = true
    reason = sources.linkReason ?? "there is no dubbing service any more"
    announce(ladder.broke(.service))
  }

  private func announce(_ decision: Ladder.Decision) {
    switch decision.change {
    case .none: break
    case .fellBack: report(.fellBack(to: decision.rung, reason: reason))
    case .returned: report(.returned(to: decision.rung))
    }
  }

  private func wantedRungs(_ slot: UtteranceSlot) -> Set<DubRung> {
    guard wish.allowsDub else { return [] }
    var rungs: Set<DubRung> = []
    if wish.usesService, isSpoken(slot), servesLanguage { rungs.insert(.service) }
    if let rung = tracks.rung { rungs.insert(rung) }
    // A voice that nobody needed to make is not late.
    let isSpared =
      ladder.current == .service && sources.isReady(slot, .service) && !sources.isReady(slot, .synthesised)
    if canSpeak(slot), !isSpared { rungs.insert(.synthesised) }
    return rungs
  }

  /// Whether the track is there from the slot's beginning on, for as long as a decision looks ahead.
  private func hasTrack(at slot: UtteranceSlot) -> Bool {
    let start = max(slot.start, mixer.position)
    return tracks.isLoaded && mixer.track.start <= start && mixer.track.end >= start + Ladder.leadFrames
      && mixer.track.epoch(at: start) == slot.epoch
  }

  // MARK: Status

  /// Seconds that 95 % of the service's answers take; `nil` while that is not known.
  var roundTrip: Double? { sources.link?.session.roundTrip?.inSeconds }

  /// What can be dubbed into.
  func languages(_ status: ProgrammeStatus) -> [String] {
    var found = sources.serviceLanguages + status.soundLanguages
    let voices = sources.speechLanguages
    found += status.subtitleLanguages.filter { text in voices.contains { Languages.match($0, text) } }
    if !wish.language.isEmpty { found.append(wish.language) }
    return Set(found.filter { !$0.isEmpty }).sorted()
  }

  func fill(_ status: inout DubStatus) {
    status.language = wish.language
    status.rung = heardRung
    status.isDubbing = wish.allowsDub
    status.utterances = ladder.counters.utterances
    status.utterancesOnTime = ladder.counters.onTime
    status.percentOnTime = ladder.counters.percentOnTime
    status.fallbacks = ladder.counters.fallbacks
    status.played = ladder.counters.played
    status.late = ladder.counters.late
    status.reason = wish.allowsDub ? reason : ""
    status.serviceConnected = sources.link?.isUp
    status.serviceFaults = sources.faults
    status.caption = caption
  }

  /// What is heard now: of an utterance and of the pause behind it.
  private var heardRung: DubRung {
    guard wish.allowsDub else { return .original }
    return ladder.current ?? (mixer.isTrackHeard ? tracks.loadedRung : nil) ?? .original
  }
}
