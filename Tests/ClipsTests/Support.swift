import Foundation
import Hardware
import Recording

/// Small, fast, the same on every machine (SplitMix64).
struct Dice: RandomNumberGenerator {
  var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension Instant {
  static func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64((seconds * 1e9).rounded())) }
}

/// A folder that lasts as long as its owner.
final class Folder: Sendable {
  let path: String

  init() {
    path = NSTemporaryDirectory() + "clips-" + UUID().uuidString
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func put(_ bytes: [UInt8], _ name: String) -> String {
    _ = FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data(bytes))
    return "\(path)/\(name)"
  }
}

/// Runs a tool and waits for it. What it says goes through files: reading from a pipe ends in a trap when a signal comes.
func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: Data, error: String) {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [program] + arguments
  let folder = Folder()
  let (output, errors) = (folder.put([], "output"), folder.put([], "errors"))
  process.standardOutput = FileHandle(forWritingAtPath: output)
  process.standardError = FileHandle(forWritingAtPath: errors)
  process.standardInput = FileHandle.nullDevice
  try process.run()
  process.waitUntilExit()
  let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
  return (process.terminationStatus, try Data(contentsOf: URL(fileURLWithPath: output)), text)
}
