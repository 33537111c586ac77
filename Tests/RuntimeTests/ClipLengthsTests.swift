import Hardware
import JSON
import Testing

@testable import Runtime

/// How long the clip is that is shown.
@Suite struct ClipLengthsTests {
  private func at(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }

  /// Seconds, and triggers.
  private func shown(_ lengths: ClipLengths, _ seconds: Int) -> [Double] {
    let shown = lengths.shown(at(seconds))
    return [shown.seconds, Double(shown.triggers)]
  }

  @Test("A clip beside a time-lapse is shown until its end, then the time-lapse goes on being counted")
  func besideATimeLapse() {
    var lengths = ClipLengths()
    lengths.begin(1, at: at(20), ends: .distantFuture)
    #expect(shown(lengths, 25) == [5, 1])
    lengths.begin(2, at: at(21), ends: at(26))
    lengths.join(2, ends: at(27))
    #expect(shown(lengths, 26) == [5, 2])
    lengths.end(2, now: at(27))
    #expect(shown(lengths, 30) == [10, 1])
    lengths.end(1, now: at(31))
    // While it is being saved it is as long as it was.
    #expect(shown(lengths, 40) == [11, 1])
    lengths.end(7, now: at(41))
    #expect(shown(lengths, 42) == [11, 1])
  }

  @Test("A trigger makes no clip shorter: neither one without end nor one of a longer post-roll")
  func endsOfJoined() throws {
    var lengths = ClipLengths()
    lengths.begin(1, at: at(20), ends: at(40))
    lengths.join(1, ends: at(30))
    #expect(lengths.end(of: 1) == at(40))
    lengths.join(1, ends: .distantFuture)
    lengths.join(1, ends: at(50))
    #expect(lengths.end(of: 1) == .distantFuture && lengths.end(of: 2) == nil)

    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      0 call settings.set {"clips.postRollSeconds":1}
      0.1 call panel.mode {"mode":"clips"}
      7 call clips.continuous
      8 press REC
      12 call clips.status
      13 call clips.endPostRoll
      16 quit
      """)
    #expect(failure == nil)
    let open = bench.results("clips.status").first?["open"]?.arrayValue ?? []
    #expect(open.count == 1 && open.first?["endTime"]?.isNull == true, "\(open)")
  }

  @Test("After REC beside a time-lapse the screen counts on")
  func onTheScreen() throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      0 call panel.mode {"mode":"clips"}
      8 call clips.timeLapse {"seconds":1}
      10 press REC
      14.5 call panel.state
      20.5 call panel.state
      21 call clips.endPostRoll
      24 quit
      """)
    #expect(failure == nil)
    let texts = bench.results("panel.state").map { $0["texts"]?.arrayValue?.compactMap(\.stringValue) ?? [] }
    try #require(texts.count == 2)
    #expect(texts[0].contains("0m06s") && texts[1].contains("0m12s"), "\(texts)")
  }
}
