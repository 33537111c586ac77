internal import Appliance
internal import Console
internal import Hardware
internal import Threads

/// What the board's system was asked for and has not done yet. Control lane; while nothing is asked for it costs nothing, but
/// for two looks at what became of an update, at the start.
final class BoardOrders: Stepper {
  typealias Reply = (Result<WallTime, CommandFailure>) -> Void

  private struct Setting {
    /// What the clock is to show at an instant.
    let time: WallTime
    let asked: Instant
    let reply: Reply
  }

  let system: (any BoardSystem)?
  /// What comes by the network.
  private let fetch: UpdateFetch
  private let network: SwitchedNetwork?
  /// What the system had told before it was handed what has come: until it tells something else, that is of an older one.
  private var before: UpdateReport?
  /// What the device does now; set once there is somebody who knows.
  var state: () -> State? = { nil }
  private let clock: any DeviceClock
  private let events: EventStream
  private let inbox: Mailbox<ControlInput>
  private let wake: () -> Void
  /// When the system is asked for its update next, and until when at least; nil: there is none on its way.
  private var look: (at: Instant, until: Instant)? = (.zero, .zero)
  private var told: UpdateReport?
  private var settings: [Setting] = []
  private var wanted: PowerChange?

  /// How long somebody waits for the clock at most: units of systemd's start within a second on slow boards.
  private static let patience = Duration.seconds(5)
  private static let interval = Duration.milliseconds(50)
  /// From one look at an update that is on its way to the next.
  private static let lookInterval = Duration.milliseconds(500)
  /// How long the system may take to begin with one, or to judge one.
  private static let beginning = Duration.seconds(15)
  /// Nobody sets a clock by hand more exactly than that.
  private static let tolerance = 1_000_000_000

  init(_ ground: Ground, fetch: UpdateFetch, network: SwitchedNetwork?) {
    system = ground.hardware.system
    self.fetch = fetch
    self.network = network ?? ground.hardware.openNetwork.map { SwitchedNetwork(proxy: "", authorities: "", open: $0) }
    clock = ground.clock
    events = ground.events
    inbox = ground.inbox
    wake = ground.lanes.waker(of: .control)
  }

  /// How far an update is.
  ///
  /// - Throws: where the system takes none.
  func update() throws(CommandFailure) -> UpdateReport {
    guard let report = system?.update else {
      throw CommandFailure(
        .unsupported, "this system takes no updates: only the card's image does; elsewhere, install the new package")
    }
    return fetch.report ?? report
  }

  /// Has an update checked and written, while nothing is recorded.
  func install(_ source: UpdateSource, in state: State) throws(CommandFailure) {
    try check(state)
    do throws(DeviceError) { try system?.install(source) } catch { throw CommandFailure(error) }
    fetch.forget()
    follow(for: Self.beginning)
  }

  /// Has an update fetched, then checked and written; what is recorded or played meanwhile it waits for.
  func install(from address: String, in state: State) throws(CommandFailure) {
    try check(state)
    guard let network else { throw CommandFailure(.unsupported, "this device has no network: use a stick") }
    network.configure(proxy: state.settings.dubProxy, authorities: state.settings.dubCAFile)
    fetch.begin(address, by: network)
    follow(for: .zero)
  }

  /// Ends what is being fetched.
  ///
  /// - Returns: whether something was.
  func cancelUpdate() throws(CommandFailure) -> Bool {
    let phase = try update().phase
    guard before == nil, phase == .fetching || !phase.isBusy else {
      throw CommandFailure(.busy, "it has come, and is being installed: wait for it, see update.status")
    }
    guard phase == .fetching else { return false }
    fetch.cancel()
    follow(for: .zero)
    return true
  }

  private func check(_ state: State) throws(CommandFailure) {
    let report = try update()
    guard !report.phase.isBusy else {
      throw CommandFailure(.busy, "an update is on its way (\(report.phase.rawValue)): wait for it, see update.status")
    }
    guard report.phase != .installed else {
      throw CommandFailure(.busy, "an update is installed and waits for its first start: system.reboot")
    }
    if let obstacle = Self.obstacle(state) { throw CommandFailure(.busy, obstacle) }
  }

