import Hardware
import JSON
import SimulatedHardware
import Synchronization
import Testing

@testable import Runtime

/// A power key, and a supply that fails, while a take is being recorded.
@Suite struct PowerInputTests {
  /// A line whose edges a test makes.
  private final class Line: Buttons, Sendable {
    private let sink = Mutex<(@Sendable (ButtonEdge) -> Void)?>(nil)
    func start(_ sink: @escaping @Sendable (ButtonEdge) -> Void) throws(DeviceError) {
      self.sink.withLock { $0 = sink }
    }
    func stop() { sink.withLock { $0 = nil } }
    func put(_ isActive: Bool, at seconds: Double) {
      sink.withLock { $0 }?(ButtonEdge(.rec, isPressed: isActive, at: .zero + .seconds(seconds)))
    }
  }

  private func bench(_ meaning: PowerInput.Meaning, _ edges: [(Double, Bool)]) throws -> RuntimeBench {
    let bench = try RuntimeBench()
    let line = Line()
    let hold: Duration = meaning == .key ? .milliseconds(1500) : .milliseconds(5)
    bench.hardware.powerInputs = [PowerInput(meaning, hold: hold, line: line)]
    for (time, isActive) in edges {
      bench.hardware.steppers.append(AtTime(.zero + .seconds(time), bench) { _ in line.put(isActive, at: time) })
    }
    return bench
  }

  private func takes(_ bench: RuntimeBench) throws -> [String] {
    try bench.metadata().compactMap { $0["stopReason"]?.stringValue }
  }

  @Test(arguments: [PowerInput.Meaning.key, .failing])
  func `The take is complete and the board goes off`(meaning: PowerInput.Meaning) throws {
    let bench = try bench(meaning, [(3, true)])
    #expect(try bench.run("1 press REC\n20 quit") == nil)
    #expect(bench.devices.system.changes == [.powerOff])
    #expect(try takes(bench).count == 1)
    let saved = try #require(bench.events("onTakeSaved").first)
    #expect(saved.time < (meaning == .key ? 5.0 : 3.5))
    #expect(bench.log.contains { $0.hasSuffix("what is open is saved, then the board goes off") })
  }

  @Test func `A short press of the power key does nothing`() throws {
    let bench = try bench(.key, [(3, true), (4, false), (5, true), (6, false)])
    #expect(try bench.run("1 press REC\n8 expect mode dictaphone.recording\n9 press STOP\n11 quit") == nil)
    #expect(bench.devices.system.changes.isEmpty)
  }

  @Test func `Where nothing can switch the board off, the key says so and a failing supply saves the take`() throws {
    let refusal = DeviceError(.denied, device: "/run/mynah-system", operation: "ask", hint: "install the package")
    let key = try bench(.key, [(3, true)])
    key.devices.system.refuse(refusal)
    #expect(try key.run("1 press REC\n8 expect mode dictaphone.recording\n9 press STOP\n11 quit") == nil)
    #expect(key.log.count { $0.contains("the board cannot be switched off") } == 1)
    let supply = try bench(.failing, [(3, true)])
    supply.devices.system.refuse(refusal)
    #expect(try supply.run("1 press REC\n20 quit") == nil)
    #expect(try #require(supply.events("onTakeSaved").first).time < 3.5)
  }
}
