import Appliance
import Hardware
import Testing

@Suite struct FilesTests {
  private func list(_ count: Int = 3) -> Bench {
    var bench = Bench()
    bench.send(.library(.changed(count: count)))
    bench.tap(.down)
    bench.send(.library(.window(start: 0, takes: (0..<min(count, 32)).map { .take($0) }, count: count)))
    return bench
  }

  @Test func `DOWN opens the list at the newest take and asks for a window`() {
    var bench = Bench()
    bench.tap(.down)
    #expect(bench.effects.orders == [.library(.window(start: 0, count: 32))])
    #expect(bench.state.modeName == "dictaphone.files")
  }

  @Test func `UP and DOWN move, stop at the ends, and repeat while held`() {
    var bench = list(20)
    bench.tap(.up)
    #expect(bench.effects.ignored == [.atLimit])
    bench.tap(.down)
    #expect(bench.state.files.selected == 1)
    bench.hold(.down, 1000)
    #expect(bench.state.files.selected == 5)
    bench.hold(.up, 600)
    #expect(bench.state.files.selected == 3)
    #expect(bench.state.screen == .files)
  }

  @Test func `LEFT and RIGHT turn pages`() {
    var bench = list(20)
    bench.tap(.right)
    #expect(bench.state.files.selected == 5)
    bench.tap(.left)
    #expect(bench.state.files.selected == 0)
  }

  @Test func `Near the edge of the window the next one is asked for`() {
    var bench = list(100)
    bench.hold(.down, 600 + 25 * 200)
    #expect(bench.state.files.selected == 27)
    #expect(bench.effects.orders == [])
    bench.tap(.down)
    #expect(bench.effects.orders == [.library(.window(start: 12, count: 32))])
    bench.send(.library(.window(start: 12, takes: (12..<44).map { .take($0) }, count: 100)))
    #expect(bench.state.files.selection == .take(28))
  }

  @Test func `CENTRE plays the highlighted take from where it was left`() {
    var bench = list()
    bench.tap(.down)
    bench.tap(.centre)
    #expect(bench.effects.orders == [.player(.load(id: "take1.m4a", playing: true, fromStart: false))])
    #expect(bench.state.modeName == "dictaphone.playing")
    #expect(bench.state.loaded == .take(1))
  }

  @Test func `Until the library has answered, no row is a take`() {
    var bench = list()
    bench.send(.library(.changed(count: 4)))
    #expect(bench.effects.orders == [.library(.window(start: 0, count: 32))])
    bench.tap(.centre)
    #expect(bench.effects.ignored == [.busy("library")])
    #expect(bench.effects.orders.isEmpty)
  }

  @Test func `Hold RIGHT asks, CENTRE deletes, and the library's answer is shown`() {
    var bench = list()
    bench.hold(.right, 700)
    #expect(bench.state.files.isConfirmingDelete)
    #expect(bench.effects.orders.isEmpty)
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.delete(id: "take0.m4a"))])
    #expect(!bench.state.files.isConfirmingDelete)
    bench.send(.library(.deleted(.take(0))))
    #expect(bench.state.notice?.text == "Take 0 is deleted: LEFT brings it back.")
  }

  @Test(arguments: [Button.stop, .up, .down, .left, .right])
  func `Any other key keeps the take and stays in the list`(key: Button) {
    var bench = list()
    bench.hold(.right, 700)
    bench.tap(key)
    #expect(!bench.state.files.isConfirmingDelete)
    #expect(bench.state.screen == .files)
    #expect(bench.state.files.selected == 0)
    #expect(bench.effects.orders.isEmpty)
  }

  @Test(arguments: [Button.rec, .mark])
  func `A mark in what plays answers the question with no`(key: Button) {
    var bench = Bench.doing(.playing, screen: .files)
    bench.send(.library(.window(start: 0, takes: [.take(0), .take(1)], count: 2)))
    bench.hold(.right, 700)
    #expect(bench.state.files.isConfirmingDelete)
    bench.tap(key)
    #expect(!bench.state.files.isConfirmingDelete)
    #expect(bench.effects.orders == [.player(.mark(title: nil))])
  }

  @Test func `The question goes when the row becomes another take`() {
    var bench = list()
    bench.hold(.right, 700)
    bench.send(.library(.window(start: 0, takes: [.take(8), .take(9)], count: 2)))
    #expect(!bench.state.files.isConfirmingDelete)
  }

  @Test func `Deleting the take in the player takes it out first`() {
    var bench = list()
    bench.send(.player(.loaded(.take(0), frame: 0)))
    bench.hold(.right, 700)
    bench.tap(.centre)
    #expect(bench.effects.orders == [.player(.stop), .library(.delete(id: "take0.m4a"))])
    #expect(bench.state.loaded == nil)
  }

  @Test func `REC records from the list, and from the question`() {
    var bench = list()
    bench.hold(.right, 700)
    bench.tap(.rec)
    #expect(bench.state.modeName == "dictaphone.recording")
    #expect(bench.state.screen == .main)
    #expect(!bench.state.files.isConfirmingDelete)
  }

  @Test func `STOP leaves the list`() {
    var bench = list()
    bench.tap(.stop)
    #expect(bench.state.modeName == "dictaphone.idle")
  }

  @Test func `Answers that make no sense are cut to what can be`() {
    var bench = list()
    bench.send(.library(.window(start: -5, takes: [.take(1), .take(2)], count: 1)))
    #expect(bench.state.files.window == [.take(1)])
    bench.send(.library(.window(start: 50, takes: [.take(1)], count: -3)))
    #expect(bench.state.files.count == 0)
    #expect(bench.state.files.window.isEmpty)
    bench.send(.library(.changed(count: .min)))
    #expect(bench.state.files.selected == 0)
  }

  @Test func `An empty list has nothing to play or delete`() {
    var bench = list(0)
    #expect(bench.tap(.centre).ignored == [.nothingLoaded])
    bench.now = bench.now + .seconds(5)
    #expect(bench.hold(.right, 700).ignored == [.nothingLoaded])
  }
}
