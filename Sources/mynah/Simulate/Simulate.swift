import ArgumentParser
import Board
import Budget
import Console
import Hardware
import LinuxHardware
import Runtime
import SimulatedHardware
import Threads

/// `mynah simulate`: the whole appliance on simulated hardware.
struct Simulate: ParsableCommand {
  enum NetworkKind: String, ExpressibleByArgument, CaseIterable { case real, none }
  enum ClockKind: String, ExpressibleByArgument, CaseIterable { case real, virtual }

  static let configuration = CommandConfiguration(
    abstract: "Run the appliance on simulated hardware.",
    discussion: """
      On a terminal this shows the front panel; with --script it runs that and ends. Without both it is a device with the \
      console of --console until it is told to end, or runs a demonstration.
      """)

  @Option(help: "Board file, or the name of a built-in board.") var board = "simulator"
  @Option(help: "Data directory.") var data = "mynah-data"
  @Option(help: "Script to run; the built-in demonstration without it and without a terminal.") var script: String?
  @Option(help: "real, or virtual: a day passes in minutes. Scripts are run in virtual time if not told otherwise.")
  var clock: ClockKind?
  @Option(help: "tone:HZ[,HZ], silence, noise, speech, FILE.wav or alsa:PCM.") var microphone: String?
  @Option(
    help: "Another microphone, which recording.source can name: NAME=tone:HZ[,HZ], silence, noise, speech, FILE.wav.")
  var source: [String] = []
  @Option(help: "none, FILE.wav or alsa:PCM.") var speaker: String?
  @Option(help: "The only rate that the simulated microphone has, in Hz.") var microphoneRate: Int?
  @Option(help: "The only rate that the simulated speaker has, in Hz.") var speakerRate: Int?
  @Option(help: "bars, none, a FILE with H.264 or JPEG pictures, or v4l2:/dev/videoN.") var camera: String?
  @Option(help: "Screen for pictures of what is played: WIDTHxHEIGHT, or none.")
  var screen = "none"
  @Option(help: "Folder that is the stick which scripts put in; memory without it.") var stick: String?
  @Option(help: "real: streams and dubbing services of other machines; none: clips and takes only.")
  var network = NetworkKind.real
  @Option(help: "Path of a Unix socket, or a tty, for the console; may be given several times.")
  var console: [String] = []
  @Flag(help: ArgumentHelp("Decode strangers' files in this process, to measure.", visibility: .hidden))
  var oneProcess = false
  @Flag(help: "Print every event as a line of JSON on standard output.") var events = false

  /// At the front panel the host's own sound is used where it has any; scripts sound the same on every machine.
  var chosenMicrophone: String? { microphone ?? (isAtPanel ? HostSound.microphone() : nil) }
  var chosenSpeaker: String? { speaker ?? (isAtPanel ? HostSound.speaker() : nil) }
  /// A picture is always there: colour bars, if no other camera is named.
  var chosenCamera: String { camera ?? "bars" }
  private var isAtPanel: Bool { script == nil && Host.isTerminal }

  func run() throws {
    Host.standAlone()
    LargeBlocks.giveBack()
    let board = try Host.board(board)
    if let script {
      try play(Script.load(script), on: board, says: nil)
    } else if Host.isTerminal {
      try showPanel(on: board)
    } else if !console.isEmpty {
      try serve(on: board)
    } else {
      try demonstrate(on: board)
    }
  }

  // MARK: Four ways to run

  /// Runs a script to its end; a line that fails is the exit code.
  private func play(_ script: Script, on board: BoardDescription, says: ((String) -> Void)?) throws {
    let isVirtual = (clock ?? .virtual) == .virtual
    let simulation = try Simulation(self, board: board, isVirtual: isVirtual)
    simulation.options.script = script
    let output = tellEvents(of: simulation, isVirtual: isVirtual)
    defer { output?.finish() }
    if says == nil { simulation.options.onLog = { Host.complain($0) } }
    if let failure = try simulation.run() { throw Host.failure(Exit.badData, "\(failure)") }
  }

  /// A device without a panel, as its console would have it, until SIGTERM or ^C.
  private func serve(on board: BoardDescription) throws {
    guard clock != .virtual else {
      throw ValidationError("a device with a console keeps real time: leave out --clock virtual, or give a --script")
    }
    let simulation = try Simulation(self, board: board, isVirtual: false)
    let output = tellEvents(of: simulation, isVirtual: false)
    defer { output?.finish() }
    simulation.options.onLog = { Host.mention($0) }
    _ = try simulation.run()
  }

  /// Has events printed, if they are wanted. Virtual time waits for who reads them, a device does not.
  private func tellEvents(of simulation: Simulation, isVirtual: Bool) -> LineOutput? {
    guard events else { return nil }
    guard !isVirtual else {
      simulation.options.onEvent = { Host.say($0) }
      return nil
    }
    let output = LineOutput()
    simulation.options.onEvent = { output.say($0) }
    return output
  }

  private func demonstrate(on board: BoardDescription) throws {
    let demonstration = Demonstration(data: data)
    try play(demonstration.script, on: board, says: { Host.say($0) })
    demonstration.summary.forEach(events ? Host.complain : Host.say)
  }

  private func showPanel(on board: BoardDescription) throws {
    let simulation = try Simulation(self, board: board, isVirtual: clock == .virtual)
    try simulation.showPanel()
  }
}

extension Script {
  /// Reads a script file, or throws the exit code.
  static func load(_ path: String) throws -> Script {
    let bytes = try Host.read(path)
    do throws(ScriptError) {
      return try Script(parsing: bytes, name: path, table: DeviceTable.catalogue)
    } catch {
      throw Host.failure(Exit.badData, "\(error)")
    }
  }
}
