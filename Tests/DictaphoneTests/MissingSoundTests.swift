import Recording
import Testing

@testable import Dictaphone

/// What of a chunk is missing, and which marks are put by themselves.
@Suite struct MissingSoundTests {
  private static let gaps = [
    CaptureGap(frame: 0, frames: 20, reason: "overrun"), CaptureGap(frame: 50, frames: 10, reason: "source"),
    CaptureGap(frame: 90, frames: 30, reason: "overrun"),
  ]

  @Test func gapsAreCutToTheRange() {
    #expect(
      MissingSound.gaps(in: 10..<100, of: Self.gaps, otherwise: nil) == [
        CaptureGap(frame: 10, frames: 10, reason: "overrun"), CaptureGap(frame: 50, frames: 10, reason: "source"),
        CaptureGap(frame: 90, frames: 10, reason: "overrun"),
      ])
    #expect(MissingSound.gaps(in: 20..<50, of: Self.gaps, otherwise: nil).isEmpty)
  }

  @Test func theRestIsMissingForAReasonOfItsOwn() {
    let found = MissingSound.gaps(in: 10..<140, of: Self.gaps, otherwise: "storage")
    #expect(found.map(\.frame) == [10, 20, 50, 60, 90, 120])
    #expect(found.map(\.reason) == ["overrun", "storage", "source", "storage", "overrun", "storage"])
    #expect(found.reduce(0) { $0 + $1.frames } == 130)
  }

  @Test func marksOfGapsAreASecondApart() {
    var settings = RecordingSettings.counted()
    settings.marksGaps = true
    var marks = AutomaticMarks(settings, sampleRate: 8000)
    let taken = [0, 7999, 8000, 9000, 16_000].map {
      marks.takes(CaptureGap(frame: $0, frames: 1, reason: "overrun"))
    }
    #expect(taken == [true, false, true, false, true])
    let isSourceTaken = marks.takes(CaptureGap(frame: 99_000, frames: 1, reason: "source"))
    #expect(!isSourceTaken, "that is a mark already")
  }

  @Test func threeSamplesInARowAtFullScaleClip() {
    var settings = RecordingSettings.counted()
    settings.marksOverloads = true
    var marks = AutomaticMarks(settings, sampleRate: 8000)
    var chunk = [Float](repeating: 0, count: 200)
    // Of two channels: two in a row on the left, three on the right.
    for place in [20, 22, 61, 63, 65] { chunk[place] = 1 }
    // Not so soon again.
    let places = [1000, 2000, 41_030].map { marks.overload(in: chunk, frames: 100, channels: 2, at: $0) }
    #expect(places == [1030, nil, 41_060])
  }
}
