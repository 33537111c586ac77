internal import Board
internal import Budget
internal import Hardware
internal import Sound
internal import Speech

/// Puts the voice together; without a speaker there is none. The synthesiser's voices are loaded when they are wanted.
struct PromptMaker {
  private let ground: Ground

  init(_ ground: Ground) { self.ground = ground }

  /// - Throws: the table, if the speech that waits for the speaker does not fit the board's budget.
  func make() throws(BudgetRefusal) -> PromptLane? {
    guard let speaker = ground.speaker else { return nil }
    try Self.register(ground.ledger)
    let cache = "\(ground.hardware.storage.root)/cache"
    return PromptLane(speaker, clock: ground.clock, wake: ground.lanes.waker(of: .prompts)) {
      () throws(SpeechError) in try SpeechData(cache: cache)
    }
  }

  /// Enters the speech that waits for the speaker into the board's ledger.
  static func register(_ ledger: BudgetLedger) throws(BudgetRefusal) {
    try ledger.register(
      .audioOut, "spoken prompts", bytes: SpeechOverlay.byteCount(samples: SpokenSpeaker.overlaySamples))
  }
}
