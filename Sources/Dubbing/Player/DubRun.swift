internal import Hardware
internal import Sound
internal import Speech
internal import Streaming

/// One programme that is being played: its sound and its dub, from the source to the speaker. Media lane only.
final class DubRun {
  enum Phase {
    case buffering
    case playing
    case ended
    case failed(String)
  }

  let source: String
  let programme: any Programme
  let sources: DubSources
  let feed: SpeakerFeed
  let mixer = Mixer()
  private let sidecar: (String) -> (any Programme)?
  private let report: (DubNews) -> Void
  private let pictures: (any PictureTaker)?

  var settings: DubSettings
  private(set) var language: String
  var isDubbing = true
  var isLowPower = false {
    didSet { if isLowPower != oldValue { pictures?.restart(isPlaying: !isLowPower) } }
  }
  var isPaused = false

  private(set) var phase = Phase.buffering
  private(set) var ladder: Ladder
  private var slots = SlotMaker()
  private var pending: SoundBlock?
  private var track: (any Programme)?
  private var trackRung = DubRung.rendition
  /// Whether it is ours to seek and to close, not the programme's.
  private var isTrackOurs = false
  private var pendingTrack: SoundBlock?
  private var hasCues = false
  private var cueLanguage: String?
  private var subtitleWish = ""
  private var nextChoice = Instant.zero
  /// Sound broke off: so much is waited for that it does not at once again.
  private var hasBrokenOff = false
  private var heldCue: SubtitleCue?
  private var picture: ProgrammePicture?
  private var current: UtteranceSlot?
  private var isStalled = false
  private var hasStarted = false
  private var isFinishing = false
  private var drainedAt: Instant?
  let live = LiveControl()
  private let begun: Instant
  private(set) var startTime: Duration?

  /// Enough to begin with, and to go on with after the sound broke off.
  private static let startFrames = 48_000 * 3 / 10
  private static let resumeFrames = 48_000
  /// What is decoded ahead without a dub, and with one for each segment that may be buffered.
  private static let leadFrames = 2 * 48_000
  private static let dubLeadFrames = 4 * 48_000
  private static let cueLimit = 40
  /// How long before it is due a picture is handed on: decoders hold some back until they know the order.
  private static let pictureLead = 48_000

  init(
    source: String, language: String, programme: any Programme, sources: DubSources, feed: SpeakerFeed,
    settings: DubSettings, ladder: Ladder, now: Instant, sidecar: @escaping (String) -> (any Programme)?,
    pictures: (any PictureTaker)?, report: @escaping (DubNews) -> Void
  ) {
    self.source = source
    self.language = language
    self.programme = programme
    self.sources = sources
    self.feed = feed
    self.settings = settings
    self.ladder = ladder
    self.sidecar = sidecar
    self.pictures = pictures
    self.report = report
    begun = now
    mixer.settings = settings
    pictures?.restart(isPlaying: true)
    chooseSources()
  }

  func close() {
    pictures?.restart(isPlaying: false)
    if isTrackOurs { track?.close() }
    programme.close()
    sources.cancel()
    sources.disconnect()
    feed.close()
  }

  // MARK: Orders

  func configure(_ settings: DubSettings) {
    self.settings = settings
    mixer.settings = settings
    chooseSources()
  }

  /// Dubs into another language from the next utterance on.
  func setLanguage(_ language: String) {
    guard language != self.language else { return }
    self.language = language
    sources.cancel()
    mixer.setTrack(false, from: mixer.position)
    dropTrack()
    ladder.restart()
    cueLanguage = nil
    chooseSources()
    report(.language(language))
  }

  /// A further track of a file is kept by its programme, and can be gone back to; one of a stream is opened anew.
  private func dropTrack() {
    if trackRung == .rendition || isTrackOurs { track?.close() }
    track = nil
    pendingTrack = nil
    mixer.track.clear()
  }

  func setDubbing(_ isOn: Bool) {
    guard isOn != isDubbing else { return }
    isDubbing = isOn
    if isOn {
      ladder.restart()
    } else {
      mixer.dropDubs()
    }
  }

  func seek(bySeconds seconds: Double, now: Instant) {
    guard seconds.isFinite else { return }
    let from = feed.heard(at: now).map { Int($0) } ?? mixer.position
    // Nobody's stream is longer than a century, and the sum must not overflow.
    seek(to: max(0, from + Int(max(-3e9, min(3e9, seconds)) * 48_000)))
  }

