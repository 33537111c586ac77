internal import Console
internal import Hardware
internal import Threads

/// What the board's system was asked for and has not done yet. Control lane; while nothing is asked for it costs nothing.
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
  private let wake: () -> Void
  private var settings: [Setting] = []
  private var wanted: PowerChange?

  /// How long somebody waits for the clock at most: units of systemd's start within a second on slow boards.
  private static let patience = Duration.seconds(5)
  private static let interval = Duration.milliseconds(50)
  /// Nobody sets a clock by hand more exactly than that.
  private static let tolerance = 1_000_000_000

  init(_ ground: Ground) {
    system = ground.hardware.system
    clock = ground.clock
    events = ground.events
    wake = ground.lanes.waker(of: .control)
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

  func step(now: Instant) -> Instant? {
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
