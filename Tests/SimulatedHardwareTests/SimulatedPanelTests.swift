import Hardware
import SimulatedHardware
import Synchronization
import TestSupport
import Testing

@Suite("Simulated panel")
struct SimulatedPanelTests {
  private final class Box<Value: Sendable>: Sendable {
    let value: Mutex<[Value]> = Mutex([])
    func append(_ item: Value) { value.withLock { $0.append(item) } }
    var all: [Value] { value.withLock { $0 } }
  }

  @Test("Presses become edges with exact times, in order, however late the step")
  func presses() throws {
    let clock = VirtualClock()
    let buttons = SimulatedButtons(clock: clock)
    let edges = Box<ButtonEdge>()
    try buttons.start { edges.append($0) }
    buttons.press(.rec)
    #expect(edges.all == [ButtonEdge(.rec, isPressed: true, at: .zero)])
    buttons.press(.lock, at: .at(0.05), for: .seconds(2))
    clock.advance(to: .at(3))
    _ = buttons.step(now: clock.now)
    #expect(
      edges.all.dropFirst() == [
        ButtonEdge(.lock, isPressed: true, at: .at(0.05)), ButtonEdge(.rec, isPressed: false, at: .at(0.1)),
        ButtonEdge(.lock, isPressed: false, at: .at(2.05)),
      ])
    buttons.stop()
    buttons.press(.up)
    #expect(edges.all.count == 4)
  }

  @Test("An inverted display shows what was dark, until it is closed")
  func inverted() throws {
    let display = SimulatedDisplay()
    try display.open()
    var frame = Frame()
    frame[3, 5] = true
    try display.show(frame)
    try display.look(DisplayLook(isInverted: true))
    #expect(!display.frame[3, 5] && display.frame[4, 5])
    display.close()
    #expect(display.frame == Frame())
  }

  @Test("Lamps remember changes and report only changes")
  func lamps() throws {
    let clock = VirtualClock()
    let lamps = SimulatedLamps(clock: clock)
    let changes = Box<SimulatedLamps.Change>()
    lamps.observe { changes.append($0) }
    try lamps.set(.rec, isLit: true)
    try lamps.set(.rec, isLit: true)
    clock.advance(to: .at(1))
    try lamps.set(.rec, isLit: false)
    #expect(changes.all.map(\.isLit) == [true, false])
    #expect(lamps.history == changes.all)
    for index in 0..<20_000 { try lamps.set(.lock, isLit: index % 2 == 0) }
    #expect(lamps.history.count <= 2 * SimulatedLamps.historyLimit)
    #expect(!lamps.isLit(.lock))
  }

  @Test("An unplugged display goes dark, fails, and opens again when it is back")
  func display() throws {
    let display = SimulatedDisplay()
    var frame = Frame()
    frame[3, 5] = true
    #expect(deviceError { try display.show(frame) }?.kind == .lost)
    try display.open()
    try display.show(frame)
    #expect(display.frame == frame)
    display.unplug()
    #expect(display.frame == Frame())
    #expect(deviceError { try display.show(frame) }?.kind == .lost)
    #expect(deviceError { try display.open() }?.kind == .missing)
    display.replug()
    try display.open()
    try display.show(frame)
    #expect(display.framesShown == 2)
    #expect(deviceError { try display.show(Frame(width: 8, height: 8)) }?.kind == .unsupported)
  }
}
