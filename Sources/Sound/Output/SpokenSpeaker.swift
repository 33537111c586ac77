public import Hardware
internal import Synchronization

/// A speaker that players and the voice share: players open it as they would the device itself, and what is said is laid
/// over what they play. While none of them has it, the voice opens the device for itself.
///
/// `say`, `hush`, `quietFrom`: any thread; they do not wait for the device. All else may, as long as the driver does.
public final class SpokenSpeaker: Speaker, @unchecked Sendable {
  private enum Holder: Equatable {
    case nobody
    case player
    case voice
    /// A client from outside, who steps back for a player.
    case guest(ObjectIdentifier)
  }

  /// Who has the device; its calls are made under this lock.
  private struct Access {
    var holder = Holder.nobody
    var grant: SoundGrant?
  }

  private struct Words {
    /// Grows with every `hush`: what was being said before is not wanted any more.
    var turn = 0
    /// The last speech that the microphone hears has left the device by then.
    var until = Instant.zero
    /// From the ring to the converter, at most.
    var latency = Duration.zero
  }

  private let speaker: any Speaker
  private let clock: any DeviceClock
  private let request: SoundRequest
  private let overlay: UnsafeMutablePointer<SpeechOverlay>
  /// What the device renders while only the voice has it: silence below the speech.
  private let ownRing: UnsafeMutablePointer<RenderRing>
  private let access = Mutex(Access())
  private let words = Mutex(Words())
  private let freed: @Sendable () -> Void

  /// Samples of speech that may wait; the rest of a sentence waits with who says it.
  public static let overlaySamples = SpeechOverlay.sampleRate / 2
  /// How long a room goes on sounding after speech.
  private static let roomTail = Duration.milliseconds(250)
  private static let fade = Duration.milliseconds(5)

  /// - Parameters:
  ///   - request: how the voice opens the device where nobody plays.
  ///   - freed: called when a player has given it back.
  public init(
    _ speaker: any Speaker, request: SoundRequest, clock: any DeviceClock, freed: @escaping @Sendable () -> Void
  ) {
    self.speaker = speaker
    self.clock = clock
    self.request = request
    self.freed = freed
    overlay = .allocate(capacity: 1)
    overlay.initialize(to: SpeechOverlay(samples: Self.overlaySamples))
    ownRing = .allocate(capacity: 1)
    ownRing.initialize(to: RenderRing(frames: 64, channels: 2, rampFrames: 1))
  }

  deinit {
    if access.withLock({ $0.holder == .voice }) { speaker.close() }
    ownRing.deinitialize(count: 1)
    ownRing.deallocate()
    overlay.deinitialize(count: 1)
    overlay.deallocate()
  }

  // MARK: Players

  public var name: String { speaker.name }
  public var isLost: Bool { speaker.isLost }
  public var counters: SoundCounters { speaker.counters }

  public func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant { try open(request, as: nil) }

  public func start(from ring: UnsafeMutablePointer<RenderRing>) throws(DeviceError) { try start(from: ring, as: nil) }

  public func close() { close(nil) }

  /// One who plays while no player does. Outlives nothing of this.
  public func makeGuest() -> SpeakerGuest { SpeakerGuest(self) }

  func isHeld(by guest: ObjectIdentifier) -> Bool { access.withLock { $0.holder == .guest(guest) } }

  private static func holder(_ guest: ObjectIdentifier?) -> Holder { guest.map { .guest($0) } ?? .player }

  func open(_ request: SoundRequest, as guest: ObjectIdentifier?) throws(DeviceError) -> SoundGrant {
    let holder = Self.holder(guest)
    return try access.withLock { access throws(DeviceError) in
      switch access.holder {
      case .nobody: break
      case .player:
        if guest != nil { throw inUse }
      case .voice: speaker.close()
      case .guest:
        if guest != nil, access.holder != holder { throw inUse }
        speaker.close()
      }
      access.holder = .nobody
      let grant = try speaker.open(request)
      access.holder = holder
      access.grant = grant
      return grant
    }
  }

  private var inUse: DeviceError {
    DeviceError(.busy, device: name, operation: "open", hint: "it is tried again until what plays has ended")
  }

