import Appliance
import Hardware
import JSON
import SimulatedHardware
import TestSupport
import Testing

@testable import Runtime

/// The rule, where expectations can call it.
private final class Rule {
  private var rule: FeedingRule
  init(period: Duration) { rule = FeedingRule(period: period) }
  func mayFeed(_ progress: Progress, at now: Instant) -> Bool { rule.mayFeed(progress, at: now) }
  func beginEnding(at now: Instant) { rule.beginEnding(at: now) }
}

@Suite struct FeedingRuleTests {
  private let later = Instant.at(1)

  @Test func bothMustHaveGotOn() {
    let rule = Rule(period: .seconds(10))
    #expect(rule.mayFeed(Progress(control: 1, audio: 0), at: later))
    #expect(!rule.mayFeed(Progress(control: 2, audio: 0), at: later))
    #expect(!rule.mayFeed(Progress(control: 1, audio: 1), at: later))
    #expect(rule.mayFeed(Progress(control: 2, audio: 1), at: later))
    // Progress before the last feed does not count a second time.
    #expect(!rule.mayFeed(Progress(control: 2, audio: 1), at: later))
    #expect(!rule.mayFeed(Progress(control: 9, audio: 1), at: later))
    #expect(rule.mayFeed(Progress(control: 9, audio: 7), at: later))
  }

  @Test func withoutAMicrophoneOnlyTheControlLoopIsAsked() {
    let rule = Rule(period: .seconds(10))
    #expect(rule.mayFeed(Progress(control: 1, audio: nil), at: later))
    #expect(!rule.mayFeed(Progress(control: 1, audio: nil), at: later))
    #expect(rule.mayFeed(Progress(control: 2, audio: nil), at: later))
  }

  @Test func anEndingApplianceIsGivenTimeButNotForEver() {
    let rule = Rule(period: .seconds(10))
    _ = rule.mayFeed(Progress(control: 1, audio: 5), at: .at(0))
    rule.beginEnding(at: .at(10))
    #expect(rule.mayFeed(Progress(control: 2, audio: 5), at: .at(11)))
    #expect(!rule.mayFeed(Progress(control: 2, audio: 5), at: .at(12)))
    rule.beginEnding(at: .at(60))
    #expect(rule.mayFeed(Progress(control: 3, audio: 5), at: .at(69)))
    #expect(!rule.mayFeed(Progress(control: 4, audio: 5), at: .at(71)))
  }

  @Test func aMediaWorkerThatWaitsForACardIsGivenMoreTime() {
    let rule = Rule(period: .seconds(10))
    for second in 0..<30 {
      #expect(rule.mayFeed(Progress(control: second, audio: second, media: 1), at: .at(Double(second))))
    }
    #expect(!rule.mayFeed(Progress(control: 30, audio: 30, media: 1), at: .at(30)))
    #expect(!rule.mayFeed(Progress(control: 31, audio: 31, media: 1), at: .at(31)))
    #expect(rule.mayFeed(Progress(control: 32, audio: 32, media: 2), at: .at(32)))
  }

  @Test func itLooksTwiceInThePeriodAtLeast() {
    for milliseconds in [20, 100, 1000, 3000, 15_000, 300_000] {
      let rule = FeedingRule(period: .milliseconds(milliseconds))
      #expect(rule.interval * 2 <= .milliseconds(milliseconds))
      #expect(rule.interval >= .milliseconds(10))
    }
  }

  /// Whatever happens, a feed means that both counters have changed since the feed before.
  @Test func everyFeedIsEarned() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<2000 {
      let rule = Rule(period: .seconds(1))
      var now = Progress(control: 0, audio: 0)
      var fed: Progress?
      for _ in 0..<20 {
        if Bool.random(using: &generator) { now.control += Int.random(in: 0...2, using: &generator) }
        if Bool.random(using: &generator) { now.audio = (now.audio ?? 0) + Int.random(in: 0...2, using: &generator) }
        let mayFeed = rule.mayFeed(now, at: .zero)
        if let fed { #expect(mayFeed == (now.control != fed.control && now.audio != fed.audio)) }
        if mayFeed { fed = now }
      }
    }
  }
}

/// The whole appliance with a watchdog and a service manager, in virtual time.
@Suite struct WatchdogFeederTests {
  private let bench: RuntimeBench
  private let watchdog: SimulatedWatchdog
  private let manager: SimulatedServiceManager

