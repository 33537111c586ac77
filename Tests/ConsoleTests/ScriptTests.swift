import Appliance
import Console
import Hardware
import JSON
import TestSupport
import Testing

@Suite struct ScriptTests {
  private func parse(_ text: String) throws -> Script {
    try Script(parsing: Array(text.utf8), name: "script.txt", table: FakeTable.table.catalogue)
  }

  @Test func theContractsScriptIsRead() throws {
    let script = try parse(
      """
      # a comment

      0.5   press REC            # short press
      3.0   hold LOCK 2.0        # seconds
      4.0   mark                 # T-MARK
      9.0   fault microphone unplug     # also: replug
      10.0  expect mode dictaphone.recording    # fails the script if not so
      10.0  expect led REC on
      11.0  screen out.png       # the OLED as a PNG, 8x
      12.0  call library.list    # any console method
      12.0  call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}
      15.0  press STOP\r
      16.0  quit
      """)
    #expect(
      script.lines.map(\.action) == [
        .press(.rec), .hold(.lock, .seconds(2)), .mark(title: nil), .fault(.microphoneUnplug),
        .expect(.mode("dictaphone.recording")), .expect(.led(.rec, "on")), .screen(path: "out.png"),
        .call(CommandRequest("library.list")),
        .call(CommandRequest("settings.set", ["recording.format": "wav", "recording.preRecordSeconds": 0])),
        .press(.stop), .quit,
      ])
    #expect(script.lines.map(\.number) == Array(3...13))
    #expect(script.lines.first?.at == .milliseconds(500))
    #expect(script.lines.first?.text == "press REC")
  }

  @Test(arguments: [
    ("expect locked yes", ScriptAction.expect(.locked(true))), ("expect screen files", .expect(.screen("files"))),
    ("expect notice storage-full", .expect(.notice("storage-full"))), ("expect notice none", .expect(.notice(nil))),
    ("expect takes 2", .expect(.takes(2))), ("mark The # sign#1 # comment", .mark(title: "The")),
    ("mark sign#1 # comment", .mark(title: "sign#1")), ("screen my picture.png", .screen(path: "my picture.png")),
    ("fault clock jump -0.5", .fault(.clockJump(.milliseconds(-500)))), ("press mark", .press(.mark)),
    (#"call library.list {"query":"a # \" # b"} # c"#, .call(CommandRequest("library.list", ["query": "a # \" # b"]))),
    ("call panel.press [\"REC\"]", .call(CommandRequest("panel.press", ["REC"]))),
  ])
  func everyActionIsRead(text: String, action: ScriptAction) throws {
    #expect(try parse("1 " + text).lines.map(\.action) == [action])
  }

  @Test(arguments: [
    ("x press REC", #"expected a time in seconds such as 0.5, found "x""#),
    ("-1 quit", #"expected a time in seconds such as 0.5, found "-1""#),
    ("1.0000000001 quit", #"expected a time in seconds such as 0.5, found "1.0000000001""#),
    ("1", "expected one of press, hold, mark, fault, expect, screen, picture, call, quit"),
    ("1 jump", #"expected one of press, hold, mark, fault, expect, screen, picture, call, quit, found "jump""#),
    ("1 press", #"expected one key after "press""#),
    ("1 press RED", #"expected one of the keys REC, STOP, UP, DOWN, LEFT, RIGHT, CENTRE, LOCK, MARK, found "RED""#),
    ("1 press REC 5", #"expected one key after "press", found "5""#),
    ("1 hold LOCK", #"expected a key and seconds after "hold", such as LOCK 2.0"#),
    ("1 hold LOCK 0", #"expected seconds such as 2.0, found "0""#),
    (
      "1 fault",
      "expected a fault of microphone, source, storage, stick, speaker, display, screen, camera, network, board, "
        + "pressure, clock, power"
    ),
    ("1 fault storage empty", #"expected one of full, ok, free, stall, slow after "storage", found "empty""#),
    ("1 fault storage stall", #"expected seconds such as 0.3 after "storage stall""#),
    ("1 fault power cut now", #"expected nothing after "power cut", found "now""#),
    ("1 expect mood happy", #"expected one of mode, led, locked, screen, notice, takes after "expect", found "mood""#),
    ("1 expect led REC", #"expected a lamp and a word, such as REC on, after "expect led""#),
    ("1 expect led BLUE on", #"expected one of the lamps REC, STATUS, LOCK, found "BLUE""#),
    ("1 expect locked maybe", #"expected yes or no, found "maybe""#),
    ("1 screen", #"expected the name of a PNG file after "screen""#),
    ("1 call", #"expected a method such as library.list after "call""#),
    ("1 call no.such", #"there is no command "no.such"; "help" lists those there are"#),
    ("1 call feed.open", #"there is no command "feed.open"; "help" lists those there are"#),
    ("1 call library.list {", "the parameters are not JSON: line 1, column 2: the text ends too early"),
    ("1 call library.list 5", "expected parameters as a JSON object, found an integer"),
    ("1 quit now", #"expected nothing after "quit", found "now""#),
    ("1 quit\n0.5 quit", "time 0.5 is before that of line 1, 1.0; lines go in order of time"),
  ])
  func whatIsWrongIsSaidWithFileAndLine(text: String, message: String) {
    let error = #expect(throws: ScriptError.self) { try parse("# one\n" + text) }
    let line = text.contains("\n") ? 3 : 2
    let expected = text.contains("\n") ? message.replacing("line 1", with: "line 2") : message
    #expect(error?.description == "script.txt:\(line): \(expected)")
  }

  @Test func aModeThatDoesNotExistIsRefused() {
    let error = #expect(throws: ScriptError.self) { try parse("1 expect mode dictaphone.sleeping") }
    #expect(error?.message.hasSuffix(#"found "dictaphone.sleeping""#) == true)
    #expect(throws: ScriptError.self) {
      try Script(parsing: [0x31, 0x20, 0xFF], name: "s", table: FakeTable.table.catalogue)
    }
  }

  @Test func everyFaultIsReadBackFromItsOwnWords() throws {
    let faults: [Fault] = [
      .microphoneUnplug, .microphoneReplug, .microphoneOverrun(.milliseconds(300)), .microphoneStall(.seconds(5)),
      .sourceUnplug("usb"), .sourceReplug("usb"), .storageFull,
      .storageOK, .storageFree(megabytes: 29_000), .storageStall(.seconds(10)), .displayUnplug, .displayReplug,
      .speakerUnplug, .speakerReplug,
      .speakerDrift(-100), .speakerDrift(1000),
      .cameraUnplug,
      .cameraReplug, .cameraStall(.seconds(2)), .cameraGarbage, .clockJump(.seconds(3600)),
      .clockJump(.nanoseconds(-1)), .powerCut, .networkDown, .networkUp, .networkLatency(.milliseconds(500)),
      .networkBandwidth(200_000), .networkBandwidth(nil), .stickIn, .stickOut, .stickOutAfter(bytes: 0),
      .stickOutAfter(bytes: 123_456), .stickFull, .stickReadOnly, .stickOK, .storageSlow(.milliseconds(1500)),
      .board(.heat(85)), .board(.cool), .board(.throttle(true)), .board(.throttle(false)), .board(.battery(5)),
      .board(.battery(nil)), .board(.cpuPressure(60)), .board(.memoryPressure(40)), .board(.ioPressure(100)),
      .board(.noPressure),
    ]
    for fault in faults { #expect(try FaultGrammar.parse(FaultGrammar.text(fault)) == fault) }
    #expect(try FaultGrammar.parse("  MICROPHONE\toverrun  0.3 ") == .microphoneOverrun(.milliseconds(300)))
    #expect(try FaultGrammar.parse("Source  UNPLUG My  Device") == .sourceUnplug("My Device"))
    #expect(try FaultGrammar.parse("network bandwidth 200k") == .networkBandwidth(200_000))
    #expect(try FaultGrammar.parse("network bandwidth 1.5M") == .networkBandwidth(1_500_000))
    for wrong in ["1001", "fast", "0.5", ""] {
      #expect(throws: FaultGrammarError.self) { try FaultGrammar.parse("speaker drift \(wrong)") }
    }
    for wrong in ["0", "-1", "fast", "k", "9999999999M", "0.5"] {
      #expect(throws: FaultGrammarError.self) { try FaultGrammar.parse("network bandwidth \(wrong)") }
    }
    #expect(FaultGrammar.text(.clockJump(.seconds(3600))) == "clock jump +3600.0")
  }

  @Test func expectationsSayWhatIsSeenInstead() {
    var seen = PanelSnapshot(mode: "dictaphone.idle", isLocked: false, screen: "main", lamps: [.status: "on"], takes: 1)
    #expect(Expectation.mode("dictaphone.idle").mismatch(in: seen) == nil)
    #expect(
      Expectation.mode("dictaphone.recording").mismatch(in: seen)
        == "expected mode dictaphone.recording, it is dictaphone.idle")
    #expect(Expectation.led(.status, "on").mismatch(in: seen) == nil)
    #expect(Expectation.led(.rec, "on").mismatch(in: seen) == "expected led REC on, it is off")
    #expect(Expectation.locked(true).mismatch(in: seen) == "expected locked yes, it is no")
    #expect(Expectation.screen("files").mismatch(in: seen) == "expected screen files, it is main")
    #expect(Expectation.notice(nil).mismatch(in: seen) == nil)
    seen.notice = Notice(severity: .warning, code: "storage-low", text: "t")
    #expect(Expectation.notice(nil).mismatch(in: seen) == "expected notice none, it is storage-low")
    #expect(Expectation.takes(2).mismatch(in: seen) == "expected takes 2, it is 1")
    #expect(
      seen.json.text
        == #"{"leds":{"STATUS":"on"},"locked":false,"mode":"dictaphone.idle","notice":{"code":"storage-low","severity":"warning","text":"t"},"screen":"main","takes":1,"texts":[]}"#
    )
  }

  @Test func theRunnerHandsOutWhatIsDueAndEndsWithQuit() throws {
    let start = Instant(nanoseconds: 1_000_000_000)
    var runner = ScriptRunner(try parse("0 mark a\n0.5 mark b\n0.5 quit\n9 mark c"), start: start)
    #expect(runner.nextDue == start)
    #expect(runner.take(at: .zero) == nil)
    #expect(runner.take(at: start)?.action == .mark(title: "a"))
    #expect(runner.take(at: start) == nil)
    #expect(runner.nextDue == start + .milliseconds(500))
    let late = start + .seconds(60)
    let second = runner.take(at: late)
    let line = try #require(second)
    #expect(runner.failure(of: line, "no").description == "script.txt:2: no")
    #expect(runner.take(at: late)?.action == .quit)
    #expect(runner.isFinished)
    #expect(runner.take(at: late) == nil)
    #expect(runner.nextDue == nil)
  }

  @Test func damagedScriptsNeverTrap() throws {
    let original = """
      0.5 press REC # x
      3.0 hold LOCK 2.0
      4 mark "t" # y
      9.0 fault microphone overrun 0.3
      10.0 expect led REC on
      12.0 call settings.set {"recording.format":"wav","a":[1,{"b":"\\" # "}]}
      16.0 quit
      """
    var random = SeededGenerator(seed: 11)
    let bytes = Array(original.utf8)
    var accepted = 0
    for _ in 0..<4000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<damaged.count, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0: damaged[index] = UInt8.random(in: 0...255, using: &random)
        case 1: damaged.remove(at: index)
        default: damaged.insert(damaged.randomElement(using: &random) ?? 0, at: index)
        }
      }
      do {
        _ = try Script(parsing: damaged, name: "s", table: FakeTable.table.catalogue)
        accepted += 1
      } catch {
        #expect(error.line > 0 && !error.message.isEmpty)
      }
    }
    #expect(accepted > 0)
  }
}
