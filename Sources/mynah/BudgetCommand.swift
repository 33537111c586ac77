import ArgumentParser
import Budget
import Console
import JSON
import Runtime

/// `mynah budget`: what a board declares, and whether it fits.
struct BudgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "budget", abstract: "Show a board's budget of memory and processor time.")

  @Option(help: "Board file, or the name of a built-in board.") var board: String
  @Flag(help: "As JSON.") var json = false

  func run() throws {
    let plan = BudgetPlan(try Host.board(board))
    Host.say(json ? BudgetReport(plan).json.text : plan.table)
    do throws(BudgetError) { try plan.requireFit() } catch {
      throw Host.failure(Exit.badConfiguration, error.reasons.joined(separator: "; "))
    }
  }
}
