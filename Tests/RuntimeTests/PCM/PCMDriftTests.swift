import Foundation
import Hardware
import Recording
import SimulatedHardware
import Sound
import Synchronization
import Testing

@testable import Runtime

/// Row S4: clients that insist on a rate, on devices that have another one and a crystal of their own, for an hour.
@Suite struct PCMDriftTests {
  /// An hour by MYNAH_DRIFT_SECONDS=3600; two minutes else, for it takes a core.
  private static let hour = Double(ProcessInfo.processInfo.environment["MYNAH_DRIFT_SECONDS"] ?? "") ?? 120

  private static func request(_ rate: Int) -> SoundRequest {
    SoundRequest(
      format: PCMFormat(sampleRate: rate, channels: 1), periodFrames: rate / 100, bufferFrames: rate / 50)
  }

  /// A tone that a table holds: cheap, and every step of it is small.
  private static func tone(_ rate: Int) -> [Float] {
    (0..<rate / 100).map { Float(0.5 * sin(2 * .pi * Double($0) * 100 / Double(rate))) }
  }

  @Test(arguments: [(8000, 48_000, 100.0), (48_000, 8000, -100.0)])
  func `S4: a reader has its frames of an hour, without a gap and in time`(device: Int, rate: Int, ppm: Double) throws {
    let clock = VirtualClock()
    let table = Self.tone(device)
    let source = FunctionSource(format: PCMFormat(sampleRate: device, channels: 1)) { frame, _ in
      table[frame % table.count]
    }
    let microphone = SimulatedMicrophone(
      source: source, clock: clock, origin: .zero, clockError: ClockError(partsPerMillion: ppm))
    let input = CaptureInput(microphone: microphone, request: Self.request(device), historySeconds: 0) { _ in }
    let listener = PCMListener(
      PCMHello(isPlayer: false, format: PCMFormat(sampleRate: rate, channels: 1), samples: .s16))
    let peer = PCMPeer()
    var next = 0
    var worst = 0.0
    var holes = 0
    while clock.now.seconds < Self.hour {
      _ = input.step(now: clock.now)
      listener.step(input, to: peer)
      guard let at = microphone.step(now: clock.now) else { break }
      clock.advance(to: at)
    }
    let heads = peer.heads
    let start = try #require(heads.first)
    for head in heads {
      if head.frame != next || head.lost > 0 { holes += 1 }
      next = head.frame + head.bytes / 2
      worst = max(worst, abs((head.at - start.at).inSeconds - Double(head.frame) / Double(rate)))
    }
    #expect(holes == 0)
    let end = try #require(heads.last)
    #expect(abs(Double(end.frame) - (end.at - start.at).inSeconds * Double(rate)) < Double(rate) / 1000)
    #expect(Double(end.frame) > (Self.hour - 1) * Double(rate))
    #expect(worst < 0.002, "off by \(worst) s")
    // A step of the tone, and what rounding adds.
    #expect(peer.largestStep < 0.5 * 2 * .pi * 100 / Float(rate) * 1.1 + 0.001)
  }

  @Test(arguments: [(8000, 48_000), (48_000, 8000), (48_000, 48_000)])
  func `S4: a writer has the speaker until the last of its sound is heard`(device: Int, rate: Int) throws {
    let clock = VirtualClock()
    let speaker = SimulatedSpeaker(onlyRate: device, clock: clock, origin: .zero)
    // What the device has taken is heard 100 ms later.
    let request = SoundRequest(
      format: PCMFormat(sampleRate: device, channels: 1), periodFrames: device / 10, bufferFrames: device / 5)
    let end = Mutex(Instant.zero)
    speaker.listen { start, samples, format in
      guard let last = samples.lastIndex(where: { abs($0) > 0.01 }) else { return }
      end.withLock { $0 = start + format.duration(ofFrames: last / format.channels + 1) }
    }
    let writer = PCMWriter(
      PCMHello(isPlayer: true, format: PCMFormat(sampleRate: rate, channels: 1), samples: .s16),
      speaker: speaker, request: request)
    let peer = PCMPeer()
    let tone = Self.tone(rate)
    var table: [UInt8] = []
    PCMSamples.s16.pack(tone, count: tone.count, to: &table)
    var left = 50
    while !writer.isDone, clock.now.seconds < 5 {
      while left > 0, writer.hasRoom {
        writer.add(table)
        left -= 1
      }
      if left == 0 { writer.end() }
      _ = writer.step(now: clock.now, peer)
      _ = speaker.step(now: clock.now)
      clock.advance(to: clock.now + .milliseconds(1))
    }
    let heard = end.withLock { $0 }
    #expect(writer.isDone && heard.seconds > 0.49 && clock.now >= heard, "\(clock.now.seconds) \(heard.seconds)")
  }

