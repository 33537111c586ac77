import Hardware
import SimulatedHardware
import TestSupport
import Testing

/// A key that is pressed while somebody else holds it.
@Suite struct HeldKeyTests {
  @Test(
    "REC records, also while a script or a console that hung up still holds it",
    arguments: ["1 hold REC 30\n3 press STOP\n5 press REC\n", "1 press REC\n1 press STOP\n1 press REC\n"])
  func byFinger(presses: String) throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      presses + "6 expect mode dictaphone.recording\n8 press STOP\n9 expect mode dictaphone.idle\n40 quit")
    #expect(failure == nil)
    #expect(bench.events("onTakeSaved").count == 2)
  }

  @Test("A press by hand counts while a console holds the key, and the end of that hold is none of it")
  func byHand() throws {
    let bench = try RuntimeBench()
    bench.hardware.steppers.append(AtTime(.at(5), bench) { $0.devices.buttons.press(.rec) })
    let failure = try bench.run(
      """
      1 hold REC 10
      3 press STOP
      6 expect mode dictaphone.recording
      12 expect mode dictaphone.recording
      13 press STOP
      15 quit
      """)
    #expect(failure == nil)
    #expect(bench.events("onTakeSaved").count == 2)
  }

  @Test("Who held the key is answered when the next press takes it")
  func answers() throws {
    let bench = try RuntimeBench()
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    for (id, time, length) in [(1, 1.0, 60_000), (2, 3.0, 100)] {
      bench.hardware.steppers.append(
        AtTime(.at(time), bench) { _ in
          port.type(
            #"{"jsonrpc":"2.0","id":\#(id),"method":"panel.press","params":{"button":"REC","ms":\#(length)}}"#)
        })
    }
    // The first press records, the second one pauses.
    let failure = try bench.run("2 expect mode dictaphone.recording\n4 expect mode dictaphone.paused\n5 quit")
    #expect(failure == nil)
    #expect(port.lines.contains { $0.contains(#""id":1"#) })
    #expect(port.lines.contains { $0.contains(#""id":2"#) })
  }
}
