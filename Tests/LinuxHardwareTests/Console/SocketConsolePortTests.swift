import Foundation
import Glibc
import Hardware
import TestSupport
import Testing

@testable import LinuxHardware

@Suite struct SocketConsolePortTests {
  let directory = TemporaryFolder()
  var path: String { "\(directory.path)/console" }

  @Test func clientsTalkEachOnItsOwn() throws {
    let port = SocketConsolePort(path: path)
    let listener = PortListener()
    try port.start(listener.sink)
    let first = try #require(PlainClient(path))
    #expect(listener.told.wait { $0.contains(.opened("socket client 1")) })
    let second = try #require(PlainClient(path))
    first.say("one")
    second.say("two")
    #expect(listener.told.wait { PortListener.bytes($0, from: "socket client 1") == Array("one".utf8) })
    #expect(listener.told.wait { PortListener.bytes($0, from: "socket client 2") == Array("two".utf8) })
    listener.connections.values[1].send(Array("to two".utf8))
    listener.connections.values[0].send(Array("to one".utf8))
    #expect(first.hear(6) == Array("to one".utf8))
    #expect(second.hear(6) == Array("to two".utf8))
    first.close()
    #expect(listener.told.wait { $0.contains(.closed("socket client 1")) })
    second.say("still here")
    #expect(listener.waitForText("still here"))
    port.stop()
    #expect(listener.told.values.contains(.closed("socket client 2")))
    #expect(second.hear(1).isEmpty)
    second.close()
    #expect(directory.names.isEmpty)
  }

  @Test func aDataDirectoryThatIsInUseHasRoomForOne() throws {
    let lock = try DirectoryLock(directory: directory.path)
    let port = SocketConsolePort(path: path)
    // It waited for its own program here, for ever.
    try port.start(PortListener().sink)
    let client = try #require(PlainClient(path))
    client.close()
    port.stop()
    withExtendedLifetime(lock) {}
  }

  @Test func onlyOwnerAndGroupMayConnect() throws {
    let port = SocketConsolePort(path: path)
    try port.start { _ in }
    var status = stat()
    stat(path, &status)
    #expect(status.st_mode & 0o777 == 0o660)
    port.stop()
  }

  @Test func aStaleSocketIsReplacedAndOneInUseIsNot() throws {
    let first = SocketConsolePort(path: path)
    try first.start { _ in }
    let second = SocketConsolePort(path: path)
    let busy = #expect(throws: DeviceError.self) { try second.start { _ in } }
    #expect(busy?.kind == .busy)
    #expect(busy?.hint.contains("another mynah") == true)
    #expect(directory.exists("console"))
    first.stop()
    // A process that was killed leaves its file.
    let (descriptor, _) = try UnixSocket.listen(path)
    close(descriptor)
    #expect(directory.exists("console"))
    try second.start { _ in }
    let client = try #require(PlainClient(path))
    client.close()
    second.stop()
  }

  @Test func aFileThatIsNoSocketIsLeftAlone() throws {
    directory.put("precious", "console")
    let error = #expect(throws: DeviceError.self) { try SocketConsolePort(path: path).start { _ in } }
    #expect(error?.kind == .unsupported)
    #expect(directory.text(of: "console") == "precious")
  }

  @Test(arguments: [
    ("", DeviceError.Kind.unsupported), (String(repeating: "x", count: 108), .unsupported), ("/none/at/all", .missing),
  ])
  func aPathThatCannotBeIsSaid(path: String, kind: DeviceError.Kind) {
    let error = #expect(throws: DeviceError.self) { try SocketConsolePort(path: path).start { _ in } }
    #expect(error?.kind == kind)
    #expect(error?.hint.isEmpty == false)
  }

