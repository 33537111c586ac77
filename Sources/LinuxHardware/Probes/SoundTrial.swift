internal import Glibc
internal import Hardware

/// A sound device that is opened and run for a moment, then given back.
protocol SoundTrial: AnyObject {
  func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant
  /// Runs it for some tenths of a second, with what `open` has granted.
  func run(_ grant: SoundGrant) throws(DeviceError) -> SoundOutcome
}

/// The result of a trial.
struct SoundOutcome {
  /// Frames that went through.
  var frames: Int
  /// For people: `first sound after 33 ms`.
  var text: String
  /// Every sample was exactly nought: no real converter is that quiet.
  var isSilent = false
  var facts: [String: Fact] = [:]
}

/// Listens.
final class MicrophoneTrial: SoundTrial {
  private static let length: Int64 = 400_000_000

  private let microphone: ALSAMicrophone

  init(pcm: String) { microphone = ALSAMicrophone(pcm: pcm) }

  deinit { microphone.close() }

  func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant { try microphone.open(request) }

  func run(_ grant: SoundGrant) throws(DeviceError) -> SoundOutcome {
    let channels = grant.format.channels
    let ring = CaptureRing(frames: grant.format.sampleRate, channels: channels, blocks: 1024)
    let begin = Monotonic.now
    try microphone.start(into: ring)
    defer { microphone.close() }
    var heard = Heard(channels: channels)
    var first: Int64?
    // A device with long periods gets the time for two of them.
    let period = grant.format.duration(ofFrames: grant.periodFrames).nanoseconds
    let end = begin + max(Self.length, 3 * period)
    while Monotonic.now < end {
      usleep(1000)
      while let block = ring.blocks.pointee.read() {
        if block.kind == .lost {
          throw DeviceError(
            .lost, device: microphone.pcm, operation: "keep it open", code: block.code, hint: "plug it in again")
        }
        let now = Monotonic.now
        if first == nil { first = now - begin }
        heard.take(block, from: ring, now: now)
      }
    }
    let priority = microphone.scheduling.map { "\($0)" } ?? ""
    let counters = microphone.counters
    let delay = heard.delays.p50 / 1000
    return SoundOutcome(
      frames: heard.frames,
      text: "first sound after \((first ?? 0) / 1_000_000) ms, in hand \(delay) µs after a period; peak "
        + "\(heard.peakText) dB; \(counters.xruns) overruns; \(priority)",
      isSilent: heard.peak == 0,
      facts: [
        "framesHeard": .integer(heard.frames), "firstSoundMicroseconds": .integer(Int((first ?? 0) / 1000)),
        "deliveryP50Microseconds": .integer(delay), "deliveryMaxMicroseconds": .integer(heard.delays.maximum / 1000),
        "peakDecibels": .number(heard.peakDecibels), "xruns": .integer(counters.xruns), "thread": .text(priority),
      ])
  }
}

/// What a microphone has delivered.
private struct Heard {
  let channels: Int
  var frames = 0
  var peak: Float = 0
  private var waits: [Int] = []
  private var samples: [Float] = []

  init(channels: Int) { self.channels = channels }

  var delays: Quantiles { Quantiles(waits) }
  /// −144 for exact silence.
  var peakDecibels: Double { peak > 0 ? max(-144, 20 * log10(Double(peak))) : -144 }
  var peakText: String { "\(Int(peakDecibels.rounded()))" }

  mutating func take(_ block: CaptureBlock, from ring: CaptureRing, now: Int64) {
    guard block.kind == .sound else { return }
    let count = Int(block.frames) * channels
    if samples.count < count { samples = Array(repeating: 0, count: count) }
    let got = samples.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { ring.samples.pointee.read(into: $0, count: count) } ?? 0
    }
    for sample in samples[..<got] { peak = max(peak, abs(sample)) }
    frames += got / channels
    waits.append(Int(max(0, now - block.end.nanoseconds)))
  }
}

/// Plays silence.
final class SpeakerTrial: SoundTrial {
  private static let length: Int64 = 300_000_000

  private let speaker: ALSASpeaker

  init(pcm: String) { speaker = ALSASpeaker(pcm: pcm) }

  deinit { speaker.close() }

  func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant { try speaker.open(request) }

  func run(_ grant: SoundGrant) throws(DeviceError) -> SoundOutcome {
    let rate = grant.format.sampleRate
    let ring = UnsafeMutablePointer<RenderRing>.allocate(capacity: 1)
    ring.initialize(to: RenderRing(frames: rate / 2, channels: grant.format.channels, rampFrames: rate / 200))
    defer {
      speaker.close()
      ring.deinitialize(count: 1)
      ring.deallocate()
    }
    try speaker.start(from: ring)
    let length = max(Self.length, 3 * grant.format.duration(ofFrames: grant.bufferFrames).nanoseconds)
    usleep(UInt32(clamping: length / 1000))
    let counters = speaker.counters
    let isLost = speaker.isLost
    let delay = ring.pointee.deviceDelayFrames * 1_000_000 / max(1, rate)
    if isLost {
      throw DeviceError(.lost, device: speaker.pcm, operation: "keep it open", hint: "plug it in again")
    }
    let priority = speaker.scheduling.map { "\($0)" } ?? ""
    return SoundOutcome(
      frames: counters.frames, text: "heard \(delay / 1000) ms after it is written; \(priority)",
      facts: [
        "framesPlayed": .integer(counters.frames), "latencyMicroseconds": .integer(delay),
        "xruns": .integer(counters.xruns), "thread": .text(priority),
      ])
  }
}
