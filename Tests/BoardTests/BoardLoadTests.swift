import Foundation
import Hardware
import Testing

@testable import Board

@Suite struct BoardLoadTests {
  @Test func aFileThatSaysNothingIsABoardOfDefaults() throws {
    let board = try MemoryFiles(files: ["my/own.toml": ""]).load("my/own.toml")
    #expect(board.name == "own")
    #expect(board.title == "own")
    #expect(board.file == "my/own.toml")
    #expect(board.microphone.driver == .none)
    #expect(board.microphone.format == PCMFormat(sampleRate: 48000, channels: 2, bits: 16))
    #expect(board.buttons.isEmpty)
    #expect(board.storage == StorageDescription(data: "/var/lib/mynah", reserveMB: 64, lowMB: 512))
    #expect(board.origins.isEmpty)
  }

  @Test func everyKeyReachesTheDescription() throws {
    let text = """
      name = "x1"
      title = "The X"
      models = ["X one", "X two"]
      ram_mb = 2048
      header = "raspberrypi-40"
      [microphone]
      driver = "alsa"
      pcm = "hw:1,0"
      connector = "usb"
      rate = 44100
      channels = 1
      bits = 24
      period_frames = 441
      buffer_frames = 4410
      [speaker]
      driver = "simulated"
      [gpio]
      driver = "chardev"
      chip = "/dev/gpiochip4"
      bias = "disabled"
      debounce_ms = 3
      [buttons.REC]
      line = 17
      [buttons.STOP]
      chip = "/dev/gpiochip1"
      line = 9
      active_low = false
      bias = "pull-down"
      debounce_ms = 12
      [buttons.UP]
      enabled = false
      [leds.LOCK]
      line = 5
      active_low = true
      [display]
      controller = "sh1106"
      bus = "/dev/i2c-3"
      address = 0x3d
      width = 128
      height = 32
      rotate = 180
      contrast = 9
      refresh_hz = 20
      [console]
      tty = "/dev/ttyUSB0"
      baud = 9600
      socket = "/tmp/s"
      [storage]
      data = "/data"
      reserve_mb = 10
      low_mb = 11
      [session]
      strategy = "forced-rate"
      [budget]
      rss_mb = 20
      cpu_percent = 30
      step_ms = 15
      [budget.audio_in]
      memory_kb = 1000
      cpu_percent = 2
      """
    let board = try MemoryFiles(files: ["x.toml": text]).load("x.toml")
    #expect(board.name == "x1")
    #expect(board.title == "The X")
    #expect(board.models == ["X one", "X two"])
    #expect(board.ramMB == 2048)
    #expect(board.header == .raspberryPi40)
    #expect(
      board.microphone
        == SoundDescription(
          driver: .alsa, pcm: "hw:1,0", connector: .usb, format: PCMFormat(sampleRate: 44100, channels: 1, bits: 24),
          periodFrames: 441, bufferFrames: 4410))
    #expect(board.speaker.driver == .simulated)
    #expect(
      board.buttons == [
        ButtonLine(
          button: .rec, chip: "/dev/gpiochip4", line: 17, isActiveLow: true, bias: .disabled, debounceMilliseconds: 3),
        ButtonLine(
          button: .stop, chip: "/dev/gpiochip1", line: 9, isActiveLow: false, bias: .pullDown,
          debounceMilliseconds: 12),
      ])
    #expect(board.leds == [LampLine(lamp: .lock, chip: "/dev/gpiochip4", line: 5, isActiveLow: true)])
    #expect(
      board.display
        == DisplayDescription(
          controller: .sh1106, bus: "/dev/i2c-3", address: 0x3d, width: 128, height: 32, rotation: 180, contrast: 9,
          refreshHz: 20))
    #expect(board.console == ConsoleDescription(tty: "/dev/ttyUSB0", also: [], baud: 9600, socket: "/tmp/s"))
    #expect(board.storage == StorageDescription(data: "/data", reserveMB: 10, lowMB: 11))
    #expect(board.sessionStrategy == .forcedRate)
    #expect(
      board.budget
        == BudgetDescription(
          rssMB: 20, cpuPercent: 30, stepMilliseconds: 15,
          lines: [BudgetLine(.audioIn, memoryKB: 1000, cpuPercent: 2)]))
    #expect(board.origins["microphone.rate"] == SourcePlace(file: "x.toml", line: 10))
  }

  @Test func anInheritingFileHasTheLastWord() throws {
    let files = MemoryFiles(files: [
      "b/base.toml": "title = \"Base\"\nmodels = [\"Base\"]\nram_mb = 1024\n[display]\nwidth = 64\nheight = 32\n",
      "b/own/board.toml": "inherits = \"../base.toml\"\n[display]\nwidth = 128\n",
    ])
    let board = try files.load("b/own/board.toml")
    #expect(board.display.width == 128)
    #expect(board.display.height == 32)
    #expect(board.ramMB == 1024)
    #expect(board.origins["display.width"] == SourcePlace(file: "b/own/board.toml", line: 3))
    #expect(board.origins["display.height"] == SourcePlace(file: "b/base.toml", line: 6))
    // What a file says of itself is not handed down.
    #expect(board.title == "board")
    #expect(board.models.isEmpty)
  }

  @Test func aBoardOfOnesOwnMayInheritABuiltInOneByName() throws {
    let files = MemoryFiles(files: ["mine.toml": "inherits = \"raspberrypi4\"\n[buttons.MARK]\nenabled = false\n"])
    let board = try files.load("mine.toml")
    #expect(board.name == "mine")
    #expect(board.header == .raspberryPi40)
    #expect(!board.buttons.contains { $0.button == .mark })
    #expect(board.buttons.count == 8)
  }

  @Test func aCircleOfFilesIsNamed() {
    let files = MemoryFiles(files: [
      "a.toml": "inherits = \"b.toml\"", "b.toml": "\ninherits = \"./d/../c.toml\"", "c.toml": "inherits = \"a.toml\"",
    ])
    #expect(files.problems("a.toml") == ["c.toml:1: inherits in a circle: a.toml → b.toml → c.toml → a.toml"])
    #expect(
      MemoryFiles(files: ["s.toml": "inherits = \"s.toml\""]).problems("s.toml")
        == ["s.toml:1: inherits in a circle: s.toml → s.toml"])
  }

  @Test func aChainThatIsTooDeepIsRefused() {
    var files = MemoryFiles(files: ["0.toml": ""])
    for number in 1...8 { files.files["\(number).toml"] = "inherits = \"\(number - 1).toml\"" }
    #expect(files.problems("7.toml") == [])
    #expect(files.problems("8.toml") == ["1.toml:1: inherits more than 8 files deep"])
  }

  @Test func aMissingFileIsReportedWhereItIsAskedFor() {
    let files = MemoryFiles(files: ["b/x.toml": "# mine\ninherits = \"y.toml\"\n"])
    #expect(files.problems("b/z.toml") == ["b/z.toml:1: cannot be read: no such file"])
    #expect(
      files.problems("b/x.toml") == ["b/x.toml:2: inherits \"b/y.toml\", which cannot be read: no such file"])
  }

  @Test func aFileThatIsTooLongIsRefusedWhoeverReadsIt() {
    let long = MemoryFiles(files: ["x.toml": String(repeating: "# words\n", count: 8193)])
    #expect(long.problems("x.toml") == ["x.toml:1: 65544 bytes long; a board file has 65536 (64 KiB) at most"])
    #expect(MemoryFiles(files: ["x.toml": String(repeating: "# words\n", count: 8192)]).problems("x.toml") == [])
  }

  @Test func filesOfTheDiskAreReadAndBounded() throws {
    #expect(throws: BoardReadError(reason: "No such file or directory")) { try Boards.readFile("/nonexistent.toml") }
    #expect(throws: BoardReadError(reason: "it is larger than 64 KiB")) { try Boards.readFile("/dev/zero") }
    #expect(throws: BoardReadError(reason: "Is a directory")) { try Boards.readFile("/") }
    let path = repositoryFile("board/raspberrypi4.toml").path
    let board = try Boards.load(path, reader: Boards.readFile)
    #expect(board.name == "raspberrypi4")
  }
}
