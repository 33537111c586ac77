import Hardware
import JSON
import TestSupport
import Testing

/// A program that asks for something and hangs up at once.
@Suite struct HangUpTests {
  @Test("What was asked for before is done, however much it is", arguments: [0, 15, 16, 40, 700])
  func burst(before: Int) throws {
    let bench = try RuntimeBench()
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    bench.console = port
    bench.hardware.steppers.append(
      AtTime(.at(1), bench) {
        let version = #"{"jsonrpc":"2.0","method":"system.version"}"#
        let set = #"{"jsonrpc":"2.0","method":"settings.set","params":{"recording.bitrateKbps":128}}"#
        $0.console?.type((Array(repeating: version, count: before) + [set]).joined(separator: "\n"))
        $0.console?.hangUp()
      })
    #expect(try bench.run("3 call settings.get {\"key\":\"recording.bitrateKbps\"}\n4 quit") == nil)
    #expect(bench.results("settings.get").first?["recording.bitrateKbps"]?.integerValue == 128)
  }
}
