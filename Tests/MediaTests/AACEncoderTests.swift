import Hardware
import Media
import Testing

struct AACEncoderTests {
  @Test(arguments: [0, 1, 1023, 1024, 1025, 5000])
  func `the access units cover every frame that was fed, however it is cut`(frames: Int) throws {
    let pcm = PCMFormat(sampleRate: 44_100, channels: 2)
    let samples = glide(frames: max(1, frames), channels: 2, sampleRate: 44_100)
    var outputs: [[UInt8]] = []
    for block in [frames, 7, 480] where block > 0 || frames == 0 {
      let encoder = try AACEncoder(format: pcm, bitrateKbps: 128)
      #expect(encoder.primingFrames == 1024)
      var bytes: [UInt8] = []
      var units = 0
      try samples.withUnsafeBufferPointer { buffer in
        let start = try #require(buffer.baseAddress)
        for first in stride(from: 0, to: frames, by: max(1, block)) {
          try encoder.encode(start + first * 2, frames: min(block, frames - first)) {
            bytes.append(contentsOf: $0)
            units += 1
          }
        }
      }
      try encoder.finish {
        bytes.append(contentsOf: $0)
        units += 1
      }
      #expect(frames == 0 || units * 1024 >= frames + encoder.primingFrames)
      outputs.append(bytes)
    }
    #expect(Set(outputs).count == 1)
  }

  @Test func `what AAC cannot do is refused with a reason`() {
    for (rate, channels, bitrate) in [(47_999, 2, 128), (48_000, 3, 128), (48_000, 2, 4), (48_000, 2, 5000)] {
      let error = #expect(throws: MediaError.self) {
        try AACEncoder(format: PCMFormat(sampleRate: rate, channels: channels), bitrateKbps: bitrate)
      }
      #expect(error?.kind == .unsupported)
    }
  }

  @Test func `samples that are no numbers, or far too loud, do not stop the encoder`() throws {
    let encoder = try AACEncoder(format: PCMFormat(sampleRate: 48_000, channels: 1), bitrateKbps: 320)
    let samples: [Float] = (0..<4096).map { [.nan, .infinity, -.infinity, 1e30][$0 % 4] }
    var units = 0
    try encoder.encode(samples, frames: 4096) { _ in units += 1 }
    try encoder.finish { _ in units += 1 }
    #expect(units == 5)
  }
}
