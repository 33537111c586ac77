import Foundation
import Hardware
import Media
import Recording
import SimulatedHardware
import TestSupport

@testable import Clips

/// A clip of numbered pictures, read back: what it shows, when.
struct ClipContent {
  struct Shown {
    var number: Int
    /// When the simulated camera took it, seconds since the origin.
    var taken: Double
    /// When it is shown, seconds from the clip's start.
    var at: Double
  }

  let reader: ClipReader
  let shown: [Shown]

  init(_ bench: Bench, _ id: String) throws {
    let file = try bench.storage.open("clips/\(id)", writable: false)
    defer { file.close() }
    reader = try ClipReader(file)
    let bytes = try bench.bytes(of: id)
    var (shown, before) = ([Shown](), 0)
    for edit in reader.shown {
      let seen = reader.pictures.filter { edit.contains($0.seen) }
      shown += seen.sorted { $0.seen < $1.seen }.compactMap { sample in
        NumberedSource.read(Array(bytes[sample.offset..<(sample.offset + sample.bytes)])).map {
          Shown(number: $0.number, taken: $0.time, at: Double(before + sample.seen - edit.lowerBound) / 90_000)
        }
      }
      before += edit.count
    }
    self.shown = shown
  }

  /// Steps from picture to picture, seconds.
  var steps: [Double] { zip(shown, shown.dropFirst()).map { $1.at - $0.at } }

  /// Whether every picture from the first to the last is there once.
  var isUnbroken: Bool { zip(shown, shown.dropFirst()).allSatisfy { $1.number == $0.number + 1 } }

  /// When bursts of `BeepSource` begin in the decoded sound, seconds from the clip's start.
  static func beeps(_ path: String, rate: Int = 16_000) throws -> [Double] {
    let result = try Tool.run("ffmpeg", ["-v", "error", "-i", path, "-vn", "-ac", "1", "-f", "f32le", "-"])
    let samples = result.data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    var beeps: [Double] = []
    var quiet = rate / 10
    for (index, sample) in samples.enumerated() {
      if abs(sample) > 0.15 {
        // The first sample after a tenth of a second of silence; one at the very start may be half a burst.
        if quiet >= rate / 10, index > rate / 100 { beeps.append(Double(index) / Double(rate)) }
        quiet = 0
      } else {
        quiet += 1
      }
    }
    return beeps
  }
}
