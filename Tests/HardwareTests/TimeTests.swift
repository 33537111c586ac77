import Hardware
import TestSupport
import Testing

@Suite("Time")
struct TimeTests {
  @Test(
    "wall time prints the calendar",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (1_795_211_640, "2026-11-20T21:54:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (-1, "1969-12-31T23:59:59Z"), (4_107_542_399, "2100-02-28T23:59:59Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
    ])
  func calendar(seconds: Int64, text: String) {
    #expect(WallTime(nanosecondsSince1970: seconds * 1_000_000_000).iso8601 == text)
  }

  @Test("any number that a file claims is a time", arguments: [Int64.min, .min + 1, -1, 0, .max - 1, .max])
  func claimed(nanoseconds: Int64) {
    let time = WallTime(nanosecondsSince1970: nanoseconds)
    #expect(time.wholeSeconds.nanosecondsSince1970 % 1_000_000_000 == 0)
    #expect(abs(Double(time.seconds) - Double(nanoseconds) / 1e9) <= 1)
    #expect(!time.iso8601.isEmpty)
  }

  @Test("a file name's stamp has no colon")
  func fileNameStamp() {
    let time = WallTime(nanosecondsSince1970: 1_795_211_640 * 1_000_000_000)
    #expect(time.fileNameStamp == "2026-11-20T21-54-00Z")
  }

  @Test("frames and durations convert both ways without drift over a day", arguments: [8000, 44_100, 48_000, 96_000])
  func framesAndDurations(rate: Int) {
    let format = PCMFormat(sampleRate: rate, channels: 2)
    var random = SeededGenerator(seed: UInt64(rate))
    for _ in 0..<10_000 {
      let frames = Int(random.next() % UInt64(86_400 * rate)) - 1000
      #expect(format.frames(in: format.duration(ofFrames: frames)) == frames)
    }
    #expect(format.duration(ofFrames: rate * 3600) == .seconds(3600))
  }

  @Test("a frame of the display keeps its pixels and ignores what is outside")
  func framePixels() {
    var frame = Frame()
    frame[0, 0] = true
    frame[127, 63] = true
    frame[128, 0] = true
    frame[-1, 5] = true
    #expect(frame.pages[0] == 1)
    #expect(frame.pages[1023] == 0x80)
    #expect(frame.pages.count(where: { $0 != 0 }) == 2)
    frame[127, 63] = false
    #expect(!frame[127, 63])
  }
}