  @Test(arguments: [(8000, 48_000, 100.0), (48_000, 8000, -100.0)])
  func `S4: a writer at the system's pace is heard for an hour, without a gap or a growing queue`(
    device: Int, rate: Int, ppm: Double
  ) throws {
    let clock = VirtualClock()
    let speaker = SimulatedSpeaker(onlyRate: device, clock: clock, origin: .zero)
    speaker.drift(partsPerMillion: ppm, at: .zero)
    let heard = Mutex((last: Float(0), step: Float(0), frames: 0))
    speaker.listen { _, samples, _ in
      heard.withLock { heard in
        for sample in samples {
          heard.step = max(heard.step, abs(sample - heard.last))
          heard.last = sample
        }
        heard.frames += samples.count
      }
    }
    let request = Self.request(device)
    let session = SessionSpeaker(speaker, board: request, session: BaselineSession())
    let spoken = SpokenSpeaker(session, request: request, clock: clock) {}
    let writer = PCMWriter(
      PCMHello(isPlayer: true, format: PCMFormat(sampleRate: rate, channels: 1), samples: .s16),
      speaker: spoken.makeGuest(), request: request)
    let peer = PCMPeer()
    var table: [UInt8] = []
    let tone = Self.tone(rate)
    PCMSamples.s16.pack(tone, count: tone.count, to: &table)
    var sent = 0
    var held = 0
    var behind: [Int] = []
    var looked = 0.0
    while clock.now.seconds < Self.hour {
      // 10 ms of sound are there every 10 ms.
      while (sent + 1) * rate / 100 <= Int(clock.now.seconds * Double(rate)), writer.hasRoom {
        writer.add(table)
        sent += 1
      }
      held = max(held, Int(clock.now.seconds * 100) - sent)
      _ = writer.step(now: clock.now, peer)
      _ = speaker.step(now: clock.now)
      if clock.now.seconds >= looked {
        looked += 60
        behind.append(Int(clock.now.seconds * Double(rate)) - writer.heard)
      }
      clock.advance(to: clock.now + .milliseconds(10))
    }
    #expect(writer.lost == 0)
    #expect(held <= 1)
    // From a minute on nothing moves: 2 ms of the client's frames, beside the period in which they are counted. A device
    // of a lower rate than was asked for has as many frames in it, and so a longer one.
    let period = max(rate, device) / 100 * rate / device
    let span = (behind.dropFirst(2).max() ?? 0) - (behind.dropFirst(2).min() ?? 0)
    #expect(span <= rate * 2 / 1000 + period, "\(behind)")
    let (_, step, frames) = heard.withLock { $0 }
    #expect(step < 0.5 * 2 * .pi * 100 / Float(device) * 1.1 + 0.001)
    #expect(abs(Double(frames) - Self.hour * Double(device) * (1 + ppm / 1e6)) < Double(device))
  }

  @Test func `A reader that does not take its frames loses counted ones, and the rest are in their place`() throws {
    let clock = VirtualClock()
    let microphone = SimulatedMicrophone(source: ToneSource(frequencies: [440]), clock: clock, origin: .zero)
    let input = CaptureInput(microphone: microphone, request: Self.request(8000), historySeconds: 0) { _ in }
    let listener = PCMListener(
      PCMHello(isPlayer: false, format: PCMFormat(sampleRate: 16_000, channels: 1), samples: .s16))
    let peer = PCMPeer(keeps: true)
    while clock.now.seconds < 4 {
      peer.room = (1.0..<2).contains(clock.now.seconds) ? 0 : .max
      _ = input.step(now: clock.now)
      listener.step(input, to: peer)
      guard let at = microphone.step(now: clock.now) else { break }
      clock.advance(to: at)
    }
    let heads = peer.heads
    #expect(heads.filter { $0.lost > 0 }.count == 1)
    let lost = heads.reduce(0) { $0 + $1.lost }
    #expect((15_500...16_500).contains(lost) && listener.lost == lost)
    var next = 0
    for head in heads {
      #expect(head.frame == next + head.lost)
      next = head.frame + head.bytes / 2
    }
    #expect(peer.samples.count + lost == next)
  }
}
