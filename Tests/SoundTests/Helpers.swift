import Foundation
import Hardware
import TestSupport
import Testing

/// A sound made by sox or espeak-ng, as a file for the reference tools and as samples for ours.
struct TestSound {
  let format: PCMFormat
  let path: String
  let samples: [Float]
  private let folder: TemporaryFolder

  var frames: Int { samples.count / format.channels }

  /// - Parameter effects: sox's effects after `-n`, or after the spoken file.
  init(_ effects: [String], rate: Int = 48_000, channels: Int = 1, spoken: String? = nil) throws {
    folder = TemporaryFolder()
    format = PCMFormat(sampleRate: rate, channels: channels, bits: 24)
    path = folder.file("sound.wav")
    // The null input needs its own rate, else sox makes the sound at 48 kHz and converts.
    var source = ["-r", "\(rate)", "-n"]
    if let spoken {
      try Tool.run("espeak-ng", ["-w", folder.file("spoken.wav"), spoken])
      source = [folder.file("spoken.wav")]
    }
    let shape = ["-r", "\(rate)", "-c", "\(channels)", "-b", "24", path]
    try Tool.run("sox", ["-R", "-D"] + source + shape + effects)
    let raw = folder.file("sound.f32")
    try Tool.run("sox", [path, "-t", "f32", raw])
    samples = try Data(contentsOf: URL(fileURLWithPath: raw)).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  /// Calls `body` with pieces of random lengths, as they come from a device.
  func feed(seed: UInt64 = 1, upTo longest: Int = 2000, _ body: (UnsafePointer<Float>, Int) -> Void) {
    var random = SeededGenerator(seed: seed)
    samples.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var done = 0
      while done < frames {
        let count = min(frames - done, Int.random(in: 1...longest, using: &random))
        body(base + done * format.channels, count)
        done += count
      }
    }
  }

  /// One figure of `sox stats`, a value a channel (the first column is over all channels where there are two).
  func soxStatistics(_ label: String, from start: Double? = nil) throws -> [Double] {
    let trim = start.map { ["trim", "\($0)"] } ?? []
    let text = try Tool.run("sox", [path, "-n"] + trim + ["stats"]).errors
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(label) })
    let values = line.dropFirst(label.count).split(separator: " ").compactMap { Double($0) }
    return values.count > 1 ? Array(values.dropFirst()) : values
  }
}
