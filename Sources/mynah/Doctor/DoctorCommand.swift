import ArgumentParser
import Board
import Console
import Doctor
import JSON
import Runtime

/// `mynah doctor`: every device of a board file, and how to mend what does not work.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Probe every device of a board and say how to mend what does not work.",
    discussion: "What a running mynah has is left alone, and told. Ends with 0 if nothing is to be mended, else 69. "
      + "Run it as root, or as the user that mynah runs as, to see what that sees.")

  @Option(help: "Board file, or the name of a built-in board.") var board: String
  @Option(help: "Data directory; the board file's without it.") var data: String?
  @Flag(help: "As JSON.") var json = false

  func run() throws {
    let board = try Host.board(board)
    guard !board.isTemplate else {
      throw Host.failure(Exit.badConfiguration, "\(board.file): a template for other boards; name one that inherits it")
    }
    let report = DoctorReport(
      board: board.name, version: Version.text, probes: BoardProbes.all(of: board, data: data ?? board.storage.data))
    Host.say(json ? report.json.text : String(report.table(width: Host.columns).dropLast()))
    if !report.isInOrder { throw Exit.unavailable }
  }
}
