internal import Appliance
internal import Console
internal import Hardware
internal import JSON

/// Decides with the machine what is said, and when nothing may be: the way from a transition to the prompts' lane.
/// Control lane only.
final class PromptDesk {
  private let lane: PromptLane
  private let events: EventStream
  private let gatherer: ReadingsGatherer
  private var gate = PromptGate()
  /// What was said last.
  private(set) var last: Prompt?

  init(_ lane: PromptLane, events: EventStream, gatherer: ReadingsGatherer) {
    self.lane = lane
    self.events = events
    self.gatherer = gatherer
  }

  var counters: PromptCounters { lane.counters }
  /// Prompts that were held back because something was being recorded.
  var heldBack: Int { gate.heldBack }

  /// The device starts: where its voice is wanted, it is loaded.
  func begin(_ state: State) { if state.settings.hasVoice { lane.open() } }

  /// Before what a transition asks for is done: a key ends what is being said, and so does a recording. What is recorded
  /// then begins where it has faded away.
  func make(wayFor event: Event, from before: State, to after: State) {
    let isRecording = PromptGate.isShut(after) && !PromptGate.isShut(before)
    if isRecording || Self.isPress(event) { lane.hush() }
  }

  /// After that: what is said of it.
  ///
  /// - Parameter before: `nil` if the voice was off then: where one is, is the first that it says.
  func tell(_ event: Event, _ effects: [Effect], from before: State?, to after: State, now: Instant) {
    var prompt: Prompt?
    if let before {
      prompt = Prompter.prompt(from: before, event, effects, to: after) { gatherer.figures(for: after) }
    } else {
      lane.open()
      prompt = Prompter.greeting(after, gatherer.figures(for: after))
    }
    for prompt in gate.pass(prompt, after) {
      last = prompt
      events.publish(
        .onPrompt,
        .object([
          "text": .string(prompt.text), "language": .string(prompt.language.rawValue),
          "urgency": .string(prompt.urgency.rawValue),
        ]), at: now)
      lane.say(prompt, after.settings, asked: Self.start(of: event) ?? now)
    }
  }

  /// Plays a tone instead of words, where nothing is recorded.
  func tone(hertz: Int, for length: Duration, at now: Instant) { lane.tone(hertz: hertz, for: length, asked: now) }

  private static func isPress(_ event: Event) -> Bool {
    if case .gesture(let gesture) = event { gesture.kind == .press } else { false }
  }

  /// When the key went down; of what a longer press means, the press is not what counts.
  private static func start(of event: Event) -> Instant? {
    if case .gesture(let gesture) = event, gesture.kind == .press { gesture.pressedAt } else { nil }
  }
}
