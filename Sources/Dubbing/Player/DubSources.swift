internal import Hardware
internal import Speech
internal import Streaming

/// The voices of a programme: asked for ahead of time from the service and from the synthesiser, fitted and kept until
/// they are due. One thread.
final class DubSources {
  /// A voice that is ready.
  struct Voice {
    var start: Int
    var voice: ReadyVoice
  }

  /// Utterances further ahead than this are not asked for yet: what is ready takes memory.
  private static let horizon = 12 * 48_000
  /// Where the next utterance is not known yet, a voice may go on so long after its own.
  private static let openEnd = 72_000

  private let network: (any Network)?
  private let queue: SpeechQueue?
  private let preparer: VoicePreparer
  private let wake: @Sendable () -> Void
  private var seed: UInt64
  private var linkURL = ""
  private var linkToken = ""
  private(set) var link: ServiceLink?
  private var nextSequence = 0
  /// Requests of the service by sequence, and slots that were asked for.
  private var requests: [Int: (slot: UtteranceSlot, pts: Int64)] = [:]
  private var askedService: Set<Int> = []
  private var askedSpeech: [Int: UtteranceSlot] = [:]
  /// Voices that were given to the preparer and have not come back, by rung.
  private var underway: [DubRung: Int] = [:]
  private var ready: [Int: [DubRung: Voice]] = [:]
  /// Utterances that begin before this frame have been decided about: what comes for them is worth nothing.
  private var passed = Int.min
  /// Rungs that have had a voice ready since the start, a seek, or a change of language.
  private(set) var hasServed: Set<DubRung> = []
  /// Why an utterance was not ready, for people.
  private var reasons: [Int: String] = [:]
  /// What the service last did in place of what it was asked for, until it has a voice ready; empty: nothing.
  private var failing = ""
  /// Slots that the device's own voice could not speak.
  private var unspeakable: Set<Int> = []
  private(set) var linkReason: String?
  private(set) var faults = ServiceFaults()

  init(
    network: (any Network)?, queue: SpeechQueue?, preparer: VoicePreparer, seed: UInt64,
    wake: @escaping @Sendable () -> Void
  ) {
    self.network = network
    self.queue = queue
    self.preparer = preparer
    self.seed = seed
    self.wake = wake
    queue?.listen(wake)
    preparer.listen(wake)
  }

  /// Connects to the service at `url`, or to none.
  ///
  /// - Parameter token: what the service knows us by, or empty.
  func connect(_ url: String, token: String, language: String) {
    if url == linkURL, token == linkToken, link != nil {
      link?.setLanguage(language)
      return
    }
    link?.close()
    link = nil
    linkURL = url
    linkToken = token
    guard let network, !url.isEmpty else { return }
    seed &+= 1
    link = ServiceLink(
      network: network, url: url, token: token, language: language, codecs: ["pcm16", "aac"], seed: seed, wake: wake)
  }

  func disconnect() {
    link?.close()
    link = nil
    linkURL = ""
    linkReason = nil
  }

  /// Forgets what was asked for: another place, another language.
  func cancel() {
    link?.cancelAll()
    queue?.cancel()
    preparer.cancel()
    underway = [:]
    requests = [:]
    askedService = []
    askedSpeech = [:]
    ready = [:]
    reasons = [:]
    unspeakable = []
    failing = ""
    passed = .min
    hasServed = []
  }

  var serviceLanguages: [String] { link?.session.languages ?? [] }
  var speechLanguages: [String] { queue?.languages ?? [] }
  /// The device's own voices are on their way: which languages they speak is not known yet.
  var loadsVoices: Bool { queue.map { $0.languages.isEmpty && $0.problem == nil } ?? false }

  /// Carries what is under way.
  ///
  /// - Returns: when to call again at the latest.
  func step(now: Instant, limit: (UtteranceSlot) -> Int?, report: (ServiceLink.Event) -> Void) -> Instant? {
    let wish = link?.step(now: now)
    for outcome in link?.takeOutcomes() ?? [] { take(outcome, limit) }
    for news in link?.takeNews() ?? [] {
      if case .down(let reason) = news {
        (linkReason, faults.lost) = (told(reason), faults.lost + 1)
      } else {
        linkReason = nil
      }
      if case .down(let reason) = news { report(.down(reason: told(reason))) } else { report(news) }
    }
    for spoken in queue?.take() ?? [] {
      guard let slot = askedSpeech[spoken.id] else { continue }
      guard let samples = spoken.samples, !samples.isEmpty else {
        unspeakable.insert(slot.id)
        askedSpeech[spoken.id] = nil
        continue
      }
      prepare(.spoken(samples), offset: 0, slot: slot, limit: limit(slot), rung: .synthesised)
    }
    for outcome in preparer.take() { keep(outcome) }
    return wish
  }

