internal import Appliance
public import Board
public import Budget
internal import Dictaphone
internal import Recording

/// What a start enters into the book of memory, tried without a device: a board file that no start accepts is told by
/// `mynah board check`, and not by a recorder that does not come up.
public enum BoardMemory {
  /// Tries it with the settings that the board file makes.
  ///
  /// - Throws: what is above its line in the budget, as the start would.
  public static func requireFit(_ board: BoardDescription) throws(BudgetRefusal) {
    let plan = BudgetPlan(board)
    let ledger = BudgetLedger(plan)
    var settings = Settings()
    _ = BoardPresets.set(board, in: &settings)
    _ = try SoundParts.makePipe(ledger, board: board, RecordingSettings(settings, board: board))
    let layout = ClipLayout(board)
    if board.camera.driver != .none, layout.largestSeconds > 0 {
      _ = try ClipParts.makePipe(ledger, layout, settings)
    }
    guard board.speaker.driver != .none else { return }
    if plan.line(.dubbing).memoryKB > 0 {
      let hasScreen = board.screen.driver != .none
      try DubMemory(plan, board, hasScreen: hasScreen)
        .register(ledger, hasPictures: hasScreen || board.display.controller != .none)
    }
    try PromptMaker.register(ledger)
  }
}
