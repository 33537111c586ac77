import Board
import Budget
import Dubbing
import TestSupport
import Testing

@testable import Runtime

/// What the boards' own files leave for the pictures of a film.
@Suite struct DubMemoryTests {
  @Test(arguments: [
    ("raspberrypi-zero2w", false, GrantedPictures.zero2W), ("raspberrypi4", true, .pi4),
  ])
  func `A board's file grants its pictures what the tests of large ones count on`(
    name: String, hasScreen: Bool, granted: GrantedPictures
  ) throws {
    let board = try Boards.load(builtIn: name)
    let plan = BudgetPlan(board)
    try plan.requireFit()
    let memory = DubMemory(plan, board, hasScreen: hasScreen)
    let taken = memory.parts(hasPictures: true).reduce(0) { $0 + $1.bytes }
    let left = plan.line(.dubbing).memoryKB * 1024 - taken
    #expect(left >= 0)
    let room = memory.pictureRoom { left }
    #expect(room.decoded() >= granted.rawValue, "\(room.decoded())")
    // And not much more, or those tests are of a board that nobody has.
    #expect(room.decoded() < granted.rawValue * 5 / 4, "\(room.decoded())")
    #expect(room.waiting >= 1 << 19 && memory.programmeBytes > room.waiting)
  }
}
