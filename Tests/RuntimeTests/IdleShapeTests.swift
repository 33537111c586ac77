import Foundation
import Hardware
import JSON
import Testing

/// Shapes of takes that are made while nothing is asked of the device.
@Suite struct IdleShapeTests {
  private static let settings = #"0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}"#

  private static func shapes(_ bench: RuntimeBench) -> [UInt8] {
    guard let folder = bench.folder else { return [] }
    return (try? [UInt8](Data(contentsOf: folder.appendingPathComponent("cache/waveforms")))) ?? []
  }

  private static func mark(in bytes: [UInt8]) -> Int {
    bytes.indices.dropLast(3).count { Array(bytes[$0..<$0 + 4]) == Array("MWF1".utf8) }
  }

  @Test func `Takes get their shapes in peace, damaged ones anew, and no key waits for them`() throws {
    let first = try RuntimeBench(onDisk: true)
    #expect(
      try first.run(
        """
        \(Self.settings)
        1 press REC
        3 press STOP
        4 press REC
        7 press STOP
        12 quit
        """) == nil)
    // Somebody may go on at any time.
    #expect(Self.mark(in: Self.shapes(first)) == 0)
    let second = try RuntimeBench(onDisk: true, continuing: first)
    #expect(try second.run("200 quit") == nil)
    var bytes = Self.shapes(second)
    #expect(Self.mark(in: bytes) == 2)
    let whole = bytes
    let place = try #require(bytes.firstIndex { $0 == UInt8(ascii: "M") })
    bytes[place + 60] ^= 0xff
    let folder = try #require(second.folder)
    try Data(bytes).write(to: folder.appendingPathComponent("cache/waveforms"))
    let third = try RuntimeBench(onDisk: true, continuing: second)
    #expect(try third.run("120 quit") == nil)
    #expect(Self.shapes(third) == whole)
  }

  @Test func `What is recorded, or plays, goes before`() throws {
    let bench = try RuntimeBench(onDisk: true)
    #expect(
      try bench.run(
        """
        \(Self.settings)
        1 press REC
        3 press STOP
        9 press REC
        40 press STOP
        41 quit
        """) == nil)
    #expect(Self.mark(in: Self.shapes(bench)) == 0)
  }
}
