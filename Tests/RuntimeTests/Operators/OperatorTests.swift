import Console
import Foundation
import Hardware
import JSON
import Runtime
import SimulatedHardware
import TestSupport
import Testing

@Suite struct OperatorTests {
  private static let people = ["tess": "technician", "otto": "operator", "vera": "viewer"]

  @Test("Every method for every role and nobody, by the published schema: done exactly if it says so")
  func matrix() throws {
    let bench = try OperatorBench(["tess", "otto", "vera", "nobody"])
    let methods = try #require(DeviceTable.catalogue.openRPC(version: "test")["methods"]?.arrayValue)
    #expect(methods.count > 100)
    for name in Self.people.keys { _ = bench.logIn(1, name, name, "\(name)'s password") }
    var asked: [(number: Int, who: String, method: JSONValue)] = []
    // What no method takes: whoever may call is told so, and nothing is done.
    for who in Array(Self.people.keys) + ["nobody"] {
      for method in methods {
        let name = method["name"]?.stringValue ?? ""
        asked.append((bench.at(3, who, name, ["no such parameter": 1]), who, method))
      }
    }
    #expect(try bench.bench.run(OperatorBench.setUp + "5 quit") == nil)
    let rank = ["viewer": 1, "operator": 2, "technician": 3]
    for (number, who, method) in asked {
      let least = try #require(method["x-role"]?.stringValue.flatMap { rank[$0] })
      let role = Self.people[who].flatMap { rank[$0] } ?? 0
      let mayCall = role >= least || method["x-before-login"]?.boolValue == true
      let code = try #require(bench.code(number), "\(who) has no answer to \(method["name"]?.text ?? "")")
      #expect(code == (mayCall ? "bad-argument" : "denied"), "\(method["name"]?.text ?? "") for \(who)")
      if !mayCall { #expect(bench.message(number).firstRange(of: "log in: \"login NAME\"") != nil) }
    }
    let free = methods.filter { $0["x-before-login"]?.boolValue == true }.compactMap { $0["name"]?.stringValue }
    #expect(
      Set(free) == [
        "auth.login", "auth.logout", "auth.status", "session.help", "session.human", "session.end", "session.page",
        "rpc.methods", "system.version",
      ])
  }

  @Test("Without operators all is as it was: nobody has to log in, and nothing is written down")
  func open() throws {
    let bench = try OperatorBench(["one"])
    let call = bench.at(1, "one", "recorder.start")
    let login = bench.logIn(2, "one", "tess", "whatever it is")
    let doctor = bench.at(3, "one", "system.doctor")
    #expect(try bench.bench.run("5 quit") == nil)
    #expect(bench.code(call) == nil)
    #expect(bench.code(login) == "not-found")
    let checks = bench.answer(doctor)?["result"]?["checks"]?.arrayValue ?? []
    let finding = checks.first { $0["device"]?.stringValue == "operators" }
    #expect(finding?["detail"]?.stringValue?.hasPrefix("none are set up") == true)
    #expect((try? bench.bench.memory.list("log").map(\.name))?.contains { $0.hasPrefix("audit") } != true)
    #expect(throws: StorageError.self) { try bench.bench.memory.read("operators.json", limit: 1 << 20) }
  }

  @Test("The first is set up at the prompt without the password being shown, and asked for from then on")
  func setUpByHand() throws {
    let bench = try OperatorBench(["one", "two"])
    let port = bench.port("one")
    for (time, line) in [
      (1.0, "operators add bob operator"), (1.1, "bobs secret words"), (1.2, "bobs secret words"),
      (2.0, "operators add ann technician"), (2.1, "anns secret words"), (2.2, "anns secret wordz"),
      (3.0, "operators add ann technician"), (3.1, "anns secret words"), (3.2, "anns secret words"),
      (4.0, "status"), (4.1, "login ann anns-secret"), (5.0, "login ann"), (5.1, "anns secret words"),
      (6.0, "operators"), (6.1, "\u{1B}[A\u{1B}[A\u{1B}[A"), (7.0, "logout"), (8.0, "list"),
    ] { bench.bench.hardware.steppers.append(AtTime(.at(time), bench.bench) { _ in port.type(line) }) }
    let other = bench.at(6.5, "two", "recorder.status")
    #expect(try bench.bench.run("9 quit") == nil)
    let text = port.text
    #expect(text.firstRange(of: "secret words") == nil)
    #expect(text.firstRange(of: "anns-secret\"") == nil)
    #expect(text.firstRange(of: "has to be a technician") != nil)
    #expect(text.firstRange(of: "the two are not the same") != nil)
    #expect(text.firstRange(of: "ann, technician") != nil)
    #expect(text.firstRange(of: "(denied)") != nil)
    #expect(bench.code(other) == "denied")
    // ENTER repeats what stands there: three steps back is before both logins, which are in no history.
    let bytes = try bench.bench.memory.read("operators.json", limit: 1 << 20)
    #expect(String(decoding: bytes, as: UTF8.self).firstRange(of: "secret words") == nil)
  }

