public import Hardware
internal import Synchronization

/// A speaker under an audio session: the strategy says what the device runs at, and whether it is held while nobody plays;
/// who opens it hears of nothing but what was asked for, or what the device grants.
///
/// The device renders a ring of its own all the time that it is open; a player's is its guest, and comes and goes with
/// fades of its own, so that nothing clicks. Any thread; calls wait for the driver as its own do.
public final class SessionSpeaker: Speaker, @unchecked Sendable {
  private struct Core: ~Copyable {
    var session: any AudioSession
    /// What is in force once nobody plays.
    var next: (any AudioSession)?
    var state = SessionState()
    /// What the device renders: silence, or its guest.
    var floor: UnsafeMutablePointer<RenderRing>?
    var guest: UnsafeMutablePointer<RenderGuest>?
    /// A player has it open.
    var isUsed = false
    /// What the player was granted.
    var promised: SoundGrant?
  }

  private let device: any Speaker
  private let board: SoundRequest
  private let core: Mutex<Core>
  /// The state after the last change; who asks for it does not wait for a driver that is opening the device.
  private let told = Mutex(SessionState())
  private let changeCount = Atomic<Int>(0)

  /// - Parameters:
  ///   - device: the speaker itself.
  ///   - board: what the board file says of it.
  ///   - session: the strategy at first; nothing is opened before `prepare`.
  public init(_ device: any Speaker, board: SoundRequest, session: any AudioSession) {
    self.device = device
    self.board = board
    core = Mutex(Core(session: session))
  }

  deinit { core.withLock { shut(&$0) } }

  /// Grows whenever `state` may have become another. Any thread; takes no lock.
  public var changes: Int { changeCount.load(ordering: .acquiring) }

  /// Requested, granted, delivered. Does not wait for the driver.
  public var state: SessionState { told.withLock { $0 } }

  private func tell(_ state: SessionState) {
    told.withLock { $0 = state }
    changeCount.wrappingAdd(1, ordering: .releasing)
  }

  // MARK: The strategy

  /// Opens the device before anyone asks, where the strategy has that. What is refused now is tried again when somebody
  /// asks.
  public func prepare() {
    core.withLock { core in
      prepare(&core)
      tell(core.state)
    }
  }

  /// Changes to another strategy: at once if nobody plays, else when what plays gives the device back.
  public func use(_ session: any AudioSession) {
    core.withLock { core in
      guard !(core.next ?? core.session).isSame(as: session) else { return }
      core.next = session
      if !core.isUsed { follow(&core) }
      tell(core.state)
    }
  }

  private func follow(_ core: inout Core) {
    guard let next = core.next else { return }
    core.next = nil
    core.session = next
    shut(&core)
    prepare(&core)
  }

  private func prepare(_ core: inout Core) {
    guard core.floor == nil, let request = core.session.prepare(board) else { return }
    do throws(DeviceError) { try openDevice(&core, [request]) } catch { core.state.fallback = "\(error)" }
  }

  // MARK: Speaker

  public var name: String { device.name }
  public var isLost: Bool { device.isLost }
  public var counters: SoundCounters { device.counters }

  public func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant {
    try core.withLock { core throws(DeviceError) in
      defer { tell(core.state) }
      if device.isLost { shut(&core) }
      let wanted = core.session.requests(for: request, held: core.state.granted, board: board)
      if !wanted.isEmpty {
        shut(&core)
        try openDevice(&core, wanted)
      }
      guard let granted = core.state.granted else {
        throw DeviceError(.lost, device: name, operation: "open", hint: "plug it in again")
      }
      let delivered = core.session.delivered(for: request.format, granted: granted.format)
      core.state.requested = request.format
      core.state.delivered = delivered
      core.isUsed = true
      var promised = granted
      promised.format = delivered
      let rate = max(1, granted.format.sampleRate)
      promised.periodFrames = max(1, granted.periodFrames * delivered.sampleRate / rate)
      promised.bufferFrames = max(1, granted.bufferFrames * delivered.sampleRate / rate)
      core.promised = promised
      return promised
    }
  }

  public func start(from ring: UnsafeMutablePointer<RenderRing>) throws(DeviceError) {
    let ring = RingReference(ring)
    try core.withLock { core throws(DeviceError) in
      guard let floor = core.floor, let granted = core.state.granted, let promised = core.promised,
        let made = RenderGuest(ring.pointer, format: promised.format, device: granted.format)
      else { throw DeviceError(.failed, device: name, operation: "start", hint: "open it first") }
      let guest = UnsafeMutablePointer<RenderGuest>.allocate(capacity: 1)
      guest.initialize(to: made)
      leave(&core)
      core.guest = guest
      floor.pointee.setGuest(guest)
    }
  }

  public func close() {
    core.withLock { core in
      guard core.isUsed else { return }
      leave(&core)
      core.isUsed = false
      core.promised = nil
      (core.state.requested, core.state.delivered) = (nil, nil)
      if !core.session.keepsDevice || device.isLost { shut(&core) }
      follow(&core)
      tell(core.state)
    }
  }

  // MARK: The device

  private func openDevice(_ core: inout Core, _ requests: [SoundRequest]) throws(DeviceError) {
    let opened = try SessionOpening.open(requests) { request throws(DeviceError) in try device.open(request) }
    let floor = UnsafeMutablePointer<RenderRing>.allocate(capacity: 1)
    floor.initialize(to: RenderRing(frames: 64, channels: opened.grant.format.channels, rampFrames: 1))
    do throws(DeviceError) { try device.start(from: floor) } catch {
      device.close()
      floor.deinitialize(count: 1)
      floor.deallocate()
      throw error
    }
    core.floor = floor
    core.state.granted = opened.grant
    core.state.fallback = opened.fallback
  }

  private func leave(_ core: inout Core) {
    guard let guest = core.guest else { return }
    core.floor?.pointee.setGuest(nil)
    guest.deinitialize(count: 1)
    guest.deallocate()
    core.guest = nil
  }

  private func shut(_ core: inout Core) {
    leave(&core)
    guard let floor = core.floor else { return }
    device.close()
    floor.deinitialize(count: 1)
    floor.deallocate()
    core.floor = nil
    core.state.granted = nil
  }
}
