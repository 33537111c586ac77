import Foundation
import Glibc
import Hardware
import TestSupport
import Testing

@testable import LinuxHardware

@Suite struct TTYConsolePortTests {
  let directory = TemporaryFolder()

  @Test func bytesPassUnchangedBothWays() throws {
    let pair = TerminalPair()
    let port = TTYConsolePort(path: pair.path)
    let listener = PortListener()
    try port.start(listener.sink)
    #expect(listener.told.wait { $0 == [.opened(pair.path)] })
    #expect(port.problem == nil)
    let every = (0...255).map { UInt8($0) }
    Plain.write(every, to: pair.master)
    #expect(listener.told.wait { PortListener.bytes($0).count == 256 })
    #expect(PortListener.bytes(listener.told.values) == every)
    listener.connections.values[0].send(every)
    #expect(Plain.read(256, from: pair.master) == every)
    port.stop()
    #expect(listener.told.values.last == .closed(pair.path))
    pair.close()
  }

  @Test func aLineThatVanishesIsOpenedAnewWhenItComesBack() throws {
    let link = "\(directory.path)/tty"
    let first = TerminalPair()
    symlink(first.path, link)
    let port = TTYConsolePort(path: link, baud: 9600)
    let listener = PortListener()
    try port.start(listener.sink)
    #expect(listener.told.wait { $0.count == 1 })
    unlink(link)
    first.close()
    #expect(listener.told.wait { $0 == [.opened(link), .closed(link), .trouble(.missing)] })
    #expect(port.problem != nil)
    let second = TerminalPair()
    symlink(second.path, link)
    #expect(listener.told.wait { Array($0.dropFirst(3)) == [.trouble(nil), .opened(link)] })
    Plain.write(Array("back".utf8), to: second.master)
    #expect(listener.waitForText("back"))
    port.stop()
    second.close()
  }

  @Test func aClosedLineOpensAgain() throws {
    let pair = TerminalPair()
    let port = TTYConsolePort(path: pair.path)
    let listener = PortListener()
    try port.start(listener.sink)
    #expect(listener.connections.wait { $0.count == 1 })
    listener.connections.values[0].close()
    #expect(listener.told.wait { $0 == [.opened(pair.path), .closed(pair.path), .opened(pair.path)] })
    port.stop()
    pair.close()
  }

  @Test func aLineThatNobodyReadsIsClosedAndDoesNotHoldUpStopping() throws {
    let pair = TerminalPair()
    let port = TTYConsolePort(path: pair.path)
    let listener = PortListener()
    try port.start(listener.sink)
    #expect(listener.connections.wait { $0.count == 1 })
    for _ in 0..<20 { listener.connections.values[0].send([UInt8](repeating: 65, count: 60_000)) }
    #expect(listener.told.wait { $0.contains(.closed(pair.path)) })
    port.stop()
    pair.close()
  }

  @Test func whatAReceiverWantsNoMoreIsNotOnTheLine() throws {
    let pair = TerminalPair()
    let port = TTYConsolePort(path: pair.path)
    let listener = PortListener()
    try port.start(listener.sink)
    #expect(listener.connections.wait { $0.count == 1 })
    let connection = listener.connections.values[0]
    let whole = connection.room
    // More than the kernel keeps of it.
    connection.send([UInt8](repeating: 65, count: 60_000))
    #expect(connection.room < whole)
    connection.discardUnsent()
    #expect(connection.room == whole)
    connection.send(Array("over".utf8))
    // What a reader of this end has in its own hands already cannot be taken back.
    var heard: [UInt8] = []
    while !heard.suffix(4).elementsEqual(Array("over".utf8)), heard.count < 16_384 {
      heard += Plain.read(1, from: pair.master)
    }
    #expect(heard.count < 8_192, "\(heard.count)")
    port.stop()
    pair.close()
  }

  @Test func whatIsNoLineIsWaitedForAndARateThatIsNoneIsRefused() throws {
    let port = TTYConsolePort(path: "\(directory.path)/none")
    try port.start { _ in }
    port.stop()
    #expect(port.problem?.kind == .missing)
    let wrong = #expect(throws: DeviceError.self) { try TTYConsolePort(path: "/dev/null", baud: 12_345).start { _ in } }
    #expect(wrong?.kind == .unsupported)
    let null = #expect(throws: DeviceError.self) { _ = try SerialLine.open("/dev/null", baud: 9600) }
    #expect(null?.kind == .unsupported)
  }
}
