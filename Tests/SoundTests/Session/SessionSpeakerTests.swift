import Foundation
import Hardware
import Sound
import Testing

/// A device that has some rates only, and renders when it is told to.
private final class PinnedSpeaker: Speaker {
  enum Refusal {
    /// It grants the nearest that it has.
    case never
    case always
  }

  let name = "pinned"
  let rates: [Int]
  let refusal: Refusal
  private(set) var log: [String] = []
  private var ring: UnsafeMutablePointer<RenderRing>?
  private var format = PCMFormat(sampleRate: 48_000, channels: 2)
  var isLost = false
  var counters = SoundCounters()

  init(rates: [Int], refusal: Refusal = .never) {
    self.rates = rates
    self.refusal = refusal
  }

  func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant {
    log.append("open \(request.format.sampleRate)")
    format = request.format
    if !rates.contains(format.sampleRate) {
      if refusal == .always {
        throw DeviceError(.unsupported, device: name, operation: "set the rate to \(format.sampleRate)")
      }
      format.sampleRate = rates[0]
    }
    return SoundGrant(
      format: format, periodFrames: 160, bufferFrames: 320, sampleType: "S16_LE", timestamps: "virtual")
  }

  func start(from ring: UnsafeMutablePointer<RenderRing>) throws(DeviceError) {
    log.append("start")
    self.ring = ring
  }

  func close() {
    log.append("close")
    ring = nil
  }

  var isRunning: Bool { ring != nil }

  /// The left channel of the next periods.
  func left(periods: Int) -> [Float] {
    var all: [Float] = []
    var samples = [Float](repeating: 0, count: 160 * format.channels)
    for _ in 0..<periods {
      ring?.pointee.render(into: &samples, frames: 160)
      ring?.pointee.setDeviceDelay(frames: 320, at: 1)
      all += stride(from: 0, to: samples.count, by: format.channels).map { samples[$0] }
    }
    return all
  }
}

@Suite struct SessionSpeakerTests {
  private static func request(_ rate: Int) -> SoundRequest {
    SoundRequest(format: PCMFormat(sampleRate: rate, channels: 2), periodFrames: rate / 50, bufferFrames: rate / 25)
  }

  /// Plays a tone of 440 Hz through the session and takes it from the device.
  private static func play(_ speaker: SessionSpeaker, _ device: PinnedSpeaker, rate: Int) throws -> [Float] {
    let grant = try speaker.open(request(rate))
    let ring = UnsafeMutablePointer<RenderRing>.allocate(capacity: 1)
    ring.initialize(to: RenderRing(frames: grant.format.sampleRate, channels: 2, rampFrames: 1))
    defer {
      ring.deinitialize(count: 1)
      ring.deallocate()
    }
    let own = grant.format.sampleRate
    let sound = (0..<(own / 2)).flatMap { frame in
      [Float](repeating: Float(sin(2 * Double.pi * 440 * Double(frame) / Double(own)) / 2), count: 2)
    }
    _ = sound.withUnsafeBufferPointer { $0.baseAddress.map { ring.pointee.write($0, frames: own / 2) } }
    ring.pointee.setRunning(true)
    try speaker.start(from: ring)
    let heard = device.left(periods: 20)
    #expect(ring.pointee.deviceDelayFrames >= 320 * own / 48_000)
    speaker.close()
    return heard
  }

  private static func isTone(_ samples: [Float], rate: Int) -> Bool {
    let part = samples.dropFirst(samples.count / 4).prefix(samples.count / 2)
    let power = part.reduce(0) { $0 + Double($1 * $1) } / Double(part.count)
    let crossings = zip(part, part.dropFirst()).count { $0 < 0 && $1 >= 0 }
    let hertz = Double(crossings) * Double(rate) / Double(part.count)
    return abs(power - 0.125) < 0.01 && abs(hertz - 440) < 440 * 0.05 + Double(rate) / Double(part.count)
  }

  @Test(arguments: [(8000, 48_000), (48_000, 8000), (48_000, 44_100), (44_100, 48_000)])
  func `Who insists on a rate gets it on a device that has another, and the device is opened once`(
    device: Int, wanted: Int
  ) throws {
    let pinned = PinnedSpeaker(rates: [device])
    let speaker = SessionSpeaker(pinned, board: Self.request(device), session: LockedSession())
    speaker.prepare()
    #expect(pinned.isRunning)
    #expect(Self.isTone(try Self.play(speaker, pinned, rate: wanted), rate: device))
    #expect(Self.isTone(try Self.play(speaker, pinned, rate: device), rate: device))
    #expect(pinned.log == ["open \(device)", "start"])
    #expect(pinned.isRunning)
    // Nobody plays: the device that is held is silent.
    #expect(pinned.left(periods: 3).allSatisfy { $0 == 0 })
  }

