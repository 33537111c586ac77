import Foundation
import JSON
import TestSupport

/// A saved clip as independent tools see it: pictures decoded by ffmpeg, their burnt-in numbers and clocks read off the
/// pixels, sound as samples.
struct ClipFile {
  /// One decoded picture.
  struct Picture {
    /// What the camera burnt in: its number, and when it was taken, in seconds since the start of the run.
    let number: Int
    let taken: Double
    let isFlash: Bool
    /// When the file shows it, in seconds.
    let shown: Double
  }

  let url: URL
  let pictures: [Picture]
  /// Samples of the first channel, at 48 kHz, from the file's time 0 on.
  let sound: [Float]
  /// What the container says.
  let duration: Double

  init(_ url: URL, width: Int = 320, height: Int = 180) throws {
    self.url = url
    let folder = TemporaryFolder()
    let times = try Tool.succeed(
      "ffprobe",
      ["-v", "error", "-select_streams", "v", "-show_entries", "frame=pts_time", "-of", "csv=p=0", url.path]
    ).split(separator: "\n").compactMap { Double($0.split(separator: ",").first ?? "") }
    // Nothing doubled and nothing dropped on the way: what the file shows is what comes out.
    try Tool.succeed(
      "ffmpeg",
      [
        "-v", "error", "-i", url.path, "-map", "0:v", "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "gray",
        folder.file("pictures"),
      ])
    let reader = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Tools/picture_code.py")
    let lines = try Tool.succeed(
      "python3", [reader.standardizedFileURL.path, "\(width)", "\(height)", folder.file("pictures")]
    ).split(separator: "\n").map { $0.split(separator: " ") }
    guard lines.count == times.count else {
      throw Tool.Failure(description: "\(lines.count) pictures decoded, \(times.count) times told by ffprobe")
    }
    pictures = zip(lines, times).compactMap { words, shown in
      guard words.count == 4, let number = Int(words[1]), let taken = Double(words[2]) else { return nil }
      return Picture(number: number, taken: taken / 1e9, isFlash: words[3] == "1", shown: shown)
    }
    duration =
      Double(
        try Tool.succeed(
          "ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", url.path]
        ).trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    let raw = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", url.path, "-map", "0:a", "-af", "aresample=48000:async=1:first_pts=0", "-ac", "1", "-f",
        "f32le", folder.file("sound"),
      ])
    let bytes = raw.status == 0 ? (try? Data(contentsOf: URL(fileURLWithPath: folder.file("sound")))) ?? Data() : Data()
    sound = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  /// Whether picture follows picture, none missing and none twice.
  var isUnbroken: Bool { zip(pictures, pictures.dropFirst()).allSatisfy { $1.number == $0.number + 1 } }

  /// The largest distance of two pictures in the file from the nominal one, seconds.
  func largestIrregularity(rate: Double) -> Double {
    zip(pictures, pictures.dropFirst()).map { abs($1.shown - $0.shown - 1 / rate) }.max() ?? 0
  }

  /// When bursts of sound begin in the file, seconds.
  var beeps: [Double] {
    var starts: [Double] = []
    var quiet = Int.max
    for (index, value) in sound.enumerated() {
      if abs(value) > 0.1 {
        if quiet > 24_000 { starts.append(Double(index) / 48_000) }
        quiet = 0
      } else if quiet < .max {
        quiet += 1
      }
    }
    // What is sounding at the very start did not begin there.
    return starts.filter { $0 > 0.01 }
  }

  /// How far sound is behind the picture at each beep, seconds: in the world it is at each full second.
  var skews: [Double] {
    guard let first = pictures.first else { return [] }
    return beeps.map { beep in
      let near = pictures.min { abs($0.shown - beep) < abs($1.shown - beep) } ?? first
      let world = near.taken + (beep - near.shown)
      return world - world.rounded()
    }
  }
}

extension Mynah {
  var clips: URL { data.appendingPathComponent("clips") }

  /// The clips that exist, oldest first.
  var clipFiles: [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: clips.path)) ?? []
    return names.filter { $0.hasSuffix(".mp4") }.sorted().map { clips.appendingPathComponent($0) }
  }

  /// A board whose camera is small enough for tests.
  static func smallCamera(in folder: TemporaryFolder, more: String = "") throws -> String {
    let text = """
      inherits = "simulator"
      [camera]
      width = 320
      height = 180
      bitrate_kbps = 400
      \(more)
      """
    try text.write(toFile: folder.file("board.toml"), atomically: true, encoding: .utf8)
    return folder.file("board.toml")
  }
}
