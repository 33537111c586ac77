import ArgumentParser
import Board
import Budget
import Hardware
import LinuxHardware
import Runtime

/// `mynah board check FILE | list | show NAME | unit FILE | detect | held KEY FILE`.
struct BoardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "board", abstract: "Check, list and show board files.",
    subcommands: [Check.self, List.self, Show.self, Unit.self, Detect.self, Held.self])

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Check a board file; every mistake with file and line.")
    @Argument(help: "Board file, or the name of a built-in board.") var file: String

    func run() throws {
      let (text, isInOrder) = BoardReport.check(
        file, reader: Boards.readFile, judge: BoardPresets.problems)
      guard isInOrder else {
        Host.complain(text)
        throw Exit.badConfiguration
      }
      let board = try Host.board(file)
      // What this machine has says nothing: a card is made on another.
      if !board.isTemplate {
        do {
          try BudgetPlan(board).requireFit()
          try BoardMemory.requireFit(board)
        } catch {
          throw Host.failure(Exit.badConfiguration, "\(error)")
        }
      }
      Host.say(text)
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the built-in boards.")
    func run() { Host.say(BoardReport.list()) }
  }

  struct Unit: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print a drop-in for the systemd unit: limits from the board's budget, devices from its wiring.")
    @Argument(help: "Board file, or the name of a built-in board.") var file: String

    func run() throws { Host.say(String(UnitDropIn(try Host.board(file)).text.dropLast())) }
  }

  struct Detect: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the name of the built-in board that this machine is.",
      discussion: "By /proc/device-tree/model. Ends with 66 where there is none for it.")

    func run() throws {
      var bytes: [UInt8] = []
      if let read = try? Boards.readFile("/proc/device-tree/model") { bytes = read }
      let model = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      guard let board = Boards.board(forModel: model) else {
        let what = model.isEmpty ? "this machine has no device tree" : "there is no built-in board for \"\(model)\""
        throw Host.failure(Exit.noInput, "\(what); mynah board list names those there are")
      }
      Host.say(board.name)
    }
  }

  struct Held: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Tell whether a key of a board is held now: ends with 0, or with 1 where it is not.",
      discussion: "For scripts that run before the recorder: a line that something else has in use is not looked at.")
    @Argument(help: "REC, STOP, CENTRE, …") var key: String
    @Argument(help: "Board file, or the name of a built-in board.") var file: String

    func run() throws {
      guard let button = Button(rawValue: key) else {
        throw ValidationError("\(key) is no key; there are \(Button.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      let lines = try Host.board(file).buttons.filter { $0.button == button }
      if try !lines.contains(where: Self.isHeld) { throw Exit.failed }
    }

    private static func isHeld(_ line: ButtonLine) throws -> Bool {
      do throws(DeviceError) { return try GPIOButtons.isHeld(line) } catch {
        throw Host.failure(Exit.noInput, "\(error)")
      }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show a board with everything it inherits.")
    @Argument(help: "Board file, or the name of a built-in board.") var name: String

    func run() throws {
      do throws(BoardError) {
        Host.say(try BoardReport.show(name, reader: Boards.readFile))
      } catch {
        throw Host.wrong(error)
      }
    }
  }
}
