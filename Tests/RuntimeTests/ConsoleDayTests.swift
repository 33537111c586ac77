import Board
import Foundation
import Hardware
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Budget
@testable import Runtime

/// Consoles that are plugged in, used and pulled out all day long, in every state that they can be in.
private final class RestlessPort: ConsolePort, Stepper, @unchecked Sendable {
  final class Connection: ConsoleConnection, @unchecked Sendable {
    let name: String
    let isTerminal: Bool
    private let state = Mutex((sent: [UInt8](), isDeaf: false, isClosed: false))

    init(name: String, isTerminal: Bool) { (self.name, self.isTerminal) = (name, isTerminal) }

    func send(_ bytes: [UInt8]) { state.withLock { if !$0.isDeaf { $0.sent += bytes } } }
    func handled(_ count: Int) {}
    /// One that does not read any more has no room, and is not asked for what it was told.
    var room: Int { state.withLock { $0.isDeaf ? 0 : .max } }
    func close() { state.withLock { $0.isClosed = true } }
    func goDeaf() { state.withLock { $0.isDeaf = true } }
    var isClosed: Bool { state.withLock { $0.isClosed } }
    var isDeaf: Bool { state.withLock { $0.isDeaf } }
    func take() -> String {
      state.withLock { state in
        defer { state.sent = [] }
        return String(decoding: state.sent, as: UTF8.self)
      }
    }
  }

  private struct Peer {
    let connection: Connection
    var isMachine = false
    var asked = 0
    var answered = 0
    var lastEvent: Int?
    let leavesAt: Instant
  }

  private var sink: (@Sendable (ConsolePortEvent) -> Void)?
  private var peers: [Peer] = []
  private var random: SeededGenerator
  private var next = Instant.at(1)
  private(set) var arrivals = 0
  private(set) var answers = 0
  private(set) var events = 0
  private(set) var prompts = 0
  private(set) var complaints: [String] = []
  private let end: Instant

  init(seed: UInt64, until end: Instant) {
    random = SeededGenerator(seed: seed)
    self.end = end
  }

  func start(_ sink: @escaping @Sendable (ConsolePortEvent) -> Void) throws(DeviceError) { self.sink = sink }
  func stop() {}

  func step(now: Instant) -> Instant? {
    guard now >= next else { return next }
    guard now < end else {
      for peer in peers { sink?(.closed(peer.connection)) }
      peers = []
      return nil
    }
    if peers.count < 6, below(3) == 0 { arrive(now) }
    for index in peers.indices { hear(index) }
    for index in peers.indices.reversed() where now >= peers[index].leavesAt || peers[index].connection.isClosed {
      // Pulled out, wherever it was.
      sink?(.closed(peers[index].connection))
      peers.remove(at: index)
    }
    for index in peers.indices where below(2) == 0 { act(index) }
    next = now + .milliseconds(2000 + below(20_000))
    return next
  }

  private func below(_ limit: Int) -> Int { random.below(limit) }

  private func arrive(_ now: Instant) {
    arrivals += 1
    let connection = Connection(name: "console \(arrivals)", isTerminal: below(2) == 0)
    peers.append(Peer(connection: connection, leavesAt: now + .seconds(5 + below(300))))
    sink?(.opened(connection))
  }

  private func type(_ text: String, _ index: Int) {
    sink?(.received(peers[index].connection, Array(text.utf8)))
  }

  private func act(_ index: Int) {
    let people = [
      "status\r", "version\r", "list 5\r", "help\r", "stat", "\t", "\u{1B}[A", "\u{3}", "watch status\r", "q",
      "log 5\r",
      "log --follow\r", "events\r", "events off\r", "settings recording.format\r", "settings\r", " ", "nonsense\r",
      "clear\r",
      "mark\r", "selftest all\r", "y", "s",
    ]
    let programs = [
      ("panel.state", ""), ("recorder.status", ""), ("library.list", #","params":{"limit":3}"#),
      ("events.subscribe", ""),
      ("log.follow", ""), ("system.info", ""), ("budget.report", ""), ("no.such", ""), ("recorder.mark", ""),
      ("panel.press", #","params":{"button":"UP"}"#), ("panel.mode", #","params":{"mode":"feed"}"#),
      ("panel.mode", #","params":{"mode":"dictaphone"}"#), ("events.subscribe", ""),
    ]
    switch below(20) {
    case 0: peers[index].connection.goDeaf()
    case 1: type(String(repeating: "\u{FFFD}x{[\"", count: 40), index)
    case 2...10 where peers[index].asked == 0 && !peers[index].isMachine:
      type(people[below(people.count)], index)
    case 11...19:
      if !peers[index].isMachine { type("\u{3}", index) }
      peers[index].isMachine = true
      let (method, rest) = programs[below(programs.count)]
      peers[index].asked += 1
      type(#"{"jsonrpc":"2.0","id":\#(peers[index].asked),"method":"\#(method)"\#(rest)}"# + "\n", index)
    default: break
    }
  }

  private func hear(_ index: Int) {
    let text = peers[index].connection.take()
    prompts += text.components(separatedBy: "mynah> ").count - 1
    for line in text.split(separator: "\n") where line.hasPrefix("{") {
      guard let message = try? JSONValue(parsing: String(line)) else { continue }
      if let id = message["id"]?.integerValue {
        peers[index].answered += 1
        answers += 1
        if id > peers[index].asked {
          complaints.append("\(peers[index].connection.name): an answer to \(id), never asked")
        }
      } else if let number = message["params"]?["seq"]?.integerValue {
        events += 1
        if let last = peers[index].lastEvent, number != last + 1 {
          complaints.append("\(peers[index].connection.name): event \(number) after \(last)")
        }
        peers[index].lastEvent = number
      }
    }
  }
}

@Suite struct ConsoleDayTests {
  @Test(.timeLimit(.minutes(10)))
  func `A day of consoles that come and go leaves nothing behind, and each has its own answers`() throws {
    let bench = try RuntimeBench()
    // What is heard is another test's; without it a day is a minute.
    bench.hardware.microphone = nil
    bench.hardware.otherMicrophones = nil
    let port = RestlessPort(seed: 20_261_124, until: .at(86_390))
    bench.hardware.consolePorts = [port]
    bench.hardware.steppers.append(port)
    var sizes: [Int] = []
    for hour in [2.0, 23.9] {
      bench.hardware.steppers.append(
        AtTime(.at(hour * 3600), bench) { _ in sizes.append(ProcessUsage.sample().rssKB) })
    }
    #expect(try bench.run("86399 expect takes 0\n86400 quit") == nil)
    #expect(port.complaints.isEmpty, "\(port.complaints.prefix(10))")
    #expect(port.arrivals > 1000, "\(port.arrivals)")
    #expect(
      port.answers > 2000 && port.events > 100 && port.prompts > 1000,
      "\(port.answers) answers, \(port.events) events, \(port.prompts) prompts")
    // Each console that stayed behind would cost some 100 KiB.
    #expect(sizes.count == 2 && sizes[1] - sizes[0] < 32 * 1024, "\(sizes) KiB")
  }
}
