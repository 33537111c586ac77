import Hardware
import SimulatedHardware
import TestSupport
import Testing

@Suite("Simulated microphone")
struct SimulatedMicrophoneTests {
  private let clock = VirtualClock()
  private let ring = CaptureRing(frames: 480_000, channels: 1, blocks: 1000)

  private func started(_ source: any SoundSource, at start: Instant = .zero) throws -> SimulatedMicrophone {
    let microphone = SimulatedMicrophone(source: source, clock: clock, origin: .zero)
    clock.advance(to: start)
    _ = try microphone.open(request())
    try microphone.start(into: ring)
    return microphone
  }

  @Test("Blocks come in exact periods, with exact times, and only what has elapsed")
  func exactPeriods() throws {
    let microphone = try started(countingSource())
    var captured = Captured()
    run(clock, until: .at(1.015), [microphone]) { captured.drain(ring) }
    #expect(captured.blocks.count == 50)
    for (index, block) in captured.blocks.enumerated() {
      #expect(block == CaptureBlock(.sound, frames: 960, end: .at(Double(index + 1) * 0.02)))
    }
    let isExact1 = captured.samples == (0..<48_000).map { Float($0 % 30_000) / 32_768 }
    #expect(isExact1)
    #expect(microphone.counters == SoundCounters(frames: 48_000))
  }

  @Test("Whenever it is started, a sample is that of its own time")
  func lateStart() throws {
    let microphone = try started(countingSource(), at: Instant(nanoseconds: 250_000_001))
    var captured = Captured()
    run(clock, until: .at(0.5), [microphone]) { captured.drain(ring) }
    // 0.250000001 s is just after frame 12,000: the first whole frame is 12,001.
    #expect(captured.samples.first == Float(12_001) / 32_768)
    #expect(captured.blocks.first?.end == PCMFormat(sampleRate: 48_000, channels: 1).instant(ofFrame: 12_961))
  }

  @Test("A step that comes late delivers everything at once")
  func lateStep() throws {
    let microphone = try started(countingSource())
    clock.advance(to: .at(3))
    let next = microphone.step(now: clock.now)
    var captured = Captured()
    captured.drain(ring)
    #expect(captured.soundFrames == 144_000)
    #expect(next == .at(3.02))
  }

  @Test("A stall delays sound and loses none")
  func stall() throws {
    let microphone = try started(countingSource())
    var captured = Captured()
    run(clock, until: .at(1.01), [microphone]) { captured.drain(ring) }
    microphone.stall(.seconds(5), at: clock.now)
    run(clock, until: .at(6), [microphone]) { captured.drain(ring) }
    #expect(captured.soundFrames == 48_000)
    run(clock, until: .at(6.02), [microphone]) { captured.drain(ring) }
    #expect(captured.soundFrames == 288_960)
    let isExact2 = captured.samples == (0..<288_960).map { Float($0 % 30_000) / 32_768 }
    #expect(isExact2)
    #expect(captured.blocks.allSatisfy { $0.kind == .sound })
  }

  @Test("An overrun loses exactly its length, and the source runs on underneath")
  func overrun() throws {
    let microphone = try started(countingSource())
    var captured = Captured()
    run(clock, until: .at(1), [microphone]) { captured.drain(ring) }
    microphone.overrun(.milliseconds(300), at: clock.now)
    run(clock, until: .at(2), [microphone]) { captured.drain(ring) }
    let gap = try #require(captured.blocks.firstIndex { $0.kind == .discontinuity })
    #expect(captured.blocks[gap].end == .at(1.3))
    #expect(captured.blocks[gap - 1].end == .at(1))
    #expect(captured.blocks[gap + 1].end == .at(1.32))
    let isExact3 = captured.samples == (Array(0..<48_000) + Array(62_400..<96_000)).map { Float($0 % 30_000) / 32_768 }
    #expect(isExact3)
    #expect(microphone.counters.xruns == 1)
  }

