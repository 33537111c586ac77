import TestSupport
import Testing

@testable import Appliance

/// A feed of some shape, as a server would send it.
private struct Server {
  enum Shape: CaseIterable { case plain, short, holes, circle, endless }
  let shape: Shape
  let pages: Int

  func page(_ address: String?) -> FeedPage {
    let number = address.flatMap { Int($0.dropFirst(2)) } ?? 0
    var next: String? = number + 1 < pages ? "p/\(number + 1)" : nil
    var count = 5
    switch shape {
    case .plain: break
    case .short: count = 1
    case .holes: count = number % 3 == 1 ? 0 : 2
    case .circle: if next == nil { next = "p/\(pages / 2)" }
    case .endless:
      count = number == 0 ? 2 : 0
      next = "p/\(number + 1)"
    }
    return FeedPage(
      items: (0..<count).map {
        FeedItem(id: "\(number).\($0)", title: "T", kind: .remote, address: "http://x/\(number)/\($0)")
      }, next: next)
  }
}

@Suite struct FeedPresenterTests {
  private static func opened(_ server: Server) -> FeedPresenter {
    var presenter = FeedPresenter()
    presenter.open(at: nil)
    answer(&presenter, server)
    return presenter
  }

  private static func answer(_ presenter: inout FeedPresenter, _ server: Server) {
    while let request = presenter.request { _ = presenter.receive(server.page(request.page), of: request.number) }
  }

  @Test func `At the beginning the first three are wanted, further on those on both sides`() {
    let server = Server(shape: .plain, pages: 3)
    var presenter = Self.opened(server)
    #expect(presenter.neighbourhood.map(\.id) == ["0.0", "0.1", "0.2"])
    let isThere = presenter.step(1)
    #expect(isThere)
    #expect(presenter.neighbourhood.map(\.id) == ["0.1", "0.2", "0.0"])
    let steps = [presenter.step(-1), presenter.step(-1)]
    #expect(steps == [true, false])
  }

  @Test func `Ten thousand pages there and some of them back hold no more than a few`() {
    let server = Server(shape: .plain, pages: 10_000)
    var presenter = Self.opened(server)
    var steps = 0
    while presenter.step(1) {
      steps += 1
      Self.answer(&presenter, server)
      if presenter.pageCount > 5 || presenter.earlierCount > 64 { return #expect(Bool(false), "step \(steps)") }
    }
    #expect(steps == 49_999 && presenter.item?.id == "9999.4")
    for step in 1...300 {
      guard presenter.step(-1) else { return #expect(Bool(false), "back \(step)") }
      Self.answer(&presenter, server)
    }
    #expect(presenter.item?.id == "9939.4")
    #expect(presenter.pageCount <= 5)
  }

  @Test func `A circle of pages and a row of empty ones are an end, and are named`() {
    for (shape, code) in [(Server.Shape.circle, "feed-circle"), (.endless, "feed-endless")] {
      let server = Server(shape: shape, pages: 8)
      var presenter = Self.opened(server)
      var codes = Set<String>()
      for _ in 0..<100 {
        if let fault = presenter.fault { codes.insert(fault.code) }
        _ = presenter.step(1)
        Self.answer(&presenter, server)
      }
      if let fault = presenter.fault { codes.insert(fault.code) }
      #expect(codes == [code])
      #expect(presenter.item != nil)
      let goesOn = presenter.step(1)
      #expect(!goesOn)
    }
  }

  @Test func `A page that fails is asked for again by the next press`() {
    let server = Server(shape: .plain, pages: 2)
    var presenter = Self.opened(server)
    for _ in 0..<3 { _ = presenter.step(1) }
    let number = presenter.request?.number ?? -1
    let isTaken = presenter.fail(FeedFault(code: "http-500", text: ""), of: number)
    #expect(isTaken)
    var steps = [presenter.step(1)]
    #expect(presenter.request == nil)
    steps.append(presenter.step(1))
    Self.answer(&presenter, server)
    steps.append(presenter.step(1))
    #expect(steps == [true, false, true] && presenter.item?.id == "1.0")
  }

  @Test func `Loading anew keeps the item that is shown, if it is still there`() {
    let server = Server(shape: .plain, pages: 3)
    var presenter = Self.opened(server)
    for _ in 0..<2 { _ = presenter.step(1) }
    presenter.refresh()
    #expect(presenter.item?.id == "0.2")
    Self.answer(&presenter, server)
    #expect(presenter.item?.id == "0.2")
    presenter.open(at: "0.3")
    Self.answer(&presenter, server)
    #expect(presenter.item?.id == "0.3")
    presenter.open(at: "gone")
    Self.answer(&presenter, server)
    #expect(presenter.item?.id == "0.0")
  }

  @Test(arguments: 0..<40)
  func `Random presses and answers in any order keep every promise`(seed: Int) {
    var dice = SeededGenerator(seed: UInt64(seed))
    let server = Server(shape: Server.Shape.allCases[seed % 5], pages: 1 + dice.below(30))
    var presenter = FeedPresenter()
    var asked: [FeedPresenter.Request] = []
    for _ in 0..<5000 {
      let before = presenter
      switch dice.below(20) {
      case 0: presenter.open(at: dice.chance(2) ? "1.0" : nil)
      case 1 where dice.chance(4): presenter.close()
      case 2: presenter.refresh()
      case 3..<7: _ = presenter.step(-1)
      case 7..<13: _ = presenter.step(1)
      default:
        // Any answer, late ones and the same twice.
        guard !asked.isEmpty else { break }
        let request = asked[dice.chance(2) ? asked.count - 1 : dice.below(asked.count)]
        let isAwaited = presenter.request?.number == request.number
        let taken =
          dice.chance(6)
          ? presenter.fail(FeedFault(code: "x", text: ""), of: request.number)
          : presenter.receive(server.page(request.page), of: request.number)
        guard taken == isAwaited, taken || presenter == before else { return #expect(Bool(false), "a late answer") }
        // An answer never takes away what is shown, unless it was asked for anew.
        if request.page != nil, presenter.item?.id != before.item?.id { return #expect(Bool(false), "another item") }
      }
      if let request = presenter.request, request.number != asked.last?.number { asked.append(request) }
      let wanted = presenter.neighbourhood
      guard wanted.count <= FeedPresenter.players, Set(wanted.map(\.source)).count == wanted.count,
        wanted.first == presenter.item, presenter.pageCount <= 8, presenter.earlierCount <= 64,
        presenter.isOpen || (presenter.item == nil && presenter.request == nil)
      else { return #expect(Bool(false), "\(presenter)") }
    }
  }
}
