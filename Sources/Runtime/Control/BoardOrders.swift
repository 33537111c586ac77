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

  init(_ ground: Ground) {
    system = ground.hardware.system
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
    return report
  }

  /// Has an update checked and written, while nothing is recorded.
  func install(_ source: UpdateSource, in state: State) throws(CommandFailure) {
    let report = try update()
    guard !report.phase.isBusy else {
      throw CommandFailure(.busy, "an update is on its way (\(report.phase.rawValue)): wait for it, see update.status")
    }
    guard report.phase != .installed else {
      throw CommandFailure(.busy, "an update is installed and waits for its first start: system.reboot")
    }
    guard state.activity == .idle, state.openTake == nil else {
      throw CommandFailure(.busy, "nothing is updated while a take is open or played: stop it first")
    }
    guard state.health.hasMicrophone else {
      throw CommandFailure(
        .busy, "without a microphone a new version could not prove itself, and would be given up: plug it in first")
    }
    do throws(DeviceError) { try system?.install(source) } catch { throw CommandFailure(error) }
    look = (clock.now, clock.now + Self.beginning)
    wake()
  }

  /// Has the version on trial judged at once.
  func confirmUpdate() throws(CommandFailure) {
    let report = try update()
    guard report.phase == .trial else {
      throw CommandFailure(.busy, "no version is on trial (\(report.phase.rawValue)): there is nothing to confirm")
    }
    do throws(DeviceError) { try system?.confirmUpdate() } catch { throw CommandFailure(error) }
    look = (clock.now, clock.now + Self.beginning)
    wake()
  }

  /// Tells the panel how far an update is.
  private func follow(_ now: Instant) -> Instant? {
    guard let (at, until) = look else { return nil }
    guard now >= at else { return at }
    look = nil
    guard let report = system?.update else { return nil }
    let isFirst = told == nil
    if report != told, report.phase != .none { inbox.post(.update(.told(report))) }
    told = report
    if report.phase.isBusy || now < until {
      look = (now + Self.lookInterval, until)
    } else if isFirst {
      // The system judges a first start only now.
      look = (now + Self.beginning, now)
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