  /// Asks for what will be due.
  ///
  /// - Parameters:
  ///   - allowsSpeech: whether the device's own voice is to speak a slot.
  ///   - time: the source's time of a slot's beginning, where that is known.
  ///   - sound: the original of a slot, where there is no text: one channel at 16 kHz.
  func ask(
    _ slots: [UtteranceSlot], at position: Int, now: Instant, language: String, allowsService: Bool,
    allowsSpeech: (UtteranceSlot) -> Bool, time: (UtteranceSlot) -> Int64?, sound: (UtteranceSlot) -> [UInt8]
  ) {
    for slot in slots where slot.start < position + Self.horizon {
      if allowsService { askService(slot, position, now, language, time, sound) }
      guard askedSpeech[slot.id] == nil, ready[slot.id]?[.synthesised] == nil,
        !unspeakable.contains(slot.id), slot.start >= position, allowsSpeech(slot)
      else { continue }
      if queue?.ask(SpeechRequest(id: slot.id, text: slot.text, language: language)) == true {
        askedSpeech[slot.id] = slot
      }
    }
  }

  private func askService(
    _ slot: UtteranceSlot, _ position: Int, _ now: Instant, _ language: String, _ time: (UtteranceSlot) -> Int64?,
    _ sound: (UtteranceSlot) -> [UInt8]
  ) {
    guard let link, link.isUp, link.session.hasRoom, !askedService.contains(slot.id), let pts = time(slot) else {
      return
    }
    let deadline = now + .microseconds((slot.start - position - Ladder.leadFrames) * 1_000_000 / 48_000)
    guard deadline > now else { return }
    let original = slot.text.isEmpty ? sound(slot) : []
    guard !slot.text.isEmpty || !original.isEmpty else { return }
    let end = slot.limit ?? slot.end + Self.openEnd
    let request = ServiceRequest(
      sequence: nextSequence, pts: pts, duration: min(ServiceSound.longestDuration, (end - slot.start) * 15 / 8),
      language: language, text: slot.text, textLanguage: slot.language, sound: original, deadline: deadline)
    guard link.submit(request, now: now) else { return }
    requests[nextSequence] = (slot, pts)
    askedService.insert(slot.id)
    nextSequence += 1
  }

  private func take(_ outcome: ServiceSession.Outcome, _ limit: (UtteranceSlot) -> Int?) {
    switch outcome {
    case .dubbed(let sound, let isLate):
      guard let (slot, pts) = requests.removeValue(forKey: sound.sequence) else { return }
      guard !isLate else { return }
      prepare(
        .service(sound), offset: Int(sound.pts - pts) * 8 / 15, slot: slot, limit: limit(slot), rung: .service)
    case .missed(let sequence):
      faults.late += 1
      // One that has sent what is of no use, or has hung up, is not slow.
      guard failing.isEmpty, linkReason == nil else { return }
      fail(requests[sequence]?.slot, "the dubbing service was too slow", lasts: false)
    case .refused(let sequence, let code, let message):
      faults.refused += 1
      guard let slot = requests.removeValue(forKey: sequence)?.slot else { return }
      fail(slot, "the dubbing service refused it: \(told(message.isEmpty ? code : message))", lasts: false)
    case .wrong(let fault):
      faults.malformed += 1
      // Those before have been decided about.
      let slot = requests.values.map(\.slot).filter { $0.start >= passed }.min { $0.id < $1.id }
      fail(slot, "the dubbing service sent \(told("\(fault)"))", lasts: true)
    case .languages: break
    }
  }

  /// - Parameter lasts: what follows has no better reason, as long as nothing good comes.
  private func fail(_ slot: UtteranceSlot?, _ reason: String, lasts: Bool) {
    if lasts { failing = reason }
    if let slot, slot.start >= passed { reasons[slot.id] = reason }
  }

