import Foundation
import JSON
import TestSupport
import Testing

/// What a device says of its memory, held against the kernel's own numbers and against what its board grants.
@Suite("The budget")
struct BudgetTests {
  private let folder: TemporaryFolder
  private var mynah: Mynah

  init() throws {
    folder = TemporaryFolder()
    mynah = Mynah(folder: folder)
    mynah.board = try Mynah.smallCamera(in: folder)
  }

  @Test("A board whose parts do not fit its total is refused by the check, as by the device")
  func checked() throws {
    let file = folder.put("inherits = \"raspberrypi-zero2w\"\n[budget]\nrss_mb = 20\n", "small.toml")
    for words in [["board", "check", file], ["run", "--board", file, "--data", folder.file("data")]] {
      let run = try Mynah.execute(words)
      #expect(run.status == 78 && run.errors.contains("raise budget.rss_mb"), "\(run.output)\(run.errors)")
    }
    #expect(try Mynah.execute(["board", "check", "raspberrypi-zero2w"]).status == 0)
  }

  /// What the device does in a scenario, one after the other.
  private static let scenarios = [
    "a take": """
    0.1  call settings.set {"recording.format":"aac","recording.preRecordSeconds":60}
    40.0 press REC
    70.0 call budget.report
    71.0 press STOP
    74.0 call budget.report
    75.0 quit
    """,
    "clips": """
    0.1  call panel.mode {"mode":"clips"}
    0.2  call settings.set {"clips.durationSeconds":10,"clips.postRollSeconds":5,"clips.overlap":"independent"}
    14.0 call clips.trigger
    16.0 call clips.trigger
    18.0 call budget.report
    24.0 call budget.report
    25.0 quit
    """,
    "playing": """
    1.0  press REC
    20.0 press STOP
    22.0 press CENTRE
    26.0 call budget.report
    27.0 quit
    """,
  ]

  @Test("of no scenario is exceeded, by no part and at no time", arguments: BudgetTests.scenarios.keys.sorted())
  func scenario(name: String) throws {
    let run = try mynah.run(try #require(Self.scenarios[name]), measured: true)
    try #require(run.status == 0, "\(run.errors)")
    let reports = run.events("result").filter { $0.data["method"]?.stringValue == "budget.report" }
      .compactMap { $0.data["result"] }
    #expect(!reports.isEmpty)
    for report in reports {
      let granted = try #require(report["declaredKB"]?.integerValue)
      let peak = try #require(report["peakRSSKB"]?.integerValue)
      let resident = try #require(report["rssKB"]?.integerValue)
      #expect(peak <= granted, "\(peak) of \(granted) KiB")
      let lines = report["lines"]?.arrayValue ?? []
      var sum = 0
      for line in lines {
        let declared = try #require(line["declaredKB"]?.integerValue)
        let most = try #require(line["peakKB"]?.integerValue)
        #expect(most <= declared, "\(line["subsystem"]?.stringValue ?? ""): \(most) of \(declared) KiB")
        sum += line["measuredKB"]?.integerValue ?? line["allocatedKB"]?.integerValue ?? 0
      }
      // The parts, and the kernel's own division, come to what is resident.
      let kinds = (report["fileKB"]?.integerValue ?? 0) + (report["anonymousKB"]?.integerValue ?? 0)
      #expect(abs(Double(sum - resident)) <= 0.05 * Double(resident), "\(sum) of \(resident) KiB")
      #expect(abs(Double(kinds - resident)) <= 0.05 * Double(resident), "\(kinds) of \(resident) KiB")
    }
    // The kernel tells who waited for it the same peak.
    let told = try #require(reports.last?["peakRSSKB"]?.integerValue)
    let seen = try #require(run.peakKilobytes)
    #expect(abs(Double(told - seen)) <= 0.05 * Double(seen), "\(told) told, \(seen) KiB seen")
  }

  @Test("that is too small for a scenario is told, so that this suite would fail")
  func tooSmall() throws {
    var mynah = mynah
    mynah.board = try Mynah.smallCamera(
      in: folder, more: "[budget]\nrss_mb = 140\n[budget.program]\nmemory_kb = 2048\n[budget.dubbing]\nmemory_kb = 0")
    let run = try mynah.run("1.0 call budget.report\n1.5 quit")
    try #require(run.status == 0, "\(run.errors)")
    let report = try #require(run.events("result").first?.data["result"])
    #expect(report["isWithin"] == false)
    let program = report["lines"]?.arrayValue?.first { $0["subsystem"] == "program" }
    #expect(program?["isWithin"] == false)
  }
}
