import Foundation
import Glibc
import Hardware
import TestSupport
import Testing

@testable import LinuxHardware

@Suite struct ConsoleClientTests {
  let directory = TemporaryFolder()
  var path: String { "\(directory.path)/console" }

  private func pipePair() -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    return (ends[0], ends[1])
  }

  /// Runs the client on a thread of its own.
  private func start(_ path: String, input: Int32, output: Int32, notes: Int32) -> Collector<Int32> {
    let result = Collector<Int32>()
    Thread.detachNewThread {
      result.take(ConsoleClient.run(path: path, baud: 115_200, input: input, output: output, notes: notes))
    }
    return result
  }

  @Test func aPipeIsSentAndItsAnswerComesBack() throws {
    let port = SocketConsolePort(path: path)
    let listener = PortListener()
    try port.start(listener.sink)
    let (input, output) = (pipePair(), pipePair())
    let result = start(path, input: input.reader, output: output.writer, notes: STDERR_FILENO)
    Plain.write(Array("{\"question\"}\n".utf8), to: input.writer)
    close(input.writer)
    #expect(listener.waitForText("question"))
    listener.connections.values[0].send(Array("answer\n".utf8))
    #expect(Plain.read(7, from: output.reader) == Array("answer\n".utf8))
    #expect(result.wait { $0 == [0] })
    port.stop()
  }

  @Test func theEndOfAPipeEndsItsLastLine() throws {
    let port = SocketConsolePort(path: path)
    let listener = PortListener()
    try port.start(listener.sink)
    let (input, output) = (pipePair(), pipePair())
    let result = start(path, input: input.reader, output: output.writer, notes: STDERR_FILENO)
    Plain.write(Array("one\n{\"two\"}".utf8), to: input.writer)
    close(input.writer)
    #expect(listener.waitForText("one\n{\"two\"}\n"))
    #expect(result.wait { $0 == [0] })
    port.stop()
  }

  @Test func aTerminalIsRawMeanwhileAndAsBeforeAfterwards() throws {
    let port = SocketConsolePort(path: path)
    let listener = PortListener()
    try port.start(listener.sink)
    let pair = TerminalPair()
    let terminal = open(pair.path, O_RDWR | O_NOCTTY)
    var before = termios()
    tcgetattr(terminal, &before)
    let notes = pipePair()
    let result = start(path, input: terminal, output: terminal, notes: notes.writer)
    #expect(String(decoding: Plain.read(12, from: notes.reader), as: UTF8.self) == "connected to")
    Plain.write([3], to: pair.master)
    #expect(listener.told.wait { PortListener.bytes($0) == [3] })
    var during = termios()
    tcgetattr(terminal, &during)
    #expect(during.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0)
    Plain.write(Array("bye".utf8) + [ConsoleClient.escape], to: pair.master)
    #expect(result.wait { $0 == [0] })
    #expect(listener.waitForText("bye"))
    var after = termios()
    tcgetattr(terminal, &after)
    #expect(after.c_lflag == before.c_lflag && after.c_iflag == before.c_iflag && after.c_oflag == before.c_oflag)
    close(terminal)
    pair.close()
    port.stop()
  }

  @Test func theTerminalIsRestoredWhenTheApplianceGoes() throws {
    let port = SocketConsolePort(path: path)
    let listener = PortListener()
    try port.start(listener.sink)
    let pair = TerminalPair()
    let terminal = open(pair.path, O_RDWR | O_NOCTTY)
    var before = termios()
    tcgetattr(terminal, &before)
    let notes = pipePair()
    let result = start(path, input: terminal, output: terminal, notes: notes.writer)
    #expect(listener.connections.wait { $0.count == 1 })
    port.stop()
    #expect(result.wait { $0 == [0] })
    var after = termios()
    tcgetattr(terminal, &after)
    #expect(after.c_lflag == before.c_lflag)
    close(terminal)
    pair.close()
  }

  @Test func aConsoleThatIsNotThereHasAnExitCodeAndAWord() throws {
    let notes = pipePair()
    let null = open("/dev/null", O_RDWR)
    #expect(ConsoleClient.run(path: path, baud: 9600, input: null, output: null, notes: notes.writer) == 66)
    directory.put("", "file")
    #expect(
      ConsoleClient.run(
        path: "\(directory.path)/file", baud: 9600, input: null, output: null, notes: notes.writer) == 69)
    close(notes.writer)
    #expect(String(decoding: Plain.read(1000, from: notes.reader), as: UTF8.self).contains("start mynah"))
    close(null)
  }

  @Test func aSerialLineIsLeftAfterSilence() throws {
    let pair = TerminalPair()
    let (input, output) = (pipePair(), pipePair())
    let result = start(pair.path, input: input.reader, output: output.writer, notes: STDERR_FILENO)
    Plain.write(Array("status\r".utf8), to: input.writer)
    close(input.writer)
    #expect(Plain.read(7, from: pair.master) == Array("status\r".utf8))
    Plain.write(Array("armed".utf8), to: pair.master)
    #expect(Plain.read(5, from: output.reader) == Array("armed".utf8))
    #expect(result.wait { $0 == [0] })
    pair.close()
  }
}
