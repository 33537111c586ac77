import Hardware
import TestSupport
import Testing

@testable import Appliance

/// Which occurrence is recorded when, through restarts, hands and clocks that jump.
@Suite struct ScheduleKeeperTests {
  /// A device: its keeper, its clock, the take that is open.
  private struct Device {
    var keeper: ScheduleKeeper
    var wall: Int
    var recording: Occurrence.Key?
    var stopped: Occurrence.Key?
    var refuses = false
    var begun: [Occurrence.Key] = []
    var ended: [Occurrence.Key] = []
    var missed: [Occurrence.Key] = []
    var reasons: [Translated] = []

    init(_ text: String, at time: String, memory: ScheduleKeeper.Memory = .init()) throws {
      let basis = ScheduleBasis(try #require(Schedules(text)), zone: .utc, place: nil)
      keeper = ScheduleKeeper(basis, memory: memory)
      wall = try #require(WallTime(iso8601: "2026-11-20T\(time):00Z")).seconds
    }

    mutating func step() {
      for order in keeper.step(at: WallTime(seconds: wall), recording: recording, stopped: stopped) {
        switch order {
        case .begin(let one) where refuses: keeper.refused(one, reason: Translated("busy"), at: WallTime(seconds: wall))
        case .begin(let one):
          recording = one.key
          begun.append(one.key)
        case .end(let key):
          recording = nil
          ended.append(key)
        case .missed(let one, let reason):
          missed.append(one.key)
          reasons.append(reason)
        case .clockUnset, .keep: break
        }
      }
    }

    mutating func run(minutes: Int) {
      for _ in 0..<minutes * 6 {
        step()
        wall += 10
      }
    }

    mutating func stopByHand() {
      stopped = recording
      recording = nil
    }

    /// The power goes, and comes back after a while.
    mutating func restart(minutes: Int, _ text: String, memory: ScheduleKeeper.Memory? = nil) throws {
      let basis = ScheduleBasis(try #require(Schedules(text)), zone: .utc, place: nil)
      keeper = ScheduleKeeper(basis, memory: memory ?? keeper.memory)
      recording = nil
      stopped = nil
      wall += minutes * 60
    }
  }

  private let daily = "1 on daily 06:00 08:00"

  @Test("It begins and ends once")
  func once() throws {
    var device = try Device(daily, at: "05:30")
    device.run(minutes: 180)
    #expect(device.begun.count == 1 && device.ended == device.begun && device.missed.isEmpty)
    #expect(device.keeper.next?.start == WallTime(iso8601: "2026-11-21T06:00:00Z"))
  }

  @Test("A STOP by hand ends the occurrence for good")
  func stopByHand() throws {
    var device = try Device(daily, at: "05:59")
    device.run(minutes: 10)
    device.stopByHand()
    device.run(minutes: 120)
    #expect(device.begun.count == 1 && device.ended.isEmpty && device.missed.isEmpty)
  }

  @Test("A take by hand comes first; what is left of the time is recorded after it, or told to be missed")
  func handFirst() throws {
    var device = try Device(daily, at: "05:59")
    device.refuses = true
    device.run(minutes: 30)
    #expect(device.begun.isEmpty)
    device.refuses = false
    device.run(minutes: 120)
    #expect(device.begun.count == 1 && device.ended.count == 1)
    var other = try Device(daily, at: "05:59")
    other.refuses = true
    other.run(minutes: 150)
    #expect(other.begun.isEmpty && other.missed.count == 1)
  }

  @Test("One within the time of another says that another was recorded")
  func covered() throws {
    var device = try Device(daily + "; 2 on daily 06:30 07:00", at: "05:59")
    device.run(minutes: 90)
    #expect(device.begun.count == 1 && device.missed.count == 1)
    #expect(device.reasons == [.anotherTake])
  }

  @Test("After a power cut within its time it goes on; after one beyond it, it is over")
  func powerCut() throws {
    var device = try Device(daily, at: "05:59")
    device.run(minutes: 20)
    try device.restart(minutes: 10, daily)
    device.run(minutes: 120)
    #expect(device.begun.count == 2 && Set(device.begun).count == 1 && device.ended.count == 1)
    try device.restart(minutes: 10, daily)
    device.run(minutes: 30)
    #expect(device.begun.count == 2)
  }

  @Test("What came while it was off is told once")
  func missedWhileOff() throws {
    var device = try Device(daily, at: "05:30")
    device.step()
    let memory = device.keeper.memory
    try device.restart(minutes: 3 * 1440, daily, memory: memory)
    device.run(minutes: 5)
    #expect(device.missed.count == 3 && device.begun.isEmpty)
    try device.restart(minutes: 1, daily)
    device.run(minutes: 5)
    #expect(device.missed.count == 3)
  }

  @Test("Of a month that it was off, no more is told than is remembered")
  func missedForAMonth() throws {
    let text = "1 on daily 00:00 23:59 every 2 for 1"
    var device = try Device(text, at: "10:00")
    device.run(minutes: 1)
    device.stopByHand()
    try device.restart(minutes: 40 * 1440, text)
    device.missed = []
    device.step()
    #expect((1...ScheduleKeeper.mostDone).contains(device.missed.count))
  }

  @Test("A clock that is set back begins nothing twice; one that is not set waits and says so")
  func clocks() throws {
    var device = try Device(daily, at: "05:59")
    device.run(minutes: 130)
    device.wall -= 3 * 3600
    device.run(minutes: 240)
    #expect(device.begun.count == 1)
    var unset = try Device(daily, at: "05:59")
    let keeper = unset.keeper.step(at: WallTime(seconds: 100), recording: nil, stopped: nil)
    #expect(keeper == [.clockUnset])
    #expect(unset.keeper.step(at: WallTime(seconds: 101), recording: nil, stopped: nil).isEmpty)
    unset.run(minutes: 10)
    #expect(unset.begun.count == 1)
  }

  @Test("A card that was full for a while costs that while")
  func cutShort() throws {
    var device = try Device(daily, at: "05:59")
    device.run(minutes: 10)
    device.recording = nil
    device.run(minutes: 10)
    #expect(device.begun.count == 2 && Set(device.begun).count == 1)
  }

  @Test("A schedule that is taken off ends its take; one that is new has missed nothing")
  func changes() throws {
    var device = try Device(daily, at: "05:59")
    device.run(minutes: 10)
    device.keeper.follow(
      ScheduleBasis(try #require(Schedules("2 on daily 01:00 02:00")), zone: .utc, place: nil),
      at: WallTime(seconds: device.wall))
    device.run(minutes: 10)
    #expect(device.ended.count == 1 && device.missed.isEmpty)
  }

  @Test("Parts of a night and something else the next morning: each begins at its time")
  func partsOverMidnight() throws {
    var device = try Device("1 on daily 20:00 08:00 every 60 for 10; 2 on daily 05:17 05:50", at: "05:11")
    device.step()
    #expect(device.keeper.next?.start == WallTime(iso8601: "2026-11-20T05:17:00Z"))
    device.run(minutes: 50)
    #expect(device.begun.map(\.schedule) == [2, 1])
    #expect(device.begun.first?.start == WallTime(iso8601: "2026-11-20T05:17:00Z"))
    #expect(device.missed.isEmpty)
  }

  @Test("What a clock that was wrong by days has passed is recorded when its time comes")
  func wrongByADay() throws {
    var device = try Device(daily, at: "08:30")
    device.run(minutes: 1)
    device.wall += 1440 * 60
    device.run(minutes: 1)
    #expect(device.missed.count == 1)
    device.wall -= 1440 * 60
    device.run(minutes: 1440)
    #expect(device.begun.count == 1 && device.ended == device.begun)
  }

  @Test("What a clock that was wrong by a year has had refused holds up nothing once it is right")
  func refusedByAWrongClock() throws {
    var device = try Device(daily, at: "05:59")
    device.wall += 365 * 86_400
    device.refuses = true
    device.run(minutes: 5)
    device.refuses = false
    device.wall -= 365 * 86_400
    device.run(minutes: 10)
    #expect(device.begun.count == 1 && device.missed.isEmpty)
  }

  @Test("A schedule whose end is set later goes on until then; one that is put back in its time records what is left")
  func otherEnd() throws {
    var device = try Device(daily, at: "05:59")
    func follow(_ text: String) throws {
      let basis = ScheduleBasis(try #require(Schedules(text)), zone: .utc, place: nil)
      device.keeper.follow(basis, at: WallTime(seconds: device.wall))
      device.step()
    }
    device.run(minutes: 10)
    try follow("1 on daily 06:00 09:00")
    device.run(minutes: 120)
    #expect(device.begun.count == 1 && device.ended.isEmpty)
    try follow("1 off daily 06:00 09:00")
    #expect(device.ended.count == 1)
    try follow("1 on daily 06:00 09:00")
    #expect(device.begun.count == 2 && device.recording == device.begun.last)
    device.run(minutes: 120)
    #expect(device.ended.count == 2)
  }

  @Test("Whatever happens, no occurrence that is over is begun again, and none is recorded outside its time")
  func anything() throws {
    var random = SeededGenerator(seed: 21)
    let text = "1 on daily 06:00 08:00 every 20 for 7; 2 on daily 07:10 07:30"
    for _ in 0..<60 {
      var device = try Device(text, at: "05:50")
      var over: Set<Occurrence.Key> = []
      for _ in 0..<60 {
        let ended = device.ended.count
        let begun = device.begun.count
        device.step()
        for key in device.begun.dropFirst(begun) {
          #expect(!over.contains(key))
          #expect(key.start.seconds <= device.wall)
        }
        over.formUnion(device.ended.dropFirst(ended))
        device.wall += 10 + random.below(400)
        switch random.below(12) {
        case 0:
          if let key = device.recording { over.insert(key) }
          device.stopByHand()
        case 1: device.refuses.toggle()
        case 2: device.wall -= random.below(3000)
        case 3 where device.recording == nil: try device.restart(minutes: random.below(20), text)
        default: break
        }
      }
    }
  }
}
