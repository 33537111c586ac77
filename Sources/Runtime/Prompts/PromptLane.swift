internal import Appliance
internal import Glibc
internal import Hardware
internal import Sound
internal import Speech
internal import Synchronization
internal import Threads

/// What saying prompts has cost and come to.
struct PromptCounters: Sendable {
  /// Prompts whose sound has begun.
  var spoken = 0
  /// From the key (or what else could not wait) to the first sample on its way to the speaker: of the last prompt, and the
  /// longest. One that waits for another is not counted.
  var lastDelay: Duration?
  var longestDelay: Duration?
  /// Why nothing is heard.
  var problem: String?
}

/// Says prompts, one after another, on a lane of their own, which waits for no dub: text → synthesiser → the speech over
/// whatever the speaker plays.
/// A prompt is heard from its first word on while the rest is being made.
///
/// `open`, `say`, `hush`, `counters`: any thread; they do not block.
final class PromptLane: Stepper, @unchecked Sendable {
  /// A prompt on its way, or a tone in its place.
  private struct Order: Sendable {
    enum Content {
      case prompt(Prompt)
      case tone(hertz: Int, seconds: Double)
    }

    let content: Content
    let rate: Int
    let factor: Float
    let isPrivate: Bool
    let asked: Instant
    /// Of the speaker's: a prompt of one that is over is not said.
    let turn: Int
  }

  private struct Shared {
    var orders: [Order] = []
    var isOpen = false
    var isOver = false
    var counters = PromptCounters()
  }

  private let speaker: SpokenSpeaker
  private let clock: any DeviceClock
  private let data: () throws(SpeechError) -> SpeechData
  private let wake: @Sendable () -> Void
  private let shared = Mutex(Shared())

  // The lane's own.
  private var engine: SpeechEngine?
  private var hasTried = false
  /// What has no room with the speaker yet, and of which order.
  private var rest: ArraySlice<Float> = []
  private var current: Order?
  private var lastUse = Instant.zero

  /// More do not wait: whoever has heard so many behind one another has lost the thread.
  private static let mostOrders = 4
  /// Between two looks at what the speaker has taken: it holds half a second.
  private static let refill = Duration.milliseconds(100)
  /// How long the speaker is kept open for the next prompt.
  private static let patience = Duration.seconds(20)

  /// - Parameters:
  ///   - data: finds the voices; called on the lane.
  ///   - wake: of the lane.
  init(
    _ speaker: SpokenSpeaker, clock: any DeviceClock, wake: @escaping @Sendable () -> Void,
    data: @escaping () throws(SpeechError) -> SpeechData
  ) {
    self.speaker = speaker
    self.clock = clock
    self.wake = wake
    self.data = data
  }

  // MARK: Any thread

  var counters: PromptCounters { shared.withLock { $0.counters } }

  /// What a microphone hears from then on has no prompt in it.
  var quietFrom: Instant { speaker.quietFrom }

  /// Has the voices loaded: the first prompt is not to wait for them.
  func open() {
    shared.withLock { $0.isOpen = true }
    wake()
  }

  /// Has a prompt said as the settings are now.
  ///
  /// - Parameter asked: when the key went down, or what it tells of happened.
  func say(_ prompt: Prompt, _ settings: Settings, asked: Instant) {
    switch prompt.urgency {
    case .interrupts: hush()
    case .fleeting where speaker.queuedSamples > 0 || shared.withLock({ !$0.orders.isEmpty }): return
    case .follows, .fleeting: break
    }
    let order = Order(
      content: .prompt(prompt), rate: settings.voiceRate, factor: Float(settings.voiceVolume) / 100,
      isPrivate: settings.speaksWhileRecording, asked: asked, turn: speaker.turn)
    shared.withLock {
      $0.isOpen = true
      $0.orders = $0.orders.suffix(Self.mostOrders - 1) + [order]
    }
    wake()
  }

  /// Has a tone played, at -12 dB of full scale; it needs no voices.
  func tone(hertz: Int, for length: Duration, asked: Instant) {
    hush()
    let order = Order(
      content: .tone(hertz: hertz, seconds: length.inSeconds), rate: 0, factor: 0.25, isPrivate: false, asked: asked,
      turn: speaker.turn)
    shared.withLock { $0.orders = [order] }
    wake()
  }

  /// Ends what is being said, and forgets what waits.
  func hush() {
    shared.withLock { $0.orders = [] }
    speaker.hush()
  }

  /// The process ends: the speaker is given back.
  func close() {
    hush()
    shared.withLock { $0.isOver = true }
    wake()
  }

