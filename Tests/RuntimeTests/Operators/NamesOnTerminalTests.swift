import Hardware
import JSON
import SimulatedHardware
import TestSupport
import Testing

/// Names that others have made, with what steers a terminal or turns a line's direction in them.
@Suite struct NamesOnTerminalTests {
  private static let evil = "a\u{1B}[2J\u{9B}31m\u{202E}gpj\u{2066}\u{7}\u{200F}\u{85}b"

  private static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A, 0x0D, 0x08: false
    case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  @Test("Wherever they reach a terminal, the log or the audit log, they steer nothing")
  func names() throws {
    let bench = try OperatorBench(["people", "program"])
    let memory = bench.bench.memory
    try memory.makeDirectory("recordings")
    try memory.makeDirectory("clips")
    try memory.replace("recordings/\(Self.evil).wav", with: Array("RIFF".utf8))
    try memory.replace("clips/\(Self.evil).mp4", with: Array("nothing".utf8))
    _ = bench.logIn(1, "program", "tess", "tess's password")
    _ = bench.at(2, "program", "recorder.start")
    _ = bench.at(2.5, "program", "recorder.mark", ["title": .string(Self.evil)])
    _ = bench.at(3, "program", "recorder.stop")
    // The take's name for people, under which it is listed from then on.
    let rename = { (time: Double, name: String) in
      bench.at(time, "program", "library.rename") {
        let take = (try? memory.list("recordings").map(\.name))?.first { $0.hasSuffix(".m4a") && $0.hasPrefix("0") }
        return ["id": .string(take ?? ""), "name": .string(name)]
      }
    }
    let renamed = rename(5, Self.evil)
    _ = bench.at(
      5.5, "program", "operators.add", ["name": .string(Self.evil), "role": "viewer", "password": "long enough"])
    _ = bench.at(5.6, "program", "library.delete", ["ids": [.string(Self.evil)]])
    _ = bench.at(5.7, "program", "settings.set", ["feed.sources": .string("\(Self.evil)=http://x.example/")])
    _ = bench.at(5.8, "program", "auth.login", ["name": .string(Self.evil), "password": "whatever it is"])
    _ = bench.at(5.9, "program", Self.evil)
    _ = bench.logIn(6, "program", "tess", "tess's password")
    let lines = [
      "login tess", "tess's password", "events", "list", "show last", "marks last", "find a", "operators", "audit",
      "log 200",
      "status", "doctor", "settings", "clip list", "nonsense",
    ]
    for (number, line) in lines.enumerated() {
      bench.bench.hardware.steppers.append(
        AtTime(.at(7 + Double(number) / 2), bench.bench) { _ in bench.port("people").type(line) })
    }
    _ = rename(20, "again \(Self.evil)")
    #expect(try bench.bench.run(OperatorBench.setUp + "22 quit") == nil)
    let terminal = bench.port("people").text
    #expect(terminal.firstRange(of: "tess, technician") != nil)
    // What steers is refused for a name, and the refusal steers nothing either.
    #expect(bench.code(renamed) == "bad-argument")
    // What the people's face does itself is printing, blanks, backspaces and the ends of lines.
    for line in terminal.split(whereSeparator: \.isNewline) {
      #expect(!line.unicodeScalars.contains(where: Self.steers), "\(line.debugDescription)")
    }
    for line in bench.bench.log {
      #expect(!line.unicodeScalars.contains(where: Self.steers), "\(line.debugDescription)")
    }
    for path in ["log/audit.log", "log/mynah.log"] {
      let text = String(decoding: try memory.read(path, limit: 1 << 20), as: UTF8.self)
      #expect(!text.unicodeScalars.contains(where: Self.steers), "\(path)")
    }
  }
}
