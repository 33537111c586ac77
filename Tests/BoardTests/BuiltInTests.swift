import Board
import Foundation
import Hardware
import TestSupport
import Testing

@Suite struct BuiltInTests {
  @Test func thereAreThreeBoardsAndNoTemplateAmongThem() {
    #expect(Boards.builtInNames == ["raspberrypi-zero2w", "raspberrypi4", "simulator"])
  }

  @Test func theEmbeddedCopiesAreTheFilesOfTheRepository() throws {
    let directory = repositoryFile("board")
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasSuffix(".toml") }
    #expect(files.count >= 4)
    for file in files {
      let text = try String(contentsOf: directory.appending(path: file), encoding: .utf8)
      let copy = Boards.text(ofBuiltIn: String(file.dropLast(5)))
      #expect(copy == text, "\(file) was changed: run Scripts/embed-boards")
    }
  }

  @Test(arguments: ["raspberrypi4", "raspberrypi-zero2w"]) func aRealBoardHasEverything(_ name: String) throws {
    let board = try Boards.load(builtIn: name)
    #expect(board.name == name)
    #expect(!board.isTemplate)
    #expect(board.buttons.map(\.button) == Button.allCases)
    // There is no line left for a buzzer: whoever wants one gives something else up.
    #expect(board.leds.map(\.lamp) == Lamp.lights)
    #expect(board.microphone.driver == .alsa)
    #expect(board.speaker.driver == .alsa)
    #expect(board.display.controller == .ssd1306)
    #expect(board.console.tty == "/dev/serial0")
    func memory(_ part: Subsystem) -> Int { board.budget.lines.first { $0.subsystem == part }?.memoryKB ?? 0 }
    // Dubbing and clips never run together.
    let all = board.budget.lines.reduce(0) { $0 + $1.memoryKB } - memory(.dubbing)
    #expect(all <= board.budget.rssMB * 1024)
    #expect(memory(.dubbing) > 0)
    #expect(board.dub.segments == (board.ramMB < 1024 ? 1 : 2))
    // Dubbing, with the usual pre-record of 5 s, in 48 MiB.
    let usual = 8 * 48_000 * 6 / 1024 + memory(.dubbing) - memory(.preRecord)
    #expect(all - memory(.camera) - memory(.ring) + usual <= 48 << 10)
    // The dictaphone with its longest pre-record, and clips of 5 s with their shortest ring, each in 40 MiB.
    #expect(all - memory(.camera) - memory(.ring) <= 40 << 10)
    if board.ramMB <= 512 {
      let eightSeconds = 8 * 48_000 * 6 / 1024
      #expect(all - memory(.preRecord) + eightSeconds <= 40 << 10)
    }
    let processor = board.budget.lines.filter { $0.subsystem.mode == nil }
    #expect(processor.reduce(0) { $0 + $1.cpuPercent } <= 25)
    #expect(board.camera.driver == .command)
    #expect(board.camera.command.contains("--width={width}"))
    #expect(board.camera.request.bitrate == 4_000_000)
    for line in board.buttons.map(\.line) + board.leds.map(\.line) {
      #expect(board.header.pin(ofLine: line) != nil)
      #expect(![0, 1, 2, 3, 7, 8, 9, 10, 11, 14, 15, 16, 18, 19, 20, 21].contains(line))
    }
  }

  @Test func theSimulatorNeedsNoHardware() throws {
    let board = try Boards.load(builtIn: "simulator")
    #expect(board.microphone.driver == .simulated)
    #expect(board.speaker.driver == .simulated)
    #expect(board.gpioDriver == .simulated)
    #expect(board.display.controller == .simulated)
    #expect(board.buttons.isEmpty)
  }

  @Test func aBoardIsRecognisedByItsModel() {
    #expect(Boards.board(forModel: "Raspberry Pi 4 Model B Rev 1.4\0")?.name == "raspberrypi4")
    #expect(Boards.board(forModel: "Raspberry Pi Zero 2 W Rev 1.0")?.name == "raspberrypi-zero2w")
    #expect(Boards.board(forModel: "Radxa ZERO") == nil)
    #expect(Boards.board(forModel: "") == nil)
  }

  @Test func anUnknownNameSaysWhatThereIs() {
    #expect(throws: BoardError.self) { try Boards.load(builtIn: "raspberypi4") }
    let report = BoardReport.check("raspberypi4", reader: Boards.readFile)
    #expect(report.text.contains("did you mean \"raspberrypi4\"?"))
    #expect(!report.isInOrder)
  }
}