  // MARK: The lane

  func step(now: Instant) -> Instant? {
    let (isOpen, isOver) = shared.withLock { ($0.isOpen, $0.isOver) }
    if isOver {
      speaker.endVoice()
      return nil
    }
    if !hasTried, isOpen { begin() }
    guard engine != nil || current != nil || shared.withLock({ !$0.orders.isEmpty }) else { return nil }
    feed()
    if rest.isEmpty, let order = shared.withLock({ $0.orders.isEmpty ? nil : $0.orders.removeFirst() }) {
      switch order.content {
      case .tone(let hertz, let seconds): play(order, hertz, seconds)
      case .prompt(let prompt):
        guard let engine else { return forget() }
        speak(prompt, order, engine)
      }
    }
    return next(now: now)
  }

  private func next(now: Instant) -> Instant? {
    if !rest.isEmpty {
      lastUse = now
      return now + Self.refill
    }
    if shared.withLock({ !$0.orders.isEmpty }) { return now }
    if speaker.queuedSamples > 0 {
      lastUse = now
      // A player may have given the device back under what is being said.
      do throws(DeviceError) { try speaker.beginVoice() } catch { return abandon(error) }
      return now + Self.refill
    }
    guard now < lastUse + Self.patience else {
      speaker.endVoice()
      return nil
    }
    return lastUse + Self.patience
  }

  private func begin() {
    hasTried = true
    do throws(SpeechError) { engine = try SpeechEngine(data: data()) } catch {
      shared.withLock { $0.counters.problem = error.description }
    }
  }

  private func forget() -> Instant? {
    shared.withLock { $0.orders = [] }
    return nil
  }

  /// There is no way to the speaker: what was to be said is of no use any more.
  private func abandon(_ error: DeviceError) -> Instant? {
    shared.withLock { $0.counters.problem = "\(error)" }
    rest = []
    speaker.hush()
    return forget()
  }

  /// - Returns: whether the speaker is there for an order that is still wanted.
  private func take(up order: Order) -> Bool {
    guard order.turn == speaker.turn else { return false }
    do throws(DeviceError) { try speaker.beginVoice() } catch {
      _ = abandon(error)
      return false
    }
    lastUse = clock.now
    current = order
    return true
  }

  private func play(_ order: Order, _ hertz: Int, _ seconds: Double) {
    guard take(up: order) else { return }
    let rate = Double(SpeechOverlay.sampleRate)
    // Begins and ends within 10 ms, without a click.
    let (count, ramp) = (Int(seconds * rate), Float(rate / 100))
    rest =
      (0..<count).map { index in
        let edge = min(1, Float(min(index, count - index)) / ramp)
        return Float(sin(2 * Double.pi * Double(hertz * index % SpeechOverlay.sampleRate) / rate)) * order.factor * edge
      }[...]
    feed()
  }

  private func speak(_ prompt: Prompt, _ order: Order, _ engine: SpeechEngine) {
    guard take(up: order) else { return }
    var hasBegun = false
    do throws(SpeechError) {
      try engine.speak(prompt.text, language: prompt.language.rawValue, wordsPerMinute: order.rate) {
        piece in
        feed()
        rest.append(contentsOf: piece.lazy.map { $0 * order.factor })
        guard feed() else { return false }
        if !hasBegun { noteBegin(of: prompt, order) }
        hasBegun = true
        return true
      }
    } catch { shared.withLock { $0.counters.problem = error.description } }
  }

  /// Gives the speaker what it has room for.
  ///
  /// - Returns: false if nobody wants to hear it any more.
  @discardableResult
  private func feed() -> Bool {
    guard let order = current else { return true }
    guard order.turn == speaker.turn else {
      rest = []
      return false
    }
    let count = min(rest.count, speaker.writableSamples)
    guard count > 0 else { return true }
    let isSaid = rest.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { speaker.say($0, count: count, in: order.turn, isPrivate: order.isPrivate) } ?? true
    }
    rest = isSaid && count < rest.count ? rest.dropFirst(count) : []
    return isSaid
  }

  private func noteBegin(of prompt: Prompt, _ order: Order) {
    let delay = clock.now - order.asked
    shared.withLock {
      $0.counters.spoken += 1
      $0.counters.problem = nil
      guard prompt.urgency == .interrupts else { return }
      $0.counters.lastDelay = delay
      $0.counters.longestDelay = max($0.counters.longestDelay ?? delay, delay)
    }
  }
}