  /// What an update has to wait for.
  private static func obstacle(_ state: State) -> String? {
    guard state.activity == .idle, state.openTake == nil else {
      return "nothing is updated while a take is open or played: stop it first"
    }
    guard !state.health.hasMicrophone else { return nil }
    return "without a microphone a new version could not prove itself, and would be given up: plug it in first"
  }

  /// What has come is installed as soon as that can be.
  private func installFetched() {
    guard let path = fetch.path, let state = state() else { return }
    guard let source = UpdateSource(path: WholePath.of(path)) else {
      return fetch.cancel(because: "failed", "the path of the data directory cannot be told to the system")
    }
    if let obstacle = Self.obstacle(state) { return fetch.wait(for: obstacle) }
    before = system?.update
    do throws(DeviceError) { try system?.install(source) } catch {
      before = nil
      let failure = CommandFailure(error)
      return fetch.cancel(because: failure.code.rawValue, failure.message)
    }
    fetch.handOver()
    follow(for: Self.beginning)
  }

  /// Has the panel told, from now on.
  private func follow(for length: Duration) {
    look = (clock.now, clock.now + length)
    wake()
  }

  /// Has the version on trial judged at once.
  func confirmUpdate() throws(CommandFailure) {
    let report = try update()
    guard report.phase == .trial else {
      throw CommandFailure(.busy, "no version is on trial (\(report.phase.rawValue)): there is nothing to confirm")
    }
    do throws(DeviceError) { try system?.confirmUpdate() } catch { throw CommandFailure(error) }
    follow(for: Self.beginning)
  }

  /// Tells the panel how far an update is.
  private func follow(_ now: Instant) -> Instant? {
    guard let (at, end) = look else { return nil }
    guard now >= at else { return at }
    look = nil
    installFetched()
    let until = look?.until ?? end
    if before != nil, system?.update != before || now >= until {
      before = nil
      fetch.forget()
    }
    guard let report = try? update() else { return nil }
    let isFirst = told == nil
    if report != told, report.phase != .none { inbox.post(.update(.told(report))) }
    told = report
    if report.phase.isBusy || now < until {
      look = (now + Self.lookInterval, until)
    } else if isFirst {
      // The system judges a first start only now.
      look = (now + Self.beginning, now)
    } else {
      look = nil
      fetch.clear()
    }
    return look?.at
  }

  /// Has the wall clock set; the answer comes when it shows the new time, or does not within five seconds.
  func set(_ time: WallTime, reply: @escaping Reply) {
    guard let system else {
      return reply(.failure(CommandFailure(.unsupported, "nothing here can set the clock")))
    }
    let asked = clock.now
    do throws(DeviceError) { try system.setClock(time) } catch { return reply(.failure(CommandFailure(error))) }
    settings.append(Setting(time: time, asked: asked, reply: reply))
    wake()
  }

  /// Has something done with the board's power when everything is closed and synced.
  ///
  /// - Throws: if it could not be done then; nothing is planned.
  func atTheEnd(_ change: PowerChange) throws(CommandFailure) {
    guard let system else { throw CommandFailure(.unsupported, "nothing here can switch the board") }
    do throws(DeviceError) { try system.check(change) } catch { throw CommandFailure(error) }
    wanted = change
  }

  /// Everything is closed and synced.
  func carryOutPower() {
    guard let change = wanted else { return }
    wanted = nil
    do throws(DeviceError) { try system?.power(change) } catch {
      events.log(.error, "system", "\(error)", at: clock.now)
    }
  }

  func step(now: Instant) -> Instant? { [follow(now), settle(now)].compactMap { $0 }.min() }

  /// Answers those whose clock is set.
  private func settle(_ now: Instant) -> Instant? {
    guard !settings.isEmpty else { return nil }
    let wall = clock.wallNow.nanosecondsSince1970
    let waiting = settings
    settings = []
    for setting in waiting {
      let expected = setting.time.nanosecondsSince1970 &+ (now - setting.asked).nanoseconds
      if (wall &- expected).magnitude < Self.tolerance {
        setting.reply(.success(clock.wallNow))
      } else if now - setting.asked > Self.patience {
        setting.reply(
          .failure(
            CommandFailure(
              .internal, "the clock was to be set and was not: see the log of mynah-clock.service (journalctl -u)")))
      } else {
        settings.append(setting)
      }
    }
    return settings.isEmpty ? nil : now + Self.interval
  }
}
