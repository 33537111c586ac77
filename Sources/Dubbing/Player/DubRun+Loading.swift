internal import Hardware
internal import Streaming

// What is fetched, decoded and asked for ahead of its time.
extension DubRun {
  /// What is decoded ahead without a dub, and with one for each segment that may be buffered.
  private static let leadFrames = 2 * 48_000
  private static let dubLeadFrames = 4 * 48_000
  private static let cueLimit = 40
  /// What the device's own voice is given to speak an utterance in.
  private static let voiceFrames = 3 * 48_000

  /// Looks for what there is of the language that is wanted.
  func chooseSources(_ now: Instant) {
    if usesService {
      sources.connect(settings.serviceURL, language: language)
    } else {
      sources.disconnect()
      found(.service)
    }
    guard allowsDub else { return }
    let place = hasStarted ? mixer.position : 0
    if subtitleWish != language {
      let isThere = programme.selectSubtitles(language: language, from: place)
      if isThere || hasStarted { subtitleWish = language }
      // What was divided by subtitles of another language is divided anew.
      if isThere, hasStarted, !LanguageTag.matches(lastCueLanguage, language) {
        slots.reset(at: place)
        sources.cancel()
        heldCue = nil
      }
    }
    guard !tracks.isWantedThere, now >= tracks.retryAt ?? now else { return }
    if let track = programme.rendition(language: language, from: place) {
      tracks.load(track)
    } else {
      tracks.loadNone(in: mixer)
    }
  }

  var usesService: Bool { !settings.serviceURL.isEmpty && !language.isEmpty }

  func pullCues() {
    while slots.slots.count < Self.cueLimit, let cue = heldCue ?? programme.nextCue() {
      heldCue = nil
      guard isOfOurLanguage(cue) else { continue }
      hasCues = true
      lastCueLanguage = cue.language
      slots.add(cue)
    }
  }

  /// Subtitles in the dub's language are spoken as they are; else the first language there is goes to the service.
  private func isOfOurLanguage(_ cue: SubtitleCue) -> Bool {
    if LanguageTag.matches(cue.language, language) { return true }
    if programmeStatus.subtitleLanguages.contains(where: { LanguageTag.matches($0, language) }) { return false }
    if cueLanguage == nil { cueLanguage = cue.language }
    return cue.language == cueLanguage
  }

  private var lead: Int {
    allowsDub ? max(Self.leadFrames, Self.dubLeadFrames * max(1, min(3, settings.segments))) : Self.leadFrames
  }

  func pullSound(_ now: Instant) {
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
    tracks.pull(into: mixer, now: now)
  }

  func watchProgramme() {
    switch programmeStatus.phase {
    case .stalled(let reason): lose(.stream, reason)
    case .running: found(.stream)
    case .opening, .ended, .failed: break
    }
  }

  func tell(_ news: ServiceLink.Event) {
    switch news {
    case .up: found(.service)
    case .down(let reason): lose(.service, reason)
    }
  }

  private func lose(_ source: Source, _ reason: String) {
    if lost.insert(source).inserted { report(.linkLost(reason: reason)) }
  }

  /// The link is back when nothing is missed any more.
  private func found(_ source: Source) {
    if lost.remove(source) != nil, lost.isEmpty { report(.linkRestored) }
  }

  func askAhead(_ now: Instant) {
    guard allowsDub else { return }
    if !tracks.isWantedThere || subtitleWish != language, now >= nextChoice {
      nextChoice = now + .milliseconds(200)
      chooseSources(now)
    }
    let epoch = mixer.original.epoch(at: mixer.position) ?? 0
    slots.cover(upTo: mixer.original.end, from: mixer.position, epoch: epoch) { mixer.original.quietest(in: $0) }
    mixer.measuresBed = usesService || (hasCues && isOurs(lastCueLanguage))
    sources.ask(
      slots.slots, at: mixer.position, now: now, language: language, allowsService: usesService && !isLinkNarrow,
      allowsSpeech: needsVoice, time: { mixer.original.sourceTime(at: $0.start, epoch: $0.epoch) },
      sound: { hasCues ? [] : original(of: $0) })
  }

  /// Whether the way is hardly wide enough for the stream itself: a dub must not push out what it dubs.
  private var isLinkNarrow: Bool {
    programmeStatus.measuredBandwidth > 0
      && programmeStatus.measuredBandwidth < programmeStatus.variantBandwidth * 5 / 4
  }

  private var synthesises: Bool {
    settings.synthesises && sources.speechLanguages.contains { LanguageTag.matches($0, language) }
  }

  /// Whether the device's own voice is to be made for a slot.
  ///
  /// While the service dubs, or may be about to, it is only for what may not come in time, and for what follows that: a
  /// rung that has failed is not trusted with the next utterance.
  private func needsVoice(_ slot: UtteranceSlot) -> Bool {
    let isBeginning = ladder.current == nil && usesService && sources.linkReason == nil
    guard ladder.current == .service || isBeginning else { return canSpeak(slot) }
    guard slot.start < mixer.position + Self.voiceFrames, canSpeak(slot) else { return false }
    return slots.slots.contains { $0.start <= slot.start && !sources.isReady($0, .service) }
  }

  /// Whether the device's own voice can dub a slot: it speaks what is written, and translates nothing.
  func canSpeak(_ slot: UtteranceSlot) -> Bool {
    !slot.text.isEmpty && isOurs(slot.language) && synthesises
  }

  private func isOurs(_ language: String) -> Bool {
    language.isEmpty || LanguageTag.matches(language, self.language)
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
}
