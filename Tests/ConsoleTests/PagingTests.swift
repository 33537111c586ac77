import Console
import Hardware
import JSON
import Testing

/// Long listings on a terminal, what is repeated, and what is typed meanwhile.
@Suite struct PagingTests {
  private func bench(height: Int? = 6, lines: Int = 14) -> Bench {
    let bench = Bench(height: height)
    bench.device.answers["library.show"] = .success(
      .object(Dictionary(uniqueKeysWithValues: (0..<lines).map { ("line\($0 + 10)", .integer($0)) })))
    bench.start()
    bench.type("show x\r")
    return bench
  }

  @Test func aLongListingStopsAndGoesOnByPageAndByLine() {
    let bench = bench()
    let first = bench.screen()
    #expect(first.first == "mynah> show x" && first.count == 7 && first.last == "--More-- (9 lines; SPACE, ENTER, q)")
    bench.type(" ")
    #expect(bench.screen().dropLast() == ["line15  5", "line16  6", "line17  7", "line18  8", "line19  9"])
    bench.type("\r")
    #expect(bench.screen() == ["line20  10", "--More-- (3 lines; SPACE, ENTER, q)"])
    bench.type(" ")
    #expect(bench.screen().suffix(2) == ["line23  13", "mynah>"])
  }

  @Test(arguments: ["q", "\u{3}"])
  func itCanBeEnded(key: String) {
    let bench = bench()
    _ = bench.take()
    bench.type(key)
    bench.type("mark\r")
    #expect(bench.screen().suffix(3) == ["mynah> mark", "ok", "mynah>"])
    #expect(bench.device.calls.last?.method == "recorder.mark")
  }

  @Test func anyOtherKeyBeginsTheNextCommand() {
    let bench = bench()
    bench.type("mark\r")
    #expect(bench.device.calls.map(\.method) == ["library.show", "recorder.mark"])
  }

  @Test func aProgramTakesOverAtAStop() throws {
    let bench = bench()
    let answer = try bench.ask(#"{"jsonrpc":"2.0","id":1,"method":"recorder.mark"}"#)
    #expect(answer["result"] == [:] && bench.isMachine)
  }

  @Test func whoeverTypesAheadWaitsForNoPageAndLosesNothing() {
    let bench = Bench(height: 6)
    bench.device.answers["library.show"] = .success(
      .object(Dictionary(uniqueKeysWithValues: (0..<500).map { ("line\($0)", .integer($0)) })))
    bench.start()
    bench.type("show x\r\nmark a\r\nmark b\r\n")
    #expect(bench.device.calls.map(\.method) == ["library.show", "recorder.mark", "recorder.mark"])
    #expect(bench.screen().count == 500 + 6)
  }

  @Test func tenThousandLinesGoAsTheLineTakesThemAndCanBeInterrupted() {
    let bench = Bench(height: 6)
    bench.device.answers["library.show"] = .success(
      .object(Dictionary(uniqueKeysWithValues: (0..<10_000).map { ("line\($0)", .integer($0)) })))
    bench.start()
    _ = bench.take()
    // The line has not taken all yet: what is behind the first portion waits, and what is typed with it.
    bench.room = 60_000
    bench.type("show x\rmark a\rmark b\r")
    #expect(bench.take().utf8.count < 300)
    var shown = 0
    for _ in 0..<20 {
      (bench.room, bench.fills) = (nil, true)
      bench.pump()
      let portion = bench.take().utf8.count
      #expect(portion > 1000 && portion < 2300)
      shown += portion
    }
    #expect(shown < 50_000 && bench.device.calls.count == 1)
    (bench.room, bench.fills) = (nil, false)
    bench.type("mark c\r\u{3}status\r")
    #expect(bench.screen().contains("mynah> status"))
    #expect(bench.device.calls.map(\.method) == ["library.show", "recorder.status"])
    // And without ^C all of it, with what was typed behind it.
    bench.room = 60_000
    bench.type("show x\rmark a\r")
    bench.room = nil
    bench.pump()
    #expect(bench.screen().count { $0.hasPrefix("line") } == 10_000)
    #expect(bench.device.calls.map(\.method) == ["library.show", "recorder.status", "library.show", "recorder.mark"])
  }

  @Test func whereNobodyMayBeLookingNothingStops() {
    let bench = bench(height: nil, lines: 400)
    #expect(bench.screen().count == 402)
    // A terminal tells how many lines it has.
    bench.type("\u{1B}[8;10;80tshow x\r")
    #expect(bench.screen().count == 11)
    bench.type("qpage 0\rshow x\r")
    #expect(bench.screen().suffix(402).count == 402)
  }

  @Test func eventsArePrintedAboveAStop() {
    let bench = bench()
    _ = bench.take()
    bench.announce("news")
    #expect(bench.screen() == ["news", "--More-- (9 lines; SPACE, ENTER, q)"])
    bench.type("q")
  }

  @Test func aCommandIsRepeatedUntilAKeyIsPressed() {
    let bench = Bench(height: 10)
    bench.start()
    bench.type("watch 5 status\r")
    #expect(bench.device.calls.map(\.method) == ["recorder.status"])
    #expect(bench.step(at: .zero + .seconds(1)) == .zero + .seconds(6))
    #expect(bench.step(at: .zero + .milliseconds(5900)) == .zero + .seconds(6))
    #expect(bench.step(at: .zero + .seconds(6)) == .zero + .seconds(11))
    #expect(bench.device.calls.count == 2)
    _ = bench.take()
    bench.type("mark\r")
    #expect(bench.screen().suffix(3) == ["mynah> mark", "ok", "mynah>"])
    #expect(bench.step(at: .zero + .seconds(60)) == nil)
    #expect(bench.device.calls.map(\.method) == ["recorder.status", "recorder.status", "recorder.mark"])
  }

  @Test func anAnswerThatComesAfterTheKeyIsNotShown() {
    let bench = Bench(height: 10)
    bench.device.isSlow = true
    bench.start()
    bench.type("watch status\r")
    bench.type("q")
    _ = bench.take()
    bench.device.release()
    #expect(bench.take().isEmpty)
  }

  @Test func onlyWhatLooksIsRepeated() {
    let bench = Bench(height: 10)
    bench.start()
    bench.type("watch mark\rwatch watch status\rwatch exit\rwatch 0 status\rwatch nonsense\r")
    #expect(bench.device.calls.isEmpty)
    #expect(bench.screen().count { $0.hasPrefix("error:") } == 5)
  }

  @Test func clearEmptiesTheTerminal() {
    let bench = Bench()
    bench.start()
    _ = bench.take()
    bench.type("clear\r")
    #expect(bench.take().hasSuffix("\u{1B}[H\u{1B}[2Jmynah> "))
  }
}

/// Words that are not typed to their end, or wrongly.
@Suite struct TypedWordTests {
  private let bench = Bench()