  @Test func `Requested, granted and delivered are told apart`() throws {
    let pinned = PinnedSpeaker(rates: [8000])
    let speaker = SessionSpeaker(pinned, board: Self.request(48_000), session: LockedSession())
    #expect(try speaker.open(Self.request(44_100)).format.sampleRate == 44_100)
    let state = speaker.state
    #expect(state.requested?.sampleRate == 44_100)
    #expect(state.granted?.format.sampleRate == 8000)
    #expect(state.delivered?.sampleRate == 44_100)
    #expect(state.isConverted && !state.isOtherRate)
    #expect(state.fallback == "the device runs at 8000 Hz, and not at 48000")
    speaker.close()
    speaker.use(BaselineSession())
    #expect(try speaker.open(Self.request(44_100)).format.sampleRate == 8000)
    #expect(speaker.state.isOtherRate)
  }

  @Test func `A device that refuses is asked for the next rung, and that is told`() throws {
    let pinned = PinnedSpeaker(rates: [48_000], refusal: .always)
    let speaker = SessionSpeaker(pinned, board: Self.request(48_000), session: ForcedRateSession(rate: 8000))
    #expect(Self.isTone(try Self.play(speaker, pinned, rate: 44_100), rate: 48_000))
    #expect(pinned.log == ["open 8000", "open 48000", "start", "close"])
    _ = try speaker.open(Self.request(44_100))
    #expect(speaker.state.fallback?.hasPrefix("pinned: cannot set the rate to 8000") == true)
  }

  @Test func `What is refused on every rung is an error, and the next strategy works`() throws {
    let pinned = PinnedSpeaker(rates: [16_000], refusal: .always)
    let speaker = SessionSpeaker(pinned, board: Self.request(48_000), session: BaselineSession())
    #expect(throws: DeviceError.self) { try speaker.open(Self.request(44_100)) }
    #expect(!pinned.isRunning)
    speaker.use(ForcedRateSession(rate: 16_000))
    #expect(Self.isTone(try Self.play(speaker, pinned, rate: 44_100), rate: 16_000))
  }

  @Test func `Another strategy waits for what plays, and then comes at once`() throws {
    let pinned = PinnedSpeaker(rates: [8000, 48_000])
    let speaker = SessionSpeaker(pinned, board: Self.request(48_000), session: BaselineSession())
    _ = try speaker.open(Self.request(8000))
    speaker.use(LockedSession())
    #expect(pinned.log == ["open 8000", "start"])
    speaker.close()
    #expect(pinned.log == ["open 8000", "start", "close", "open 48000", "start"])
    #expect(speaker.state.granted?.format.sampleRate == 48_000)
  }

  @Test func `A device that went away is opened anew`() throws {
    let pinned = PinnedSpeaker(rates: [48_000])
    let speaker = SessionSpeaker(pinned, board: Self.request(48_000), session: LockedSession())
    speaker.prepare()
    pinned.isLost = true
    _ = try speaker.open(Self.request(48_000))
    #expect(pinned.log == ["open 48000", "start", "close", "open 48000", "start"])
  }

  @Test(arguments: SessionStrategy.allCases) func `Each strategy has its name, and says what it does`(
    name: SessionStrategy
  ) {
    let session = AudioSessions.session(name, forcedRate: 8000)
    #expect(session.name == name)
    #expect(!session.description.isEmpty)
    #expect(session.logState(of: "speaker", SessionState()) == "speaker, \(name.rawValue): closed")
    // A strategy that prepares keeps what it has prepared, and never asks for it again.
    let board = Self.request(48_000)
    #expect((session.prepare(board) != nil) == session.keepsDevice)
    let held = SoundGrant(
      format: board.format, periodFrames: 960, bufferFrames: 1920, sampleType: "S16_LE", timestamps: "virtual")
    if session.keepsDevice { #expect(session.requests(for: board, held: held, board: board).isEmpty) }
    #expect(!session.requests(for: board, held: nil, board: board).isEmpty)
  }
}