  @Test("Unplugged it says so at once, refuses to open, and comes back")
  func unplug() throws {
    let microphone = try started(countingSource())
    var captured = Captured()
    run(clock, until: .at(1.01), [microphone]) { captured.drain(ring) }
    microphone.unplug(at: clock.now)
    captured.drain(ring)
    #expect(captured.blocks.last?.kind == .lost)
    #expect(captured.blocks.last?.end == .at(1))
    #expect(captured.blocks.last?.code == 19)
    microphone.close()
    #expect(deviceError { _ = try microphone.open(request()) }?.kind == .missing)
    run(clock, until: .at(3), [microphone]) { captured.drain(ring) }
    #expect(captured.soundFrames == 48_000)
    microphone.replug()
    _ = try microphone.open(request())
    try microphone.start(into: ring)
    run(clock, until: .at(4), [microphone]) { captured.drain(ring) }
    #expect(captured.soundFrames == 96_000)
    #expect(captured.samples[48_000] == Float(144_000 % 30_000) / 32_768)
  }

  @Test("A full ring is counted and announced, and what follows is in its place")
  func ringOverflow() throws {
    let small = CaptureRing(frames: 4096, channels: 1, blocks: 100)
    let microphone = SimulatedMicrophone(source: countingSource(), clock: clock, origin: .zero)
    _ = try microphone.open(request())
    try microphone.start(into: small)
    clock.advance(to: .at(1))
    _ = microphone.step(now: clock.now)
    var captured = Captured()
    captured.drain(small)
    #expect(captured.soundFrames == 4 * 960)
    #expect(microphone.counters.ringOverflows == 46)
    run(clock, until: .at(1.1), [microphone]) { captured.drain(small) }
    #expect(captured.blocks[4].kind == .discontinuity)
    #expect(captured.samples[4 * 960] == Float(48_000 % 30_000) / 32_768)
  }

  @Test("A loss that does not fit into the ring is said later, and nothing comes before it")
  func lossWithFullRing() throws {
    let small = CaptureRing(frames: 4096, channels: 1, blocks: 2)
    let microphone = SimulatedMicrophone(source: countingSource(), clock: clock, origin: .zero)
    _ = try microphone.open(request(period: 96))
    try microphone.start(into: small)
    clock.advance(to: .at(1))
    _ = microphone.step(now: clock.now)
    var captured = Captured()
    microphone.unplug(at: clock.now)
    microphone.replug()
    clock.advance(to: .at(2))
    captured.drain(small)
    #expect(captured.blocks.allSatisfy { $0.kind == .sound })
    _ = microphone.step(now: clock.now)
    captured.drain(small)
    #expect(captured.blocks.last?.kind == .lost)
    run(clock, until: .at(3), [microphone]) { captured.drain(small) }
    #expect(captured.blocks.last?.kind == .lost)
  }

  @Test("It grants what a device can do and says what it is")
  func grants() throws {
    let microphone = SimulatedMicrophone(source: SilenceSource(), clock: clock, origin: .zero)
    let wild = try microphone.open(
      SoundRequest(format: PCMFormat(sampleRate: 1, channels: 9, bits: 99), periodFrames: 0, bufferFrames: -1))
    #expect(wild.format == PCMFormat(sampleRate: 8000, channels: 2, bits: 24))
    #expect(wild.periodFrames == 1)
    #expect(deviceError { try microphone.start(into: ring) }?.kind == .unsupported)
  }

  @Test("Every sample is an integer of the granted bits")
  func quantised() throws {
    for bits in [16, 24] {
      let pair = CaptureRing(frames: 48_000, channels: 2, blocks: 100)
      let clock = VirtualClock()
      let microphone = SimulatedMicrophone(source: ToneSource(frequencies: [997, 440]), clock: clock, origin: .zero)
      _ = try microphone.open(request(channels: 2, bits: bits))
      try microphone.start(into: pair)
      var captured = Captured()
      run(clock, until: .at(0.5), [microphone]) { captured.drain(pair) }
      let scale = Float(1 << (bits - 1))
      #expect(captured.samples.count == 48_000)
      #expect(captured.samples.allSatisfy { ($0 * scale).rounded() == $0 * scale })
    }
  }
}

extension PCMFormat {
  func instant(ofFrame frame: Int) -> Instant { .zero + duration(ofFrames: frame) }
}
