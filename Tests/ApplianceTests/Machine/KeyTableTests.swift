import Appliance
import Hardware
import Testing

/// The contract's table "Default keys", cell by cell, through edges and gestures.
@Suite struct KeyTableTests {
  /// When the key of every test goes down.
  private static let pressed = Instant.ms(10_000)

  struct Cell: CustomTestStringConvertible {
    var activity: Activity
    var key: Button
    var hold: Int64
    var orders: [Effect]
    var mode: String
    var ignored: [IgnoredReason]

    init(
      _ activity: Activity, _ key: Button, hold: Int64 = 80, _ orders: [Effect] = [], mode: String? = nil,
      ignored: [IgnoredReason] = []
    ) {
      self.activity = activity
      self.key = key
      self.hold = hold
      self.orders = orders
      self.mode = mode ?? "dictaphone.\(activity)"
      self.ignored = ignored
    }

    var testDescription: String { "\(activity): \(key.rawValue) for \(hold) ms" }
  }

  static let stopped: [Cell] = [
    Cell(.idle, .rec, [.recorder(.start(at: pressed))], mode: "dictaphone.recording"),
    Cell(.idle, .stop, ignored: [.noMeaning(mode: "dictaphone.idle")]),
    Cell(.idle, .stop, hold: 700, ignored: [.notOnBoard(.camera)]),
    Cell(.idle, .centre, [.player(.play)], mode: "dictaphone.playing"),
    Cell(.idle, .centre, hold: 700, mode: "dictaphone.options"),
    Cell(.idle, .left, [.player(.seek(by: -10))]),
    Cell(.idle, .right, [.player(.seek(by: 10))]),
    Cell(.idle, .left, hold: 900, [.player(.scrub(direction: -1)), .player(.scrub(direction: 0))]),
    Cell(.idle, .right, hold: 900, [.player(.scrub(direction: 1)), .player(.scrub(direction: 0))]),
    Cell(.idle, .up, mode: "dictaphone.options"),
    Cell(.idle, .up, hold: 700),
    Cell(.idle, .down, [.library(.window(start: 0, count: 32))], mode: "dictaphone.files"),
    Cell(.idle, .mark, ignored: [.noMeaning(mode: "dictaphone.idle")]),
  ]

  static let recording: [Cell] = [
    Cell(.recording, .rec, [.recorder(.pause(at: pressed))], mode: "dictaphone.paused"),
    Cell(.paused, .rec, [.recorder(.resume(at: pressed))], mode: "dictaphone.recording"),
    Cell(.recording, .stop, [.recorder(.stop(at: pressed, reason: .user))], mode: "dictaphone.saving"),
    Cell(.paused, .stop, [.recorder(.stop(at: pressed, reason: .user))], mode: "dictaphone.saving"),
    Cell(.recording, .stop, hold: 2500, [.recorder(.stop(at: pressed, reason: .user))], mode: "dictaphone.saving"),
    Cell(.recording, .centre, [.recorder(.mark(at: pressed, title: nil))]),
    Cell(.paused, .centre, [.recorder(.mark(at: pressed, title: nil))]),
    Cell(.recording, .mark, [.recorder(.mark(at: pressed, title: nil))]),
    Cell(.recording, .centre, hold: 700),
    Cell(.recording, .left),
    Cell(.recording, .right),
    Cell(.recording, .right, hold: 1000),
    Cell(.recording, .up, [.recorder(.stepSource(by: 1))]),
    Cell(.recording, .up, hold: 700),
    Cell(.recording, .down, ignored: [.noMeaning(mode: "dictaphone.recording")]),
  ]

  static let saving: [Cell] = [
    Cell(.saving, .rec, [.recorder(.start(at: pressed))]),
    Cell(.saving, .stop, ignored: [.busy("saving")]),
    Cell(.saving, .centre, ignored: [.busy("saving")]),
    Cell(.saving, .left, ignored: [.busy("saving")]),
    Cell(.saving, .down, ignored: [.busy("saving")]),
    Cell(.saving, .mark, ignored: [.busy("saving")]),
  ]

