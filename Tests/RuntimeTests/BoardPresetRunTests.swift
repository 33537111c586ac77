import Board
import Foundation
import Hardware
import JSON
import Runtime
import SimulatedHardware
import Testing

/// What a board file gives a device: settings, a PIN, somebody who may set it up.
@Suite struct BoardPresetRunTests {
  private static func board(_ text: String) throws -> BoardDescription {
    try Boards.load(path: "mynah.toml") { (path) throws(BoardReadError) in
      Array("inherits = \"simulator\"\n\(text)".utf8)
    }
  }

  private static func run(_ board: String, on bench: RuntimeBench, _ script: String) throws {
    bench.board = try Self.board(board)
    let failure = try bench.run(script)
    #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
  }

  @Test func `They hold from each start on, over what was kept; what is changed meanwhile lasts until then`() throws {
    let text = "[settings]\nrecording.format = \"flac\"\nrecording.gainDb = 3\nlock.pin = \"0042\"\n"
    let bench = try RuntimeBench()
    try Self.run(
      text, on: bench,
      """
      0.5 expect locked yes
      1 call settings.set {"recording.format":"wav","ui.language":"ru"}
      2 call settings.get
      3 quit
      """)
    let again = try RuntimeBench(continuing: bench)
    try Self.run(text, on: again, "1 call settings.get\n2 quit")
    let found = bench.results("settings.get") + again.results("settings.get")
    #expect(found.map { $0["recording.format"]?.stringValue } == ["wav", "flac"])
    #expect(found.map { $0["ui.language"]?.stringValue } == ["ru", "ru"])
    #expect(found.map { $0["recording.gainDb"]?.integerValue } == [3, 3])
    #expect(found.allSatisfy { $0["lock.pin"]?.stringValue == "********" })
  }

  @Test func `A wrong one costs itself, and is told by its line on the screen`() throws {
    let text =
      "[settings]\nrecording.format = \"mp9\"\nui.language = \"ru\"\nrecordng.gainDb = 1\nlock.pin = \"77x7\"\n"
    let problems = BoardPresets.problems(in: try Self.board(text)).map { "\($0)" }
    #expect(problems.count == 3 && problems.allSatisfy { $0.hasPrefix("mynah.toml:") })
    #expect(!problems.joined().contains("77x7"))
    #expect(problems.contains { $0.hasPrefix("mynah.toml:3: ") && $0.contains("mp9") })
    let bench = try RuntimeBench()
    try Self.run(text, on: bench, "1 expect notice board-settings\n1 call settings.get\n2 quit")
    #expect(bench.results("settings.get").first?["ui.language"]?.stringValue == "ru")
    #expect(bench.events("onError").count == 3)
  }

  @Test func `A PIN that no key could enter is refused, and does not lock`() throws {
    let keys = "[gpio]\ndriver = \"chardev\"\nchip = \"/dev/gpiochip0\"\n[buttons]\nREC.line = 5\nRIGHT.line = 6\n"
    let text = keys + "DOWN.line = 7\n[settings]\nlock.pin = \"0042\"\n"
    let problems = BoardPresets.problems(in: try Self.board(text)).map { "\($0)" }
    #expect(problems.count == 1 && problems[0].hasPrefix("mynah.toml:10: "), "\(problems)")
    #expect(problems[0].contains("no LOCK, CENTRE,") && !problems[0].contains("0042"), "\(problems)")
    let whole = keys + "LOCK.line = 8\nCENTRE.line = 9\nDOWN.line = 7\n[settings]\nlock.pin = \"0042\"\n"
    #expect(BoardPresets.problems(in: try Self.board(whole)).isEmpty)
    // Nor one that is kept from when there were more keys.
    let bench = try RuntimeBench()
    #expect(try bench.run("1 call settings.set {\"lock.pin\":\"0042\"}\n3 quit") == nil)
    let fewer = try RuntimeBench(continuing: bench)
    try Self.run(
      keys, on: fewer,
      """
      0.5 expect locked no
      1 call settings.set {"lock.pin":"0043","recording.gainDb":3}
      2 call settings.set {"lock.pin":""}
      3 call settings.get
      4 quit
      """)
    #expect(fewer.log.contains { $0.contains("lock.pin cannot be set: this board has no LOCK, CENTRE, UP") })
    let answers = fewer.results("settings.set")
    #expect(answers.count == 2 && answers[0]["code"] == "unsupported" && answers[1]["code"] == nil, "\(answers)")
    #expect(!"\(answers[0])".contains("0043"))
    #expect(fewer.results("settings.get").first?["recording.gainDb"]?.integerValue == 0)
  }

  @Test func `The operator is set up once, where there is nobody; until then nobody else gets in`() throws {
    let text = "[operator]\nname = \"anna\"\npassword = \"anna's sentence\"\n"
    let bench = try RuntimeBench()
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    bench.hardware.steppers.append(AtTime(.zero, bench) { _ in port.type("rec") })
    try Self.run(text, on: bench, "3 expect mode dictaphone.idle\n5 quit")
    #expect(port.text.contains("log in first") || port.text.contains("login"), "\(port.text)")
    #expect(bench.log.contains { $0.contains("anna of the board file is technician here") })
    let kept = try bench.memory.read("operators.json", limit: 1 << 16)
    #expect(String(decoding: kept, as: UTF8.self).contains("anna"))
    #expect(!String(decoding: kept, as: UTF8.self).contains("sentence"))
    // Another name, or another password, in the file changes nothing any more.
    let again = try RuntimeBench(continuing: bench)
    try Self.run("[operator]\nname = \"eve\"\npassword = \"eve's sentence\"\n", on: again, "3 quit")
    #expect(try again.memory.read("operators.json", limit: 1 << 16) == kept)
    let wrong = BoardPresets.problems(in: try Self.board("[operator]\nname = \"1\"\npassword = \"long enough\"\n"))
    #expect(wrong.count == 1)
    let short = BoardPresets.problems(in: try Self.board("[operator]\nname = \"anna\"\npassword = \"short\"\n"))
    #expect(short.count == 1 && !"\(short)".contains("short\""))
  }
}
