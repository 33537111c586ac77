import Foundation
import JSON

/// When a recording is to be killed.
struct Killing: Sendable {
  let number: Int
  let format: String
  /// Seconds after the take has been announced.
  let delay: Double

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
  /// Frames that belong to the take and that the microphone had heard at the instant of the kill.
  let delivered: Int
  /// Seconds that the machine kept the process waiting in its last half second.
  let lateness: Double
  /// Frames that ffmpeg decodes before anybody has mended anything.
  var playable = 0
  /// Frames that the metadata states after recovery.
  var kept = 0
  /// What is wrong, in sentences.
  var problems: [String] = []

  /// Seconds that are missing before recovery.
  var loss: Double { Double(delivered - playable) / 48_000 }
  /// Seconds that are missing after it.
  var lossAfterRecovery: Double { Double(delivered - kept) / 48_000 }
}

/// One device that is killed again and again, always in the same data directory.
struct KilledDevice {
  private let mynah: Mynah
  private let said: Data

  /// Seconds that may be missing.
  static let allowedLoss = 0.5
  /// Below this the machine was in time, and what is missing is the device's fault.
  private static let notableLateness = 0.05
  /// Samples by which a place in noise is recognised.
  private static let needle = 64

  /// - Parameter said: the 16-bit stereo samples of the file that is the microphone.
  init(folder: ScratchFolder, microphone: String, said: Data) {
    var mynah = Mynah(folder: folder)
    mynah.clock = "real"
    mynah.microphone = microphone
    self.mynah = mynah
    self.said = said
  }

  /// Records and kills at every given instant, then recovers; all takes as they are after that.
  func run(_ killings: [Killing]) throws -> (takes: [KilledTake], retries: [String]) {
    var takes: [KilledTake] = []
    var retries: [String] = []
    for killing in killings {
      var take = try record(killing)
      if take.loss > Self.allowedLoss, take.lateness > Self.notableLateness {
        retries.append(
          "kill \(killing.number): \(take.loss) s missing; the machine had kept the process waiting for "
            + "\(take.lateness) s of its last half second")
        take = try record(killing)
      }
      takes.append(take)
    }
    try recover(&takes)
    return (takes, retries)
  }

  private func record(_ killing: Killing) throws -> KilledTake {
    let script = mynah.folder.url.appendingPathComponent("kill.txt")
    let text = """
      0.0 call settings.set {"recording.format":"\(killing.format)"}
      0.3 press REC
      60 quit
      """
    try text.write(to: script, atomically: false, encoding: .utf8)
    let live = try LiveMynah(mynah.arguments(script: script))
    let started = try live.wait(for: "onTakeStarted")
    guard let pressed = live.events.last(where: { $0.data["to"]?.stringValue == "dictaphone.recording" })?.time,
      let before = started.data["preRecordedFrames"]?.integerValue, let id = started.data["id"]?.stringValue
    else { throw Tool.Failure(description: "no take was announced as it should be: \(live.events)") }
    Monotonic.sleep(until: started.time + killing.delay - 0.5)
    let waited = live.secondsKeptWaiting
    Monotonic.sleep(until: started.time + killing.delay)
    let lateness = live.secondsKeptWaiting - waited
    let killed = live.kill()
    var take = KilledTake(
      killing: killing, file: mynah.recordings.appendingPathComponent(id),
      delivered: Int((killed - pressed) * 48_000) + before, lateness: lateness)
    let heard = listen(to: &take)
    take.playable = heard.count / 2
    return take
  }

  /// Decodes a take as anybody would who takes the card out now.
  private func listen(to take: inout KilledTake) -> [Int16] {
    do {
      let heard = try Sound.samples(take.file)
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

  private func recover(_ takes: inout [KilledTake]) throws {
    try Tool.succeed(Mynah.executable.path, ["library", "repair", "--data", mynah.data.path])
    try Tool.succeed(Mynah.executable.path, ["library", "verify", "--data", mynah.data.path])
    for index in takes.indices {
      let meta = try Metadata(of: takes[index].file)
      takes[index].kept = meta["frames"]?.integerValue ?? 0
      if meta["stopReason"]?.stringValue != "recovered" {
        takes[index].problems.append("stopReason is \(meta["stopReason"] ?? .null)")
      }
      let decoded = listen(to: &takes[index]).count / 2
      if decoded < takes[index].kept {
        takes[index].problems.append("only \(decoded) of \(takes[index].kept) frames can be decoded")
      }
      let stated = try Sound.frames(takes[index].file)
      if stated != takes[index].kept {
        takes[index].problems.append("the file states \(stated) frames, the metadata \(takes[index].kept)")
      }
    }
  }
}
