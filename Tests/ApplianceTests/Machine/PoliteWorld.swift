import Appliance
import Hardware
import TestSupport

/// A world in which everything does its mode: fingers on bouncing keys, a recorder, a player and a library that
/// answer late but truthfully, timers that run out. It finds what nonsense cannot: promises that are not kept.
struct PoliteWorld {
  private(set) var machine: Machine
  private var keys = KeyInput()
  private var random: SeededGenerator
  private var now = Instant.ms(1000)
  private var reports: [(at: Instant, event: Event)] = []
  private var timers: [Timer: Instant] = [:]
  private var takes: [TakeReference] = []
  private var openTake: TakeReference?
  private var recorderIsFreeAt = Instant.zero
  private var playerHas: String?
  private var recPresses: Set<Instant> = []
  private(set) var starts = 0
  private(set) var saved = 0
  private(set) var marks = 0
  /// The first promise that was broken.
  private(set) var broken: String?

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    var state = State()
    state.health.hasMicrophone = true
    state.health.hasSpeaker = true
    machine = Machine(state: state)
  }

  /// One finger, one key, with bounce, for a tap or a hold.
  mutating func pressSomething() {
    var button = Button.allCases[random.below(Button.allCases.count)]
    if button == .lock, random.below(6) != 0 { button = .rec }
    let holds: [Int64] = [3, 40, 80, 120, 650, 1100, 2100]
    press(button, holds[random.below(holds.count)])
    pass(Int64(random.below(random.below(4) == 0 ? 4000 : 300)))
  }

  /// Presses a key for some milliseconds.
  mutating func press(_ button: Button, _ milliseconds: Int64) {
    edges(button, isPressed: true)
    pass(milliseconds)
    edges(button, isPressed: false)
    pass(25)
  }

  /// Lets time pass and everything happen that is due.
  mutating func pass(_ milliseconds: Int64) {
    let end = now + .milliseconds(milliseconds)
    while broken == nil {
      let gesture = keys.nextDeadline ?? .distantFuture
      let report = reports.first?.at ?? .distantFuture
      let timer = timers.min { $0.value < $1.value }
      let due = min(gesture, report, timer?.value ?? .distantFuture)
      guard due <= end else { break }
      now = max(now, due)
      if gesture == due {
        for gesture in keys.advance(to: now) { happen(.gesture(gesture)) }
      } else if report == due {
        happen(reports.removeFirst().event)
      } else if let timer {
        timers[timer.key] = nil
        happen(.timer(timer.key))
      }
    }
    now = end
  }

  /// A contact closes or opens, and chatters for a few milliseconds.
  private mutating func edges(_ button: Button, isPressed: Bool) {
    let first = now
    for chatter in 0..<(1 + 2 * random.below(3)) {
      let edge = ButtonEdge(button, isPressed: (chatter % 2 == 0) == isPressed, at: first + .milliseconds(chatter))
      now = edge.at
      if button == .rec, isPressed, chatter == 0 { recPresses.insert(edge.at) }
      for gesture in keys.accept(edge) { happen(.gesture(gesture)) }
    }
  }

  private mutating func happen(_ event: Event) {
    let before = machine.state
    let effects = machine.handle(event, at: now)
    for effect in effects { perform(effect) }
    let invariants = Invariants(before: before, after: machine.state, event: event, effects: effects, now: now)
    if let reason = invariants.broken { fail("\(reason): \(event)") }
    if case .gesture(let gesture) = event, gesture.kind == .press, gesture.button == .rec {
      checkRec(before, effects)
    }
  }

  /// Every REC press does exactly one thing, at its own time, or says why not.
  private mutating func checkRec(_ before: State, _ effects: [Effect]) {
    var deeds = effects.ignored.count
    for effect in effects {
      switch effect {
      case .recorder(.start), .recorder(.pause), .recorder(.resume), .player(.mark): deeds += 1
      default: break
      }
    }
    if deeds != 1 { fail("a REC press did \(deeds) things in \(before.modeName): \(effects)") }
  }

  private mutating func perform(_ effect: Effect) {
    switch effect {
    case .recorder(let order): record(order)
    case .player(let order): play(order)
    case .clip: fail("this board has no camera")
    case .dub, .feed: fail("this board has no dubbing")
    case .library(.clipWindow), .library(.deleteClip), .library(.protectClip), .library(.receipt):
      fail("this board has no clips")
    case .library(.undelete), .library(.favourite), .library(.rename), .library(.tag), .library(.tags),
      .library(.facts), .library(.copy), .library(.cancelCopy), .library(.export), .library(.exportAll),
      .library(.cancelExport), .library(.protect), .library(.cancelWork), .clock, .update:
      break
    case .library(.work(let work, let ids)):
      if work == .delete {
        takes.removeAll { ids.contains($0.id) }
        report(.library(.changed(count: takes.count)), after: 20)
      }
      report(.library(.worked(work, done: ids.count, failed: 0)), after: 30)
    case .library(.window(let start, let count, _)):
      let window = Array(takes.dropFirst(start).prefix(count))
      report(.library(.window(start: start, takes: window, count: takes.count)), after: 1 + random.below(300))
    case .library(.delete(let id)):
      guard let index = takes.firstIndex(where: { $0.id == id }) else {
        return fail("deleted what is not there: \(id)")
      }
      report(.library(.deleted(takes.remove(at: index))), after: 20)
      report(.library(.changed(count: takes.count)), after: 20)
    case .library(.moveMark), .library(.removeMark): if playerHas == nil { fail("\(effect) without a take") }
    case .library(.restoreMark): break
    case .setTimer(let timer, let at): timers[timer] = at
    case .cancelTimer(let timer):
      if timers.removeValue(forKey: timer) == nil { fail("cancelled a timer that was not set: \(timer)") }
    case .announce, .ignored, .saveSettings, .applySettings: break
    }
  }

  private mutating func record(_ order: RecorderOrder) {
    switch order {
    case .start(let at):
      if openTake != nil { fail("started a take over another") }
      if !recPresses.contains(at) { fail("started at no REC press") }
      starts += 1
      let take = TakeReference(id: "t\(starts)", displayName: "Take \(starts)", frames: 1, sampleRate: 48_000)
      openTake = take
      answer(.started(take, preRecorded: 0), after: random.below(60))
    case .stepSource: break
    case .stop(_, let reason):
      guard let take = openTake else { return fail("stopped what is not open") }
      openTake = nil
      saved += 1
      takes.insert(take, at: 0)
      report(.recorder(.stopping(reason)), after: 0)
      answer(.saved(take, reason), after: random.below(5) == 0 ? 3000 : random.below(200))
      report(.library(.changed(count: takes.count)), after: 3100)
    case .mark:
      if openTake == nil { fail("marked nothing") }
      marks += 1
      answer(.marked(frame: marks), after: 1)
    case .pause, .resume:
      if openTake == nil { fail("paused nothing") }
    }
  }

  private mutating func play(_ order: PlayerOrder) {
    switch order {
    case .load(let id, let playing, _):
      playerHas = id
      if let take = takes.first(where: { $0.id == id }) {
        report(.player(.loaded(take, frame: 0)), after: 15)
        if playing { report(.player(.ended), after: 5000) }
      } else {
        report(.player(.failed(code: "not-found", text: id)), after: 15)
      }
    case .play, .pause, .seek, .go, .skip, .mark, .scrub, .stepLoop, .loop:
      if playerHas == nil { fail("\(order) without a take") }
    case .stop: break
    }
  }

  /// The recorder does one thing after another.
  private mutating func answer(_ report: RecorderReport, after milliseconds: Int) {
    recorderIsFreeAt = max(recorderIsFreeAt, now) + .milliseconds(milliseconds)
    enqueue(.recorder(report), at: recorderIsFreeAt)
  }

  private mutating func report(_ event: Event, after milliseconds: Int) {
    enqueue(event, at: now + .milliseconds(milliseconds))
  }

  private mutating func enqueue(_ event: Event, at: Instant) {
    let index = reports.firstIndex { $0.at > at } ?? reports.endIndex
    reports.insert((at, event), at: index)
  }

  private mutating func fail(_ reason: String) {
    if broken == nil { broken = "\(reason), at \(now.seconds) s" }
  }
}
