import Board
import Budget
import Runtime
import Testing

/// Board files whose memory no start accepts.
@Suite struct BoardMemoryTests {
  private static func board(_ lines: String) throws -> BoardDescription {
    try Boards.load(path: "mynah.toml") { (path) throws(BoardReadError) in
      Array("inherits = \"simulator\"\n\(lines)\n".utf8)
    }
  }

  @Test(
    "The check of a board file refuses what the start refuses, in its words",
    arguments: [
      "[budget.audio_in]\nmemory_kb = 64", "[budget.encoder]\nmemory_kb = 1000", "[budget.audio_out]\nmemory_kb = 64",
      "[budget.dubbing]\nmemory_kb = 1000", "[budget.ring]\nmemory_kb = 30000\n[clips]\nstall_seconds = 10",
      "[budget.pre_record]\nmemory_kb = 10",
    ])
  func refused(lines: String) throws {
    let board = try Self.board(lines)
    let bench = try RuntimeBench()
    bench.board = board
    let said = Result { try BoardMemory.requireFit(board) }
    let started = Result { try bench.run("1 quit") }
    switch (said, started) {
    case (.success, .success): #expect(lines.contains("ring"), "\(lines) is in order")
    case (.failure(let said), .failure(let started)): #expect("\(said)" == "\(started)")
    default: Issue.record("the check says \(said), the start \(started)")
    }
  }

  @Test("The built-in boards fit", arguments: Boards.builtInNames)
  func builtIn(name: String) throws {
    try BoardMemory.requireFit(Boards.load(builtIn: name))
  }
}
