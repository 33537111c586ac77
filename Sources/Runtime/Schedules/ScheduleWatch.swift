internal import Appliance
internal import Console
internal import Hardware
internal import JSON
internal import Library
internal import Threads

/// Has takes begun and ended when schedules say so, and tells of those that were missed. Control lane; without schedules it
/// costs a comparison.
final class ScheduleWatch: Stepper {
  private let loop: ControlLoop
  private let clock: any DeviceClock
  private let events: EventStream
  private let gatherer: ReadingsGatherer
  private let storage: StorageWorker
  private let store: ScheduleStore
  private let alarm: (any WakeAlarm)?
  private var keeper: ScheduleKeeper
  /// What of it is on the storage as recorded now.
  private var keptRunning: String?
  /// Of the settings that the keeper knows.
  private var known = 0
  private var alarmFor: WallTime?
  private var hasFailedAlarm = false

  /// How often the wall clock is looked at: it may be set at any time.
  private static let interval = Duration.seconds(1)
  /// The control loop steps more often than the clock's seconds matter.
  private var nextLook = Instant.zero
  /// The board has to come up before.
  private static let bootSeconds = 90

  init(_ ground: Ground, control: ControlParts, storage: StorageWorker, settings: Settings) {
    loop = control.loop
    clock = ground.clock
    events = ground.events
    gatherer = control.device.gatherer
    self.storage = storage
    alarm = ground.hardware.wakeAlarm
    store = ScheduleStore(storage: ground.hardware.storage, clock: ground.clock)
    let kept = store.load()
    let seen = kept.seen.map { WallTime(seconds: $0) }
    let memory = ScheduleKeeper.Memory(done: kept.done.compactMap { Occurrence.Key($0) }, seen: seen)
    keeper = ScheduleKeeper(settings.scheduleBasis, memory: memory)
    keptRunning = kept.running
    // It goes on by its schedule, or its time is over: nobody would end it.
    let wall = ground.clock.wallNow
    if keeper.isDue(at: wall) || keptRunning != nil && !keeper.isIdle && wall.isPlausible { loop.leaveResuming() }
  }

  func step(now: Instant) -> Instant? {
    guard !loop.isShuttingDown else { return nil }
    // Without schedules nothing waits: the loop steps for other reasons, and settings are looked at then.
    let isOther = loop.scheduleRevision != known
    guard now >= nextLook || isOther else { return keeper.isIdle && gatherer.nextSchedule == nil ? nil : nextLook }
    nextLook = now + Self.interval
    let wall = clock.wallNow
    if isOther {
      known = loop.scheduleRevision
      keeper.follow(loop.state.settings.scheduleBasis, at: wall)
    }
    guard !keeper.isIdle || gatherer.nextSchedule != nil else {
      if isOther { tellPlan(at: wall, now: now) }
      return nil
    }
    let scheduled = loop.state.dictaphone.scheduled
    let orders = keeper.step(
      at: wall, recording: scheduled.flatMap { $0.isStopped ? nil : $0.key },
      stopped: scheduled.flatMap { $0.isStopped ? $0.key : nil })
    for order in orders { perform(order, wall: wall, now: now) }
    if keeper.runningKey?.description != keptRunning { keep() }
    gatherer.nextSchedule = keeper.next?.start
    if isOther { tellPlan(at: wall, now: now) }
    setAlarm(now: now)
    return keeper.isIdle ? nil : nextLook
  }

  private func perform(_ order: ScheduleKeeper.Order, wall: WallTime, now: Instant) {
    switch order {
    case .begin(let occurrence):
      if let reason = loop.handle(.schedule(.begin(occurrence.key)), now: now) {
        keeper.refused(occurrence, reason: loop.state.refusal(reason).pastWords, at: wall)
      } else {
        tell("begun", occurrence.key, end: occurrence.end, now: now)
      }
    case .end(let key):
      _ = loop.handle(.schedule(.end(key)), now: now)
      tell("ended", key, now: now)
    case .missed(let occurrence, let reason):
      tell("missed", occurrence.key, end: occurrence.end, reason: reason.english, now: now)
      _ = loop.handle(
        .schedule(
          .missed(.scheduleMissed(number: occurrence.key.schedule, at: place(occurrence.start), reason: reason))),
        now: now)
    case .clockUnset:
      events.log(.warning, "schedules", Sentence.clockUnset.words.english, at: now)
      _ = loop.handle(.schedule(.missed(.clockUnset)), now: now)
    case .keep: keep()
    }
  }

  private func tellPlan(at wall: WallTime, now: Instant) {
    _ = loop.handle(.schedule(.planned(keeper.plan(at: wall))), now: now)
  }

  private func keep() {
    keptRunning = keeper.runningKey?.description
    let (done, seen) = (keeper.memory.done.map(\.description), keeper.memory.seen?.seconds)
    let store = StorageLaneOnly(store)
    storage.submit { [running = keptRunning] _ throws(LibraryError) in
      try store.value.save(done: done, seen: seen, running: running)
    } onFailure: { [inbox = storage.inbox] error in
      inbox.post(.say("what was recorded by schedule is not kept: \(error)"))
    }
  }

  private func tell(_ what: String, _ key: Occurrence.Key, end: WallTime? = nil, reason: String = "", now: Instant) {
    var data: [String: JSONValue] = [
      "what": .string(what), "schedule": .integer(key.schedule), "start": .string(key.start.iso8601),
    ]
    if let end { data["end"] = .string(end.iso8601) }
    if !reason.isEmpty { data["reason"] = .string(reason) }
    events.publish(.onSchedule, .object(data), at: now)
    let why = reason.isEmpty ? "" : ": \(reason)"
    events.log(
      what == "missed" ? .warning : .info, "schedules",
      "schedule \(key.schedule) of \(key.start.iso8601) is \(what)\(why)", at: now)
  }

  private func place(_ time: WallTime) -> Translated {
    (Zone(loop.state.settings.zone) ?? .utc).words(of: time)
  }

  /// A board that sleeps wakes in time for the next one.
  private func setAlarm(now: Instant) {
    guard let alarm else { return }
    let wanted = (keeper.next?.start).map { WallTime(seconds: $0.seconds - Self.bootSeconds) }
    guard wanted != alarmFor else { return }
    alarmFor = wanted
    do throws(DeviceError) {
      try alarm.set(wanted)
      hasFailedAlarm = false
    } catch {
      if !hasFailedAlarm {
        events.log(.warning, "schedules", "the board does not wake for schedules: \(error)", at: now)
      }
      hasFailedAlarm = true
    }
  }
}

/// What is made on one lane and used on another one only.
private struct StorageLaneOnly<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
