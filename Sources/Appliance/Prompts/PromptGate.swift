/// Holds prompts back while something is recorded: what the speaker says, the microphone hears.
///
/// What is grave is kept, and said once nothing is open any more; all else is of no use later. A value; the control
/// lane's.
public struct PromptGate: Sendable {
  private var kept: [Prompt] = []
  /// Prompts that were held back; those that were kept count, too.
  public private(set) var heldBack = 0

  /// More are not kept: the last ones count.
  private static let most = 3

  public init() {}

  /// Whether nothing may be said now: a take or a clip is open, and nobody has said that the speaker is a headphone.
  public static func isShut(_ state: State) -> Bool { state.hasOpenWork && !state.settings.speaksWhileRecording }

  /// - Returns: what is to be said now, in order.
  public mutating func pass(_ prompt: Prompt?, _ state: State) -> [Prompt] {
    guard Self.isShut(state) else {
      defer { kept = [] }
      // What has just come to its end comes first.
      return (prompt.map { [$0] } ?? []) + (state.settings.hasVoice ? kept : [])
    }
    guard let prompt else { return [] }
    heldBack += 1
    if prompt.isGrave {
      var later = prompt
      later.urgency = .follows
      kept = kept.suffix(Self.most - 1) + [later]
    }
    return []
  }
}
