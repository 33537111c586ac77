import Hardware
import Testing

@testable import Appliance

@Suite struct RandomPromptTests {
  /// Whatever happens: when another screen is shown, or another row is highlighted, something is said that names it; and
  /// what a key did not do is said, too.
  @Test(arguments: [3, 20_261_123] as [UInt64], Language.allCases)
  func `Every change of screen and of what is highlighted is said`(seed: UInt64, language: Language) {
    var state = State()
    state.clips.isAvailable = true
    state.dub.isAvailable = true
    state.feed.isAvailable = true
    state.settings.hasVoice = true
    state.settings.language = language
    var machine = Machine(state: state)
    var events = RandomEvents(seed: seed)
    var now = Instant.ms(1000)
    var said = 0
    for round in 0..<4000 {
      now = now + events.pause()
      let before = machine.state
      let event = events.next(before, at: now)
      let effects = machine.handle(event, at: now)
      let after = machine.state
      let prompt = Prompter.prompt(from: before, event, effects, to: after) { PromptFigures() }
      if let prompt {
        said += 1
        guard !prompt.text.isEmpty, prompt.language == language else {
          Issue.record("seed \(seed), event \(round): an empty prompt\n\(event)")
          return
        }
      }
      if let missing = Self.missing(in: prompt, event, effects, before, after, language) {
        Issue.record("seed \(seed), event \(round): \(missing)\n\(event)\n\(prompt as Any)\n\(before)\n\(after)")
        return
      }
    }
    #expect(said > 700)
  }

  /// What should have been said and was not.
  private static func missing(
    in prompt: Prompt?, _ event: Event, _ effects: [Effect], _ before: State, _ after: State, _ language: Language
  ) -> String? {
    let (old, new) = (SpokenScreen(before, PromptFigures()), SpokenScreen(after, PromptFigures()))
    let text = prompt?.text ?? ""
    let title = SpokenText.of(new.title, in: language)
    if title.isEmpty { return "a screen without a name" }
    if before.screen != after.screen || before.mode != after.mode, !text.contains(title) {
      return "the screen is not named: \(title)"
    }
    if let item = new.item, old.item != item {
      let words = SpokenText.of(item.words, in: language)
      let value = SpokenText.of(item.value ?? item.name, in: language)
      if !text.contains(words), !text.contains(value) { return "what is highlighted is not named: \(words)" }
    }
    if case .gesture = event, effects.contains(where: { if case .ignored = $0 { true } else { false } }), text.isEmpty {
      return "a key that did nothing is not told"
    }
    if let notice = after.notice, notice != before.notice {
      // That a clip is kept is said with its length.
      let isKept = if case .clipKept = notice.sentence { true } else { false }
      let words = SpokenText.of(
        isKept ? Translated("Kept", "Сохранено") : notice.sentence.words, in: language)
      if !text.contains(words) { return "the notice is not told: \(words)" }
    }
    return nil
  }
}