  private func seek(to frame: Int) {
    programme.seek(to: frame)
    if isTrackOurs { track?.seek(to: frame) }
    pending = nil
    pendingTrack = nil
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
    phase = .buffering
  }

  // MARK: Work

  /// - Returns: when to call again at the latest.
  func step(now: Instant) -> Instant? {
    var wishes = [programme.step(now: now), track?.step(now: now)]
    wishes.append(
      sources.step(now: now, limit: { [slots] slot in Self.limit(of: slot, in: slots) }) { news in tell(news) })
    pullCues()
    pullSound()
    watchProgramme()
    askAhead(now)
    feed.observe()
    play(now)
    pullPictures(now)
    switch phase {
    case .ended, .failed: return nil
    case .buffering, .playing: wishes.append(now + .milliseconds(isPaused ? 200 : 20))
    }
    return wishes.compactMap { $0 }.min()
  }

  private func tell(_ news: ServiceLink.News) {
    switch news {
    case .up: report(.linkRestored)
    case .down(let reason): report(.linkLost(reason: reason))
    }
  }

  private static func limit(of slot: UtteranceSlot, in slots: SlotMaker) -> Int? {
    slots.slots.first { $0.epoch == slot.epoch && $0.start > slot.start }?.start ?? slot.limit
  }

  private func chooseSources() {
    if allowsDub, subtitleWish != language {
      if programme.selectSubtitles(language: language) || hasStarted { subtitleWish = language }
    }
    if usesService {
      sources.connect(settings.serviceURL, language: language)
    } else {
      sources.disconnect()
    }
    guard allowsDub, track == nil else { return }
    if let beside = sidecar(language) {
      track = beside
      isTrackOurs = true
      trackRung = .sidecar
      if hasStarted { beside.seek(to: mixer.original.end) }
    } else if let rendition = programme.rendition(language: language) {
      track = rendition
      isTrackOurs = false
      trackRung = source.holds("://") ? .rendition : .sidecar
      // One that was left before is where it was then.
      if hasStarted, trackRung == .sidecar { rendition.seek(to: mixer.original.end) }
    }
  }

  /// Whether a dub is wanted at all.
  private var allowsDub: Bool { isDubbing && !language.isEmpty && (!isLowPower || settings.dubsInLowPower) }
  private var usesService: Bool { !settings.serviceURL.isEmpty && !language.isEmpty }

  private func pullCues() {
    while slots.slots.count < Self.cueLimit, let cue = heldCue ?? programme.nextCue() {
      heldCue = nil
      guard isOfOurLanguage(cue) else { continue }
      hasCues = true
      slots.add(cue)
    }
  }

  /// Subtitles in the dub's language are spoken as they are; else the first language there is goes to the service.
  private func isOfOurLanguage(_ cue: SubtitleCue) -> Bool {
    let languages = programme.status.subtitleLanguages
    if matches(cue.language, language) { return true }
    if languages.contains(where: { matches($0, language) }) { return false }
    if cueLanguage == nil { cueLanguage = cue.language }
    return cue.language == cueLanguage
  }

  private func matches(_ left: String, _ right: String) -> Bool {
    !right.isEmpty && left.lowercased().prefix { $0 != "-" } == right.lowercased().prefix { $0 != "-" }
  }

  private var lead: Int {
    allowsDub ? max(Self.leadFrames, Self.dubLeadFrames * max(1, min(3, settings.segments))) : Self.leadFrames
  }

  private func pullSound() {
    while mixer.original.count < lead, let block = pending ?? programme.nextSound() {
      pending = nil
      guard block.frames > 0 else { continue }
      if mixer.original.isEmpty, mixer.position != block.start {
        mixer.start(at: block.start)
        slots.uncover(from: block.start)
      }
      guard mixer.original.append(block) else {
        // It goes on elsewhere; what is there is played out first.
        pending = block
        break
      }
    }
    guard let track else { return }
    while mixer.track.end < mixer.original.end + 48_000, let block = pendingTrack ?? track.nextSound() {
      pendingTrack = nil
      guard block.frames > 0, block.start + block.frames > mixer.position else { continue }
      if !mixer.track.append(block) {
        mixer.track.clear()
        _ = mixer.track.append(block)
      }
    }
  }

