import Hardware
import Testing

@testable import Appliance

/// Several takes at once, by the eight keys.
@Suite struct SeveralTakesTests {
  /// The list, with the first and the third of four takes marked.
  private func marked() -> Bench {
    var bench = Bench()
    bench.send(.library(.changed(count: 4)))
    bench.tap(.down)
    bench.send(.library(.window(start: 0, takes: (0..<4).map { .take($0) }, count: 4)))
    bench.hold(.left, 700)
    #expect(bench.state.files.browser.chosen == .marking)
    bench.tap(.centre)
    #expect(bench.state.screen == .files)
    bench.tap(.down)
    bench.tap(.down)
    bench.tap(.centre)
    #expect(bench.state.files.browser.marked == ["take0.m4a", "take2.m4a"])
    return bench
  }

  private let ids = ["take0.m4a", "take2.m4a"]

  /// Opens the menu of those that are marked, and goes to a row.
  private func menu(_ row: TakeBrowser.Row) -> Bench {
    var bench = marked()
    bench.hold(.left, 700)
    while bench.state.files.browser.chosen != row, bench.effects.ignored.isEmpty { bench.tap(.down) }
    return bench
  }

  @Test func `CENTRE marks and unmarks, STOP marks none, and then plays and closes as ever`() {
    var bench = marked()
    bench.tap(.centre)
    #expect(bench.state.files.browser.marked == ["take0.m4a"])
    #expect(bench.effects.orders.isEmpty)
    #expect(bench.state.keyGuide.contains { $0.text == "CENTRE: mark, unmark" })
    bench.tap(.stop)
    #expect(bench.state.screen == .files && bench.state.files.browser.marked == nil)
    bench.tap(.stop)
    #expect(bench.state.screen == .main)
  }

  @Test func `All that are marked are deleted after one question, and come back by one key`() {
    var bench = marked()
    bench.hold(.right, 700)
    #expect(bench.state.files.isConfirmingDelete && bench.effects.orders.isEmpty)
    bench.tap(.left)
    #expect(!bench.state.files.isConfirmingDelete && bench.state.files.browser.marked?.count == 2)
    bench.hold(.right, 700)
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.work(.delete, ids: ids))])
    #expect(bench.state.files.browser.marked == nil && bench.state.files.browser.worked == 0)
    bench.send(.library(.working(50)))
    #expect(bench.state.files.browser.worked == 50)
    bench.send(.library(.worked(.delete, done: 2, failed: 0)))
    bench.send(.library(.deleted(.take(2), number: 2)))
    #expect(bench.state.files.browser.worked == nil)
    #expect(bench.state.notice?.text == "2 takes are deleted: LEFT brings them back.")
    bench.tap(.left)
    #expect(bench.effects.orders == [.library(.undelete)])
    bench.send(.library(.restored(.take(0), number: 2)))
    #expect(bench.state.notice?.text == "2 takes are back.")
  }

  @Test func `They are made favourites, protected, and copied to the stick`() {
    var bench = menu(.favourite)
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.work(.favourite(true), ids: ids))])
    #expect(bench.state.screen == .files)
    bench.send(.library(.worked(.favourite(true), done: 2, failed: 0)))
    #expect(bench.state.notice?.text == "2 takes made favourite.")
    bench = menu(.favourite)
    bench.tap(.left)
    #expect(bench.effects.orders == [.library(.work(.favourite(false), ids: ids))])
    bench = menu(.protect)
    bench.tap(.right)
    #expect(bench.effects.orders == [.library(.work(.protect(true), ids: ids))])
    bench.send(.library(.worked(.protect(true), done: 1, failed: 1)))
    #expect(bench.state.notice?.text == "1 take protected, 1 not.")
    bench = menu(.export)
    bench.send(.library(.stick(.mounted)))
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.work(.export, ids: ids))])
    #expect(bench.state.files.browser.page == .stick)
  }

  @Test func `While it goes on STOP ends it, and nothing else is begun`() {
    var bench = menu(.favourite)
    bench.tap(.centre)
    #expect(bench.state.keyGuide.contains { $0.text == "STOP: stop the work" })
    bench.hold(.left, 700)
    bench.tap(.centre)
    bench.hold(.left, 700)
    bench.tap(.down)
    bench.tap(.down)
    bench.tap(.centre)
    #expect(bench.effects.ignored == [.busy("takes")])
    bench.tap(.stop)
    bench.tap(.stop)
    #expect(bench.effects.orders == [.library(.cancelWork)])
    bench.send(.library(.worked(.favourite(true), done: 1, failed: 0)))
    #expect(bench.state.files.browser.worked == nil)
  }

  @Test func `Where none is marked nothing is asked`() {
    var bench = marked()
    bench.tap(.centre)
    bench.tap(.up)
    bench.tap(.up)
    bench.tap(.centre)
    #expect(bench.state.files.browser.marked == [])
    #expect(bench.hold(.right, 700).ignored == [.nothingLoaded])
  }

  @Test func `One take is protected by its menu, and not deleted then`() {
    var bench = Bench()
    bench.send(.library(.changed(count: 4)))
    bench.tap(.down)
    bench.send(.library(.window(start: 0, takes: (0..<4).map { .take($0) }, count: 4)))
    bench.hold(.left, 700)
    while bench.state.files.browser.chosen != .protect { bench.tap(.down) }
    bench.tap(.right)
    #expect(bench.effects.orders == [.library(.protect(id: "take0.m4a", true))])
    var take = TakeReference.take(0)
    take.isProtected = true
    bench.send(.library(.protected(take)))
    bench.tap(.stop)
    #expect(bench.hold(.right, 700).ignored == [.protected])
    #expect(bench.state.notice?.text == "The take is protected: hold LEFT, Protect.")
  }
}