  @Test func aPeerThatDoesNotReadIsClosedAndNobodyWaits() throws {
    let port = SocketConsolePort(path: path)
    let listener = PortListener()
    try port.start(listener.sink)
    let client = try #require(PlainClient(path))
    #expect(listener.connections.wait { $0.count == 1 })
    let block = [UInt8](repeating: 7, count: 60_000)
    // The kernel's buffer and ours take less than this.
    for _ in 0..<100 { listener.connections.values[0].send(block) }
    #expect(listener.told.wait { $0.contains(.closed("socket client 1")) })
    // Sending on is harmless.
    listener.connections.values[0].send(block)
    client.close()
    port.stop()
  }

  @Test func aSlowReaderGetsEverythingWithinTheBound() throws {
    let port = SocketConsolePort(path: path)
    let listener = PortListener()
    try port.start(listener.sink)
    let client = try #require(PlainClient(path))
    #expect(listener.connections.wait { $0.count == 1 })
    var random = SeededGenerator(seed: 3)
    let sent = (0..<StreamConnection.queueLimit).map { _ in UInt8.random(in: 0...255, using: &random) }
    for start in stride(from: 0, to: sent.count, by: 1000) {
      listener.connections.values[0].send(Array(sent[start..<min(start + 1000, sent.count)]))
    }
    #expect(client.hear(sent.count) == sent)
    client.close()
    port.stop()
  }

  @Test func oneAnswerMayBeLongerThanWhatMayWait() throws {
    let port = SocketConsolePort(path: path)
    let listener = PortListener()
    try port.start(listener.sink)
    let client = try #require(PlainClient(path))
    #expect(listener.connections.wait { $0.count == 1 })
    // More than the kernel takes, too.
    let answer = (0..<8 * StreamConnection.queueLimit).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    for _ in 0..<2 {
      listener.connections.values[0].send(answer)
      #expect(client.hear(answer.count) == answer)
    }
    #expect(!listener.told.values.contains(.closed("socket client 1")))
    client.close()
    port.stop()
  }

  @Test func whoWaitsForRoomIsToldWhenThePeerHasRead() throws {
    let port = SocketConsolePort(path: path)
    let listener = PortListener()
    try port.start(listener.sink)
    let client = try #require(PlainClient(path))
    #expect(listener.connections.wait { $0.count == 1 })
    let connection = listener.connections.values[0]
    #expect(!connection.isTerminal)
    var sent = 0
    // What is told unasked stops long before the peer counts as stuck.
    while connection.room >= 1000, sent < 4_000_000 {
      connection.send([UInt8](repeating: 9, count: 1000))
      sent += 1000
    }
    #expect(sent < 4_000_000)
    connection.send([UInt8](repeating: 9, count: 50_000))
    // Until here the kernel may have taken all of it now and then.
    let drained = { (told: [Told]) in told.count { $0 == .drained("socket client 1") } }
    let before = drained(listener.told.values)
    #expect(client.hear(sent + 50_000).count == sent + 50_000)
    #expect(listener.told.wait { drained($0) > before })
    #expect(connection.room >= 1000)
    #expect(!listener.told.values.contains(.closed("socket client 1")))
    client.close()
    port.stop()
  }

  @Test func whatWasSentBeforeACloseArrives() throws {
    let port = SocketConsolePort(path: path)
    let listener = PortListener()
    try port.start(listener.sink)
    let client = try #require(PlainClient(path))
    #expect(listener.connections.wait { $0.count == 1 })
    let words = [UInt8](repeating: 1, count: 230_000)
    listener.connections.values[0].send(words)
    listener.connections.values[0].close()
    #expect(client.hear(300_000) == words)
    #expect(listener.told.wait { $0.contains(.closed("socket client 1")) })
    client.close()
    port.stop()
  }

  /// A peer that has asked, and says no more.
  private func askedOnce(_ port: SocketConsolePort, _ listener: PortListener) throws -> PlainClient {
    try port.start(listener.sink)
    let client = try #require(PlainClient(path))
    client.say("question")
    shutdown(client.descriptor, Int32(SHUT_WR))
    #expect(listener.waitForText("question"))
    return client
  }

