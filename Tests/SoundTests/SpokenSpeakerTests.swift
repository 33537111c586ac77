import Foundation
import Hardware
import Sound
import Synchronization
import Testing

/// A speaker that renders when it is told to, and notes what is done to it.
private final class FakeSpeaker: Speaker {
  let name = "fake"
  private(set) var log: [String] = []
  private(set) var ring: UnsafeMutablePointer<RenderRing>?
  private var format = PCMFormat(sampleRate: 48_000, channels: 2)
  var isLost = false
  var counters = SoundCounters()

  func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant {
    log.append("open \(request.format.sampleRate)")
    format = request.format
    return SoundGrant(
      format: format, periodFrames: 480, bufferFrames: 960, sampleType: "FLOAT_LE", timestamps: "virtual")
  }

  func start(from ring: UnsafeMutablePointer<RenderRing>) throws(DeviceError) {
    log.append("start")
    self.ring = ring
  }

  func close() {
    log.append("close")
    ring = nil
  }

  /// The loudest sample of some periods.
  func peak(periods: Int) -> Float {
    var samples = [Float](repeating: 0, count: 480 * format.channels)
    var peak: Float = 0
    for _ in 0..<periods {
      ring?.pointee.render(into: &samples, frames: 480)
      peak = max(peak, samples.map(abs).max() ?? 0)
    }
    return peak
  }
}

private final class StillClock: DeviceClock {
  private let time = Mutex(Instant.zero)
  var now: Instant { time.withLock { $0 } }
  var wallNow: WallTime { WallTime(seconds: 0) }
  func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }
}

@Suite struct SpokenSpeakerTests {
  private let device = FakeSpeaker()
  private let clock = StillClock()
  private let speaker: SpokenSpeaker
  private static let request = SoundRequest(
    format: PCMFormat(sampleRate: 48_000, channels: 2), periodFrames: 480, bufferFrames: 960)

  init() { speaker = SpokenSpeaker(device, request: Self.request, clock: clock) {} }

  private func say(_ seconds: Double) -> Bool {
    let samples = [Float](repeating: 0.5, count: Int(seconds * 48_000))
    return speaker.say(samples, count: samples.count, in: speaker.turn, isPrivate: false)
  }

  @Test func `The voice opens the device for itself, and gives way to a player, over whose sound it goes on`() throws {
    try speaker.beginVoice()
    try speaker.beginVoice()
    #expect(device.log == ["open 48000", "start"])
    #expect(say(0.3))
    #expect(device.peak(periods: 2) == 0.5)
    let output = SpeakerOutput(speaker: speaker, request: Self.request, chunkFrames: 480)
    _ = try output.open(for: PCMFormat(sampleRate: 44_100, channels: 1))
    #expect(device.log.suffix(3) == ["close", "open 44100", "start"])
    #expect(device.peak(periods: 2) == 0.5)
    // It is the player's now.
    try speaker.beginVoice()
    speaker.endVoice()
    #expect(device.log.last == "start")
    output.close()
    #expect(device.log.last == "close")
    try speaker.beginVoice()
    #expect(device.peak(periods: 2) == 0.5)
  }

  @Test func `What was hushed is not said any more, and the room is quiet soon after`() throws {
    try speaker.beginVoice()
    #expect(speaker.quietFrom == .zero)
    let turn = speaker.turn
    #expect(say(0.5))
    #expect(speaker.quietFrom >= clock.now + .milliseconds(500))
    clock.advance(by: .milliseconds(100))
    speaker.hush()
    let quiet = speaker.quietFrom
    #expect((Duration.milliseconds(250)...Duration.milliseconds(350)).contains(quiet - clock.now))
    let samples: [Float] = [1]
    #expect(!speaker.say(samples, count: 1, in: turn, isPrivate: false))
    _ = device.peak(periods: 1)
    #expect(device.peak(periods: 4) == 0)
  }

  @Test func `What only headphones hear keeps no microphone waiting`() throws {
    try speaker.beginVoice()
    let samples = [Float](repeating: 0.5, count: 480)
    #expect(speaker.say(samples, count: 480, in: speaker.turn, isPrivate: true))
    #expect(speaker.quietFrom == .zero)
  }
}
