import Foundation
import JSON
import TestSupport
import Testing

/// A device in virtual time that is told what to do by a script, and what came of it as other programs see it.
struct ScriptBench {
  let folder = TemporaryFolder()
  var mynah: Mynah { Mynah(folder: folder) }

  /// A device with one foreign take, 30 s of a tone of 440 Hz, whose speaker is kept.
  func player() throws -> Mynah {
    var mynah = mynah
    try FileManager.default.createDirectory(at: mynah.recordings, withIntermediateDirectories: true)
    try Tool.succeed(
      "sox",
      [
        "-n", "-r", "48000", "-c", "2", "-b", "16", mynah.recordings.appendingPathComponent("tone.wav").path,
        "synth", "30", "sine", "440", "vol", "0.25",
      ])
    mynah.microphone = "silence"
    mynah.speaker = folder.file("heard.wav")
    return mynah
  }

  @discardableResult
  func run(_ mynah: Mynah, _ script: String, _ extra: [String] = []) throws -> Mynah.Run {
    let run = try mynah.run(script, extra)
    try #require(run.status == 0, "\(run.errors)")
    return run
  }

  func results(_ run: Mynah.Run, of method: String) -> [JSONValue] {
    run.events("result").filter { $0.data["method"]?.stringValue == method }.compactMap { $0.data["result"] }
  }

  /// Where the player was whenever it was asked.
  func places(_ run: Mynah.Run) -> [Double] {
    results(run, of: "player.status").compactMap { $0["seconds"]?.numberValue }
  }

  /// Seconds, by ffprobe.
  func duration(_ file: URL) throws -> Double {
    let said = try Tool.succeed(
      "ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", file.path])
    return Double(said.trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
  }

  /// What sox finds in the speaker's sound of one channel between two seconds: its level, as root mean square of 1, and
  /// its pitch in Hz.
  func heard(_ from: Double, _ to: Double, channel: Int = 1) throws -> (level: Double, pitch: Double) {
    let said = try Tool.run(
      "sox", [folder.file("heard.wav"), "-n", "remix", "\(channel)", "trim", "\(from)", "=\(to)", "stat"])
    func number(_ name: String) -> Double {
      said.errors.split(separator: "\n").first { $0.hasPrefix(name) }.flatMap {
        Double($0.split(separator: " ").last ?? "")
      } ?? -1
    }
    return (number("RMS     amplitude"), number("Rough   frequency"))
  }
}
