import Board
import Testing

@testable import Budget

@Suite struct BudgetReportTests {
  @Test func loadsAreSharedOutByNamesOfThreads() throws {
    var meter = BudgetMeter()
    #expect(meter.add(usage(at: 10, cpu: 1, [(1, "mynah", 0.4), (2, "microphone", 0.1), (3, "media", 0.5)])) == nil)
    let second = meter.add(usage(at: 12, cpu: 1.8, [(1, "mynah", 0.5), (2, "microphone", 0.2), (4, "media", 0.4)]))
    let load = try #require(second)
    #expect(abs(load.totalPercent - 40) < 1e-9)
    #expect(abs((load.percent[.audioIn] ?? 0) - 5) < 1e-9)
    // A thread that was not there before has used all of its time since.
    #expect(abs((load.percent[.encoder] ?? 0) - 20) < 1e-9)
    #expect(abs((load.percent[.program] ?? 0) - 15) < 1e-9)
    #expect(load.percent[.library] == nil)
  }

  @Test func aClockThatStandsStillGivesNoLoad() {
    var meter = BudgetMeter()
    #expect(meter.add(usage(at: 10, cpu: 1)) == nil)
    #expect(meter.add(usage(at: 10, cpu: 2)) == nil)
    #expect(meter.add(usage(at: 9, cpu: 2)) == nil)
    #expect(meter.add(usage(at: 10, cpu: 1))?.totalPercent == 0)
  }

  @Test func theReportHasALineAPartAndSaysWhatIsWithin() throws {
    let plan = try plan(rss: 8, cpu: 20, ["program": (4096, 5), "audio_in": (2048, 2), "encoder": (1024, 9)])
    let ledger = BudgetLedger(plan)
    try ledger.register(.audioIn, "ring", bytes: 1_048_577)
    try ledger.register(.encoder, "pipe", bytes: 512 << 10)
    ledger.release(.encoder, "pipe")
    let load = BudgetLoad(totalPercent: 13.04, percent: [.audioIn: 2.5, .program: 1])
    let report = BudgetReport(
      plan, allocated: ledger.all, peaks: ledger.peaks, usage: usage(at: 1, cpu: 1, rss: 5000, peak: 6000), load: load)
    #expect(
      report.table == """
        PART          GRANT KiB  ALLOC KiB   PEAK KiB    RSS KiB  GRANT %    CPU % OK
        program            4096          0       4463       3975        5      1.0 yes
        audio_in           2048       1025       1025          –        2      2.5 NO
        encoder            1024          0        512          –        9        – yes
        whole              8192       1025       6000       5000       20     13.0 NO

        """)
    #expect(report.table.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(!report.isWithin)
    #expect(report.lines.map(\.isWithin) == [true, false, true])
  }

  @Test func aPeakAboveTheTotalIsNotWithin() throws {
    let plan = try plan(rss: 8, cpu: 20, ["program": (8192, 5)])
    #expect(BudgetReport(plan, usage: usage(at: 1, cpu: 1, rss: 8000, peak: 8192)).isWithin)
    #expect(!BudgetReport(plan, usage: usage(at: 1, cpu: 1, rss: 8000, peak: 8193)).isWithin)
  }

  @Test func aLongStepIsSaidOfItsLaneAlone() throws {
    let plan = try plan(rss: 8, cpu: 20, [:])
    let report = BudgetReport(
      plan,
      steps: [
        .init(lane: "media", milliseconds: 20.1, declaredMilliseconds: plan.stepMilliseconds),
        .init(lane: "storage", milliseconds: 20, declaredMilliseconds: plan.stepMilliseconds),
        .init(lane: "speech", milliseconds: 800, declaredMilliseconds: nil),
        .init(lane: "control", milliseconds: nil, declaredMilliseconds: plan.stepMilliseconds),
      ])
    #expect(report.declaredStepMilliseconds == 20)
    #expect(report.steps.map(\.isWithin) == [false, true, true, true])
    #expect(report.isWithin)
  }

  @Test func aPlanAloneIsAReportToo() throws {
    let report = BudgetReport(BudgetPlan(try Boards.load(builtIn: "raspberrypi-zero2w")))
    #expect(report.isWithin)
    #expect(report.rssKB == nil)
    #expect(report.lines.count == 11)
    #expect(report.peakRSSKB == nil)
  }

  @Test func loadsBeyondAllReasonAreStillPrinted() throws {
    let plan = try plan(rss: 8, cpu: 20, [:])
    let load = BudgetLoad(totalPercent: .infinity, percent: [.camera: 1e300])
    let report = BudgetReport(plan, usage: usage(at: 1, cpu: 1), load: load)
    #expect(report.table.contains("camera"))
    #expect(!report.isWithin)
  }
}
