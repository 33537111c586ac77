import Console
import JSON
import TestSupport
import Testing

@Suite struct PeopleSessionTests {
  private func bench(width: Int = 80, closes: Bool = false) -> Bench {
    let bench = Bench(width: width, closes: closes)
    bench.start()
    return bench
  }

  @Test func typingAtTheEndOfTheLineCostsOneByteAKey() {
    let bench = bench()
    #expect(bench.take() == "mynah> ")
    for letter in "status" {
      bench.type(String(letter))
      #expect(bench.take() == String(letter))
    }
    bench.type("\u{7F}")
    #expect(bench.take() == "\u{8} \u{8}")
  }

  @Test(arguments: ["\r", "\n", "\r\n"])
  func everyLineEndIsOneLineEnd(end: String) {
    let bench = bench()
    bench.type("mark\(end)mark\(end)")
    #expect(bench.device.calls.map(\.method) == ["recorder.mark", "recorder.mark"])
    #expect(bench.screen() == ["mynah> mark", "ok", "mynah> mark", "ok", "mynah>"])
  }

  @Test func theTerminalShowsWhatTheLineHolds() {
    // Every editing key at random: the dumb terminal has to show prompt and line at all times.
    var random = SeededGenerator(seed: 5)
    let bench = bench(width: 40)
    var terminal = Terminal()
    var model = Model()
    let keys = [
      "a", "b", " ", "ж", "c", "d", "\u{7F}", "\u{1}", "\u{5}", "\u{1B}[D", "\u{1B}[C", "\u{1B}[3~", "\u{17}", "\u{4}",
      "\u{B}",
    ]
    for _ in 0..<4000 {
      let key = keys.randomElement(using: &random) ?? "a"
      // ^D on an empty line rings the bell only.
      bench.type(key)
      model.apply(key)
      terminal.feed(bench.take())
      if model.line.count < 32 { #expect(terminal.lastLine == ("mynah> " + model.line).trimmedEnd) }
      #expect(terminal.lastLine.count <= 40)
    }
  }

  @Test func aLineLongerThanTheTerminalScrollsSideways() {
    let bench = bench(width: 30)
    bench.type("mark " + String(repeating: "0123456789", count: 6))
    #expect(bench.screen().allSatisfy { $0.count <= 30 })
    bench.type("\r")
    #expect(bench.device.calls.first?.parameters["title"]?.stringValue?.count == 60)
  }

  @Test func aTerminalThatTellsItsColumnsGetsNoLongerLines() {
    let bench = bench()
    bench.type("\u{1B}[8;12;30tmark " + String(repeating: "0123456789", count: 6))
    #expect(bench.screen().allSatisfy { $0.count <= 30 })
    bench.type("\u{3}nothingIsCalledSo\r")
    let error = bench.screen()
    #expect(error.count > 3 && error.allSatisfy { $0.count <= 30 }, "\(error)")
    bench.type("mark a line that was begun before\u{1B}[8;12;20t")
    #expect(bench.screen().last?.count ?? 99 <= 20)
  }

  @Test func historyGoesBackAndForthAndKeepsTheDraft() {
    let bench = bench()
    bench.type("mark one\rmark two\rmark two\rmark dra")
    bench.type("\u{1B}[A\u{1B}[A\u{1B}[A\u{1B}[B\u{1B}[B\r")
    bench.type("\u{10}\u{10}\u{10}\r")
    #expect(
      bench.device.calls.map { $0.parameters["title"]?.stringValue } == ["one", "two", "two", "dra", "one"])
  }

  @Test(
    "A line with a secret on it is in no history, however it is written",
    arguments: [
      "settings lock.pin 4711", "settings lock.pin=4711", "settings key=lock.pin value=4711",
      "settings value=4711 key=lock.pin", "settings dub.proxy http://ann:4711@proxy/",
      "play https://example.org/live.m3u8?key=4711",
    ])
  func secretsAreInNoHistory(line: String) {
    let bench = bench()
    bench.type("mark one\r\(line)\r")
    _ = bench.take()
    bench.type("\u{1B}[A")
    #expect(bench.take() == "mark one")
    bench.type("\u{3}settings lock.pin\r")
    _ = bench.take()
    bench.type("\u{1B}[A")
    #expect(bench.take() == "settings lock.pin")
  }