  @Test("Of passwords nothing is in events, log, answers, the audit log or any file")
  func passwordsNowhere() throws {
    let bench = try OperatorBench(["one", "two"], onDisk: true)
    bench.bench.hardware.steppers.append(
      AtTime(.at(0.2), bench.bench) { _ in
        bench.port("two").type(#"{"jsonrpc":"2.0","id":900,"method":"events.subscribe"}"#)
      })
    _ = bench.logIn(1, "one", "tess", "tess's password")
    _ = bench.logIn(1.5, "two", "tess", "tess's passwerd")
    _ = bench.at(2, "one", "operators.password", ["name": "otto", "password": "xyzzy plugh 1234"])
    _ = bench.at(2.2, "one", "operators.password", ["name": "otto", "password": "short"])
    _ = bench.at(2.3, "one", "operators.add", ["name": "tess", "role": "viewer", "password": "xyzzy plugh 1234"])
    _ = bench.at(2.4, "one", "auth.login", ["name": "tess", "password": 17])
    _ = bench.at(3, "one", "audit.tail")
    _ = bench.at(3.1, "one", "log.tail")
    _ = bench.at(3.2, "one", "system.bundle")
    _ = bench.at(3.4, "one", "system.doctor")
    _ = bench.at(3.5, "one", "operators.list")
    #expect(try bench.bench.run(OperatorBench.setUp + "6 quit") == nil)
    let secrets = ["'s password", "'s passwerd", "xyzzy plugh", "short\""]
    var told = bench.bench.log + bench.bench.events.map(\.data.text)
    told += [bench.port("one").text, bench.port("two").text]
    for text in told { for secret in secrets { #expect(text.firstRange(of: secret) == nil, "\(text)") } }
    let folder = try #require(bench.bench.folder)
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var seen: Set<String> = []
    for case let url as URL in files {
      guard let bytes = try? Data(contentsOf: url) else { continue }
      seen.insert(url.lastPathComponent)
      for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(url.lastPathComponent)") }
    }
    #expect(seen.isSuperset(of: ["operators.json", "operators.json.bak", "audit.log", "audit.head"]))
    for name in ["operators.json", "operators.json.bak"] {
      let path = folder.appendingPathComponent(name).path
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }
    // A hash is not told either.
    for text in told { #expect(text.firstRange(of: "argon2id") == nil) }
  }

  @Test("A login is one console's; it ends by logout, by hanging up, by doing nothing, and with the operator")
  func sessions() throws {
    let bench = try OperatorBench(["one", "two", "three"])
    let before = bench.at(1, "one", "recorder.status")
    _ = bench.logIn(1.5, "one", "otto", "otto's password")
    _ = bench.logIn(1.5, "three", "vera", "vera's password")
    let mine = bench.at(2, "one", "recorder.status")
    let others = bench.at(2, "two", "recorder.status")
    _ = bench.at(2.5, "one", "auth.logout")
    let after = bench.at(3, "one", "recorder.status")
    _ = bench.logIn(4, "one", "otto", "otto's password")
    _ = bench.at(5, "one", "events.subscribe")
    let soon = bench.at(60, "one", "recorder.status")
    let late = bench.at(60 + 120 + 1, "one", "recorder.status")
    let stays = bench.at(170, "three", "recorder.status")
    _ = bench.logIn(200, "two", "tess", "tess's password")
    _ = bench.at(201, "three", "recorder.status")
    _ = bench.at(202, "two", "operators.remove", ["name": "vera"])
    let removed = bench.at(203, "three", "recorder.status")
    let connected = bench.at(203.5, "two", "recorder.status")
    bench.bench.hardware.steppers.append(AtTime(.at(204), bench.bench) { _ in bench.port("two").hangUp() })
    bench.bench.hardware.steppers.append(AtTime(.at(205), bench.bench) { _ in bench.port("two").open() })
    let hungUp = bench.at(206, "two", "recorder.status")
    let script =
      OperatorBench.setUp + "0.7 call settings.set {\"operators.timeoutMinutes\":2}\n100 mark here\n210 quit"
    #expect(try bench.bench.run(script.replacing("100 mark here\n", with: "")) == nil)
    #expect(bench.code(before) == "denied")
    #expect(bench.code(mine) == nil)
    #expect(bench.code(others) == "denied")
    #expect(bench.code(after) == "denied")
    #expect(bench.code(soon) == nil)
    #expect(bench.code(late) == "denied")
    // From 1.5 s on nothing came for more than two minutes.
    #expect(bench.code(stays) == "denied")
    #expect(bench.code(removed) == "denied")
    #expect(bench.code(connected) == nil)
    #expect(bench.code(hungUp) == "denied")
  }

  @Test("Somebody who guesses all night makes a handful of guesses, and a reboot gives none back")
  func bruteForce() throws {
    let bench = try OperatorBench(["thief"])
    bench.bench.hardware.microphone = nil
    let guesses = bench.guess("thief", "otto", from: 10, to: 3 * 3600, every: 2)
    #expect(try bench.bench.run(OperatorBench.setUp + "10801 fault power cut") == nil)
    let looked = guesses.filter { bench.message($0).hasPrefix("name or password is wrong") }
    // Three at once, nine that double the wait, and one in a quarter of an hour from then on.
    #expect((12...25).contains(looked.count), "\(looked.count)")
    #expect(guesses.allSatisfy { bench.code($0) == "denied" })
    let refused = try #require(guesses.last)
    #expect(bench.message(refused).firstRange(of: "too many wrong passwords: the next one is looked at in") != nil)

    let again = try OperatorBench(["thief", "otto", "tess"], continuing: bench)
    again.bench.hardware.microphone = nil
    let first = again.logIn(1, "thief", "otto", "guess again")
    let right = again.logIn(2, "otto", "otto", "otto's password")
    // Another's name is not kept out.
    let other = again.logIn(3, "tess", "tess", "tess's password")
    let later = again.logIn(905, "otto", "otto", "otto's password")
    let forgiven = again.logIn(906, "thief", "otto", "guess again")
    let once = again.logIn(907, "thief", "otto", "otto's password")
    #expect(try again.bench.run("910 quit") == nil)
    #expect(again.code(first) == "denied" && again.message(first).hasPrefix("too many"))
    #expect(again.code(right) == "denied" && again.message(right).hasPrefix("too many"))
    #expect(again.code(other) == nil)
    #expect(again.code(later) == nil)
    #expect(again.message(forgiven).hasPrefix("name or password is wrong"))
    #expect(again.code(once) == nil)
  }

  @Test("A guess whose power is cut while it is looked at has been made")
  func cutGuess() throws {
    var bench = try OperatorBench(["thief"])
    try bench.bench.run(OperatorBench.setUp + "1 quit")
    for _ in 0..<4 {
      let next = try OperatorBench(["thief"], continuing: bench)
      _ = next.logIn(1, "thief", "otto", "a guess")
      // Cut as soon as anything of it can be known.
      try next.bench.run("1.001 fault power cut")
      bench = next
    }
    let last = try OperatorBench(["thief"], continuing: bench)
    let guess = last.logIn(1, "thief", "otto", "otto's password")
    try last.bench.run("3 quit")
    #expect(last.code(guess) == "denied" && last.message(guess).hasPrefix("too many"))
  }

  @Test("A book that cannot be read lets nobody in, and REC records all the same")
  func damaged() throws {
    let before = try OperatorBench(["one"])
    try before.bench.run(OperatorBench.setUp + "1 quit")
    for path in ["operators.json", "operators.json.bak"] {
      try before.bench.memory.replace(path, with: Array("{\"version\":1".utf8))
    }
    let bench = try OperatorBench(["one"], continuing: before)
    let login = bench.logIn(1, "one", "tess", "tess's password")
    let call = bench.at(1.5, "one", "recorder.status")
    #expect(try bench.bench.run("1 call system.doctor\n2 press REC\n3 press STOP\n5 expect takes 1\n6 quit") == nil)
    #expect(bench.code(login) == "denied" && bench.message(login).firstRange(of: "operators.json") != nil)
    #expect(bench.code(call) == "denied")
    #expect(bench.bench.results("system.doctor").first?["works"]?.boolValue == false)
    // One damaged copy costs nothing.
    let whole = try OperatorBench(["one"])
    try whole.bench.run(OperatorBench.setUp + "1 quit")
    try whole.bench.memory.replace("operators.json", with: [1, 2, 3])
    let other = try OperatorBench(["one"], continuing: whole)
    let good = other.logIn(1, "one", "tess", "tess's password")
    #expect(try other.bench.run("3 quit") == nil)
    #expect(other.code(good) == nil)
  }

  @Test("Who had logged in is in the notes of a take, and by setting in its name; keys are nobody's")
  func authors() throws {
    let bench = try OperatorBench(["otto"])
    _ = bench.logIn(1, "otto", "otto", "otto's password")
    _ = bench.at(2, "otto", "recorder.start")
    _ = bench.at(3, "otto", "recorder.stop")
    _ = bench.at(12, "otto", "panel.press", ["button": "REC"])
    _ = bench.at(14, "otto", "panel.press", ["button": "STOP"])
    _ = bench.at(20, "otto", "panel.mode", ["mode": "clips"])
    _ = bench.at(28, "otto", "clips.trigger")
    let failure = try bench.bench.run(
      OperatorBench.setUp + """
        6 press REC
        7 press STOP
        10 call settings.set {"recording.operatorInName":true}
        40 quit
        """)
    #expect(failure == nil)
    let notes = try bench.bench.metadata()
    #expect(notes.map { $0["operator"]?.stringValue } == ["otto", nil, "otto"])
    let ids = notes.compactMap { $0["id"]?.stringValue }
    #expect(ids.map { $0.hasSuffix("_otto.m4a") } == [false, false, true], "\(ids)")
    let clips = try bench.bench.memory.list("clips").map(\.name).filter { $0.hasSuffix(".mp4") }
    #expect(clips.count == 1 && clips[0].hasSuffix("_otto.mp4"), "\(clips)")
    let receipt = bench.bench.events("onCaptureCompleted").first?.data
    #expect(receipt?["operator"]?.stringValue == "otto")
  }
}
