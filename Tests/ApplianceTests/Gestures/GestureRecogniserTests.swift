import Appliance
import Hardware
import TestSupport
import Testing

@Suite struct GestureRecogniserTests {
  /// The kinds that a hold of so many milliseconds comes to, with the time at which each is due.
  private func gestures(ofHold milliseconds: Int64) -> [String] {
    var recogniser = GestureRecogniser()
    var seen = recogniser.accept(ButtonEdge(.lock, isPressed: true, at: .ms(1000))).map { "\($0.kind)@0" }
    while let due = recogniser.nextDeadline, due <= .ms(1000 + milliseconds) {
      let offset = (due - .ms(1000)).nanoseconds / 1_000_000
      seen += recogniser.advance(to: due).map { "\($0.kind)@\(offset)" }
    }
    let release = ButtonEdge(.lock, isPressed: false, at: .ms(1000 + milliseconds))
    return seen + recogniser.accept(release).map { "\($0.kind)@\(milliseconds)" }
  }

  @Test(
    arguments: [
      (0, "press@0 short@0 release@0"),
      (80, "press@0 short@80 release@80"),
      (599, "press@0 short@599 release@599"),
      (600, "press@0 long@600 release@600"),
      (799, "press@0 long@600 release@799"),
      (1000, "press@0 long@600 repeat@800 repeat@1000 release@1000"),
      (
        2000,
        "press@0 long@600 repeat@800 repeat@1000 repeat@1200 repeat@1400 repeat@1600 repeat@1800 "
          + "repeat@2000 veryLong@2000 release@2000"
      ),
    ] as [(Int64, String)])
  func `A hold comes to`(milliseconds: Int64, expected: String) {
    #expect(gestures(ofHold: milliseconds).joined(separator: " ") == expected)
  }

  @Test func `A hold that is over is recognised even if nobody asked in time`() {
    var recogniser = GestureRecogniser()
    _ = recogniser.accept(ButtonEdge(.lock, isPressed: true, at: .ms(0)))
    let kinds = recogniser.accept(ButtonEdge(.lock, isPressed: false, at: .ms(2000))).map(\.kind)
    #expect(kinds.contains(.veryLong))
    #expect(!kinds.contains(.short))
    #expect(kinds.last == .release)
  }

  @Test func `Every gesture carries the time of its press edge`() {
    var recogniser = GestureRecogniser()
    var all = recogniser.accept(ButtonEdge(.up, isPressed: true, at: .ms(123)))
    all += recogniser.advance(to: .ms(2500))
    all += recogniser.accept(ButtonEdge(.up, isPressed: false, at: .ms(2600)))
    #expect(all.allSatisfy { $0.pressedAt == .ms(123) && $0.button == .up })
  }

  @Test func `A chord names the keys that were down before`() {
    var recogniser = GestureRecogniser()
    _ = recogniser.accept(ButtonEdge(.stop, isPressed: true, at: .ms(0)))
    _ = recogniser.accept(ButtonEdge(.rec, isPressed: true, at: .ms(10)))
    let third = recogniser.accept(ButtonEdge(.up, isPressed: true, at: .ms(20)))
    #expect(third == [Gesture(.press, .up, pressedAt: .ms(20), chord: [.rec, .stop])])
    #expect(recogniser.pressed == [.rec, .stop, .up])
  }

  @Test func `Holds of several keys come in the order of time`() {
    var recogniser = GestureRecogniser()
    _ = recogniser.accept(ButtonEdge(.up, isPressed: true, at: .ms(100)))
    _ = recogniser.accept(ButtonEdge(.rec, isPressed: true, at: .ms(0)))
    #expect(recogniser.nextDeadline == .ms(600))
    let kinds = recogniser.advance(to: .ms(850)).map { "\($0.button.rawValue) \($0.kind)" }
    #expect(kinds == ["REC long", "UP long", "REC repeat"])
  }

  @Test func `A second press without a release ends the first hold, which was no tap`() {
    var recogniser = GestureRecogniser()
    _ = recogniser.accept(ButtonEdge(.rec, isPressed: true, at: .ms(0)))
    let kinds = recogniser.accept(ButtonEdge(.rec, isPressed: true, at: .ms(50))).map(\.kind)
    #expect(kinds == [.release, .press])
  }

  @Test func `A release without a press means nothing`() {
    var recogniser = GestureRecogniser()
    #expect(recogniser.accept(ButtonEdge(.rec, isPressed: false, at: .ms(0))).isEmpty)
  }

  @Test func `Keys that go away are released without a tap`() {
    var recogniser = GestureRecogniser()
    _ = recogniser.accept(ButtonEdge(.left, isPressed: true, at: .ms(0)))
    #expect(recogniser.releaseAll().map(\.kind) == [.release])
    #expect(recogniser.pressed.isEmpty)
    #expect(recogniser.nextDeadline == nil)
  }

  @Test func `A caller who comes hours late gets a bounded number of repeats and then the beat again`() throws {
    var recogniser = GestureRecogniser()
    _ = recogniser.accept(ButtonEdge(.down, isPressed: true, at: .ms(0)))
    let late = Instant.ms(36_000_000)
    #expect(recogniser.advance(to: late).count < 40)
    let next = try #require(recogniser.nextDeadline)
    #expect(next == late + .milliseconds(200))
  }

  @Test func `Nonsense edges and times never trap, and sequences stay well formed`() {
    var random = SeededGenerator(seed: 11)
    var recogniser = GestureRecogniser()
    var isDown: Set<Button> = []
    var time = Int64.max - 500_000_000
    for round in 0..<50_000 {
      time = round % 500 == 499 ? Int64(bitPattern: random.next()) : time &+ Int64(random.below(900_000_000))
      let at = Instant(nanoseconds: time)
      let button = Button.allCases[random.below(Button.allCases.count)]
      var gestures = random.below(3) == 0 ? recogniser.advance(to: at) : []
      gestures += recogniser.accept(ButtonEdge(button, isPressed: random.below(2) == 0, at: at))
      for gesture in gestures {
        switch gesture.kind {
        case .press: #expect(isDown.insert(gesture.button).inserted)
        case .release: #expect(isDown.remove(gesture.button) != nil)
        default: #expect(isDown.contains(gesture.button))
        }
      }
    }
  }
}
