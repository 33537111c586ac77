import Foundation
import Testing

/// The process ends without a word while it records: what was said is in the take.
@Suite("A kill while recording", .serialized)
struct KillTests {
  /// Devices that are killed side by side.
  private static let devices = 12

  @Test("at any of 200 instants leaves a take that plays at once and is at most 0.5 s short")
  func killedAtRandomInstants() async throws {
    let folder = try ScratchFolder()
    let microphone = folder.path("in.wav")
    let noise = Sound.noise(frames: 48_000 * 30, channels: 2)
    try Sound.write(noise, channels: 2, to: microphone)
    let said = noise.withUnsafeBytes { Data($0) }
    let killings = Killing.all(200, seed: 2)
    let shares = (0..<Self.devices).map { device in killings.filter { $0.number % Self.devices == device } }

    let outcomes = await onThreads(shares) { share in
      Result {
        let scratch = try ScratchFolder()
        return try KilledDevice(folder: scratch, microphone: microphone, said: said).run(share)
      }
    }
    var takes: [KilledTake] = []
    for outcome in outcomes {
      let (some, retries) = try outcome.get()
      takes += some
      for retry in retries { print(retry) }
    }
    #expect(takes.count == killings.count)
    for format in ["aac", "wav"] { report(takes.filter { $0.killing.format == format }, format) }
    for take in takes {
      let what = "kill \(take.killing.number), \(take.killing.format), \(take.killing.delay) s: \(take)"
      #expect(take.problems.isEmpty, "\(what)")
      #expect(take.loss <= KilledDevice.allowedLoss, "\(what)")
      #expect(take.lossAfterRecovery <= KilledDevice.allowedLoss, "\(what)")
      // Nothing is invented: AAC comes in packets of 1024 frames, and ffmpeg plays the encoder's delay in a cut-off file.
      #expect(take.lossAfterRecovery >= -0.001, "\(what)")
    }
  }

  private func report(_ takes: [KilledTake], _ format: String) {
    let raw = takes.map(\.loss).sorted()
    let recovered = takes.map(\.lossAfterRecovery).sorted()
    guard let most = raw.last, let mostRecovered = recovered.last else { return }
    print(
      "\(format): \(takes.count) kills; seconds missing as found: median \(raw[raw.count / 2]), most \(most);",
      "after recovery: median \(recovered[recovered.count / 2]), most \(mostRecovered)")
  }
}
