internal import Hardware
internal import Sound
internal import Streaming

// What is told of it.
extension DubRun {
  /// What can be dubbed into.
  var languages: [String] {
    var found = sources.serviceLanguages + programmeStatus.soundLanguages
    let voices = sources.speechLanguages
    found += programmeStatus.subtitleLanguages.filter { text in voices.contains { LanguageTag.matches($0, text) } }
    if !language.isEmpty { found.append(language) }
    return Set(found.filter { !$0.isEmpty }).sorted()
  }

  func fill(_ status: inout DubStatus, now: Instant) {
    switch phase {
    case .buffering: status.phase = .buffering
    case .playing: status.phase = .playing
    case .ended, .failed: status.phase = .idle
    }
    if isPaused { status.phase = .paused }
    status.source = source
    status.language = language
    status.languages = knownLanguages
    status.rung = heardRung
    status.isDubbing = allowsDub
    status.isLive = programmeStatus.isLive
    status.frame = feed.heard(at: now).map { Int($0.timeline.rounded()) } ?? mixer.position
    status.length = programmeStatus.length
    status.utterances = ladder.counters.utterances
    status.utterancesOnTime = ladder.counters.onTime
    status.percentOnTime = ladder.counters.percentOnTime
    status.fallbacks = ladder.counters.fallbacks
    status.driftMilliseconds = live.drift.error * 1000
    status.speakerPPM = feed.clock.isLocked ? feed.clock.ppm : 0
    status.bufferedSeconds = Double(mixer.original.count + feed.pendingFrames + programmeStatus.decodedFrames) / 48_000
    status.bufferedSegments = programmeStatus.segments
    status.liveOffsetSeconds = live.distance(of: self)
    status.longestGapMilliseconds = Double(feed.longestGap) / 48
    status.serviceConnected = sources.link?.isUp
    status.caption = current?.text ?? ""
    status.startMilliseconds = startTime.map { Int($0.nanoseconds / 1_000_000) }
    status.variantBandwidth = programmeStatus.variantBandwidth
    status.measuredBandwidth = programmeStatus.measuredBandwidth
  }

  /// What is heard now: of an utterance and of the pause behind it.
  private var heardRung: DubRung {
    guard allowsDub else { return .original }
    return ladder.current ?? (mixer.isTrackHeard ? tracks.loadedRung : nil) ?? .original
  }
}
