import Foundation
import JSON
import TestSupport

/// When a recording is to be killed.
struct Killing: Sendable {
  let number: Int
  let format: String
  /// Seconds after the take has been announced, or after REC.
  let delay: Double
  /// Seconds after the start at which REC is pressed.
  var press = 0.3
  var isSincePress = false

  /// As many as asked for, half of them AAC, half WAV, always the same ones.
  static func all(_ count: Int, seed: UInt64) -> [Killing] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map {
      Killing(number: $0, format: $0 % 2 == 0 ? "aac" : "wav", delay: .random(in: 0.4...3, using: &generator))
    }
  }
}

/// A take whose recording was killed, and what is left of it.
struct KilledTake: Sendable {
  let killing: Killing
  let file: URL
  /// The file as it was right after the kill.
  let found: URL
  /// Frames that belong to the take and that the microphone had heard at the instant of the kill.
  let delivered: Int
  /// Seconds that the machine kept the process waiting in its last half second, or since before the press, over all its
  /// threads.
  let lateness: Double
  /// Frames of sound that ffmpeg decodes before anybody has mended anything.
  var playable = 0
  /// Frames that the metadata states after recovery.
  var kept = 0
  /// What is wrong, in sentences.
  var problems: [String] = []

  /// Seconds that are missing in the file as it was found.
  var loss: Double { Double(delivered - playable) / 48_000 }
  /// Seconds that are missing after recovery.
  var lossAfterRecovery: Double { Double(delivered - kept) / 48_000 }
  /// The machine was too busy to tell what the device would have done.
  var isDoubtful: Bool {
    max(loss, lossAfterRecovery) > KilledDevice.allowedLoss && lateness > KilledDevice.notableLateness(of: killing)
  }
  /// Seconds that may be missing. A machine that is too busy even when it is asked again is not the device's fault.
  var allowedLoss: Double { KilledDevice.allowedLoss + (isDoubtful ? lateness : 0) }
}

/// One device that is killed again and again, always in the same data directory.
struct KilledDevice: Sendable {
  private let mynah: Mynah
  private let said: Data

  /// Seconds that may be missing.
  static let allowedLoss = 0.5
  /// Below this the machine was in time, and what is missing is the device's fault. After a press a tenth of a second of the
  /// processor encodes five of sound (docs/manual/files.md), so less of it counts.
  static func notableLateness(of killing: Killing) -> Double { killing.isSincePress ? 0.01 : 0.05 }
  /// Samples by which a place in noise is recognised.
  private static let needle = 64
  /// Frames that libavcodec's AAC encoder puts before the sound, and that a player of a cut-off file plays.
  private static let primingFrames = 1024

  /// - Parameter said: the 16-bit stereo samples of the file that is the microphone.
  init(microphone: String, said: Data) throws {
    var mynah = Mynah(folder: TemporaryFolder())
    mynah.clock = "real"
    mynah.microphone = microphone
    self.mynah = mynah
    self.said = said
  }

  /// Records, kills, and keeps a copy of the take as it is found then.
  func record(_ killing: Killing) throws -> KilledTake {
    let script = mynah.folder.url.appendingPathComponent("kill.txt")
    let text = """
      0.0 call settings.set {"recording.format":"\(killing.format)"}
      \(killing.press) press REC
      60 quit
      """
    try text.write(to: script, atomically: false, encoding: .utf8)
    let begun = Monotonic.now
    let live = try LiveMynah(mynah.arguments(script: script))
    if killing.isSincePress { return try recordFromPress(killing, live, begun: begun) }
    let started = try live.wait(for: "onTakeStarted")
    guard let pressed = live.events.last(where: { $0.data["to"]?.stringValue == "dictaphone.recording" })?.time,
      let before = started.data["preRecordedFrames"]?.integerValue, let id = started.data["id"]?.stringValue
    else { throw Tool.Failure(description: "no take was announced as it should be: \(live.events)") }
    Monotonic.sleep(until: started.time + killing.delay - 0.5)
    let waited = live.secondsKeptWaiting
    Monotonic.sleep(until: started.time + killing.delay)
    let lateness = live.secondsKeptWaiting - waited
    let killed = live.kill()
    return try found(id, of: killing, delivered: Int((killed - pressed) * 48_000) + before, lateness: lateness)
  }