  init() throws {
    bench = try RuntimeBench()
    watchdog = SimulatedWatchdog(clock: bench.clock, period: .seconds(2))
    manager = SimulatedServiceManager(clock: bench.clock)
    bench.hardware.watchdogs = [watchdog]
    bench.hardware.serviceManager = manager
  }

  private var told: [String] { manager.messages.map(\.text) }

  @Test func readyIsToldOnceWhenArmedAndStoppingAtTheEnd() throws {
    #expect(try bench.run("3 press REC\n5 press STOP\n8 quit") == nil)
    #expect(told.first == "READY=1")
    #expect(manager.messages[0].at < .at(0.5))
    #expect(told.filter { $0 == "READY=1" }.count == 1)
    #expect(told.last == "STOPPING=1")
    #expect(told.contains("STATUS=armed"))
    #expect(told.contains { $0.hasPrefix("STATUS=recording 0") })
    #expect(watchdog.bite == nil)
    #expect(watchdog.stoppedAt != nil)
    #expect(watchdog.feeds.count >= 8)
  }

  @Test func aMicrophoneThatStandsStillIsNotFed() throws {
    #expect(try bench.run("5 fault microphone stall 4\n12 quit") == nil)
    let bite = try #require(watchdog.bite)
    #expect(bite > .at(5) && bite <= .at(7.6))
    #expect(watchdog.feeds.contains { $0 > .at(9) })
  }

  @Test func aMicrophoneThatIsPulledAndLookedForIsNoReasonToReset() throws {
    #expect(try bench.run("3 fault microphone unplug\n30 fault microphone replug\n33 quit") == nil)
    #expect(watchdog.bite == nil)
    #expect(told.contains("STATUS=not armed, no microphone"))
  }

  @Test func aClipThatRunsAndStorageThatIsNotThereAreTold() throws {
    var state = State()
    state.health.hasMicrophone = true
    state.health.isStorageMissing = true
    #expect(WatchdogFeeder.text(state) == "not armed, no storage")
    let script = """
      1 call panel.mode {"mode":"clips"}
      4 call clips.continuous
      14 call clips.endPostRoll
      18 quit
      """
    #expect(try bench.run(script) == nil)
    #expect(told.contains("STATUS=capturing"), "\(told)")
  }

  @Test func withoutAMicrophoneItIsReadyWhenUp() throws {
    #expect(try bench.run("0 fault microphone unplug\n5 quit") == nil)
    #expect(told.first == "READY=1")
    #expect(manager.messages[0].at < .at(2))
    bench.hardware.microphone = nil
    let other = try RuntimeBench()
    let quiet = SimulatedServiceManager(clock: other.clock)
    other.hardware.microphone = nil
    other.hardware.serviceManager = quiet
    #expect(try other.run("5 quit") == nil)
    #expect(quiet.messages.first?.text == "READY=1")
  }

  @Test func aSlowCardAtTheEndIsWaitedFor() throws {
    #expect(try bench.run("2 press REC\n4 fault storage stall 8\n5 press STOP\n5.1 quit") == nil)
    #expect(watchdog.bite == nil)
    #expect(bench.events("onTakeSaved").count == 1)
    #expect(told.last == "STOPPING=1")
  }

  @Test func aWatchdogThatCannotBeHadIsSaidAndMissedByNobody() throws {
    watchdog.refuse(DeviceError(.busy, device: "/dev/watchdog", operation: "open", code: 16, hint: "stop the other"))
    #expect(try bench.run("3 quit") == nil)
    #expect(watchdog.feeds.isEmpty)
    #expect(bench.log.contains { $0.contains("runs without a watchdog: /dev/watchdog: cannot open") })
  }

  @Test func theConsolesDoctorTellsWhatTheApplianceHasOpen() throws {
    #expect(try bench.run("2 call system.doctor\n3 fault microphone unplug\n5 call system.doctor\n6 quit") == nil)
    let answers = bench.results("system.doctor")
    try #require(answers.count == 2)
    #expect(answers[0]["works"] == true)
    #expect(answers[0]["checks"]?[0]?["device"] == "microphone")
    #expect(answers[0]["checks"]?[0]?["facts"]?["sampleRate"] == 8000)
    #expect(answers[1]["works"] == false)
    #expect(answers[1]["checks"]?[0]?["verdict"] == "missing")
  }
}
