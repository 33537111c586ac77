import Foundation
import Hardware
import JSON
import SimulatedHardware
import TestSupport
import Testing

/// Times in notes that others have written.
@Suite struct ClaimedTimesTests {
  @Test(arguments: [Int.min, .max, -1, 0])
  func `A take whose receipt claims a time that no clock has shown is shown all the same`(wall: Int) throws {
    let first = try RuntimeBench()
    try first.run("1 press REC\n3 press STOP\n5 quit")
    let names = try first.memory.list("recordings").map(\.name)
    let take = try #require(names.first { $0.hasSuffix(".m4a") })
    for name in names where name.contains(".json") {
      let notes = try JSONValue(parsing: first.memory.read("recordings/\(name)", limit: 1 << 20)).text
      let place = try #require(notes.range(of: "\"wall\":"))
      let rest = notes[place.upperBound...].drop { $0.isNumber || $0 == "-" }
      let changed = "\(notes[..<place.upperBound])\(wall)\(rest)"
      try first.memory.replace("recordings/\(name)", with: Array(changed.utf8))
    }
    let bench = try RuntimeBench(continuing: first)
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    bench.hardware.steppers.append(AtTime(.at(1), bench) { _ in port.type("show \(take)") })
    #expect(try bench.run("2 call library.show {\"id\":\"\(take)\"}\n3 quit") == nil)
    #expect(port.text.contains("anchors:") && port.text.contains("wall"), "\(port.text)")
    let shown = try #require(bench.results("library.show").first)
    #expect(shown["receipt"]?["anchors"]?[0]?["wall"]?.integerValue == wall, "\(shown)")
  }
}