  /// The same, counted from the press: what was heard before it is still being encoded.
  private func recordFromPress(_ killing: Killing, _ live: LiveMynah, begun: Double) throws -> KilledTake {
    // The script's clock starts some time after the process, so that this is before the press.
    Monotonic.sleep(until: begun + killing.press - 0.2)
    let waited = live.secondsKeptWaiting
    let pressed = try live.wait(for: "onModeChanged") { $0.data["to"] == "dictaphone.recording" }.time
    Monotonic.sleep(until: pressed + killing.delay)
    let lateness = live.secondsKeptWaiting - waited
    let killed = live.kill()
    let started = try? live.wait(for: "onTakeStarted")
    let names = try FileManager.default.contentsOfDirectory(atPath: mynah.recordings.path)
    guard let id = names.filter({ $0.hasSuffix(".m4a") || $0.hasSuffix(".wav") }).max() else {
      throw Tool.Failure(description: "nothing is on the storage \(killing.delay) s after REC")
    }
    let before = started?.data["preRecordedFrames"]?.integerValue ?? 0
    return try found(id, of: killing, delivered: Int((killed - pressed) * 48_000) + before, lateness: lateness)
  }

  /// A take, and a copy of its file as it was found.
  private func found(_ id: String, of killing: Killing, delivered: Int, lateness: Double) throws -> KilledTake {
    let take = KilledTake(
      killing: killing, file: mynah.recordings.appendingPathComponent(id),
      found: mynah.folder.url.appendingPathComponent("found-\(id)"), delivered: delivered, lateness: lateness)
    try FileManager.default.copyItem(at: take.file, to: take.found)
    return take
  }

  /// Plays the takes as they were found, recovers, and plays them again.
  func judge(_ takes: inout [KilledTake]) throws {
    for index in takes.indices {
      let frames = listen(to: takes[index].found, of: &takes[index]).count / 2
      takes[index].playable = max(0, frames - (takes[index].killing.format == "aac" ? Self.primingFrames : 0))
    }
    try Tool.succeed(Mynah.executable.path, ["library", "repair", "--data", mynah.data.path])
    try Tool.succeed(Mynah.executable.path, ["library", "verify", "--data", mynah.data.path])
    for index in takes.indices {
      // Killed before its first fragment (on a starved machine), a take is nothing, and recovery removes it.
      if takes[index].playable == 0, !FileManager.default.fileExists(atPath: takes[index].file.path) { continue }
      let meta = try Metadata(of: takes[index].file)
      takes[index].kept = meta["frames"]?.integerValue ?? 0
      if meta["stopReason"]?.stringValue != "recovered" {
        takes[index].problems.append("stopReason is \(meta["stopReason"] ?? .null)")
      }
      let decoded = listen(to: takes[index].file, of: &takes[index]).count / 2
      if decoded < takes[index].kept {
        takes[index].problems.append("only \(decoded) of \(takes[index].kept) frames can be decoded")
      }
      let stated = try Int(Sound.field("duration_ts", of: takes[index].file))
      if stated != takes[index].kept {
        takes[index].problems.append("the file states \(stated ?? -1) frames, the metadata \(takes[index].kept)")
      }
    }
  }

  /// Decodes a file as anybody would who takes the card out.
  private func listen(to file: URL, of take: inout KilledTake) -> [Int16] {
    do {
      let heard = try Sound.samples(file)
      if take.killing.format == "wav", !isPartOfWhatWasSaid(heard) {
        take.problems.append("what can be decoded is not what was said")
      }
      return heard
    } catch {
      take.problems.append("cannot be played: \(error)")
      return []
    }
  }

  /// Whether this is, bit by bit, one stretch of what was said.
  private func isPartOfWhatWasSaid(_ heard: [Int16]) -> Bool {
    guard heard.count >= Self.needle else { return heard.isEmpty }
    let bytes = heard.withUnsafeBytes { Data($0) }
    guard let found = said.range(of: bytes.prefix(Self.needle * 2)), found.lowerBound % 4 == 0,
      found.lowerBound + bytes.count <= said.count
    else { return false }
    return said[found.lowerBound..<(found.lowerBound + bytes.count)] == bytes
  }
}
