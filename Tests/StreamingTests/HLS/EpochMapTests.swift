import Testing

@testable import Media
@testable import Streaming

/// Clocks of streams on the programme's timeline.
@Suite struct EpochMapTests {
  /// 33 bits are 26.5 hours, half of them each way.
  @Test func aStreamThatRunsForDaysKeepsItsTime() {
    let epochs = EpochMap()
    let begin: Int64 = 1 << 33 - 90_000
    epochs.begin(discontinuity: 0, start: 0, source: begin, end: 0)
    for hour in 0..<60 {
      let frame = hour * 3600 * 48_000
      epochs.reach(frame)
      let time = StreamTime.folded(begin + Int64(hour) * 3600 * 90_000)
      guard case .at(_, let found) = epochs.find(time, discontinuity: 0, from: 0) else {
        return #expect(Bool(false), "nowhere after \(hour) hours")
      }
      #expect(found == frame)
    }
  }

  /// Who goes back has been there before, and is not where that was.
  @Test func whatIsBehindASeekWaitsForItsEpoch() {
    let epochs = EpochMap()
    epochs.begin(discontinuity: 0, start: 0, source: 0, end: 0)
    let (time, frame) = (Int64(2 * 90_000), 2 * 48_000)
    #expect(epochs.find(time, discontinuity: 0, from: 1) == .ahead)
    epochs.begin(discontinuity: 0, start: 48_000, source: 90_000, end: 10 * 48_000)
    #expect(epochs.number(ofFrame: frame) == 1 && epochs.number(ofFrame: 0) == 0)
    guard case .at(let epoch, let found) = epochs.find(time, discontinuity: 0, from: 1) else {
      return #expect(Bool(false), "nowhere")
    }
    #expect(epoch.number == 1 && found == frame)
    // Of a part that was gone by nothing comes any more.
    #expect(epochs.find(time, discontinuity: -1, from: 1) == .never)
    #expect(epochs.find(time, discontinuity: 1, from: 1) == .ahead)
  }
}
