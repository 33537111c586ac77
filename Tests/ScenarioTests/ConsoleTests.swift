import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// The console from outside: a Unix socket, people and programs on it, good and bad ones.
@Suite("The console on a socket", .serialized)
struct ConsoleTests {
  private let folder: TemporaryFolder
  private let mynah: Mynah
  private let live: LiveMynah
  private let path: String

  init() throws {
    folder = TemporaryFolder()
    var mynah = Mynah(folder: folder)
    mynah.clock = "real"
    mynah.microphone = "noise"
    self.mynah = mynah
    // Short, for a socket's path has at most 107 bytes.
    path = folder.file("tty")
    // Without a script and a terminal it stays up for its console.
    live = try LiveMynah(mynah.arguments(script: nil) + ["--console", path])
  }

  private func expectAlive(_ client: ConsoleClient, _ what: String) throws {
    #expect(try client.call("panel.state")["result"]?["mode"]?.stringValue?.hasPrefix("dictaphone.") == true, "\(what)")
  }

  private func expectError(_ answer: JSONValue, _ code: String, number: Int? = nil) {
    #expect(answer["error"]?["data"]?["code"]?.stringValue == code, "\(answer)")
    if let number { #expect(answer["error"]?["code"]?.integerValue == number, "\(answer)") }
  }

  @Test("records a take for a program, and tells it of every step without a hole in the numbers")
  func recordsForPrograms() throws {
    let client = try ConsoleClient(path)
    let subscribed = try client.call("events.subscribe")
    let first = try #require(subscribed["result"]?["seq"]?.integerValue)
    let state = try client.call("panel.state")
    #expect(state["result"]?["mode"]?.stringValue == "dictaphone.idle")
    #expect(state["result"]?["leds"]?.objectValue?.isEmpty == false)
    #expect(try client.call("recorder.start")["error"] == nil)
    let started = try client.event("onTakeStarted")
    #expect(try client.call("recorder.status")["result"]?["activity"]?.stringValue == "recording")
    #expect(try client.call("recorder.mark", ["title": "here"])["error"] == nil)
    #expect(try client.call("recorder.stop")["error"] == nil)
    let saved = try client.event("onTakeSaved")
    #expect(saved["params"]?["data"]?["id"] == started["params"]?["data"]?["id"])
    #expect(try client.call("library.list")["result"]?["total"]?.integerValue == 1)

    let numbers = client.notifications.compactMap { $0["params"]?["seq"]?.integerValue }
    #expect(numbers == Array(first..<(first + numbers.count)))
    let times = client.notifications.compactMap { $0["params"]?["t"]?.numberValue }
    #expect(times == times.sorted())
  }

  @Test("sends a take to a computer's rz while another is recorded, and has its prompt back")
  func sendsFiles() throws {
    let client = try ConsoleClient(path)
    _ = try client.call("events.subscribe", ["topics": ["onTakeSaved"]])
    #expect(try client.call("recorder.start")["error"] == nil)
    #expect(try client.call("recorder.stop")["error"] == nil)
    let id = try #require(try client.event("onTakeSaved")["params"]?["data"]?["id"]?.stringValue)
    #expect(try client.call("recorder.start")["error"] == nil)

    let target = folder.file("computer")
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    let terminal = """
      import os, socket, subprocess, sys
      line = socket.socket(socket.AF_UNIX)
      line.settimeout(120)
      line.connect(sys.argv[1])
      def wait(end):
          got = b""
          while end not in got:
              piece = line.recv(1)
              assert piece, got
              got += piece
          return got
      wait(b"mynah> ")
      line.sendall(b"send " + sys.argv[2].encode() + b"\\r")
      wait(b"B00000000000000")
      line.setblocking(True)
      subprocess.run(["rz", "-b", "-q"], cwd=sys.argv[3], stdin=line, stdout=line, check=True, timeout=300)
      line.settimeout(120)
      print(wait(b"mynah> ").decode(errors="replace"))
      """
    let said = try Tool.succeed("python3", ["-c", terminal, path, id, target])
    #expect(said.contains("1 file sent"), "\(said)")
    let sent = try Data(contentsOf: mynah.data.appending(path: "recordings/\(id)"))
    #expect(try Data(contentsOf: URL(filePath: "\(target)/\(id)")) == sent)
    #expect(try client.call("recorder.status")["result"]?["activity"]?.stringValue == "recording")
    #expect(try client.call("recorder.stop")["error"] == nil)
  }

  @Test("takes a sound from a computer's sz while a take is recorded, has it listed, and goes on where it broke off")
  func takesFiles() throws {
    let client = try ConsoleClient(path)
    #expect(try client.call("recorder.start")["error"] == nil)
    let sound = folder.file("Interview.wav")
    try Tool.succeed("sox", ["-n", "-r", "48000", "-c", "2", sound, "synth", "12", "whitenoise"])
    let terminal = """
      import os, socket, subprocess, sys, threading, time
      def console():
          line = socket.socket(socket.AF_UNIX)
          line.settimeout(120)
          line.connect(sys.argv[1])
          return line
      def wait(line, end):
          got = b""
          while end not in got:
              piece = line.recv(1)
              assert piece, got
              got += piece
          return got
      line = console()
      wait(line, b"mynah> ")
      line.sendall(b"receive\\r")
      wait(line, b"B01")
      # Somebody pulls the cable in the middle.
      mine, theirs = socket.socketpair()
      sender = subprocess.Popen(["sz", "-b", "-q", sys.argv[2]], stdin=theirs, stdout=theirs)
      theirs.close()
      passed = 0
      def back():
          try:
              while piece := line.recv(65536):
                  mine.sendall(piece)
          except OSError:
              pass
      threading.Thread(target=back, daemon=True).start()
      while passed < 1_500_000:
          piece = mine.recv(65536)
          passed += len(piece)
          line.sendall(piece)
      sender.kill()
      line.shutdown(socket.SHUT_RDWR)
      line = console()
      wait(line, b"mynah> ")
      line.sendall(b"receive\\r")
      wait(line, b"B01")
      line.setblocking(True)
      subprocess.run(["sz", "-b", "-q", sys.argv[2]], stdin=line, stdout=line, check=True, timeout=300)
      line.settimeout(120)
      print(wait(line, b"mynah> ").decode(errors="replace"))
      """
    let said = try Tool.succeed("python3", ["-c", terminal.replacing("\\\\r", with: "\\r"), path, sound])
    #expect(said.contains("Interview.wav"), "\(said)")
    let received = mynah.data.appending(path: "recordings/Interview.wav")
    #expect(try Data(contentsOf: received) == Data(contentsOf: URL(filePath: sound)))
    let listed = try client.call("library.list", ["query": "Interview"])["result"]
    #expect(listed?["takes"]?.arrayValue?.compactMap { $0["id"]?.stringValue } == ["Interview.wav"])
    #expect(try client.call("recorder.status")["result"]?["activity"]?.stringValue == "recording")
    #expect(try client.call("recorder.stop")["error"] == nil)
  }

  @Test("presses keys as a finger does, and says why a press did nothing")
  func pressesKeys() throws {
    let client = try ConsoleClient(path)
    _ = try client.call("events.subscribe", ["topics": ["onTakeStarted", "onTakeSaved"]])
    #expect(try client.call("panel.press", ["button": "REC"])["result"] == [:])
    _ = try client.event("onTakeStarted")
    #expect(try client.call("panel.press", ["button": "STOP"])["error"] == nil)
    _ = try client.event("onTakeSaved")
    #expect(try client.call("panel.press", ["button": "STOP"])["result"]?["ignored"]?.stringValue?.isEmpty == false)
    expectError(try client.call("panel.press", ["button": "BELL"]), "bad-argument", number: -32_602)
    expectError(try client.call("panel.press", ["button": "REC", "ms": -1]), "bad-argument", number: -32_602)
  }

  @Test("refuses by name what it does not know, and goes on")
  func refusals() throws {
    let client = try ConsoleClient(path)
    expectError(try client.call("settings.set", ["recording.colour": "red"]), "bad-argument")
    expectError(try client.call("settings.set", ["recording.preRecordSeconds": 61]), "bad-argument")
    let mixed: JSONValue = ["recording.bitrateKbps": 256, "recording.preRecordSeconds": "often"]
    expectError(try client.call("settings.set", mixed), "bad-argument")
    let kept = try client.call("settings.get", ["key": "recording.bitrateKbps"])
    #expect(kept["result"]?["recording.bitrateKbps"]?.integerValue != 256)
    #expect(try client.call("no.such")["error"]?["code"]?.integerValue == -32_601)
    #expect(try client.call("library.show", ["id": "../../etc/passwd"])["error"] != nil)
    expectError(try client.call("library.show", ["id": "000077_2026-01-01T00-00-00Z.m4a"]), "not-found")
    // A notification has no answer; a batch has one line.
    client.send(#"{"jsonrpc":"2.0","method":"panel.state"}"# + "\n")
    client.send(
      #"[{"jsonrpc":"2.0","id":"a","method":"panel.state"},{"jsonrpc":"2.0","id":"b","method":"no.such"}]"# + "\n")
    let batch = try client.document()
    #expect(batch.arrayValue?.compactMap { $0["id"]?.stringValue } == ["a", "b"])
    try expectAlive(client, "after refusals")
  }

  @Test("shows people a prompt, explains itself and completes words")
  func people() throws {
    let client = try ConsoleClient(path)
    let greeting = try client.text(through: "mynah> ")
    #expect(greeting.contains("Mynah"))
    client.send("help\r")
    let help = try client.text(through: "mynah> ")
    for word in ["status", "press", "rec", "list", "settings"] { #expect(help.contains(word)) }
    client.send("status\r")
    #expect(try client.text(through: "\nmynah> ").contains("dictaphone.idle"))
    client.send("vers\t")
    _ = try client.text(through: "version ")
    client.send("\r")
    #expect(try client.text(through: "\nmynah> ").contains("0."))
    client.send("nonsense\r")
    #expect(try client.text(through: "\nmynah> ").contains("error"))
    // A colour or cursor code is nothing for a dumb terminal.
    #expect(!help.contains("\u{1B}"))
    // The machine's face and back again.
    try expectAlive(client, "as a program")
    _ = try client.call("session.human")
    _ = try client.text(through: "mynah> ")
  }

  @Test("takes 1 MB of garbage, on either face, and then answers there and on a new connection")
  func garbage() throws {
    var generator = SeededGenerator(seed: 5)
    let noise = (0..<1_000_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    // ^D on an empty line is a person's good-bye, so the one who wants to stay does not say it.
    let staying = noise.map { $0 == 0x04 ? 0x05 : $0 }
    let person = try ConsoleClient(path)
    #expect(person.send(staying))
    person.send("\u{3}\r\n")
    try expectAlive(person, "after garbage at the prompt")

    let program = try ConsoleClient(path)
    try expectAlive(program, "before garbage")
    #expect(program.send(noise))
    program.send("\n")
    try expectAlive(program, "after garbage among requests")

    let leaving = try ConsoleClient(path)
    leaving.send(noise)
    try expectAlive(try ConsoleClient(path), "on a new connection")
    #expect(live.isRunning)
  }

  @Test("answers a line of more than 64 KiB, bad UTF-8 and bad JSON with errors, and the next line rightly")
  func badLines() throws {
    let client = try ConsoleClient(path)
    try expectAlive(client, "before")
    let lines: [[UInt8]] = [
      Array(#"{"jsonrpc":"2.0","id":1,"method":"panel.state","params":{"x":""#.utf8)
        + Array(repeating: UInt8(ascii: "a"), count: 70_000) + Array("\"}}".utf8),
      Array(#"{"jsonrpc":"2.0","id":1,"method":"panel.st"#.utf8) + [0xFF, 0xC0, 0x80] + Array("\"}".utf8),
      Array(#"{"jsonrpc":"2.0","id":1,"method":"#.utf8), Array(repeating: UInt8(ascii: "["), count: 60_000),
      Array("{}".utf8), Array("[]".utf8), Array("17".utf8), Array("status".utf8),
    ]
    for line in lines {
      client.send(line + [0x0A])
      let answer = try client.document()
      #expect(answer["error"]?["data"]?["code"]?.stringValue == "bad-argument", "\(answer)")
      #expect(answer["id"] == .null, "\(answer)")
      try expectAlive(client, "after \(String(decoding: line.prefix(60), as: UTF8.self))")
    }
    // At the prompt, too: what a person cannot have typed is no lost session.
    let person = try ConsoleClient(path)
    person.send(Array(repeating: UInt8(ascii: "x"), count: 70_000) + [0xFF, 0xC0, 0x0D])
    try expectAlive(person, "after a long line at the prompt")
  }

  @Test("serves two clients at once, each with its own answers, events and numbers")
  func twoClients() throws {
    let clients = [try ConsoleClient(path), try ConsoleClient(path)]
    _ = try clients[0].call("events.subscribe", ["topics": ["onMark", "onTakeSaved"]])
    _ = try clients[1].call("events.subscribe", ["topics": ["onTakeSaved"]])
    _ = try clients[1].call("recorder.start")
    for round in 0..<100 {
      for (index, client) in clients.enumerated() {
        let answer = try client.call(index == 0 ? "settings.get" : "recorder.status")
        #expect(answer["result"]?[index == 0 ? "ui.language" : "activity"] != nil, "\(round): \(answer)")
      }
    }
    _ = try clients[0].call("recorder.mark")
    _ = try clients[0].call("recorder.stop")
    for client in clients {
      _ = try client.event("onTakeSaved")
      let numbers = client.notifications.compactMap { $0["params"]?["seq"]?.integerValue }
      #expect(numbers == Array(1...max(1, numbers.count)))
    }
    #expect(clients[0].notifications.count == 2)
    #expect(clients[1].notifications.count == 1)
  }

  @Test("is not held up by a client that never reads: others are served and the take is whole")
  func deafClient() throws {
    let client = try ConsoleClient(path)
    _ = try client.call("events.subscribe", ["topics": ["onTakeStarted", "onTakeSaved", "onGap"]])
    _ = try client.call("recorder.start")
    let started = try client.event("onTakeStarted")
    let deaf = try ConsoleClient(path)
    let request = Array(#"{"jsonrpc":"2.0","id":1,"method":"panel.screen"}"#.utf8) + [0x0A]
    for _ in 0..<40 {
      deaf.send(Array(repeating: request, count: 50).flatMap(\.self), isDeaf: true, patience: 0.5)
      try expectAlive(client, "beside a deaf client")
    }
    _ = try client.call("recorder.stop")
    let saved = try client.event("onTakeSaved")
    #expect(client.notifications.allSatisfy { $0["params"]?["topic"]?.stringValue != "onGap" })
    let frames = try #require(saved["params"]?["data"]?["frames"]?.integerValue)
    let id = try #require(started["params"]?["data"]?["id"]?.stringValue)
    #expect(try Sound.frames(mynah.recordings.appendingPathComponent(id)) == frames)
    let seconds = try #require(saved["params"]?["t"]?.numberValue) - (started["params"]?["t"]?.numberValue ?? 0)
    #expect(Double(frames) / 48_000 > seconds - 1)
  }

  @Test("a device that is told to end while consoles are open saves the take, says good-bye and leaves no socket")
  func shutDown() throws {
    let program = try ConsoleClient(path)
    let person = try ConsoleClient(path)
    _ = try person.text(through: "mynah> ")
    _ = try program.call("events.subscribe", ["topics": ["onTakeStarted"]])
    _ = try program.call("recorder.start")
    let started = try program.event("onTakeStarted")
    // A take that ends before the microphone's first period is rightly empty.
    let enough = Monotonic.now + 30
    while Monotonic.now < enough,
      (try program.call("recorder.status")["result"]?["frames"]?.integerValue ?? 0) < 4800
    { usleep(10_000) }
    #expect(live.terminate() == 0, "\(live.errors)")
    #expect(program.waitForEnd() && person.waitForEnd())
    #expect(!FileManager.default.fileExists(atPath: path))
    let id = try #require(started["params"]?["data"]?["id"]?.stringValue)
    let take = mynah.recordings.appendingPathComponent(id)
    let meta = try Metadata(of: take)
    #expect(meta["inProgress"]?.boolValue != true)
    #expect(try Sound.frames(take) == meta["frames"]?.integerValue)
    #expect((meta["frames"]?.integerValue ?? 0) >= 4800)
  }

  @Test("a socket file that a killed device left does not keep the next one from listening")
  func staleSocket() throws {
    _ = try ConsoleClient(path)
    _ = live.kill()
    #expect(FileManager.default.fileExists(atPath: path))
    let next = try LiveMynah(mynah.arguments(script: nil) + ["--console", path])
    try expectAlive(try ConsoleClient(path), "after a kill")
    #expect(next.terminate() == 0, "\(next.errors)")
  }

  @Test("mynah log shows what stands in the files and what the device has not written yet, once each, and follows it")
  func showsTheLog() throws {
    let client = try ConsoleClient(path)
    #expect(try client.call("settings.set", ["recording.format": "wav"])["error"] == nil)
    let arguments = ["log", "--data", mynah.data.path, "--console", path]
    let shown = try Mynah.execute(arguments + ["--lines", "1000"])
    #expect(shown.status == 0, "\(shown.errors)")
    #expect(shown.output.components(separatedBy: "recording.format is wav").count == 2, "\(shown.output)")
    let follower = try LiveMynah(arguments + ["--follow", "--lines", "0"])
    // It says nothing before; the setting is changed until it has seen it.
    let end = Monotonic.now + 60
    var formats = ["flac", "alac"]
    while !follower.output.contains("recording.format is"), Monotonic.now < end {
      #expect(try client.call("settings.set", ["recording.format": .string(formats[0])])["error"] == nil)
      formats.swapAt(0, 1)
      usleep(50_000)
    }
    #expect(follower.output.contains("recording.format is"), "\(follower.errors)")
    _ = live.terminate()
    let after = try Mynah.execute(["log", "--data", mynah.data.path, "--lines", "1000"])
    #expect(after.output.components(separatedBy: "recording.format is wav").count == 2, "\(after.output)")
    let nobody = try Mynah.execute(["log", "--data", mynah.data.path, "--follow"])
    #expect(nobody.status == 69, "\(nobody.errors)")
    #expect(try Mynah.execute(["log", "--data", mynah.data.path + "-not"]).status == 66)
  }
}
