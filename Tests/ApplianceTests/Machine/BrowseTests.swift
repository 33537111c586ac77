import Appliance
import Hardware
import Testing

/// What lies behind the list of takes, by the eight keys.
@Suite struct BrowseTests {
  /// The list, with its menu open at a row.
  private func menu(_ row: TakeBrowser.Row = .favourite, _ count: Int = 3) -> Bench {
    var bench = Bench()
    bench.send(.library(.changed(count: count)))
    bench.tap(.down)
    bench.send(.library(.window(start: 0, takes: (0..<count).map { .take($0) }, count: count)))
    bench.hold(.left, 700)
    bench.send(.library(.tags(["night", "radio"])))
    for _ in 0..<(TakeBrowser.Row.allCases.firstIndex(of: row) ?? 0) { bench.tap(.down) }
    return bench
  }

  private func view(_ change: (inout ListView) -> Void) -> ListView {
    var view = ListView()
    change(&view)
    return view
  }

  @Test func `Hold LEFT opens the menu of the chosen take, and STOP leads back to it`() {
    var bench = Bench()
    bench.send(.library(.changed(count: 3)))
    bench.tap(.down)
    bench.hold(.left, 700)
    #expect(bench.state.screen == .library && bench.state.modeName == "dictaphone.files")
    #expect(bench.effects.orders == [.library(.tags)])
    bench.tap(.stop)
    #expect(bench.state.screen == .files)
    #expect(
      bench.state.keyGuide(on: .files).contains { $0.text == "hold LEFT: menu, search" })
  }

  @Test func `The chosen take becomes a favourite, and no longer`() {
    var bench = menu()
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.favourite(id: "take0.m4a", true))])
    var take = TakeReference.take(0)
    take.isFavourite = true
    bench.send(.library(.renewed(take)))
    #expect(bench.state.files.selection?.isFavourite == true)
    #expect(bench.tap(.right).ignored == [.atLimit])
    bench.tap(.left)
    #expect(bench.effects.orders == [.library(.favourite(id: "take0.m4a", false))])
  }

  @Test func `Tags that there are are given and taken away`() {
    var bench = menu(.tags)
    bench.tap(.centre)
    #expect(bench.state.files.browser.page == .tags)
    bench.tap(.down)
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.tag(id: "take0.m4a", "radio", true))])
    var take = TakeReference.take(0)
    take.tags = "Radio"
    bench.send(.library(.renewed(take)))
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.tag(id: "take0.m4a", "radio", false))])
    bench.tap(.stop)
    #expect(bench.state.files.browser.page == .menu)
  }

  @Test func `The list is searched letter by letter, in both alphabets`() {
    var bench = menu(.search)
    bench.tap(.centre)
    #expect(bench.state.files.browser.page == .search)
    bench.tap(.centre)
    let found = view { $0.query = "a" }
    #expect(bench.effects.orders == [.library(.window(start: 0, count: 32, view: found))])
    bench.tap(.right)
    bench.tap(.down)
    bench.tap(.centre)
    #expect(bench.state.files.browser.view.query == "ao")
    // The last cell of the last row: the other letters.
    bench.tap(.down)
    bench.hold(.right, 600 + 200 * 12)
    #expect(bench.state.files.browser.board.cell == 38)
    bench.tap(.centre)
    #expect(bench.state.files.browser.board.letters.first == "а")
    bench.tap(.left)
    bench.tap(.centre)
    #expect(bench.state.files.browser.view.query == "a")
    bench.tap(.stop)
    #expect(bench.state.screen == .files && bench.state.files.browser.view.query == "a")
    // Whoever opens the list anew sees all takes.
    bench.tap(.stop)
    bench.tap(.down)
    #expect(bench.effects.orders == [.library(.window(start: 0, count: 32))])
  }

  @Test func `A take gets a name and a new tag, letter by letter`() {
    var bench = menu(.rename)
    bench.tap(.centre)
    #expect(bench.state.files.browser.page == .name && bench.state.files.browser.typed == "Take 0")
    for _ in 0..<2 { bench.tap(.down) }
    for _ in 0..<11 { bench.tap(.right) }
    for _ in 0..<6 { bench.tap(.centre) }
    #expect(bench.tap(.centre).ignored == [.atLimit])
    // A name that is empty is none.
    bench.tap(.down)
    #expect(bench.state.files.browser.board.isAtEnd)
    #expect(bench.tap(.centre).ignored == [.atLimit])
    #expect(bench.tap(.down).ignored == [.atLimit] && bench.tap(.right).ignored == [.atLimit])
    for _ in 0..<3 { bench.tap(.up) }
    bench.tap(.centre)
    bench.tap(.right)
    bench.tap(.centre)
    #expect(bench.state.files.browser.typed == "Ab")
    for _ in 0..<3 { bench.tap(.down) }
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.rename(id: "take0.m4a", "Ab"))])
    #expect(bench.state.files.browser.page == .menu)
    // STOP leaves it as it is.
    bench.tap(.centre)
    bench.tap(.centre)
    bench.tap(.stop)
    #expect(bench.effects.orders.isEmpty && bench.state.files.browser.page == .menu)

    bench = menu(.tags)
    bench.tap(.centre)
    for _ in 0..<2 { bench.tap(.down) }
    #expect(bench.state.files.browser.tag == nil)
    bench.tap(.centre)
    #expect(bench.state.files.browser.page == .name)
    bench.tap(.centre)
    for _ in 0..<3 { bench.tap(.down) }
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.tag(id: "take0.m4a", "A", true)), .library(.tags)])
    #expect(bench.state.files.browser.page == .tags)
  }

  @Test func `A name that was typed stays on the screen while there is no card, and is given when the card is back`() {
    for row in [TakeBrowser.Row.rename, .tags] {
      var bench = menu(row)
      bench.tap(.centre)
      if row == .tags {
        for _ in 0..<2 { bench.tap(.down) }
        bench.tap(.centre)
      }
      bench.tap(.centre)
      for _ in 0..<3 { bench.tap(.down) }
      let typed = bench.state.files.browser.typed
      #expect(!typed.isEmpty && bench.state.files.browser.board.isAtEnd)
      bench.send(.deviceLost(.storage, text: ""))
      // The first key takes the card away that covers what is typed.
      bench.tap(.centre)
      #expect(bench.tap(.centre).ignored == [.deviceMissing(.storage)] && bench.effects.orders.isEmpty)
      #expect(bench.state.files.browser.page == .name && bench.state.files.browser.typed == typed)
      bench.send(.deviceReturned(.storage, text: ""))
      bench.tap(.centre)
      #expect(
        bench.effects.orders.first
          == (row == .tags ? .library(.tag(id: "take0.m4a", typed, true)) : .library(.rename(id: "take0.m4a", typed))))
    }
  }

  @Test func `Order and choice are steps of rows, and the order stays`() {
    var bench = menu(.order)
    bench.tap(.right)
    let oldest = view { $0.order = .oldest }
    #expect(bench.effects.orders == [.library(.window(start: 0, count: 32, view: oldest))])
    bench.tap(.down)
    var seen: [ListView] = []
    for _ in 0..<3 {
      bench.tap(.right)
      seen.append(bench.state.files.browser.view)
    }
    #expect(seen.map(\.favouritesOnly) == [true, false, false] && seen.map(\.tag) == [nil, "night", "radio"])
    #expect(bench.tap(.right).ignored == [.atLimit])
    bench.tap(.stop)
    bench.tap(.stop)
    bench.tap(.down)
    #expect(bench.effects.orders == [.library(.window(start: 0, count: 32, view: oldest))])
  }

  @Test func `A take is copied, with progress, and the same row stops that`() {
    var bench = menu(.copy)
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.copy(id: "take0.m4a"))])
    bench.send(.library(.copying(40)))
    #expect(bench.state.files.browser.copied == 40)
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.cancelCopy)])
    bench.send(.library(.copying(nil)))
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.copy(id: "take0.m4a"))])
    bench.send(.library(.copied(.take(4))))
    #expect(bench.state.notice?.text == "Take 4 is there." && bench.state.files.browser.copied == nil)
  }

  @Test func `A take goes to the stick, the screen says when that may be pulled out, and CENTRE stops it on the way`() {
    var bench = menu(.export)
    bench.tap(.centre)
    // Without a stick the page says so, and asks nothing of anybody.
    #expect(bench.effects.orders == [] && bench.state.files.browser.page == .stick)
    #expect(bench.state.files.browser.stick == .absent)
    bench.send(.library(.stick(.plugged)))
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.export(id: "take0.m4a"))])
    bench.send(.library(.exporting(40)))
    #expect(bench.state.files.browser.exported == 40)
    #expect(bench.state.keyGuide(on: .library).contains { $0.text == "CENTRE: to the stick, stop" })
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.cancelExport)])
    bench.send(.library(.exporting(nil)))
    bench.tap(.stop)
    #expect(bench.state.files.browser.page == .menu)
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.export(id: "take0.m4a"))])
    bench.send(.library(.exported(count: 1, name: "000004_2026-11-20T21-54-00Z")))
    #expect(bench.state.notice?.text == "Take 4 is on the stick. It is safe to remove.")
    #expect(bench.state.files.browser.exported == nil)
    bench.send(.library(.exportFailed(.full, text: "the stick is full")))
    #expect(bench.state.notice?.code == "stick-full" && bench.state.notice?.severity == .error)
  }

  @Test func `All goes to the stick by keys, with how far it is, and CENTRE stops it`() {
    var bench = menu(.exportAll)
    bench.send(.library(.stick(.plugged)))
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.exportAll)] && bench.state.files.browser.isOfAll)
    bench.send(.library(.exporting(7)))
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.cancelExport)])
    bench.send(.library(.exported(count: 12, name: "")))
    #expect(bench.state.notice?.code == "exported")
    // The row of the chosen take is about that take again.
    bench.tap(.stop)
    bench.tap(.up)
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.export(id: "take0.m4a"))] && !bench.state.files.browser.isOfAll)
  }

  @Test func `Facts follow the list up and down, and CENTRE plays`() {
    var bench = menu(.info)
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.facts(id: "take0.m4a"))])
    bench.tap(.right)
    #expect(bench.effects.orders == [.library(.facts(id: "take1.m4a"))])
    bench.tap(.centre)
    #expect(bench.effects.orders == [.player(.load(id: "take1.m4a", playing: true, fromStart: false))])
    #expect(bench.state.screen == .main)
  }

  @Test func `Delete is asked for, and LEFT on the same card brings the take back`() {
    var bench = menu(.delete)
    bench.tap(.centre)
    #expect(bench.state.screen == .files && bench.state.files.isConfirmingDelete)
    bench.tap(.centre)
    #expect(bench.effects.orders == [.library(.delete(id: "take0.m4a"))])
    bench.send(.library(.deleted(.take(0))))
    #expect(bench.state.notice?.text == "Take 0 is deleted: LEFT brings it back.")
    bench.tap(.left)
    #expect(bench.effects.orders == [.library(.undelete)])
    bench.send(.library(.restored(.take(0))))
    #expect(bench.state.notice?.text == "Take 0 is back.")
    bench.tap(.left)
    #expect(bench.effects.orders == [])
  }

  @Test func `LEFT is the level while a take is recorded, whatever was deleted on the console`() {
    var bench = Bench.doing(.recording)
    bench.send(.library(.deleted(.take(0))))
    #expect(bench.state.notice?.text == "Take 0 is deleted.")
    bench.tap(.left)
    #expect(!bench.effects.orders.contains(.library(.undelete)))
  }

  @Test func `The guide tells the keys of the screen that it is opened from, and leads back there`() {
    for (opens, screen) in [(false, Screen.files), (true, .library)] {
      var bench = Bench()
      bench.send(.library(.changed(count: 3)))
      bench.tap(.down)
      if opens { bench.hold(.left, 700) }
      let lines = bench.state.keyGuide
      bench.hold(.up, 700)
      #expect(bench.state.screen == .guide && bench.state.keyGuide == lines)
      bench.tap(.centre)
      #expect(bench.state.screen == screen)
    }
  }
}
