import Appliance
import Hardware
import Testing

@Suite struct KeyInputTests {
  @Test func `A bouncy tap is one press, one tap, one release`() {
    var keys = KeyInput()
    var gestures: [Gesture] = []
    for (time, isPressed) in [(0, true), (1, false), (2, true), (90, false), (91, true), (93, false)] as [(Int64, Bool)]
    {
      gestures += keys.accept(ButtonEdge(.rec, isPressed: isPressed, at: .ms(time)))
    }
    while let deadline = keys.nextDeadline { gestures += keys.advance(to: deadline) }
    #expect(gestures.map(\.kind) == [.press, .short, .release])
    #expect(gestures.allSatisfy { $0.pressedAt == .ms(0) })
  }

  @Test func `A tap shorter than the debounce time is a tap`() {
    var keys = KeyInput()
    _ = keys.accept(ButtonEdge(.rec, isPressed: true, at: .ms(0)))
    #expect(keys.accept(ButtonEdge(.rec, isPressed: false, at: .ms(4))).isEmpty)
    #expect(keys.nextDeadline == .ms(14))
    #expect(keys.advance(to: .ms(14)).map(\.kind) == [.short, .release])
    #expect(keys.nextDeadline == nil)
  }

  @Test func `Keys that went away and came back work at once`() {
    var keys = KeyInput()
    _ = keys.accept(ButtonEdge(.rec, isPressed: true, at: .ms(0)))
    #expect(keys.pressed == [.rec])
    #expect(keys.releaseAll().map(\.kind) == [.release])
    #expect(keys.accept(ButtonEdge(.rec, isPressed: true, at: .ms(5))).map(\.kind) == [.press])
  }
}
