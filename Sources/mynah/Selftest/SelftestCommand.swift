import ArgumentParser
import Board
import Console
import JSON
import Runtime

/// `mynah selftest`: whether this program, on this machine, with this data directory, can be trusted with a take.
struct SelftestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "selftest", abstract: "Check this program and its storage before it is put to work.",
    discussion: "The gate of an update: it records in virtual time below the data directory, decodes and compares, "
      + "draws every screen, and reads the settings. It may run beside a mynah that records, needs no device, and "
      + "leaves nothing behind. Ends with 0 if everything is in order, else 1.")

  @Option(help: "Board file, or the name of a built-in board.") var board = "simulator"
  @Option(help: "Data directory; the board file's without it.") var data: String?
  @Flag(help: "As JSON.") var json = false

  func run() throws {
    let board = try Host.board(board)
    let results = Selftest(board: board, data: data ?? board.storage.data).run()
    let isInOrder = results.allSatisfy(\.isGood)
    if json {
      let checks = results.map(\.json)
      Host.say(
        JSONValue.object(["version": .string(Version.text), "works": .bool(isInOrder), "checks": .array(checks)]).text)
    } else {
      for result in results { Host.say(result.line) }
      let failed = results.count { !$0.isGood }
      Host.say("mynah \(Version.text): " + (failed == 0 ? "all \(results.count) checks passed" : "\(failed) failed"))
    }
    if !isInOrder { throw Exit.failed }
  }
}
