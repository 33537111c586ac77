import Console
import Hardware
import JSON
import Testing

@Suite struct MachineSessionTests {
  @Test func aLineWithABraceSwitchesToTheMachinesFaceWithoutEcho() {
    let bench = Bench()
    bench.start()
    #expect(bench.take() == "mynah> ")
    bench.type(#"{"jsonrpc":"2.0","id":1,"method":"system.info"}"#)
    #expect(bench.take() == "\r\n")
    bench.type("\r\n")
    #expect(bench.take() == "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n")
    #expect(bench.isMachine)
    bench.type("\r\n\n")
    #expect(bench.take() == "")
  }

  @Test func parametersComeByNameByPlaceOrNotAtAllAndDefaultsAreFilledIn() throws {
    let bench = Bench()
    _ = try bench.ask(#"{"jsonrpc":"2.0","id":1,"method":"panel.press","params":{"button":"REC"}}"#)
    _ = try bench.ask(#"{"jsonrpc":"2.0","id":2,"method":"panel.press","params":["STOP",700]}"#)
    _ = try bench.ask(#"{"jsonrpc":"2.0","id":3,"method":"library.list"}"#)
    #expect(
      bench.device.calls == [
        FakeCall(method: "panel.press", parameters: ["button": "REC", "ms": 100]),
        FakeCall(method: "panel.press", parameters: ["button": "STOP", "ms": 700]),
        FakeCall(method: "library.list", parameters: ["offset": 0, "limit": 50, "sort": "newest"]),
      ])
  }

  @Test(arguments: [#""a\"b""#, "7", "-1", "1.5", "null", #""""#])
  func theIdComesBackAsItWas(id: String) throws {
    let bench = Bench()
    let answer = try bench.ask("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"system.info\"}")
    #expect(answer["id"]?.text == id)
    #expect(answer["result"] == [:])
  }

  @Test(arguments: [
    ("{", -32_700, "bad-argument"),
    ("{]", -32_700, "bad-argument"),
    ("{}", -32_600, "bad-argument"),
    (#"{"jsonrpc":"1.0","id":1,"method":"system.info"}"#, -32_600, "bad-argument"),
    (#"{"jsonrpc":"2.0","id":[],"method":"system.info"}"#, -32_600, "bad-argument"),
    (#"{"jsonrpc":"2.0","id":1,"method":3}"#, -32_600, "bad-argument"),
    (#"{"jsonrpc":"2.0","id":1,"method":"system.info","params":3}"#, -32_600, "bad-argument"),
    (#"{"jsonrpc":"2.0","id":1,"method":"no.such"}"#, -32_601, "unsupported"),
    (#"{"jsonrpc":"2.0","id":1,"method":"feed.open"}"#, -32_601, "unsupported"),
    (#"{"jsonrpc":"2.0","id":1,"method":"panel.press"}"#, -32_602, "bad-argument"),
    (#"{"jsonrpc":"2.0","id":1,"method":"panel.press","params":{"button":"REC","ms":0}}"#, -32_602, "bad-argument"),
    (#"{"jsonrpc":"2.0","id":1,"method":"panel.press","params":{"button":"X"}}"#, -32_602, "bad-argument"),
    (#"{"jsonrpc":"2.0","id":1,"method":"panel.press","params":{"button":"REC","x":1}}"#, -32_602, "bad-argument"),
    (#"{"jsonrpc":"2.0","id":1,"method":"panel.press","params":["REC",1,2]}"#, -32_602, "bad-argument"),
    (#"{"jsonrpc":"2.0","id":1,"method":"settings.set","params":{}}"#, -32_602, "bad-argument"),
    (#"{"jsonrpc":"2.0","id":1,"method":"settings.set","params":{"a":[]}}"#, -32_602, "bad-argument"),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"fault.inject","params":{"fault":"microphone explode"}}"#, -32_602,
      "bad-argument"
    ),
    ("{\"a\":\"\u{1}\"}", -32_700, "bad-argument"),
  ])
  func aBadRequestIsAnErrorLineAndTheSessionGoesOn(line: String, code: Int, name: String) throws {
    let bench = Bench()
    let answer = try bench.ask(line)
    #expect(answer["error"]?["code"] == .integer(code), "\(answer)")
    #expect(answer["error"]?["data"]?["code"] == .string(name))
    #expect(answer["error"]?["message"]?.stringValue?.isEmpty == false)
    #expect(bench.device.calls.isEmpty)
    #expect(try bench.ask(#"{"jsonrpc":"2.0","id":2,"method":"system.info"}"#)["id"] == 2)
  }

  @Test func rangesAndNamesAreInTheMessage() throws {
    let bench = Bench()
    let answer = try bench.ask(#"{"jsonrpc":"2.0","id":1,"method":"panel.press","params":{"button":"REC","ms":-1}}"#)
    #expect(answer["error"]?["message"] == "panel.press: ms has to be an integer from 1 to 60000, not -1")
    let unknown = try bench.ask(#"{"jsonrpc":"2.0","id":1,"method":"panel.press","params":{"buton":"REC"}}"#)
    #expect(unknown["error"]?["message"] == "panel.press has no parameter \"buton\"; it takes button, ms")
  }

  @Test func aFailureOfTheDeviceKeepsItsCode() throws {
    let bench = Bench()
    for code in FailureCode.allCases {
      bench.device.answers["recorder.start"] = .failure(CommandFailure(code, "because"))
      let error = try bench.ask(#"{"jsonrpc":"2.0","id":1,"method":"recorder.start"}"#)["error"]
      #expect(error?["data"]?["code"] == .string(code.rawValue))
      let number = code == .badArgument ? -32_602 : code == .internal ? -32_603 : -32_000
      #expect(error?["code"] == .integer(number))
    }
  }

  @Test func notificationsAreDoneAndNotAnswered() {
    let bench = Bench()
    bench.type("{\"jsonrpc\":\"2.0\",\"method\":\"recorder.stop\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"no.such\"}\n")
    #expect(bench.device.calls.map(\.method) == ["recorder.stop"])
    #expect(bench.take() == "")
  }

  @Test func aBatchIsAnsweredInOneLineInItsOwnOrder() throws {
    let bench = Bench()
    _ = try bench.ask(#"{"jsonrpc":"2.0","id":0,"method":"system.info"}"#)
    bench.device.isSlow = true
    bench.type(
      #"[{"jsonrpc":"2.0","id":1,"method":"system.info"},{"jsonrpc":"2.0","method":"recorder.stop"},3,{"jsonrpc":"2.0","id":2,"method":"budget.report"}]"#
        + "\n")
    #expect(bench.take() == "")
    bench.device.release(reversed: true)
    let answer = try JSONValue(parsing: bench.take())
    #expect(answer.arrayValue?.count == 3)
    #expect(answer[0]?["id"] == 1)
    #expect(answer[1]?["error"]?["code"] == -32_600)
    #expect(answer[2]?["id"] == 2)
    #expect(try bench.ask("[]")["error"]?["code"] == -32_600)
    bench.type(#"[{"jsonrpc":"2.0","method":"recorder.stop"}]"# + "\n")
    bench.device.release()
    #expect(bench.take() == "")
  }

  @Test func lateAnswersCarryTheirOwnId() throws {
    let bench = Bench()
    bench.device.isSlow = true
    bench.type(
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"system.info\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"system.info\"}\n"
    )
    _ = bench.take()
    bench.device.release(reversed: true)
    #expect(
      bench.take() == "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n")
  }

  @Test func aLineOver64KiBIsOneErrorAndTheNextLineWorks() throws {
    let bench = Bench()
    bench.type("{" + String(repeating: "x", count: 200_000))
    bench.type(String(repeating: "{", count: 200_000) + "\n")
    let lines = bench.take().split(separator: "\n").filter { $0.hasPrefix("{") }
    #expect(lines.count == 1)
    #expect(try JSONValue(parsing: lines.first ?? "")["error"]?["code"] == -32_600)
    #expect(try bench.ask(#"{"jsonrpc":"2.0","id":2,"method":"system.info"}"#)["id"] == 2)
    for (excess, code) in [(0, -32_601), (1, -32_600)] {
      let head = "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\""
      let name = String(repeating: "x", count: 65_536 - head.count - 2 + excess)
      #expect(try bench.ask(head + name + "\"}")["error"]?["code"] == .integer(code))
    }
  }

  @Test func badUTF8IsAnError() throws {
    let bench = Bench()
    bench.type(Array("{\"jsonrpc\":\"".utf8) + [0xC3, 0x28] + Array("\"}\n".utf8))
    #expect(try JSONValue(parsing: bench.take().drop { $0 != "{" })["error"]?["code"] == -32_700)
  }

  @Test func tooManyRequestsWithoutAnAnswerAreRefusedAsBusy() throws {
    let bench = Bench()
    bench.device.isSlow = true
    for id in 0..<300 { bench.type("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"system.info\"}\n") }
    let answers = try bench.take().split(separator: "\n").filter { $0.hasPrefix("{") }.map {
      try JSONValue(parsing: $0)
    }
    #expect(answers.count == 44)
    #expect(answers.allSatisfy { $0["error"]?["data"]?["code"] == "busy" })
    bench.device.release()
    #expect(bench.take().split(separator: "\n").count == 256)
  }

  /// Steps the session for as long as it has something to do at once.
  private func steps(of bench: Bench) -> Int {
    var count = 0
    while count < 10_000, let due = bench.step(at: .zero), due <= .zero { count += 1 }
    return count
  }

  @Test func `A long batch is begun in turns, and what it may be answered has a bound`() throws {
    let bench = Bench()
    _ = try bench.ask(#"{"jsonrpc":"2.0","id":0,"method":"system.info"}"#)
    let requests = (1000..<2200).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"rpc.methods"}"# }
    bench.type("[\(requests.joined(separator: ","))]\n")
    #expect(bench.take() == "")
    #expect(steps(of: bench) > 50)
    let text = bench.take()
    #expect(text.utf8.count < 1 << 20)
    let answers = try JSONValue(parsing: text).arrayValue ?? []
    #expect(answers.map { $0["id"]?.integerValue } == Array(1000..<2200))
    let done = answers.prefix { $0["result"] != nil }.count
    #expect(done > 0 && done < 1200)
    #expect(answers.dropFirst(done).allSatisfy { $0["error"]?["data"]?["code"] == "busy" })
    #expect(try bench.ask(#"{"jsonrpc":"2.0","id":1,"method":"system.info"}"#)["result"] == [:])
  }

  @Test func `Of a batch only so many requests wait for their answers at once, and all are done`() throws {
    let bench = Bench()
    _ = try bench.ask(#"{"jsonrpc":"2.0","id":0,"method":"system.info"}"#)
    bench.device.isSlow = true
    let requests = (0..<100).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"system.info"}"# }
    bench.type("[\(requests.joined(separator: ","))]\n")
    _ = steps(of: bench)
    #expect(bench.device.calls.count == 1 + 32)
    for _ in 0..<20 {
      bench.device.release(reversed: true)
      _ = steps(of: bench)
    }
    let answers = try JSONValue(parsing: bench.take()).arrayValue ?? []
    #expect(answers.map { $0["id"]?.integerValue } == Array(0..<100))
  }

  @Test func `Many lines at once are all done in their order, and nothing is taken ahead of them`() throws {
    let bench = Bench()
    _ = try bench.ask(#"{"jsonrpc":"2.0","id":0,"method":"system.info"}"#)
    _ = bench.take()
    let lines = (0..<100).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"system.info"}"# + "\n" }
    bench.type(lines.joined() + #"{"jsonrpc":"2.0","id":100,"method":"session.human"}"# + "\nhel")
    #expect(bench.isMachine)
    #expect((3...10).contains(steps(of: bench)))
    #expect(!bench.isMachine)
    let told = bench.take()
    #expect(told.hasSuffix("mynah> hel"))
    #expect(told.split(separator: "\n").count { $0.hasPrefix("{") } == 101)
  }

  @Test func `Requests wait while the peer has not taken the answers before`() throws {
    let bench = Bench()
    _ = try bench.ask(#"{"jsonrpc":"2.0","id":0,"method":"system.info"}"#)
    bench.room = 0
    bench.type(#"{"jsonrpc":"2.0","id":1,"method":"system.info"}"# + "\n")
    #expect(bench.take() == "" && bench.step(at: .zero) == nil)
    bench.room = nil
    bench.pump()
    #expect(bench.take() == "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n")
  }

  @Test func sessionHumanBringsThePromptBack() {
    let bench = Bench()
    bench.type("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session.human\"}\n")
    #expect(bench.take() == "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\nmynah> ")
    bench.type("x")
    #expect(bench.take() == "x")
    #expect(!bench.isMachine)
  }

  @Test(arguments: ["\u{3}", "\u{7F}", "\u{8}"])
  func aBraceTypedByMistakeCanBeTakenBack(key: String) {
    let bench = Bench()
    bench.start()
    bench.type("{" + key)
    #expect(bench.take() == "mynah> \r\nmynah> ")
    #expect(!bench.isMachine)
  }

  @Test func methodsAreListedWithWhatTheyTake() throws {
    let bench = Bench()
    let methods = try bench.ask(#"{"jsonrpc":"2.0","id":1,"method":"rpc.methods"}"#)["result"]?.arrayValue ?? []
    let names = methods.compactMap { $0["method"]?.stringValue }
    #expect(names.contains("panel.press") && names.contains("events.subscribe"))
    let press = methods.first { $0["method"] == "panel.press" }
    #expect(press?["parameters"]?[1]?["name"] == "ms")
    #expect(press?["parameters"]?[1]?["default"] == 100)
    #expect(press?["parameters"]?[1]?["takes"] == "an integer from 1 to 60000")
    #expect(press?["role"] == "operator")
  }

  @Test func whatWouldDisturbARecordingIsRefusedMeanwhile() throws {
    let bench = Bench()
    bench.device.isRecording = true
    let error = try bench.ask(#"{"jsonrpc":"2.0","id":1,"method":"system.selftest"}"#)["error"]
    #expect(error?["data"]?["code"] == "busy")
    #expect(error?["message"] == "system.selftest: not while something is being recorded; end that first")
    #expect(try bench.ask(#"{"jsonrpc":"2.0","id":2,"method":"recorder.stop"}"#)["result"] == [:])
    bench.device.isRecording = false
    #expect(try bench.ask(#"{"jsonrpc":"2.0","id":3,"method":"system.selftest"}"#)["result"] == [:])
  }
}
