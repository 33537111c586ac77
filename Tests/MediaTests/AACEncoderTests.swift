import Hardware
import Media
import TestSupport
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

  @Test(arguments: 0..<6)
  func `coders may change at any time, and not a frame is lost, twice or elsewhere`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let pcm = PCMFormat(sampleRate: 48_000, channels: seed % 2 + 1)
    let frames = 200_000 + Int.random(in: 0...2000, using: &random)
    let samples = glide(frames: frames, channels: pcm.channels, sampleRate: pcm.sampleRate)
    let folder = TemporaryFolder()
    func write(_ name: String, changing: Bool) throws -> [Float] {
      let encoder = try AACEncoder(format: pcm, bitrateKbps: 160)
      let path = folder.file(name)
      var take = MovieWriter(
        file: DiskFile(path), scratch: MemoryFile(path: "scratch"),
        description: FileDescription(
          sound: SoundTrack(
            pcm: pcm, configuration: encoder.configuration, primingFrames: encoder.primingFrames, bitrateKbps: 160),
          createdAt: WallTime(nanosecondsSince1970: 0), title: "A title", originator: "Mynah 1.0"))
      try take.begin()
      var units = 0
      var fed = 0
      while fed < frames {
        let count = min(Int.random(in: 1...5000, using: &random), frames - fed)
        try samples.withUnsafeBufferPointer { buffer in
          let start = try #require(buffer.baseAddress)
          try encoder.encode(start + fed * pcm.channels, frames: count) {
            take.append($0, to: 0)
            units += 1
          }
        }
        fed += count
        if changing, Bool.random(using: &random), let coder = AACCoder.allCases.randomElement(using: &random) {
          try encoder.use(coder)
          #expect(encoder.coder == coder)
        }
      }
      try encoder.finish {
        take.append($0, to: 0)
        units += 1
      }
      #expect(units == (frames + 1023) / 1024 + 1)
      try take.finish(at: [frames])
      return try decodeWithFFmpeg(path)
    }
    let plain = try write("plain.m4a", changing: false)
    let changed = try write("changed.m4a", changing: true)
    // ffmpeg gives the last unit whole.
    #expect((samples.count..<samples.count + 1024 * pcm.channels).contains(plain.count))
    try #require(changed.count == plain.count)
    // Each stretch is what was fed at the same place: a seam would be an echo or a hole.
    var (noise, usual): (Float, Float) = (0, 0)
    for index in samples.indices {
      noise = max(noise, abs(changed[index] - samples[index]))
      usual = max(usual, abs(plain[index] - samples[index]))
    }
    #expect(noise < max(0.03, 4 * usual), "\(noise) of \(usual)")
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
