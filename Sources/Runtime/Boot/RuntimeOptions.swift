public import Board
public import Console
public import Hardware

/// How files that the device has not made are looked at, and decoded for the player: programs and their arguments, of
/// which the first is a path.
public struct ExaminationOptions: Sendable {
  /// Serves `ExaminerServer.run` for the data directory.
  public var program: [String]
  /// Serves `DecodingServer.run`; the name of the file is added. Empty: they are decoded in this process.
  public var decoder: [String]

  public init(program: [String], decoder: [String] = []) { (self.program, self.decoder) = (program, decoder) }
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
  /// Remembers what happened last, should the run crash, and knows how the one before ended.
  public var blackBox: (any BlackBox)?
  /// What was wrong in the settings that the board was started with, a line for people each: shown, and told, at the start.
  public var mistakes: [String] = []
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
