import Clips
import Hardware
import Recording
import Testing

@testable import Runtime

/// Who waits for a clip hears of the one that has what the trigger was for.
@Suite struct TriggerAnswersTests {
  @Test func `A clip that goes on in another is waited for where its trigger lies`() {
    let answers = TriggerAnswers()
    var heard: [String] = []
    for second in [5, 9] {
      answers.expect(wantsPath: true) { heard.append((try? $0.get().path ?? "") ?? "failed") }
      let trigger = Trigger(number: second, time: .zero + .seconds(second), cause: .console)
      answers.hear(trigger, second == 5 ? .started(clip: 1, continues: nil) : .joined(clip: 1))
    }
    answers.hear(
      Trigger(number: 0, time: .zero + .seconds(7), cause: .continuous), .started(clip: 2, continues: 1))
    answers.saved(1, path: "one")
    #expect(heard == ["one"])
    answers.saved(2, path: "two")
    #expect(heard == ["one", "two"])
  }
}