  private func watchProgramme() {
    switch programme.status.phase {
    case .stalled(let reason):
      guard !isStalled else { return }
      isStalled = true
      report(.linkLost(reason: reason))
    case .running where isStalled:
      isStalled = false
      report(.linkRestored)
    case .opening, .running, .ended, .failed: break
    }
  }

  private func askAhead(_ now: Instant) {
    guard allowsDub else { return }
    if track == nil || subtitleWish != language, now >= nextChoice {
      nextChoice = now + .seconds(1)
      chooseSources()
    }
    let epoch = mixer.original.epoch(at: mixer.position) ?? 0
    slots.cover(upTo: mixer.original.end, from: mixer.position, epoch: epoch) { mixer.original.quietest(in: $0) }
    sources.ask(
      slots.slots, at: mixer.position, now: now, language: language, allowsService: usesService,
      allowsSpeech: synthesises, time: { mixer.original.sourceTime(at: $0.start, epoch: $0.epoch) },
      sound: { hasCues ? [] : original(of: $0) })
  }

  private var synthesises: Bool {
    settings.synthesises && sources.speechLanguages.contains { matches($0, language) }
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

  // MARK: Playing

  private func play(_ now: Instant) {
    if case .failed(let reason) = programme.status.phase, mixer.original.isEmpty, pending == nil {
      return fail(reason)
    }
    guard !isPaused else { return }
    switch phase {
    case .ended, .failed: return
    case .buffering:
      let needed = hasBrokenOff ? Self.resumeFrames : Self.startFrames
      let isAll = isAtEnd && (!mixer.original.isEmpty || hasStarted)
      guard mixer.original.count >= needed || isAll else {
        // What the device still has is played out.
        if isAtEnd { fail("\(source) has no sound that can be played") }
        return
      }
      do throws(DeviceError) { try feed.open() } catch { return fail("no sound: \(error)") }
      phase = .playing
    case .playing: break
    }
    guard !feed.isLost else { return fail("the speaker went away; plug it in and start again") }
    let isFull = feed.fill(from: mixer) { decide() }
    feed.setRunning(true)
    if !hasStarted {
      hasStarted = true
      startTime = now - begun
      report(.started(source: source, languages: languages))
    }
    live.step(now: now, run: self)
    if mixer.takeBroken() != nil { told(ladder.broke(trackRung), reason: "its sound did not come in time") }
    guard !isFull else { return }
    if isAtEnd {
      finish(now)
    } else if feed.isEmpty {
      phase = .buffering
      hasBrokenOff = true
    }
  }

  private var isAtEnd: Bool {
    guard pending == nil else { return false }
    switch programme.status.phase {
    case .ended, .failed: return true
    case .opening, .running, .stalled: return false
    }
  }

  private func finish(_ now: Instant) {
    guard mixer.original.end <= mixer.position else { return }
    if !isFinishing {
      isFinishing = true
      feed.finish(end: mixer.position)
    }
    guard feed.isEmpty else { return }
    let end = drainedAt ?? now + feed.deviceDelay
    drainedAt = end
    guard now >= end else { return }
    if case .failed(let reason) = programme.status.phase { return fail(reason) }
    phase = .ended
    report(.ended)
  }

  private func fail(_ reason: String) {
    phase = .failed(reason)
    report(.failed(reason))
  }

  /// Decides about what begins within the ladder's lead.
  private func decide() {
    for slot in slots.take(before: mixer.position + Ladder.leadFrames) {
      let wanted = wantedRungs(slot)
      guard !wanted.isEmpty, slot.end > mixer.position else { continue }
      var ready = sources.readyRungs(slot)
      if hasTrack(at: slot) { ready.insert(trackRung) }
      let decision = ladder.decide(wanted: wanted, ready: ready.intersection(wanted))
      current = slot
      let reason = sources.reason(slot) ?? "it was not ready in time"
      let voice = sources.take(slot, rung: decision.rung)
      if decision.rung.isTrack {
        mixer.setTrack(true, from: slot.start)
      } else {
        mixer.setTrack(false, from: slot.start)
        if let voice {
          mixer.place(
            slot: slot.id, rung: decision.rung, epoch: slot.epoch, start: max(voice.start, mixer.position),
            samples: voice.samples)
        }
      }
      told(decision, reason: reason)
    }
  }

  private func told(_ decision: Ladder.Decision, reason: String) {
    switch decision.change {
    case .none: break
    case .fellBack: report(.fellBack(to: decision.rung, reason: reason))
    case .returned: report(.returned(to: decision.rung))
    }
  }

  private func wantedRungs(_ slot: UtteranceSlot) -> Set<DubRung> {
    guard allowsDub else { return [] }
    var rungs: Set<DubRung> = []
    let isSpoken = !slot.text.isEmpty || !hasCues
    let known = sources.serviceLanguages
    if usesService, isSpoken, known.isEmpty || known.contains(where: { matches($0, language) }) {
      rungs.insert(.service)
    }
    if track != nil { rungs.insert(trackRung) }
    let isOurs = slot.language.isEmpty || matches(slot.language, language)
    if synthesises, !slot.text.isEmpty, isOurs { rungs.insert(.synthesised) }
    return rungs
  }

  /// Whether the track is there from the slot's beginning on, for as long as a decision looks ahead.
  private func hasTrack(at slot: UtteranceSlot) -> Bool {
    let start = max(slot.start, mixer.position)
    return track != nil && mixer.track.start <= start && mixer.track.end >= start + Ladder.leadFrames
      && mixer.track.epoch(at: start) == slot.epoch
  }

  /// Goes by `frames` along a live stream, where no voice is cut by it.
  ///
  /// - Returns: false if a voice is speaking.
  func jump(by frames: Int) -> Bool {
    guard mixer.audible == nil || mixer.audible?.isTrack == true else { return false }
    seek(to: max(0, mixer.position + frames))
    return true
  }

  /// Hands pictures on some time before their sound is heard, and tells what is heard.
  private func pullPictures(_ now: Instant) {
    guard let pictures, !isLowPower, pictures.isWanted else {
      picture = nil
      while programme.nextPicture() != nil {}
      return
    }
    guard let heard = feed.heard(at: now) else { return }
    let limit = Int(heard) + Self.pictureLead
    var isEmpty = true
    while let next = picture ?? programme.nextPicture() {
      picture = next.start < limit ? nil : next
      isEmpty = picture == nil
      guard isEmpty else { break }
      pictures.take(next)
    }
    pictures.follow(
      PictureClock(frame: heard, at: now, isRunning: isMoving, isEnding: isEmpty && isAtEnd))
  }

  private var isMoving: Bool {
    guard case .playing = phase else { return false }
    return !isPaused
  }

  // MARK: Status

  /// What can be dubbed into.
  var languages: [String] {
    let status = programme.status
    var found = sources.serviceLanguages + status.soundLanguages
    let voices = sources.speechLanguages
    found += status.subtitleLanguages.filter { text in voices.contains { matches($0, text) } }
    if !language.isEmpty { found.append(language) }
    return Set(found.filter { !$0.isEmpty }).sorted()
  }

  func fill(_ status: inout DubStatus, now: Instant) {
    let about = programme.status
    switch phase {
    case .buffering: status.phase = .buffering
    case .playing: status.phase = .playing
    case .ended, .failed: status.phase = .idle
    }
    if isPaused { status.phase = .paused }
    status.source = source
    status.language = language
    status.languages = languages
    status.rung = allowsDub ? ladder.current ?? .original : .original
    status.isDubbing = allowsDub
    status.isLive = about.isLive
    status.frame = feed.heard(at: now).map { Int($0.rounded()) } ?? mixer.position
    status.length = about.length
    status.utterances = ladder.counters.utterances
    status.utterancesOnTime = ladder.counters.onTime
    status.percentOnTime = ladder.counters.percentOnTime
    status.fallbacks = ladder.counters.fallbacks
    status.driftMilliseconds = live.drift.error * 1000
    status.speakerPPM = feed.clock.isLocked ? feed.clock.ppm : 0
    status.bufferedSeconds = Double(mixer.original.count + feed.pendingFrames + about.decodedFrames) / 48_000
    status.bufferedSegments = about.segments
    status.liveOffsetSeconds = live.distance(of: self)
    status.longestGapMilliseconds = Double(feed.longestGap) / 48
    status.serviceConnected = sources.link?.isUp
    status.caption = current?.text ?? ""
    status.startMilliseconds = startTime.map { Int($0.nanoseconds / 1_000_000) }
    status.variantBandwidth = about.variantBandwidth
    status.measuredBandwidth = about.measuredBandwidth
  }
}