  @Test func tabCompletesCommandsAndArguments() {
    let bench = bench()
    bench.type("und\t\r")
    #expect(bench.device.calls.last?.method == "library.undelete")
    bench.type("pres\tce\t\r")
    #expect(bench.device.calls.last?.parameters["button"] == "CENTRE")
    bench.type("play \t1\t\r")
    #expect(bench.device.calls.last?.parameters["id"] == "000001_a.m4a")
    bench.type("settings rec\tf\tw\t\r")
    #expect(
      bench.device.calls.last
        == FakeCall(method: "settings.set", parameters: ["recording.format": "wav"]))
    bench.type("fault mic\tre\t\r")
    #expect(bench.device.calls.last?.parameters["fault"] == "microphone replug")
    bench.type("recorder.sta\t\t\u{3}")
    #expect(bench.device.calls.count == 5)
  }

  @Test func severalCandidatesAreListedAndTheLineStays() {
    let bench = bench()
    bench.type("re\t")
    #expect(
      bench.screen() == [
        "mynah> re", "rec     rename  repair", "mynah> re",
      ])
    bench.type("corder.sta\t")
    #expect(
      bench.screen() == ["corder.sta", "recorder.start   recorder.status", "mynah> recorder.sta"])
    bench.type("zzz\t")
    #expect(bench.take() == "zzz\u{7}")
  }

  @Test func controlCDropsTheLineAndControlLShowsItAgain() {
    let bench = bench()
    bench.type("mark x\u{3}mark y\u{C}\r")
    #expect(bench.screen() == ["mynah> mark x^C", "mynah> mark y", "mynah> mark y", "ok", "mynah>"])
  }

  @Test func controlDOnAnEmptyLineHangsUpWhereThatIsPossible() {
    let socket = bench(closes: true)
    socket.type("x\u{4}\u{7F}")
    #expect(!socket.didHangUp)
    socket.type("\u{4}")
    #expect(socket.didHangUp)
    let serial = bench()
    serial.type("\u{4}exit\r")
    #expect(
      serial.screen() == ["mynah> exit", "error: this console is a serial line, it stays open (unsupported)", "mynah>"])
  }

  @Test func whatHappensMeanwhileIsPrintedAboveTheLineBeingTyped() {
    let bench = bench()
    bench.type("mark half\u{1B}[D")
    bench.announce("a line")
    bench.type("l\r")
    #expect(bench.screen() == ["a line", "mynah> mark hallf", "ok", "mynah>"])
  }

  @Test func aSlowCommandCanBeTypedPastAndGivenUp() {
    let bench = bench()
    bench.device.isSlow = true
    bench.type("rec\rmark a\r")
    #expect(bench.device.calls.map(\.method) == ["recorder.status"])
    bench.device.release()
    #expect(bench.device.calls.map(\.method) == ["recorder.status", "recorder.start"])
    bench.type("\u{3}mark b\r")
    #expect(bench.device.calls.last?.parameters["title"] == "b")
    bench.device.release()
    #expect(bench.screen() == ["mynah> rec", "^C", "mynah> mark b", "ok", "mynah>"])
  }

  @Test func controlCInTheSamePortionGivesUpAsWell() {
    let bench = bench()
    bench.device.isSlow = true
    bench.type("version\rmark lost\r\u{3}mark kept\r")
    bench.device.release()
    #expect(bench.device.calls.map { $0.parameters["title"]?.stringValue } == [nil, "kept"])
    #expect(bench.screen() == ["mynah> version", "^C", "mynah> mark kept", "ok", "mynah>"])
  }

  @Test func aWordFailsWithTheFirstOfItsMethodsThatDoes() {
    let bench = bench()
    bench.device.answers["recorder.status"] = .failure(CommandFailure(.deviceLost, "the recorder has gone"))
    bench.type("rec\r")
    #expect(bench.device.calls.map(\.method) == ["recorder.status"])
    #expect(bench.screen() == ["mynah> rec", "error: the recorder has gone (device-lost)", "mynah>"])
  }

  @Test func errorsSayWhatToType() {
    let bench = bench()
    bench.type("frobnicate\rfeed\rpress\rpress X\rhold REC 99\rpress REC 5\rseek far\r")
    #expect(
      bench.screen() == [
        "mynah> frobnicate", #"error: there is no command "frobnicate"; "help" lists those there are"#,
        "  (unsupported)",
        "mynah> feed", #"error: there is no command "feed"; "help" lists those there are (unsupported)"#,
        "mynah> press", "error: BUTTON is missing, one of REC, STOP, UP, DOWN, LEFT, RIGHT, CENTRE, LOCK,",
        "  MARK; usage: press BUTTON (bad-argument)",
        "mynah> press X", "error: press: button has to be one of REC, STOP, UP, DOWN, LEFT, RIGHT, CENTRE,",
        "  LOCK, MARK, not \"X\" (bad-argument)",
        "mynah> hold REC 99", "error: hold: seconds has to be a number from 0.001 to 60, not 99 (bad-argument)",
        "mynah> press REC 5", #"error: "5" is too much; usage: press BUTTON (bad-argument)"#,
        "mynah> seek far", "error: seconds has to be a number from -86400 to 86400, not \"far\" (bad-argument)",
        "mynah>",
      ])
  }

  @Test func namesCannotSteerTheTerminal() {
    let bench = bench()
    bench.device.answers["library.show"] = .success(["name": "a\u{1B}[2Jb\u{9B}c"])
    bench.type("show x\r")
    #expect(bench.screen() == ["mynah> show x", "name  a?[2Jb?c", "mynah>"])
  }

  @Test func quotationMarksAndNamedArgumentsWork() {
    let bench = bench()
    bench.type(#"rename 1 "two  \"words\"" more"# + "\r" + "list sort=name 5\r" + "panel.press button=REC ms=700\r")
    #expect(bench.device.calls[0].parameters == ["id": "1", "name": #"two  "words" more"#])
    #expect(bench.device.calls[1].parameters == ["sort": "name", "limit": 5, "offset": 0])
    #expect(bench.device.calls[2].parameters == ["button": "REC", "ms": 700])
  }
}

/// The edited line in the plainest way.
private struct Model {
  private(set) var characters: [Character] = []
  private var cursor = 0
  var line: String { String(characters) }

  mutating func apply(_ key: String) {
    switch key {
    case "\u{7F}":
      if cursor > 0 {
        cursor -= 1
        characters.remove(at: cursor)
      }
    case "\u{1}": cursor = 0
    case "\u{5}": cursor = characters.count
    case "\u{1B}[D": cursor = max(0, cursor - 1)
    case "\u{1B}[C": cursor = min(characters.count, cursor + 1)
    case "\u{1B}[3~", "\u{4}": if cursor < characters.count { characters.remove(at: cursor) }
    case "\u{B}": characters.removeSubrange(cursor...)
    case "\u{17}":
      let end = cursor
      while cursor > 0, characters[cursor - 1] == " " { cursor -= 1 }
      while cursor > 0, characters[cursor - 1] != " " { cursor -= 1 }
      characters.removeSubrange(cursor..<end)
    default:
      characters.insert(Character(key), at: cursor)
      cursor += 1
    }
  }
}
