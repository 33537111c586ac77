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
    case failed(StreamFault)
  }

  private(set) var phase = Phase.buffering
  private let source: String
  private let programme: any Programme
  /// What the programme said of itself when it was last seen to.
  private var programmeStatus: ProgrammeStatus
  private let dubber: UtteranceDubber
  private let feed: SpeakerFeed
  private let mixer: Mixer
  private let live = LiveControl()
  private let links: LostLinks
  private var pictures: PictureForwarder
  private let report: (DubEvent) -> Void

  private var isPaused = false
  /// Taken from the programme, and does not follow what the mixer has.
  private var pending: SoundBlock?
  /// Sound broke off: so much is waited for that it does not at once again.
  private var hasBrokenOff = false
  private var hasStarted = false
  private var isFinishing = false
  private let begun: Instant
  private var startTime: Duration?
  /// Until then the first voice is waited for.
  private var voiceBy: Instant?
  /// Since when there is nothing to be heard although nobody wants that.
  private var silentSince: Instant?
  /// Frames of what is live that were left out to be near its edge again.
  private var leftOut = 0
  /// What can be dubbed into, as of the last look at what there is.
  private var knownLanguages: [String] = []
  private var nextSupply = Instant.zero
  /// When it asked to be called.
  private var due = Instant.zero

  private static let step = SpeakerFeed.lead / 3
  /// What is decoded and asked for is seconds ahead of what is played.
  private static let supplyStep = step * 2
  private static let idleStep = Duration.milliseconds(200)
  /// Enough to begin with, and to go on with after the sound broke off.
  private static let startFrames = 48_000 * 3 / 10
  private static let resumeFrames = 48_000
  /// What is said at once is waited for, before anything is heard, for so long.
  private static let voicePatience = Duration.seconds(1)
  /// For so long without sound no reason is asked for.
  private static let longestSilence = Duration.seconds(3)

  init(
    source: String, language: String, programme: any Programme, sources: DubSources, feed: SpeakerFeed,
    settings: DubSettings, now: Instant, pictures: (any PictureTaker)?, report: @escaping (DubEvent) -> Void
  ) {
    self.source = source
    self.programme = programme
    programmeStatus = programme.status
    self.feed = feed
    self.report = report
    self.pictures = PictureForwarder(to: pictures)
    begun = now
    mixer = Mixer()
    links = LostLinks(report: report)
    dubber = UtteranceDubber(
      programme: programme, sources: sources, mixer: mixer, wish: DubWish(settings: settings, language: language),
      links: links, report: report)
    self.pictures.restart(isPlaying: true)
    dubber.follow(now)
  }

  func close() {
    leave()
    feed.close()
  }

  /// Ends it, and leaves the speaker open for what is played next: that is heard sooner than by opening it anew.
  ///
  /// - Returns: `nil` if the speaker has gone away.
  func handOver() -> SpeakerFeed? {
    leave()
    guard feed.isOpen, !feed.isLost else {
      feed.close()
      return nil
    }
    feed.renew()
    return feed
  }

  private func leave() {
    pictures.restart(isPlaying: false)
    dubber.close()
    programme.close()
  }

  // MARK: Orders

  func pause() {
    isPaused = true
    feed.setRunning(false)
    live.restart(isOrdered: true)
  }

  func resume() { isPaused = false }

  func configure(_ settings: DubSettings, now: Instant) { dubber.configure(settings, now: now) }

  func setLanguage(_ language: String, now: Instant) { dubber.setLanguage(language, now: now) }

  func setDubbing(_ isOn: Bool, now: Instant) { dubber.setDubbing(isOn, now: now) }

  /// The board is throttled or on battery: the stream takes its lowest variant, and the dub goes if that is wished.
  func setLowPower(_ isLow: Bool, now: Instant) {
    if isLow != dubber.wish.isLowPower { pictures.restart(isPlaying: !isLow) }
    programme.setLowPower(isLow)
    dubber.setLowPower(isLow, now: now)
  }

  func seek(bySeconds seconds: Double, now: Instant) {
    guard seconds.isFinite else { return }
    guard programme.status.canSeek else { return report(.remark("one cannot go back or forward in what plays")) }
    let from = feed.heard(at: now).map { Int($0.timeline) } ?? mixer.position
    // Nobody's stream is longer than a century, and the sum must not overflow.
    seek(to: max(0, from + Int(max(-3e9, min(3e9, seconds)) * 48_000)), isOrdered: true)
  }

  /// - Parameter isOrdered: by somebody, and not to be near the edge of what is live.
  private func seek(to frame: Int, isOrdered: Bool) {
    programme.seek(to: frame)
    programmeStatus = programme.status
    dubber.restart(at: frame)
    pending = nil
    pictures.restart(isPlaying: !dubber.wish.isLowPower)
    mixer.reset(at: frame)
    feed.flush()
    live.restart(isOrdered: isOrdered)
    isFinishing = false
    hasBrokenOff = false
    nextSupply = .zero
    phase = .buffering
  }

  /// Goes by `frames` along a live stream, where no voice is cut by it.
  ///
  /// - Returns: false if a voice is speaking.
  private func jump(by frames: Int) -> Bool {
    guard !mixer.isSpeaking else { return false }
    seek(to: max(0, mixer.position + frames), isOrdered: false)
    if frames > 0 {
      leftOut += frames
      report(.remark("\(frames / 48_000) s of the stream are left out: it was so far behind what is live"))
    }
    return true
  }

  // MARK: Work

  /// - Returns: when to call again at the latest.
  func step(now: Instant) -> Instant? {
    // Before its time: somebody woke it, because there is something to be seen to.
    if now >= nextSupply || now < due { nextSupply = supply(now) }
    feed.observe()
    play(now)
    pictures.forward(
      from: programme, heard: feed.heard(at: now)?.timeline, at: now, isRunning: isMoving, isAtEnd: isAtEnd,
      isLowPower: dubber.wish.isLowPower)
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
    var wishes = [programme.step(now: now), dubber.step(now: now)]
    programmeStatus = programme.status
    dubber.pullCues(programmeStatus)
    pullSound(now)
    while let remark = programme.nextRemark() { report(.remark(remark)) }
    // What was taken out of it is not in it any more.
    programmeStatus = programme.status
    watchProgramme(now)
    dubber.watchService()
    dubber.askAhead(programmeStatus, now: now)
    dubber.joinTrack()
    knownLanguages = dubber.languages(programmeStatus)
    wishes.append(now + (isPaused ? Self.idleStep : Self.supplyStep))
    return wishes.compactMap { $0 }.min() ?? now
  }

  private func pullSound(_ now: Instant) {
    while mixer.original.count < dubber.lead, let block = pending ?? programme.nextSound() {
      pending = nil
      guard block.frames > 0 else { continue }
      if mixer.original.isEmpty, mixer.position != block.start {
        mixer.start(at: block.start)
        dubber.uncover(from: block.start)
      }
      guard mixer.original.append(block) else {
        // It goes on elsewhere; what is there is played out first.
        pending = block
        break
      }
    }
    dubber.pullTracks(now: now)
  }

  private func watchProgramme(_ now: Instant) {
    if case .buffering = phase, !isPaused { silentSince = silentSince ?? now } else { silentSince = nil }
    let isSilent = silentSince.map { now - $0 >= Self.longestSilence } ?? false
    switch programmeStatus.phase {
    case .stalled(let reason): links.lose(.stream, reason: reason)
    case .opening where isSilent, .running where isSilent:
      let what = source.holds("://") ? "the network or the server" : "the card"
      links.lose(.stream, reason: "no sound has come for 3 s: \(what) is slow")
    // A pause is no sign that something comes.
    case .running where isPaused && mixer.original.count < Self.startFrames: break
    case .running: links.find(.stream)
    case .opening, .ended, .failed: break
    }
  }

  // MARK: What is heard

  private func play(_ now: Instant) {
    if case .failed(let reason) = programmeStatus.phase, mixer.original.isEmpty, pending == nil {
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
        if isAtEnd { fail(programmeStatus.breaksOff ?? .silent("it has no sound that can be played")) }
        return
      }
      guard hasStarted || !waitsForVoice(now) else { return }
      do throws(DeviceError) { try feed.open() } catch { return fail(StreamFault("device-lost", "no sound: \(error)")) }
      phase = .playing
    case .playing: break
    }
    guard !feed.isLost else {
      return fail(StreamFault("device-lost", "the speaker went away; plug it in and start again"))
    }
    let isFull = feed.fill(from: mixer) { dubber.decide() }
    feed.setRunning(true)
    if !hasStarted { start(now) }
    live.step(
      now: now, status: programmeStatus, mixer: mixer, feed: feed, roundTrip: dubber.roundTrip,
      jump: { jump(by: $0) })
    dubber.noteBrokenTrack()
    guard !isFull else { return }
    if isAtEnd {
      finish(now)
    } else if feed.isEmpty {
      phase = .buffering
      hasBrokenOff = true
    }
  }

  private func waitsForVoice(_ now: Instant) -> Bool {
    guard dubber.awaitsVoice else { return false }
    let end = voiceBy ?? now + Self.voicePatience
    voiceBy = end
    return now < end
  }

  private func start(_ now: Instant) {
    hasStarted = true
    dubber.start()
    startTime = now - begun
    report(.started(source: source, languages: dubber.languages(programmeStatus)))
  }

  private var isMoving: Bool {
    guard case .playing = phase else { return false }
    return !isPaused
  }

  private var isAtEnd: Bool {
    guard pending == nil else { return false }
    switch programmeStatus.phase {
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
    guard let end = feed.end(asOf: now), now >= end else { return }
    if case .failed(let reason) = programmeStatus.phase { return fail(reason) }
    if let reason = programmeStatus.breaksOff { return fail(reason) }
    phase = .ended
    report(.ended)
  }

  private func fail(_ fault: StreamFault) {
    phase = .failed(fault)
    report(.failed(fault))
  }

  // MARK: Status

  func fill(_ status: inout DubStatus, now: Instant) {
    switch phase {
    case .buffering: status.phase = .buffering
    case .playing: status.phase = .playing
    case .ended, .failed: status.phase = .idle
    }
    if isPaused { status.phase = .paused }
    dubber.fill(&status)
    status.source = source
    status.languages = knownLanguages
    status.isLive = programmeStatus.isLive
    status.frame = feed.heard(at: now).map { Int($0.timeline.rounded()) } ?? mixer.position
    // Titles are known before their sound is heard.
    status.title = programmeStatus.title(at: max(0, status.frame))
    status.length = programmeStatus.length
    status.driftMilliseconds = live.drift.error * 1000
    status.speakerPPM = feed.clock.isLocked ? feed.clock.ppm : 0
    status.bufferedSeconds = Double(mixer.original.count + feed.pendingFrames + programmeStatus.decodedFrames) / 48_000
    status.bufferedSegments = programmeStatus.segments
    status.liveOffsetSeconds = LiveControl.heardDistance(programmeStatus, mixer, feed)
    status.lostSeconds = Double(programmeStatus.lost + leftOut) / 48_000
    status.longestGapMilliseconds = Double(feed.longestGap) / 48
    status.startMilliseconds = startTime.map { Int($0.nanoseconds / 1_000_000) }
    status.variantBandwidth = programmeStatus.variantBandwidth
    status.measuredBandwidth = programmeStatus.measuredBandwidth
  }
}
