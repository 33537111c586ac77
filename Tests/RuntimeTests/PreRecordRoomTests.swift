import Board
import JSON
import Testing

/// A board whose memory holds less pre-record than can be set.
@Suite struct PreRecordRoomTests {
  /// 48 kHz, 16 bits, stereo: five seconds, and the slack.
  private static func board(_ settings: String = "") throws -> BoardDescription {
    try Boards.load(path: "mynah.toml") { (path) throws(BoardReadError) in
      Array("inherits = \"simulator\"\n[budget.pre_record]\nmemory_kb = 1600\n\(settings)".utf8)
    }
  }

  @Test("What it has no room for is refused, and the next start records")
  func refused() throws {
    let bench = try RuntimeBench()
    bench.board = try Self.board()
    try bench.run(
      """
      1 call settings.set {"recording.preRecordSeconds":60}
      2 call settings.set {"recording.preRecordSeconds":5}
      3 quit
      """)
    let answers = bench.results("settings.set")
    #expect(answers.first?["code"]?.stringValue == "bad-argument", "\(answers)")
    #expect(answers.last?["recording.preRecordSeconds"]?.integerValue == 5)
    let again = try RuntimeBench(continuing: bench)
    again.board = bench.board
    #expect(try again.run("1 press REC\n2 press STOP\n3 expect takes 1\n4 quit") == nil)
  }

  @Test("What was set before, or by the board file, keeps no device from coming up")
  func kept() throws {
    let bench = try RuntimeBench()
    bench.board = try Self.board("[settings]\nrecording.preRecordSeconds = 60\n")
    let failure = try bench.run("10 press REC\n12 press STOP\n13 expect takes 1\n14 quit")
    #expect(failure == nil)
    #expect(bench.events("onTakeStarted").first?.data["preRecordedFrames"]?.integerValue ?? 0 >= 5 * 8000)
  }
}
