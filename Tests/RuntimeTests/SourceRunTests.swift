import Foundation
import Hardware
import JSON
import SimulatedHardware
import Testing

@Suite struct SourceRunTests {
  private static let settings = """
    0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0,"recording.source":"usb, board"}

    """

  /// The board's own is never below zero, the other never above.
  private static func bench() throws -> RuntimeBench {
    try RuntimeBench(others: [
      ("usb", FunctionSource(format: PCMFormat(sampleRate: 8000, channels: 1)) { _, _ in -0.25 })
    ])
  }

  @Test func `A microphone that is pulled out in a take is followed by the next, with a word, a mark and an event`()
    throws
  {
    let bench = try Self.bench()
    let failure = try bench.run(
      Self.settings
        + """
        1 call recorder.sources
        1 press REC
        2 fault source unplug usb
        2.5 call panel.state
        3 press STOP
        4 call recorder.status
        4 fault source replug usb
        6 call recorder.status
        7 quit
        """)
    #expect(failure == nil)
    #expect(bench.results("recorder.sources")[0]["sources"] == ["board", "usb"])
    #expect(bench.results("recorder.sources")[0]["heard"] == "usb")
    #expect(bench.results("recorder.status").map { $0["source"] } == ["board", "usb"])
    let notice = bench.results("panel.state")[0]["notice"]?["text"]?.stringValue
    #expect(notice == "Microphone usb is lost: board is heard.")
    // That the order was set may have come before the first opening, or after it.
    let told = bench.events("onSourceChanged").map(\.data).filter { $0["reason"] != "chosen" }
    #expect(told.map { $0["reason"] } == ["lost", "returned"])
    #expect(told.map { $0["source"] } == ["board", "usb"])
    #expect(bench.events("onDeviceLost").isEmpty)
    let meta = try #require(try bench.metadata().first)
    #expect(meta["stopReason"] == "user")
    #expect(meta["bookmarks"]?.arrayValue?.compactMap { $0["title"]?.stringValue } == ["source: board"])
    let name = try #require(try bench.memory.list("recordings").map(\.name).first { $0.hasSuffix(".wav") })
    let bytes = try bench.memory.read("recordings/\(name)", limit: 1 << 20)
    let start = try #require(Data(bytes).range(of: Data("data".utf8))).upperBound + 4
    let sample = { (frame: Int) in
      Int16(bitPattern: UInt16(bytes[start + 2 * frame]) | UInt16(bytes[start + 2 * frame + 1]) << 8)
    }
    // A period before it was pulled out is lost at most.
    #expect((0..<7000).allSatisfy { sample($0) == -8192 })
    #expect((8000..<16_000).allSatisfy { sample($0) >= 0 } && (10_000..<16_000).contains { sample($0) > 0 })
  }

  @Test func `UP in a take goes to the next microphone, and that is the setting from then on`() throws {
    let bench = try Self.bench()
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}
      1 press REC
      2 press UP
      3 call settings.get {"key":"recording.source"}
      3 press UP
      4 call settings.get {"key":"recording.source"}
      4 press STOP
      5 quit
      """)
    #expect(failure == nil)
    #expect(bench.events("onSourceChanged").map { $0.data["source"] } == ["usb", "board"])
    #expect(bench.results("settings.get").map { $0["recording.source"] } == ["usb", "board,usb"])
    let meta = try #require(try bench.metadata().first)
    #expect(meta["gaps"]?.arrayValue?.isEmpty != false)
    #expect(meta["audio"]?["duration"]?.numberValue == 3)
  }

  @Test func `UP in a take goes back to the first of the order, which was pulled out and is there again`() throws {
    let bench = try Self.bench()
    let failure = try bench.run(
      Self.settings
        + """
        1 press REC
        2 fault source unplug usb
        3 fault source replug usb
        9 call recorder.status
        9 press UP
        11 call recorder.status
        12 press STOP
        13 call settings.get {"key":"recording.source"}
        14 quit
        """)
    #expect(failure == nil)
    #expect(bench.results("recorder.status").map { $0["source"] } == ["board", "usb"])
    #expect(bench.results("settings.get")[0]["recording.source"] == "usb,board")
    #expect(try bench.metadata().count == 1)
  }

  @Test func `Orders that are none are refused`() throws {
    let bench = try RuntimeBench()
    let long = String(repeating: "x", count: 65)
    try bench.run(
      [",", "a,,b", long, "1,2,3,4,5,6,7,8,9"].map { #"1 call settings.set {"recording.source":"\#($0)"}"# }
        .joined(separator: "\n") + "\n2 press REC\n3 press UP\n3.5 call panel.state\n4 quit")
    #expect(bench.results("settings.set").allSatisfy { $0["code"] == "bad-argument" })
    #expect(bench.results("panel.state")[0]["notice"]?["text"] == "There is no other microphone.")
  }
}
