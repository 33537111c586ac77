import Appliance
import Hardware
import TestSupport
import Testing

@Suite struct DebouncerTests {
  /// Edges of REC as milliseconds, alternately down and up.
  private func train(_ times: [Double], startsPressed: Bool = true) -> [ButtonEdge] {
    times.enumerated().map { index, time in
      ButtonEdge(
        .rec, isPressed: (index % 2 == 0) == startsPressed, at: Instant(nanoseconds: Int64(time * 1_000_000)))
    }
  }

  private func run(_ edges: [ButtonEdge], _ debouncer: Debouncer = Debouncer()) -> [ButtonEdge] {
    var debouncer = debouncer
    var believed = edges.flatMap { debouncer.accept($0) }
    while let deadline = debouncer.nextDeadline { believed += debouncer.advance(to: deadline) }
    return believed
  }

  @Test func `The first edge counts at once, with its own time`() {
    var debouncer = Debouncer()
    #expect(
      debouncer.accept(ButtonEdge(.stop, isPressed: true, at: .ms(7))) == [
        ButtonEdge(.stop, isPressed: true, at: .ms(7))
      ])
    #expect(debouncer.nextDeadline == nil)
  }

  @Test(
    arguments: [
      // A clean press.
      ([0, 100], [0, 100]),
      // Bounces on the way down and on the way up.
      ([0, 0.4, 0.9, 1.7, 3, 100, 100.3, 100.8, 102, 102.1], [0, 100]),
      // A bounce that outlasts the debounce time but comes back before it settles is still one press.
      ([0, 9, 11, 100], [0, 100]),
      // A tap shorter than the debounce time is not lost, and keeps its times.
      ([0, 5], [0, 5]),
      // Nor is it lost when the next press comes before anybody asked.
      ([0, 5, 100, 150], [0, 5, 100, 150]),
      // Fast taps.
      ([0, 30, 60, 90], [0, 30, 60, 90]),
    ] as [([Double], [Double])])
  func `Bounce trains become the edges that were meant`(raw: [Double], meant: [Double]) {
    #expect(run(train(raw)) == train(meant))
  }

  @Test func `A settled level is reported when the contact has been quiet for the debounce time`() {
    var debouncer = Debouncer(time: .milliseconds(20))
    _ = debouncer.accept(ButtonEdge(.up, isPressed: true, at: .ms(0)))
    #expect(debouncer.accept(ButtonEdge(.up, isPressed: false, at: .ms(6))).isEmpty)
    #expect(debouncer.nextDeadline == .ms(26))
    #expect(debouncer.advance(to: .ms(25)).isEmpty)
    #expect(debouncer.advance(to: .ms(26)) == [ButtonEdge(.up, isPressed: false, at: .ms(6))])
    #expect(debouncer.nextDeadline == nil)
  }

  @Test func `A key's own debounce time applies to it alone`() {
    let debouncer = Debouncer(time: .milliseconds(5), exceptions: [.rec: .milliseconds(20)])
    let edges = [true, false, true].enumerated().flatMap { index, isPressed in
      [Button.rec, .stop].map { ButtonEdge($0, isPressed: isPressed, at: .ms(Int64(index) * 8)) }
    }
    let believed = run(edges, debouncer)
    #expect(believed.filter { $0.button == .rec }.count == 1)
    #expect(believed.filter { $0.button == .stop }.count == 3)
  }

  @Test func `Repeated edges of the same level, lost edges and times that jump never trap and never stutter`() {
    var random = SeededGenerator(seed: 3)
    var debouncer = Debouncer()
    var levels: [Button: Bool] = [:]
    var time = Int64.min
    for round in 0..<50_000 {
      switch round % 1000 {
      case 0: time = Int64(bitPattern: random.next())
      default: time &+= Int64(random.below(15_000_000))
      }
      let button = Button.allCases[random.below(Button.allCases.count)]
      let edge = ButtonEdge(button, isPressed: random.below(2) == 0, at: Instant(nanoseconds: time))
      let believed = debouncer.accept(edge) + (random.below(4) == 0 ? debouncer.advance(to: edge.at) : [])
      for edge in believed {
        #expect(levels[edge.button, default: false] != edge.isPressed)
        levels[edge.button] = edge.isPressed
      }
    }
  }
}
