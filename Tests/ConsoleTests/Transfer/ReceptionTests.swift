import Hardware
import Testing

@testable import Console

/// A sender that begins at the prompt: Tera Term and `sz` say `rz`, and do not wait for an answer.
@Suite("ZMODEM, begun at the prompt")
struct ReceptionTests {
  /// What Tera Term sends first: its command, and a header that ends with a line feed of eight bits.
  private static let beginning =
    Array("rz\r".utf8) + ZmodemWire.hex(ZmodemWire.Header(.requestInit)).map { $0 == 0x0A ? 0x8A : $0 }
  private static let greeting = ZmodemWire.hex(ZmodemWire.Header(.initialise, [0, 0x80, 0, 0x23]))

  private func shown(_ header: [UInt8]) -> String { String(decoding: header, as: UTF8.self) }

  @Test(
    "What comes right behind rz is the transfer's, at once and after an answer that takes its time",
    arguments: [false, true])
  func behind(isSlow: Bool) {
    let bench = Bench()
    bench.start()
    _ = bench.take()
    bench.device.isSlow = isSlow
    bench.type(Self.beginning)
    bench.device.release()
    // Once by itself, and once because it is asked.
    let answer = bench.take().split(separator: "\r\n", maxSplits: 1).last.map(String.init) ?? ""
    #expect(answer == shown(Self.greeting + Self.greeting))
    bench.type([UInt8](repeating: 0x18, count: 5))
    for milliseconds in [0, 600] { _ = bench.step(at: .zero + .milliseconds(milliseconds)) }
    let screen = bench.screen()
    #expect(screen.last == "mynah>" && !screen.contains { $0.contains("no command") })
  }

  @Test("Commands that were typed ahead wait for its end; the sender's own rz is none")
  func typedAhead() {
    let bench = Bench()
    bench.start()
    bench.device.isSlow = true
    bench.type(Array("upload\rmark a ** b\r".utf8))
    bench.type(Self.beginning)
    bench.device.release()
    bench.device.isSlow = false
    bench.type([UInt8](repeating: 0x18, count: 5))
    for milliseconds in [0, 600] { _ = bench.step(at: .zero + .milliseconds(milliseconds)) }
    #expect(bench.device.calls.map(\.method) == ["recorder.status", "recorder.mark"])
  }
}
