import Testing

@testable import Sound

@Suite struct TickTests {
  @Test("Whatever it is mixed into stays within full scale, in pieces as in one, and begins and ends at nothing")
  func mixing() {
    for channels in [1, 2] {
      for value in [Float(0), 1, -1] {
        let frames = Tick.frames(at: 48_000)
        var whole = [Float](repeating: value, count: 1024 * channels)
        var pieces = whole
        var (one, other) = (Tick(sampleRate: 48_000), Tick(sampleRate: 48_000))
        let isMore = whole.withUnsafeMutableBufferPointer {
          one.mix(into: $0.baseAddress!, frames: 1024, channels: channels)
        }
        #expect(!isMore)
        pieces.withUnsafeMutableBufferPointer {
          var done = 0
          while other.mix(into: $0.baseAddress! + done * channels, frames: 100, channels: channels) { done += 100 }
        }
        #expect(whole == pieces)
        #expect(whole.allSatisfy { abs($0) <= 1 })
        #expect(whole[0] == value && abs(whole[(frames - 1) * channels] - value) < 0.01)
        #expect(whole[(frames * channels)...].allSatisfy { $0 == value })
      }
    }
    var none = Tick(sampleRate: 0)
    var sample = [Float](repeating: 0, count: 1)
    #expect(!sample.withUnsafeMutableBufferPointer { none.mix(into: $0.baseAddress!, frames: 1, channels: 1) })
  }
}