  func start(from ring: UnsafeMutablePointer<RenderRing>, as guest: ObjectIdentifier?) throws(DeviceError) {
    let ring = RingReference(ring)
    try access.withLock { access throws(DeviceError) in
      guard access.holder == Self.holder(guest) else { throw inUse }
      if let grant = access.grant { lay(over: ring.pointer, grant) }
      try speaker.start(from: ring.pointer)
    }
  }

  func close(_ guest: ObjectIdentifier?) {
    let isFree = access.withLock { access in
      guard access.holder == Self.holder(guest) else { return false }
      speaker.close()
      access.holder = .nobody
      return true
    }
    if isFree { freed() }
  }

  private func lay(over ring: UnsafeMutablePointer<RenderRing>, _ grant: SoundGrant) {
    ring.pointee.lay(overlay, sampleRate: grant.format.sampleRate)
    let now = clock.now
    words.withLock { words in
      words.latency = grant.format.duration(ofFrames: grant.bufferFrames + 2 * grant.periodFrames)
      // What waited for the device is heard from now on.
      let queued = overlay.pointee.queuedSamples
      if queued > 0 { words.until = max(words.until, end(of: queued, from: now, words)) }
    }
  }

  private func end(of samples: Int, from now: Instant, _ words: Words) -> Instant {
    now + .nanoseconds(Int64(samples) * 1_000_000_000 / Int64(SpeechOverlay.sampleRate)) + words.latency
  }

  // MARK: The voice

  /// Which turn it is; pass it to `say`.
  public var turn: Int { words.withLock { $0.turn } }

  /// Has the device opened, unless a player has it. The voice's thread.
  public func beginVoice() throws(DeviceError) {
    try access.withLock { access throws(DeviceError) in
      if access.holder == .voice, !speaker.isLost { return }
      switch access.holder {
      case .player, .guest: return
      case .voice: speaker.close()
      case .nobody: break
      }
      access.holder = .nobody
      let grant = try speaker.open(request)
      access.grant = grant
      access.holder = .voice
      ownRing.deinitialize(count: 1)
      ownRing.initialize(to: RenderRing(frames: 64, channels: grant.format.channels, rampFrames: 1))
      lay(over: ownRing, grant)
      do throws(DeviceError) { try speaker.start(from: ownRing) } catch {
        speaker.close()
        access.holder = .nobody
        throw error
      }
    }
  }

  /// Gives the device back, unless a player has it. The voice's thread.
  public func endVoice() {
    access.withLock { access in
      guard access.holder == .voice else { return }
      speaker.close()
      access.holder = .nobody
    }
  }

  /// Samples that can be said now.
  public var writableSamples: Int { overlay.pointee.writableSamples }
  /// Samples that wait to be heard.
  public var queuedSamples: Int { overlay.pointee.queuedSamples }

  /// Says samples, one channel at 48 kHz. The voice's thread.
  ///
  /// - Parameters:
  ///   - isPrivate: no microphone hears it.
  ///   - count: `writableSamples` at most.
  /// - Returns: false if the turn is over.
  public func say(_ samples: UnsafePointer<Float>, count: Int, in turn: Int, isPrivate: Bool) -> Bool {
    let now = clock.now
    let source = SampleReference(samples)
    return words.withLock { words in
      guard words.turn == turn, overlay.pointee.write(source.pointer, count: count) else { return false }
      if !isPrivate { words.until = max(words.until, end(of: overlay.pointee.queuedSamples, from: now, words)) }
      return true
    }
  }

  /// Ends what is being said.
  public func hush() {
    let now = clock.now
    words.withLock { words in
      words.turn += 1
      guard overlay.pointee.queuedSamples > 0 || words.until > now else { return }
      overlay.pointee.flush()
      words.until = min(words.until, now + Self.fade + words.latency)
    }
  }

  /// What a microphone hears from then on has nothing of what has been said so far.
  public var quietFrom: Instant {
    words.withLock { $0.until == .zero ? .zero : $0.until + Self.roomTail }
  }
}

/// The same of samples.
private struct SampleReference: @unchecked Sendable {
  let pointer: UnsafePointer<Float>
  init(_ pointer: UnsafePointer<Float>) { self.pointer = pointer }
}
