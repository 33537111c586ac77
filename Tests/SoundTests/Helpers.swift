import Foundation
import Hardware
import Testing

/// A seeded generator (xorshift64*): the same cases in every run.
struct TestGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }
}

/// What a program printed on both outputs.
func output(of program: String, _ arguments: [String]) throws -> String {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [program] + arguments
  process.standardInput = FileHandle.nullDevice
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let data = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return String(decoding: data, as: UTF8.self)
}

/// A folder that is removed with its contents when the value goes.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "sound-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }
}

/// A sound made by sox or espeak-ng, as a file for the reference tools and as samples for ours.
struct TestSound {
  let format: PCMFormat
  let path: String
  let samples: [Float]
  private let folder: TemporaryFolder

  var frames: Int { samples.count / format.channels }

  /// - Parameter effects: sox's effects after `-n`, or after the spoken file.
  init(_ effects: [String], rate: Int = 48_000, channels: Int = 1, spoken: String? = nil) throws {
    folder = try TemporaryFolder()
    format = PCMFormat(sampleRate: rate, channels: channels, bits: 24)
    path = folder.file("sound.wav")
    // The null input needs its own rate, else sox makes the sound at 48 kHz and converts.
    var source = ["-r", "\(rate)", "-n"]
    if let spoken {
      _ = try output(of: "espeak-ng", ["-w", folder.file("spoken.wav"), spoken])
      source = [folder.file("spoken.wav")]
    }
    let shape = ["-r", "\(rate)", "-c", "\(channels)", "-b", "24", path]
    _ = try output(of: "sox", ["-R", "-D"] + source + shape + effects)
    let raw = folder.file("sound.f32")
    _ = try output(of: "sox", [path, "-t", "f32", raw])
    samples = try Data(contentsOf: URL(fileURLWithPath: raw)).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  /// Calls `body` with pieces of random lengths, as they come from a device.
  func feed(seed: UInt64 = 1, upTo longest: Int = 2000, _ body: (UnsafePointer<Float>, Int) -> Void) {
    var random = TestGenerator(seed: seed)
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
    let text = try output(of: "sox", [path, "-n"] + trim + ["stats"])
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(label) })
    let values = line.dropFirst(label.count).split(separator: " ").compactMap { Double($0) }
    return values.count > 1 ? Array(values.dropFirst()) : values
  }
}
