import Board
import Budget
import Testing

@Suite struct BudgetPlanTests {
  @Test(arguments: Boards.builtInNames) func theBudgetOfEveryBuiltInBoardFits(_ name: String) throws {
    let plan = BudgetPlan(try Boards.load(builtIn: name))
    try plan.requireFit()
    #expect(plan.line(.program).memoryKB > 0)
    // The longest pre-record of the contract, 60 s and its slack, at 16 bits and two channels.
    #expect(plan.line(.preRecord).memoryKB >= 63 * 48 * 4)
  }

  @Test(arguments: ["raspberrypi4", "raspberrypi-zero2w"]) func theDictaphoneWithTheUsualPreRecordStaysWithin24MiB(
    _ name: String
  ) throws {
    let plan = BudgetPlan(try Boards.load(builtIn: name))
    // Of the line for 60 s, the usual 5 s and their slack need 8 s at 24 bits.
    let usual = 8 * 48 * 6
    // Without a camera, or in the other mode, nothing of its lines is taken.
    let memory = plan.memoryKB(during: nil)
    #expect(memory - plan.line(.preRecord).memoryKB + usual <= 24 * 1024)
    #expect(plan.lines.filter { $0.subsystem.mode == nil }.reduce(0) { $0 + $1.cpuPercent } <= 25)
  }

  @Test(arguments: ["raspberrypi4", "raspberrypi-zero2w"]) func dubbingWithTheUsualPreRecordStaysWithin48MiB(
    _ name: String
  ) throws {
    let plan = BudgetPlan(try Boards.load(builtIn: name))
    let memory = plan.memoryKB(during: .dubbing) - plan.line(.preRecord).memoryKB + 8 * 48 * 6
    #expect(memory <= 48 * 1024)
    #expect(plan.line(.dubbing).memoryKB >= 12 * 1024)
  }

  @Test func ofModesThatNeverRunTogetherTheLargestCounts() throws {
    let plan = try plan(
      rss: 10, cpu: 50, ["program": (1000, 5), "ring": (3000, 10), "camera": (1000, 10), "dubbing": (3500, 40)])
    #expect(plan.sumMemoryKB == 5000)
    #expect(plan.sumCPUPercent == 45)
    #expect(plan.memoryKB(during: nil) == 1000)
    #expect(plan.memoryKB(during: .dubbing) == 4500)
    #expect(plan.memoryKB(during: .clips) == 5000)
    try plan.requireFit()
  }

  @Test func aSumAboveTheTotalIsRefusedWithTheTable() throws {
    let plan = try plan(rss: 2, cpu: 10, ["program": (1500, 5), "encoder": (700, 6)])
    let error = try #require(throws: BudgetError.self) { try plan.requireFit() }
    #expect(error.reasons.count == 2)
    #expect(
      error.description == """
        the budget of board test does not fit:
          the parts need 2200 KiB, 152 KiB more than the total of 2048 KiB: raise budget.rss_mb or lower a memory_kb
          the parts need 11 % of a core, more than the total of 10 %: raise budget.cpu_percent or lower a part's
        PART           MEMORY KiB    CPU %
        program              1500        5
        encoder               700        6
        sum                  2200       11
        total                2048       10
        board              524288
        step                         20 ms

        """)
  }

  @Test func aTotalAboveTheBoardOrTheMachineIsRefused() throws {
    let large = try plan(rss: 600, cpu: 10, [:])
    #expect(try #require(throws: BudgetError.self) { try large.requireFit() }.reasons.count == 1)
    let small = try plan(rss: 100, cpu: 250, [:])
    try small.requireFit()
    try small.requireFit(physicalMemoryKB: 102_400, cores: 3)
    let error = try #require(throws: BudgetError.self) { try small.requireFit(physicalMemoryKB: 102_399, cores: 2) }
    #expect(error.reasons.count == 2)
  }
}
