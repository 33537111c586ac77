import Hardware
import Testing

@testable import Appliance

@Suite struct MarkTests {
  private static let marks = [48_000, 96_000, 480_000].enumerated().map { MarkReference(id: "\($0)", frame: $1) }

  private static func playing(_ screen: Screen = .main) -> Bench {
    var bench = Bench.doing(.playing, screen: screen)
    bench.send(.library(.marks(take: "take1.m4a", marks)))
    return bench
  }

  @Test func `A mark says its number, of all that the take has`() {
    var bench = Self.playing()
    bench.send(.player(.marked(frame: 96_000)))
    #expect(bench.effects.announcements == [.mark(takeID: "take1.m4a", frame: 96_000, number: 2)])
    #expect(bench.state.notice?.text == "Mark 2 at 0m02s.")
  }

  @Test func `What is marked by itself is counted and announced, and covers no screen`() {
    var bench = Bench.doing(.recording)
    bench.send(.recorder(.marked(frame: 7)))
    bench.tap(.centre)
    bench.now = bench.now + .seconds(3)
    bench.send(.timer(.noticeExpires))
    bench.send(.recorder(.marked(frame: 9, before: 100, cause: "overload")))
    #expect(
      bench.effects.announcements == [.mark(takeID: "take2.m4a", frame: 9, number: 2, title: "overload")])
    #expect(bench.state.notice == nil)
    #expect(bench.state.dictaphone.recording.marks == [7, 109])
  }

  @Test func `The list of marks has keys to go, move, delete and bring back`() {
    var bench = Self.playing()
    bench.hold(.down, 650)
    #expect(bench.state.screen == .marks)
    bench.tap(.down)
    #expect(bench.tap(.centre).orders == [.player(.go(to: 96_000))])
    var moved = Self.marks[1]
    moved.frame = 100_800
    #expect(bench.tap(.right).orders == [.library(.moveMark(moved, take: "take1.m4a"))])
    moved.frame = 91_200
    #expect(bench.tap(.left).orders == [.library(.moveMark(moved, take: "take1.m4a"))])
    #expect(bench.hold(.left, 650).orders == [.library(.removeMark(id: "1", take: "take1.m4a"))])
    #expect(bench.state.notice?.text == "Mark 2 is deleted: hold RIGHT brings it back.")
    #expect(bench.hold(.right, 650).orders == [.library(.restoreMark)])
    #expect(bench.tap(.rec).orders == [.player(.mark(title: nil))])
    bench.tap(.stop)
    #expect(bench.state.screen == .main)
    #expect(bench.state.activity == .playing)
  }

  @Test func `Where the take has no marks, keys for them do not say that no take is chosen`() {
    var bench = Bench.doing(.playing, screen: .marks)
    bench.send(.library(.marks(take: "take1.m4a", [])))
    for key in [Button.left, .right, .centre] {
      #expect(bench.tap(key).orders == [])
      #expect(bench.state.notice == nil)
    }
    bench.hold(.left, 650)
    #expect(bench.state.notice == nil)
  }

  @Test func `What is highlighted stays so when it moves past another`() {
    var bench = Self.playing(.marks)
    bench.tap(.down)
    var moved = Self.marks
    moved[1].frame = 10
    bench.send(.library(.marks(take: "take1.m4a", [moved[1], moved[0], moved[2]])))
    #expect(bench.state.dictaphone.marks.selection?.id == "1")
    bench.send(.library(.marks(take: "take9.m4a", [])))
    #expect(bench.state.dictaphone.marks.marks.count == 3)
  }

  @Test func `LEFT and RIGHT go to marks by setting`() {
    var bench = Self.playing()
    #expect(bench.tap(.right).orders == [.player(.seek(by: 10))])
    bench.send(.command(.set(["playback.skip": .text("marks")])))
    #expect(bench.tap(.right).orders == [.player(.skip(direction: 1, among: [48_000, 96_000, 480_000]))])
    #expect(bench.tap(.left).orders == [.player(.skip(direction: -1, among: [48_000, 96_000, 480_000]))])
    bench = Bench.doing(.recording)
    #expect(bench.send(.command(.skip(direction: 1))).ignored == [.busy("recording")])
  }

  @Test func `There is no list of marks while a take is open`() {
    var bench = Bench.doing(.recording)
    bench.send(.command(.showScreen(.marks)))
    #expect(bench.state.screen == .main)
  }
}
