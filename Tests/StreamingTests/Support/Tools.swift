import Foundation
import TestSupport

struct ToolFailed: Error {
  var text: String
}

/// Runs ffmpeg in a folder; what it writes to standard output comes back.
@discardableResult
func ffmpeg(_ folder: TemporaryFolder, _ arguments: [String]) throws -> Data {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["ffmpeg", "-nostdin", "-v", "error", "-y"] + arguments
  process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
  process.standardInput = FileHandle.nullDevice
  let errors = folder.file("errors-" + UUID().uuidString)
  _ = FileManager.default.createFile(atPath: errors, contents: nil)
  let output = Pipe()
  process.standardOutput = output
  process.standardError = FileHandle(forWritingAtPath: errors)
  try process.run()
  let data = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw ToolFailed(
      text: arguments.joined(separator: " ") + ": "
        + String(decoding: FileManager.default.contents(atPath: errors) ?? Data(), as: UTF8.self))
  }
  return data
}

/// A file's sound as ffmpeg decodes it: 48 kHz, interleaved stereo.
func reference(_ folder: TemporaryFolder, _ name: String, _ options: [String] = []) throws -> [Float] {
  let data = try ffmpeg(folder, options + ["-i", name, "-f", "f32le", "-ar", "48000", "-ac", "2", "-"])
  return data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
}

/// Sound with no two stretches alike: rising tones, another one in each channel.
func tones(_ seconds: Double, rate: Int = 48_000, from base: Int = 300) -> [String] {
  let left = "0.4*sin(2*PI*(\(base)*t+40*t*t))"
  let right = "0.4*sin(2*PI*(\(base + 200)*t+30*t*t))"
  return ["-f", "lavfi", "-i", "aevalsrc=\(left)|\(right):s=\(rate):d=\(seconds)"]
}

/// The largest difference of two stretches of sound; more than anything if their lengths differ.
func difference(_ left: some Collection<Float>, _ right: some Collection<Float>) -> Float {
  let (left, right) = (Array(left), Array(right))
  guard left.count == right.count else { return .infinity }
  var largest: Float = 0
  left.withUnsafeBufferPointer { left in
    right.withUnsafeBufferPointer { right in
      var place = 0
      while place < left.count {
        let distance = abs(left[place] - right[place])
        if !(distance <= largest) { largest = distance }
        place += 1
      }
    }
  }
  return largest
}
