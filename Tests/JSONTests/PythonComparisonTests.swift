import Foundation
import JSON
import TestSupport
import Testing

/// Python's json module as the judge: it has to read what we write as the same document, and to refuse what we refuse.
@Suite struct PythonComparisonTests {
  @Test func pythonReadsWhatWeWriteAndWritesTheSameBytes() throws {
    var random = SeededGenerator(seed: 99)
    let values = (0..<2000).map { _ in document(&random, depth: 0) }
    let script = """
      import json, sys
      for line in sys.stdin.buffer:
        print(json.dumps(json.loads(line.decode('utf-8')), sort_keys=True, separators=(',', ':'), ensure_ascii=True))
      """
    let answer = try python(script, input: values.map(\.text).joined(separator: "\n") + "\n")
    let lines = answer.split(separator: "\n")
    #expect(lines.count == values.count)
    for (line, value) in zip(lines, values) {
      #expect(try JSONValue(parsing: line) == value)
    }
  }

  @Test func pythonAndWeAcceptTheSameTexts() throws {
    var random = SeededGenerator(seed: 1)
    let alphabet = Array(#"{}[]:,"\u0123456789.-+Eetrufalsn ab"#.unicodeScalars)
    var texts: [String] = []
    for round in 0..<20_000 {
      var scalars: [Unicode.Scalar] = []
      if round % 2 == 0 { scalars = Array(String(document(&random, depth: 0).text.prefix(200)).unicodeScalars) }
      for _ in 0..<Int.random(in: round % 2 == 0 ? 0...2 : 1...12, using: &random) {
        let scalar = alphabet.randomElement(using: &random) ?? "0"
        scalars.insert(scalar, at: Int.random(in: 0...scalars.count, using: &random))
      }
      texts.append(String(String.UnicodeScalarView(scalars)))
    }
    // Python lets NaN, Infinity, numbers beyond a double, lone surrogates and keys given twice pass; we do not.
    let script = #"""
      import json, sys
      class Refused(ValueError): pass
      def refuse(text): raise Refused(text)
      def pairs(items):
        if len(dict(items)) != len(items): raise Refused('key')
        return dict(items)
      def number(text):
        value = float(text)
        if value in (float('inf'), float('-inf')): raise Refused(text)
        return value
      for line in sys.stdin.buffer:
        try:
          value = json.loads(line.rstrip(b'\n').decode('utf-8'), parse_constant=refuse, object_pairs_hook=pairs,
                             parse_float=number)
          json.dumps(value, ensure_ascii=False).encode('utf-8')
          print(1)
        except ValueError:
          print(0)
      """#
    let verdicts = try python(script, input: texts.joined(separator: "\n") + "\n").split(separator: "\n")
    try #require(verdicts.count == texts.count)
    for (text, verdict) in zip(texts, verdicts) {
      #expect(((try? JSONValue(parsing: text)) != nil) == (verdict == "1"), "\(text)")
    }
    #expect(verdicts.contains("1"))
  }

  private func document(_ random: inout SeededGenerator, depth: Int) -> JSONValue {
    switch Int.random(in: 0...(depth > 3 ? 5 : 7), using: &random) {
    case 0: .null
    case 1: .bool(Bool.random(using: &random))
    case 2: .integer(Int(truncatingIfNeeded: random.next()) >> Int.random(in: 0...63, using: &random))
    case 3:
      .number(
        Double.random(in: -1...1, using: &random)
          * Double(sign: .plus, exponent: .random(in: -300...300, using: &random), significand: 1))
    case 4, 5: .string(text(&random))
    case 6: .array((0..<Int.random(in: 0...4, using: &random)).map { _ in document(&random, depth: depth + 1) })
    default:
      .object(
        Dictionary(
          (0..<Int.random(in: 0...4, using: &random)).map { _ in (text(&random), document(&random, depth: depth + 1)) }
        ) { $1 })
    }
  }

  private func text(_ random: inout SeededGenerator) -> String {
    let scalars: [Unicode.Scalar] = [
      "a", "B", "9", "\"", "\\", "/", "\u{1}", "\u{7F}", "\u{E9}", "\u{2028}", "\u{1F600}", "ж",
    ]
    var view = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...6, using: &random) { view.append(scalars.randomElement(using: &random) ?? "a") }
    return String(view)
  }

  private func python(_ script: String, input: String) throws -> String {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("json-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appendingPathComponent("input")
    try Data(input.utf8).write(to: file)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script]
    process.standardInput = try FileHandle(forReadingFrom: file)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self)
  }
}
