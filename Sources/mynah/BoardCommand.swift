import ArgumentParser
import Board

/// `mynah board check FILE | list | show NAME`.
struct BoardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "board", abstract: "Check, list and show board files.",
    subcommands: [Check.self, List.self, Show.self])

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Check a board file; every mistake with file and line.")
    @Argument(help: "Board file, or the name of a built-in board.") var file: String

    func run() throws {
      let (text, isInOrder) = BoardReport.check(file, reader: Boards.readFile)
      if isInOrder { return Host.say(text) }
      Host.complain(text)
      throw Exit.badConfiguration
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the built-in boards.")
    func run() { Host.say(BoardReport.list()) }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show a board with everything it inherits.")
    @Argument(help: "Board file, or the name of a built-in board.") var name: String

    func run() throws {
      do throws(BoardError) {
        Host.say(try BoardReport.show(name, reader: Boards.readFile))
      } catch {
        throw Host.failure(Exit.badConfiguration, "\(error)")
      }
    }
  }
}