  static let playing: [Cell] = [
    Cell(.playing, .rec, [.player(.mark(title: nil))]),
    Cell(.playbackPaused, .rec, [.player(.mark(title: nil))]),
    Cell(.playing, .mark, [.player(.mark(title: nil))]),
    Cell(.playing, .stop, [.player(.stop)], mode: "dictaphone.idle"),
    Cell(.playbackPaused, .stop, [.player(.stop)], mode: "dictaphone.idle"),
    Cell(.playing, .stop, hold: 700, ignored: [.notOnBoard(.camera)]),
    Cell(.playing, .centre, [.player(.pause)], mode: "dictaphone.playbackPaused"),
    Cell(.playbackPaused, .centre, [.player(.play)], mode: "dictaphone.playing"),
    Cell(.playing, .centre, hold: 700, mode: "dictaphone.options"),
    Cell(.playing, .left, [.player(.seek(by: -10))]),
    Cell(.playing, .right, [.player(.seek(by: 10))]),
    Cell(.playing, .right, hold: 1900, [.player(.scrub(direction: 1)), .player(.scrub(direction: 0))]),
    Cell(.playbackPaused, .left, hold: 600, [.player(.scrub(direction: -1)), .player(.scrub(direction: 0))]),
    Cell(.playing, .up, mode: "dictaphone.options"),
    Cell(.playing, .up, hold: 700),
    Cell(.playing, .down, [.player(.stepLoop(at: pressed))]),
    Cell(.playbackPaused, .down, [.player(.stepLoop(at: pressed))]),
  ]

  @Test(arguments: stopped + recording + saving + playing)
  func `A key does what the contract says`(cell: Cell) {
    var bench = Bench.doing(cell.activity)
    bench.hold(cell.key, cell.hold)
    #expect(bench.effects.orders == cell.orders)
    #expect(bench.state.modeName == cell.mode)
    #expect(bench.effects.ignored == cell.ignored)
  }

  @Test(arguments: Activity.allCases, Screen.allCases.filter { $0 != .receipt })
  func `Hold UP opens the guide and hold CENTRE the options, everywhere`(activity: Activity, screen: Screen) {
    var bench = Bench.doing(activity, screen: screen)
    if screen != .guide {
      bench.hold(.up, 650)
      #expect(bench.state.screen == .guide)
    }
    bench = Bench.doing(activity, screen: screen)
    if screen != .options {
      bench.hold(.centre, 650)
      #expect(bench.state.screen == .options)
    }
    #expect(bench.state.activity == activity)
    #expect(bench.effects.orders.isEmpty)
  }

  @Test(arguments: Activity.allCases, Screen.allCases)
  func `LOCK locks everywhere and a hold of 2 s unlocks`(activity: Activity, screen: Screen) {
    var bench = Bench.doing(activity, screen: screen)
    bench.down(.lock)
    #expect(bench.state.isLocked)
    #expect(bench.effects.announcements == [.lock(true)])
    bench.up(.lock)
    bench.hold(.lock, 1999)
    #expect(bench.state.isLocked)
    bench.hold(.lock, 2000)
    #expect(!bench.state.isLocked)
    #expect(bench.effects.announcements == [.lock(false)])
    #expect(bench.state.activity == activity)
  }

  @Test func `Keys without a held meaning act as they go down, the others as they come up`() {
    var bench = Bench.doing(.recording)
    #expect(bench.down(.centre).orders.isEmpty)
    bench.wait(300)
    #expect(bench.up(.centre).orders == [.recorder(.mark(at: .ms(10_000), title: nil))])
    #expect(bench.down(.stop).orders == [.recorder(.stop(at: .ms(10_300), reason: .user))])
  }

  @Test func `Every tap of every key in every state either does something or says why not`() {
    for activity in Activity.allCases {
      for screen in Screen.allCases {
        for key in Button.allCases {
          var bench = Bench.doing(activity, screen: screen)
          let before = bench.state
          bench.tap(key)
          #expect(!bench.effects.isEmpty || bench.state != before, "\(activity) \(screen) \(key)")
        }
      }
    }
  }
}
