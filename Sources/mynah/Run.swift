import ArgumentParser
import Board
import Budget
import Hardware
import LinuxHardware
import Runtime
import Threads

/// `mynah run`: the appliance on a real board.
struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the appliance on a board.",
    discussion: "SIGTERM and ^C complete what is open, then end. Logs go to standard error.")

  @Option(help: "Board file, or the name of a built-in board.") var board: String
  @Option(help: "Data directory; the board file's without it.") var data: String?
  @Option(help: "Unix socket or tty for the console, beside those of the board file.") var console: String?
  @Option(help: "File with what was wrong in the settings, a line each; told at the start.") var mistakes: String?

  func run() throws {
    Host.standAlone()
    LargeBlocks.giveBack()
    let board = try Host.board(board)
    guard !board.isTemplate else {
      throw Host.failure(Exit.badConfiguration, "\(board.file): a template for other boards; name one that inherits it")
    }
    do throws(BudgetError) {
      try BudgetPlan(board).requireFit(
        physicalMemoryKB: ProcessUsage.physicalMemoryKB(), cores: ProcessUsage.cores())
    } catch {
      throw Host.failure(Exit.badConfiguration, "\(error)")
    }
    let path = data ?? board.storage.data
    let directory: HeldDirectory
    do throws(DeviceError) {
      directory = try HeldDirectory(path, reserveBytes: board.storage.reserveMB << 20)
    } catch {
      throw Host.failure(Exit.unavailable, "\(error)")
    }
    // Taken until the appliance has ended.
    try withExtendedLifetime(directory) { try appliance(in: directory, at: path, board: board) }
  }

  private func appliance(in directory: HeldDirectory, at path: String, board: BoardDescription) throws {
    var options = RuntimeOptions(board: board, version: Version.text)
    options.mistakes = mistakes.map(Self.lines(of:)) ?? []
    options.probes = BoardProbes.all(of: board, data: path, mistakes: options.mistakes)
    options.onLog = { Host.mention($0) }
    options.examination = Host.examination(of: path)
    options.blackBox = Host.blackBox(in: path, board: board)
    let selftest = Selftest(board: board, data: path)
    options.selftest = { selftest.run() }
    let devices = HardwareSet(board, storage: directory.storage, console: console)
    let scheduler = ThreadedScheduler(clock: devices.clock)
    do throws(BudgetRefusal) {
      let runtime = try ApplianceRuntime(hardware: devices, scheduler: scheduler, options: options)
      Signals.onEnd({ runtime.requestShutDown() }, culprits: { runtime.culprits })
      if case .refused(let code) = MemoryLock.lockAll() {
        Host.complain("mynah: memory is not locked (errno \(code)): a busy system may page it out; raise LimitMEMLOCK")
      }
      _ = runtime.run()
    } catch {
      throw Host.failure(Exit.badConfiguration, "\(error)")
    }
  }

  /// The first lines of a file that others have written; none, if it cannot be read.
  private static func lines(of path: String) -> [String] {
    guard let bytes = Host.contents(path, limit: 4096) else {
      Host.complain("mynah: \(path): cannot be read: what is wrong in the settings is not told")
      return []
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").prefix(16).map { String($0.prefix(240)).shown }
  }
}