  /// So many letters are a beginning of the token; fewer may be anything.
  private static let leastOfToken = 4

  /// A service's words without our token, which it may say again: its beginning is none to be shown either, for words are
  /// cut off.
  private func told(_ text: String) -> String {
    guard !linkToken.isEmpty else { return text }
    let (token, words) = (Array(linkToken.utf8), Array(text.utf8))
    let least = min(token.count, Self.leastOfToken)
    // Up to here it is hidden.
    var (end, result) = (0, [UInt8]())
    for place in words.indices {
      let length = zip(words[place...], token).prefix { $0 == $1 }.count
      if length >= least {
        if place >= end { result += Array(HiddenAddress.mark.utf8) }
        end = max(end, place + length)
      } else if place >= end {
        result.append(words[place])
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private func prepare(_ raw: VoicePreparer.Raw, offset: Int, slot: UtteranceSlot, limit: Int?, rung: DubRung) {
    guard slot.start >= passed else {
      hasServed.insert(rung)
      askedSpeech[slot.id] = nil
      return
    }
    let end = limit ?? slot.end + Self.openEnd
    underway[rung, default: 0] += 1
    preparer.submit(VoicePreparer.Job(slot: slot, rung: rung, raw: raw, start: slot.start + offset, end: end))
  }

  private func keep(_ outcome: VoicePreparer.Outcome) {
    let (slot, rung, start) = outcome.job
    underway[rung, default: 0] -= 1
    if rung == .synthesised { askedSpeech[slot.id] = nil }
    switch outcome.voice {
    // Where there are words to be said it is no answer.
    case .success(let voice) where rung == .service && voice.samples.isEmpty && !slot.text.isEmpty:
      faults.malformed += 1
      fail(slot, "the dubbing service sent silence", lasts: true)
    case .success(let voice):
      hasServed.insert(rung)
      if rung == .service {
        failing = ""
        link?.accept()
      }
      guard slot.start >= passed else { return }
      // Silence is an answer where only the sound is known: nothing is to be said here.
      ready[slot.id, default: [:]][rung] = Voice(start: start, voice: voice)
    case .failure(let fault):
      // It comes back as an outcome, and is counted there.
      if slot.start >= passed { reasons[slot.id] = "the dubbing service sent \(told("\(fault)"))" }
      link?.reject(fault)
    }
  }

  /// Rungs whose voice for this slot is there.
  func readyRungs(_ slot: UtteranceSlot) -> Set<DubRung> { Set(ready[slot.id]?.keys.map { $0 } ?? []) }

  /// Whether a voice of this rung is there for this slot.
  func isReady(_ slot: UtteranceSlot, _ rung: DubRung) -> Bool { ready[slot.id]?[rung] != nil }

  /// Whether the device's own voice for this slot is not there, and may be yet.
  func mayBeSpoken(_ slot: UtteranceSlot) -> Bool { !isReady(slot, .synthesised) && !unspeakable.contains(slot.id) }

  /// Whether a voice of this rung is there for any utterance to come, or is being made ready.
  func holds(_ rung: DubRung) -> Bool { underway[rung, default: 0] > 0 || ready.values.contains { $0[rung] != nil } }

  /// Why the slot has no voice.
  func reason(_ slot: UtteranceSlot) -> String? {
    reasons[slot.id] ?? linkReason ?? (failing.isEmpty ? nil : failing)
      ?? (unspeakable.contains(slot.id) ? "no voice could speak it" : nil)
  }

  /// Whether the service was asked for the slot, or has failed with one before, and has nothing for it.
  func hasFailed(_ slot: UtteranceSlot) -> Bool {
    !isReady(slot, .service) && (!failing.isEmpty || askedService.contains(slot.id))
  }

  /// Takes a voice; everything else of the slot is forgotten.
  func take(_ slot: UtteranceSlot, rung: DubRung) -> Voice? {
    defer { forget(slot) }
    return ready[slot.id]?[rung]
  }

  /// It has been decided about the slot.
  func forget(_ slot: UtteranceSlot) {
    passed = max(passed, slot.start + 1)
    ready[slot.id] = nil
    reasons[slot.id] = nil
    unspeakable.remove(slot.id)
    askedService.remove(slot.id)
    // Answers that never came are not awaited for ever.
    requests = requests.filter { $0.value.slot.start > slot.start - Self.horizon * 4 }
  }
}
