import Foundation
import JSON
import TestSupport

/// A tool of `Tests/Tools` that serves on a port of loopback for as long as its standard input is open.
final class DubPeer {
  let port: Int
  private let process = Process()
  private let life = Pipe()

  init(_ tool: String, _ arguments: [String]) throws {
    let script = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Tools/\(tool)").standardizedFileURL
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: Self.python)
    process.arguments = [script.path] + arguments
    process.standardInput = life
    process.standardOutput = output
    try process.run()
    var line = [UInt8]()
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 { line.append(byte) }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.first == "listening", let number = words.last.flatMap({ Int($0) }) else {
      throw Tool.Failure(description: "\(tool) says \(words), not where it listens")
    }
    port = number
  }

  deinit {
    try? life.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Debian's, for which python3-websockets is packaged, whatever else is in the path.
  static let python = "/usr/bin/python3"

  /// Whether the reference service can run here.
  static let hasService =
    (try? Tool.run(python, ["-c", "import websockets"]).status) == 0
    && (try? Tool.run("espeak-ng", ["--version"]).status) == 0
}

/// A device without microphone noise, whose speaker's sound is kept, and streams for it.
struct DubStage {
  let folder: TemporaryFolder
  let mynah: Mynah
  /// What came out of the speaker.
  let sound: String

  init() throws {
    folder = TemporaryFolder()
    sound = folder.file("heard.wav")
    var mynah = Mynah(folder: folder)
    mynah.speaker = sound
    mynah.microphone = "silence"
    self.mynah = mynah
  }

  /// Serves a stream that a tool makes in a folder of its own.
  func stream(by tool: String = "dub_stream.py", _ arguments: [String]) throws -> (peer: DubPeer, address: String) {
    let media = folder.file("stream")
    try FileManager.default.createDirectory(atPath: media, withIntermediateDirectories: true)
    let peer = try DubPeer(tool, [media] + arguments)
    return (peer, "http://127.0.0.1:\(peer.port)/master.m3u8")
  }
}

/// Scenarios of dubbed playback, each on a stage of its own.
protocol DubScenario {
  var stage: DubStage { get }
}

extension DubScenario {
  var folder: TemporaryFolder { stage.folder }
  var mynah: Mynah { stage.mynah }
  var sound: String { stage.sound }

  func stream(_ arguments: String...) throws -> (peer: DubPeer, address: String) { try stage.stream(arguments) }

  /// When which rung was told to be heard.
  func rungs(_ run: Mynah.Run) -> [(time: Double, rung: String)] {
    var rungs: [(time: Double, rung: String)] = []
    for event in run.events("onDubbingStatus") where event.data["state"] == "playing" {
      let rung = event.data["rung"]?.stringValue ?? ""
      if rungs.last?.rung != rung { rungs.append((event.time, rung)) }
    }
    return rungs
  }
}

/// Certificates of servers and of an authority that openssl makes: `good`, `expired`, `future` and `other` (another name).
struct Certificates {
  private let folder: String

  init(in scratch: TemporaryFolder) throws {
    folder = scratch.file("certificates")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let script = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../NetworkTests/Peers/certificates.sh")
    try Tool.succeed("sh", [script.standardizedFileURL.path, folder])
  }

  func path(_ name: String) -> String { "\(folder)/\(name)" }
}

/// What came out of the speaker, as sox decodes it.
struct Heard {
  /// One channel at 48 kHz.
  let samples: [Float]

  init(_ path: String) throws {
    let folder = TemporaryFolder()
    try Tool.succeed(
      "sox", [path, "-r", "48000", "-c", "1", "-e", "float", "-b", "32", "-t", "raw", folder.file("raw")])
    let data = try Data(contentsOf: URL(fileURLWithPath: folder.file("raw")))
    samples = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  /// Longest stretch from one time to another in which nothing is louder than −60 dB, in milliseconds.
  func longestSilence(from start: Double, to end: Double) -> Double {
    var longest = 0
    var run = 0
    for sample in samples[index(start)..<index(end)] {
      run = abs(sample) < 0.001 ? run + 1 : 0
      longest = max(longest, run)
    }
    return Double(longest) / 48
  }

  /// Amplitude of a frequency around a time, over 100 ms (Goertzel's algorithm).
  func amplitude(of frequency: Double, at time: Double) -> Double {
    let span = samples[index(time - 0.05)..<index(time + 0.05)]
    guard !span.isEmpty else { return 0 }
    let turn = 2 * Double.pi * frequency / 48_000
    var (last, before) = (0.0, 0.0)
    for sample in span {
      let next = Double(sample) + 2 * cos(turn) * last - before
      (before, last) = (last, next)
    }
    let power = last * last + before * before - 2 * cos(turn) * last * before
    return 2 * max(0, power).squareRoot() / Double(span.count)
  }

  private func index(_ time: Double) -> Int { min(samples.count, max(0, Int(time * 48_000))) }
}
