import Foundation
import Hardware
import SimulatedHardware
import Synchronization
import TestSupport
import Testing

@Suite("Simulated speaker")
struct SimulatedSpeakerTests {
  private final class Heard: Sendable {
    let parts = Mutex<[(at: Instant, samples: [Float])]>([])
  }

  @Test("What is written is heard in its place of the timeline, silence included, and ffprobe reads the file")
  func timeline() throws {
    let folder = TemporaryFolder()
    let path = folder.file("heard.wav")
    let clock = VirtualClock()
    let speaker = SimulatedSpeaker(output: .file(path), clock: clock, origin: .zero)
    let heard = Heard()
    speaker.listen { at, samples, _ in heard.parts.withLock { $0.append((at, Array(samples))) } }
    let ring = UnsafeMutablePointer<RenderRing>.allocate(capacity: 1)
    ring.initialize(to: RenderRing(frames: 48_000, channels: 1, rampFrames: 240))
    defer {
      ring.deinitialize(count: 1)
      ring.deallocate()
    }
    run(clock, until: .at(0.5), [speaker])
    let grant = try speaker.open(request())
    #expect(grant.format == PCMFormat(sampleRate: 48_000, channels: 1, bits: 16))
    let sound = [Float](repeating: 0.5, count: 9600)
    let fits = ring.pointee.write(sound, frames: 9600)
    #expect(fits)
    ring.pointee.setRunning(true)
    try speaker.start(from: ring)
    run(clock, until: .at(1), [speaker])
    #expect(ring.pointee.renderedFrames == 9600)
    #expect(ring.pointee.deviceDelayFrames == period)
    #expect(speaker.counters.xruns > 0)
    speaker.close()
    let parts = heard.parts.withLock { $0 }
    #expect(parts.first?.at == .at(0.5))
    #expect(parts.prefix(10).flatMap(\.samples).dropFirst(240).allSatisfy { $0 == 0.5 })
    let probe = try Tool.succeed(
      "ffprobe",
      ["-v", "error", "-show_entries", "stream=codec_name,sample_rate,duration_ts", "-of", "csv=p=0", path])
    #expect(probe.trimmingCharacters(in: .whitespacesAndNewlines) == "pcm_s16le,48000,48960")
    let data = try Data(contentsOf: URL(fileURLWithPath: path)).dropFirst(44)
    let samples = Array(data).withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    #expect(samples[0..<24_000].allSatisfy { $0 == 0 })
    #expect(samples[24_240..<33_600].allSatisfy { $0 == 16_384 })
    #expect(samples[33_600...].allSatisfy { $0 == 0 })
  }

  @Test("A crystal that is off has its frames heard earlier or later, from the moment on at which it is")
  func drift() throws {
    let clock = VirtualClock()
    let speaker = SimulatedSpeaker(clock: clock, origin: .zero)
    let heard = Heard()
    speaker.listen { at, samples, _ in heard.parts.withLock { $0.append((at, Array(samples))) } }
    let ring = UnsafeMutablePointer<RenderRing>.allocate(capacity: 1)
    ring.initialize(to: RenderRing(frames: 4800, channels: 1, rampFrames: 240))
    defer {
      ring.deinitialize(count: 1)
      ring.deallocate()
    }
    _ = try speaker.open(request())
    try speaker.start(from: ring)
    run(clock, until: .at(10), [speaker])
    speaker.drift(partsPerMillion: 100, at: clock.now)
    run(clock, until: .at(110), [speaker])
    speaker.drift(partsPerMillion: 0, at: clock.now)
    run(clock, until: .at(111), [speaker])
    speaker.close()
    let parts = heard.parts.withLock { $0 }
    let step = Double(period) / 48_000
    func time(_ part: Int) -> Double { parts[part].at.seconds }
    #expect(abs(time(10) - 10 * step) < 1e-6)
    // 100 s of its clock take 10 ms less.
    let late = parts.count - 2
    #expect(abs(Double(late) * step - time(late) - 0.01) < 1e-4)
    #expect(zip(parts, parts.dropFirst()).allSatisfy { $1.at > $0.at })
  }

  @Test("Unplugged it is lost, and it opens again only when it is back")
  func unplug() throws {
    let clock = VirtualClock()
    let speaker = SimulatedSpeaker(clock: clock, origin: .zero)
    let ring = UnsafeMutablePointer<RenderRing>.allocate(capacity: 1)
    ring.initialize(to: RenderRing(frames: 4800, channels: 2, rampFrames: 240))
    defer {
      ring.deinitialize(count: 1)
      ring.deallocate()
    }
    _ = try speaker.open(request(channels: 2))
    try speaker.start(from: ring)
    #expect(!speaker.isLost)
    speaker.unplug()
    #expect(speaker.isLost)
    speaker.close()
    #expect(deviceError { _ = try speaker.open(request()) }?.kind == .missing)
    speaker.replug()
    _ = try speaker.open(request())
    #expect(!speaker.isLost)
  }
}