  @Test func aPeerThatHasSaidAllStillGetsItsAnswer() throws {
    let port = SocketConsolePort(path: path)
    let listener = PortListener()
    let client = try askedOnce(port, listener)
    listener.connections.values[0].send(Array("answer".utf8))
    #expect(client.hear(100) == Array("answer".utf8))
    #expect(listener.told.wait { $0.contains(.closed("socket client 1")) })
    client.close()
    port.stop()
  }

  @Test func aPeerThatHasSaidAllIsKeptAsLongAsItsAnswerIsOwed() throws {
    let port = SocketConsolePort(path: path)
    let listener = PortListener()
    let client = try askedOnce(port, listener)
    let connection = listener.connections.values[0]
    connection.owes(true)
    usleep(1_200_000)
    #expect(!listener.told.values.contains(.closed("socket client 1")))
    connection.send(Array("answer".utf8))
    connection.owes(false)
    #expect(client.hear(100) == Array("answer".utf8))
    #expect(listener.told.wait { $0.contains(.closed("socket client 1")) })
    client.close()
    port.stop()
  }

  @Test func garbageArrivesByteForByteHoweverItIsCut() throws {
    let port = SocketConsolePort(path: path)
    let listener = PortListener()
    try port.start(listener.sink)
    let client = try #require(PlainClient(path))
    var random = SeededGenerator(seed: 5)
    let garbage = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    var rest = garbage[...]
    while !rest.isEmpty {
      let count = min(rest.count, Int.random(in: 1...5000, using: &random))
      Plain.write(Array(rest.prefix(count)), to: client.descriptor)
      rest = rest.dropFirst(count)
    }
    #expect(listener.told.wait { PortListener.bytes($0).count == garbage.count })
    #expect(PortListener.bytes(listener.told.values) == garbage)
    client.close()
    port.stop()
  }

  @Test func aFloodWaitsUntilWhatCameBeforeIsDealtWith() throws {
    let port = SocketConsolePort(path: path)
    let listener = PortListener(isAttentive: false)
    try port.start(listener.sink)
    let client = try #require(PlainClient(path))
    let flood = [UInt8](repeating: 9, count: 100_000)
    Plain.write(flood, to: client.descriptor)
    var handled = 0
    while handled < flood.count {
      #expect(listener.told.wait { PortListener.bytes($0).count > handled })
      let received = PortListener.bytes(listener.told.values).count
      #expect(received - handled <= 16 * 1024)
      listener.connections.values[0].handled(received - handled)
      handled = received
    }
    client.close()
    port.stop()
  }

  @Test func aPeerThatDoesNotReadItsAnswersIsNotHeardAnyFurtherButKept() throws {
    let port = SocketConsolePort(path: path)
    // Each byte of the question costs ten of the answer.
    let listener = PortListener(answersPerByte: 10)
    try port.start(listener.sink)
    let client = try #require(PlainClient(path))
    let question = [UInt8](repeating: 9, count: 200_000)
    let writer = Thread { Plain.write(question, to: client.descriptor) }
    writer.start()
    #expect(client.hear(question.count * 10).count == question.count * 10)
    #expect(!listener.told.values.contains(.closed("socket client 1")))
    client.close()
    port.stop()
  }

  @Test func oneTooManyIsTurnedAwayWithAWord() throws {
    let port = SocketConsolePort(path: path)
    let listener = PortListener()
    try port.start(listener.sink)
    var clients: [PlainClient] = []
    for count in 1...SocketConsolePort.mostClients {
      clients.append(try #require(PlainClient(path)))
      #expect(listener.connections.wait { $0.count == count })
    }
    let late = try #require(PlainClient(path))
    #expect(String(decoding: late.hear(100), as: UTF8.self).contains("too many"))
    for client in clients + [late] { client.close() }
    port.stop()
  }
}
