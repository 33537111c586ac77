import Board
import Budget
import Doctor
import Hardware
import Testing

/// A device that is as a test says.
private struct SimulatedProbe: Probe {
  let findings: [DeviceFinding]
  func examine() -> [DeviceFinding] { findings }
}

@Suite struct DoctorReportTests {
  private let good = DeviceFinding(
    "microphone", place: "hw:1", .works, "48000 Hz", facts: ["sampleRate": .integer(48_000)])
  private let gone = DeviceFinding(
    "display", place: "/dev/i2c-1@0x3c", .missing, "cannot get an answer (errno 6)",
    remedy: "check the wires, and the address with i2cdetect -y 1")

  private func report(_ findings: DeviceFinding...) -> DoctorReport {
    DoctorReport(board: "test", version: "1", probes: findings.map { SimulatedProbe(findings: [$0]) })
  }

  @Test func whatMustBeMendedIsCountedAndNamed() {
    #expect(report(good).isInOrder)
    #expect(report(good).summary == "all works")
    let bad = report(good, gone)
    #expect(!bad.isInOrder)
    #expect(bad.summary == "1 of 2 to mend: display")
  }

  @Test(arguments: Verdict.allCases) func onlyWhatNeedsHandsIsAFailure(_ verdict: Verdict) {
    let needsHands: Set<Verdict> = [.missing, .denied, .busy, .failed]
    #expect(report(DeviceFinding("x", verdict, "")).isInOrder == !needsHands.contains(verdict))
  }

  @Test func whatIsNotAsGoodAsItShouldBeIsSaidAndIsNoFailure() {
    let report = report(good, DeviceFinding("memory", .limited, "may be paged out"))
    #expect(report.isInOrder)
    #expect(report.summary == "all works, 1 not as well as it should")
  }

  @Test(arguments: [40, 60, 80, 100, 132]) func theTableFitsItsWidthAndSaysEveryRemedy(_ width: Int) {
    let table = report(good, gone).table(width: width)
    let lines = table.split(separator: "\n")
    #expect(lines.first?.hasPrefix("DEVICE") == true)
    #expect(lines.allSatisfy { $0.count <= max(width, 24 + 21 + 20) })
    #expect(
      table.split(whereSeparator: { $0 == " " || $0 == "\n" }).joined(separator: " ").contains("→ check the wires"))
    #expect(table.contains("MISSING"))
    #expect(lines.last == "1 of 2 to mend: display")
  }

  @Test func aDriversErrorBecomesAVerdictWithItsHint() {
    let kinds: [(DeviceError.Kind, Verdict)] = [
      (.missing, .missing), (.busy, .busy), (.denied, .denied), (.lost, .failed), (.unsupported, .failed),
      (.failed, .failed),
    ]
    for (kind, verdict) in kinds {
      let error = DeviceError(kind, device: "d", operation: "open it", code: 5, hint: "plug it in")
      let finding = DeviceFinding("speaker", place: "d", error)
      #expect(finding.verdict == verdict)
      #expect(finding.detail == "cannot open it (errno 5)")
      #expect(finding.remedy == "plug it in")
    }
  }

  @Test func budgetsThatDoNotFitTheMachineAreFailures() throws {
    let plan = BudgetPlan(try Boards.load(builtIn: "raspberrypi4"))
    #expect(BudgetProbe(plan, physicalMemoryKB: 1 << 20, cores: 4).examine().first?.verdict == .works)
    let small = try #require(BudgetProbe(plan, physicalMemoryKB: 20_000, cores: 4).examine().first)
    #expect(small.verdict == .failed)
    #expect(small.detail.contains("20000 KiB"))
    #expect(small.remedy.contains("mynah budget --board raspberrypi4"))
  }
}

@Suite struct QuantilesTests {
  @Test func theNearestRankIsTaken() {
    let quantiles = Quantiles(Array(1...100).reversed())
    #expect(quantiles.p50 == 50)
    #expect(quantiles.p99 == 99)
    #expect(quantiles.maximum == 100)
    #expect(Quantiles([7]).p50 == 7)
    #expect(Quantiles([]).maximum == 0)
  }
}
