import Foundation
import JSON
import SimulatedHardware
import Testing

@Suite struct AuditTests {
  /// A device on which something was done, and its audit log.
  private func used(onDisk: Bool = false) throws -> OperatorBench {
    let bench = try OperatorBench(["one", "two"], onDisk: onDisk)
    _ = bench.logIn(1, "one", "tess", "tess's password")
    _ = bench.at(
      2, "one", "settings.set",
      ["dub.serviceToken": "t0ken", "dub.service": "wss://bob:hunter2@dub.example/v1?key=k3y"])
    _ = bench.at(2.5, "one", "recorder.start")
    _ = bench.at(3, "one", "recorder.stop")
    _ = bench.at(3.5, "two", "recorder.start")
    _ = bench.at(3.6, "two", "recorder.start")
    _ = bench.at(4, "one", "recorder.status")
    _ = bench.at(20, "one", "auth.logout")
    #expect(try bench.bench.run(OperatorBench.setUp + "22 quit") == nil)
    return bench
  }

  private func look(_ before: OperatorBench) throws -> (answer: JSONValue, doctor: JSONValue?) {
    let bench = try OperatorBench(["one"], continuing: before)
    _ = bench.logIn(1, "one", "tess", "tess's password")
    let tail = bench.at(2, "one", "audit.tail", ["lines": 100])
    let doctor = bench.at(3, "one", "system.doctor")
    #expect(try bench.bench.run("4 quit") == nil)
    let checks = bench.answer(doctor)?["result"]?["checks"]?.arrayValue ?? []
    return (
      try #require(bench.answer(tail)?["result"]), checks.first { $0["device"]?.stringValue == "audit" }
    )
  }

  @Test(
    "Who did what stands there with names, without secrets, and without what only looks; the chain goes on over a start"
  )
  func told() throws {
    let bench = try used()
    let (answer, doctor) = try look(bench)
    let lines = try #require(answer["lines"]?.arrayValue)
    let told = lines.map {
      "\($0["who"]?.stringValue ?? "-") \($0["what"]?.stringValue ?? "") \($0["outcome"]?.stringValue ?? "")"
    }
    #expect(
      told == [
        "- operators.add done", "tess auth.login done", "tess settings.set done", "tess recorder.start done",
        "tess recorder.stop done", "- recorder.start denied", "tess auth.logout done", "tess auth.login done",
      ])
    #expect(answer["whole"]?.boolValue == true && doctor?["works"]?.boolValue == true)
    #expect(answer.text.firstRange(of: "t0ken") == nil && answer.text.firstRange(of: "hunter2") == nil)
    #expect(answer.text.firstRange(of: "k3y") == nil)
    #expect(lines[2]["with"]?["dub.serviceToken"]?.stringValue == "********")
  }

  @Test("Who is refused stands there also if somebody else was at the same console a moment before")
  func refusedAtOneConsole() throws {
    let bench = try OperatorBench(["one", "two"])
    _ = bench.at(1, "one", "recorder.start")
    _ = bench.logIn(2, "one", "vera", "vera's password")
    _ = bench.at(3, "one", "recorder.start")
    _ = bench.at(3.1, "one", "recorder.start")
    _ = bench.logIn(4, "one", "otto", "otto's password")
    _ = bench.at(5, "one", "settings.set", ["recording.format": "wav"])
    _ = bench.logIn(6, "two", "tess", "tess's password")
    let tail = bench.at(7, "two", "audit.tail", ["lines": 100])
    #expect(try bench.bench.run(OperatorBench.setUp + "9 quit") == nil)
    let lines = bench.answer(tail)?["result"]?["lines"]?.arrayValue ?? []
    let refused = lines.filter { $0["outcome"] == "denied" }
    #expect(
      refused.map { "\($0["who"]?.stringValue ?? "-") \($0["what"]?.stringValue ?? "")" } == [
        "- recorder.start", "vera recorder.start", "otto settings.set",
      ])
  }

  @Test("An independent program finds the chain whole, by what the manual says of it")
  func independent() throws {
    let bench = try used(onDisk: true)
    let path = try #require(bench.bench.folder).appendingPathComponent("log/audit.log").path
    let script = """
      import hashlib, json, sys
      after, n = "0" * 64, 0
      for line in open(sys.argv[1], encoding="utf-8"):
          digits, text = line.rstrip("\\n").split(" ", 1)
          entry = json.loads(text)
          n += 1
          assert hashlib.blake2b(text.encode(), digest_size=32).hexdigest() == digits, n
          assert entry["after"] == after and entry["n"] == n, n
          after = digits
      assert open(sys.argv[1].replace(".log", ".head")).read() == f"{n} {after}\\n"
      print(n)
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["-c", script, path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    process.waitUntilExit()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(process.terminationStatus == 0 && output == "7\n", "\(output)")
  }

  @Test("What somebody has changed in it the console and doctor tell, and new lines go on behind it", arguments: 0..<4)
  func tampering(kind: Int) throws {
    let bench = try used()
    let memory = bench.bench.memory
    var lines = try memory.read("log/audit.log", limit: 1 << 20).split(separator: 10).map { Array($0) }
    switch kind {
    case 0: lines.remove(at: 3)
    case 1: lines.swapAt(2, 3)
    case 2: lines.removeLast(2)
    default: lines[4] = lines[4].map { $0 == UInt8(ascii: "r") ? UInt8(ascii: "s") : $0 }
    }
    try memory.replace("log/audit.log", with: lines.flatMap { $0 + [10] })
    let (answer, doctor) = try look(bench)
    #expect(answer["whole"]?.boolValue == false, "\(answer.text)")
    #expect(doctor?["works"]?.boolValue == false)
    #expect(answer["lines"]?.arrayValue?.last?["what"]?.stringValue == "auth.login")
  }

  @Test("Half a line that a power cut has left is nobody's doing")
  func torn() throws {
    let bench = try used()
    let memory = bench.bench.memory
    let whole = try memory.read("log/audit.log", limit: 1 << 20)
    try memory.replace("log/audit.log", with: whole + Array("0123456789abcdef {\"n".utf8))
    #expect(try look(bench).answer["whole"]?.boolValue == true)
  }
}
