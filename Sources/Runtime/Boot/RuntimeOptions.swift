public import Board
public import Console
public import Hardware

/// How files that the device has not made are looked at.
public struct ExaminationOptions: Sendable {
  /// A program that serves `ExaminerServer.run` for the data directory, and its arguments; the first is a path.
  public var program: [String]
  /// Tells one boot of the machine from another; empty if that is not known.
  public var boot: String

  public init(program: [String], boot: String) {
    self.program = program
    self.boot = boot
  }
}

/// What a run of the appliance is given beside its hardware.
public struct RuntimeOptions {
  public var board: BoardDescription
  public var version: String
  /// Pictures a second for the display; the board file's where the clock is real.
  public var framesPerSecond: Int
  public var script: Script?
  /// Given every event as a line of `--events`.
  public var onEvent: ((String) -> Void)?
  /// Given every line of the log.
  public var onLog: ((String) -> Void)?
  /// Told with every new picture what goes on, in a line of words, and whether the keys are locked. Control lane.
  public var onStatus: ((String, Bool) -> Void)?
  /// What the console's `doctor` looks at beside the devices that the appliance itself has open. Called on a thread of
  /// its own.
  public var probes: [any Probe] = []
  /// The appliance's own self-test beside what it is doing: name, whether it is good, what it says, milliseconds.
  /// Called on a thread of its own.
  public var selftest: (@Sendable () -> [SelftestResult])?
  /// How files from elsewhere are looked at; `nil`: in this process.
  public var examination: ExaminationOptions?
  /// Whether the clock is a real one. In virtual time nothing may depend on this process's load or other threads.
  public var isRealTime = true
  /// What is on the screen for pictures, as a PNG; `nil` if nothing is. For a script's `picture`.
  public var pictureOfScreen: () -> [UInt8]?
  /// Writes a file for a script's `screen`; returns a complaint, or `nil`.
  public var writeFile: (String, [UInt8]) -> String?

  public init(board: BoardDescription, version: String) {
    self.board = board
    self.version = version
    framesPerSecond = board.display.refreshHz
    pictureOfScreen = { nil }
    writeFile = { path, _ in "\(path): files cannot be written here" }
  }
}