  @Test func aBeginningThatFitsOneWordIsThatWord() {
    bench.start()
    bench.type("sta\rund\r")
    #expect(bench.device.calls.map(\.method) == ["recorder.status", "library.undelete"])
  }

  @Test func severalAreNamedAndASlipOfTheFingerIsGuessed() {
    bench.start()
    bench.type("re\rstaus\rundleete\rxyzzyx\r")
    let shown = bench.screen().joined(separator: "\n")
    #expect(shown.contains(#""re" may be rec, rename, repair"#))
    #expect(shown.contains(#"did you mean "status"?"#))
    #expect(shown.contains(#"did you mean "undelete"?"#))
    #expect(shown.contains(#"there is no command "xyzzyx"; "help" lists"#))
    #expect(bench.device.calls.isEmpty)
  }

  @Test func takesAreNamedAsPeopleNameThem() {
    bench.device.ids = ["last": "000002_b.m4a", "1": "000001_a.m4a"]
    bench.start()
    bench.type("show last\rrename 1 x\rlibrary.show id=last\r")
    #expect(bench.device.calls.map { $0.parameters["id"] } == ["000002_b.m4a", "000001_a.m4a", "000002_b.m4a"])
  }

  @Test func programsNameThemInFull() throws {
    bench.device.ids = ["last": "000002_b.m4a"]
    bench.start()
    _ = try bench.ask(#"{"jsonrpc":"2.0","id":1,"method":"library.show","params":{"id":"last"}}"#)
    #expect(bench.device.calls.last?.parameters["id"] == "last")
  }

  @Test func methodsAreReadable() {
    bench.start()
    bench.type("rpc.methods\r")
    let lines = bench.screen()
    #expect(lines.contains("panel.press button [ms]"))
    #expect(lines.allSatisfy { $0.count <= 80 })
  }
}

/// What a console that is too slow is told.
@Suite struct SlowConsoleTests {
  @Test func linesOfTheLogAreLeftOutAndCounted() throws {
    let bench = Bench()
    bench.start()
    _ = try bench.ask(#"{"jsonrpc":"2.0","id":1,"method":"log.follow"}"#)
    func line(_ text: String) -> LogLine { LogLine(at: .zero, .info, "recorder", text) }
    bench.room = 10
    bench.deliver(line("one"))
    bench.deliver(line("two"))
    #expect(bench.take().isEmpty)
    bench.room = nil
    bench.deliver(line("three"))
    let told = try JSONValue(parsing: bench.take().utf8.map(\.self))
    #expect(told["params"]?["lost"] == 2 && told["params"]?["text"] == "three")
    bench.deliver(line("four"))
    #expect(!bench.take().contains("lost"))
  }
}
