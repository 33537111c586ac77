import Hardware
import SimulatedHardware
import TestSupport
import Testing

@Suite("Simulated hardware")
struct SimulatedHardwareTests {
  @Test("Choices of microphone and speaker are read as the command line has them")
  func choices() throws {
    #expect(try MicrophoneChoice(parsing: "tone:1000,440.5") == .tone([1000, 440.5]))
    #expect(try MicrophoneChoice(parsing: "silence") == .silence)
    #expect(try MicrophoneChoice(parsing: "noise") == .noise)
    #expect(try MicrophoneChoice(parsing: "speech") == .speech)
    #expect(try MicrophoneChoice(parsing: "alsa:hw:1,0") == .alsa("hw:1,0"))
    #expect(try MicrophoneChoice(parsing: "speech.wav") == .file("speech.wav"))
    for bad in ["tone:", "tone:x", "tone:1,2,3", "tone:nan", "tone:-5", "tone:1e9", "", "alsa:"] {
      #expect(deviceError { _ = try MicrophoneChoice(parsing: bad) }?.kind == .unsupported, "\(bad)")
    }
    #expect(try SpeakerChoice(parsing: "none") == .none)
    #expect(try SpeakerChoice(parsing: "alsa:default") == .alsa("default"))
    #expect(try SpeakerChoice(parsing: "out.wav") == .file("out.wav"))
    #expect(deviceError { _ = try SpeakerChoice(parsing: "alsa:") }?.kind == .unsupported)
  }

  @Test("No text, however odd, traps the reading of choices")
  func fuzzChoices() {
    var random = SeededGenerator(seed: 8)
    let parts = ["tone:", "alsa:", ",", "1", "e9", "-", ".", "nan", "inf", "silence", "é", " ", "\u{0}", "none", ":"]
    for _ in 0..<10_000 {
      let text = (0..<Int.random(in: 0...5, using: &random)).compactMap { _ in parts.randomElement(using: &random) }
        .joined()
      if case .tone(let frequencies) = try? MicrophoneChoice(parsing: text) {
        #expect((1...2).contains(frequencies.count) && frequencies.allSatisfy { $0 >= 1 && $0 <= 96_000 })
      }
      _ = try? SpeakerChoice(parsing: text)
    }
  }

  @Test("A set has every device, and faults find them")
  func faults() throws {
    let clock = VirtualClock()
    var options = SimulationOptions(clock: clock, storage: MemoryStorage(clock: clock))
    options.openNetwork = { _, _ in FakeNetwork() }
    options.others = [("usb", SilenceSource())]
    let simulated = try SimulatedHardware(options)
    let set = simulated.hardwareSet
    #expect(set.openNetwork != nil)
    #expect(set.microphone != nil && set.speaker != nil && set.display != nil && set.lamps != nil)
    #expect(set.steppers.count == 5 && set.otherMicrophones?.names() == ["usb"])
    let faults = try #require(set.faults)
    for fault: Fault in [
      .microphoneUnplug, .microphoneReplug, .microphoneOverrun(.seconds(1)), .microphoneStall(.seconds(1)),
      .sourceUnplug("usb"), .sourceReplug("usb"), .storageFull, .storageOK, .storageFree(megabytes: 29_000),
      .storageStall(.seconds(1)), .displayUnplug,
      .displayReplug, .speakerUnplug,
      .speakerReplug, .speakerDrift(100), .cameraUnplug, .cameraReplug, .cameraStall(.seconds(1)), .cameraGarbage,
      .clockJump(.seconds(5)), .board(.heat(85)), .board(.cool), .storageSlow(.seconds(1)), .storageSlow(.zero),
      .networkDown, .networkUp, .networkLatency(.seconds(1)), .networkBandwidth(1000), .stickIn,
      .stickFull, .stickReadOnly, .stickOK, .stickOutAfter(bytes: 5), .stickOut, .powerCut,
    ] {
      try faults.inject(fault, at: clock.now)
    }
    #expect(storageError { _ = try set.storage.list("") }?.kind == .failed)
  }

  @Test("A device left to ALSA is absent, and its faults are refused")
  func alsa() throws {
    let clock = VirtualClock()
    var options = SimulationOptions(clock: clock, storage: MemoryStorage(clock: clock))
    options.microphone = .alsa("default")
    options.speaker = .alsa("default")
    options.camera = .v4l2("/dev/video0")
    let simulated = try SimulatedHardware(options)
    #expect(simulated.microphone == nil && simulated.speaker == nil && simulated.camera == nil)
    #expect(simulated.hardwareSet.openNetwork == nil)
    #expect(deviceError { try simulated.faults.inject(.networkDown, at: clock.now) }?.kind == .missing)
    #expect(deviceError { try simulated.faults.inject(.cameraUnplug, at: clock.now) }?.kind == .missing)
    #expect(deviceError { try simulated.faults.inject(.microphoneUnplug, at: .zero) }?.kind == .missing)
  }

  @Test("An hour passes quickly, to the sample")
  func hour() throws {
    let clock = VirtualClock()
    var options = SimulationOptions(clock: clock, storage: MemoryStorage(clock: clock))
    options.microphone = .silence
    let simulated = try SimulatedHardware(options)
    let microphone = try #require(simulated.microphone)
    let ring = CaptureRing(frames: 48_000, channels: 1, blocks: 100)
    _ = try microphone.open(request(rate: 8000, period: 800))
    try microphone.start(into: ring)
    var last = Instant.zero
    var frames = 0
    run(clock, until: .at(3600), simulated.hardwareSet.steppers) {
      while let block = ring.blocks.pointee.read() {
        frames += Int(block.frames)
        last = block.end
      }
      ring.samples.pointee.skip(to: ring.samples.pointee.writtenCount)
    }
    #expect(frames == 3600 * 8000)
    #expect(last == .at(3600))
  }
}
