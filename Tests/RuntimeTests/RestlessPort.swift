import Foundation
import Hardware
import JSON
import Synchronization
import TestSupport

/// Consoles that are plugged in, used and pulled out all day long, in every state that they can be in.
final class RestlessPort: ConsolePort, Stepper, @unchecked Sendable {
  /// What happens to consoles, each many times.
  enum Deed: CaseIterable {
    case connected, pulledInMidLine, readSlowly, readNoMore, heardGarbage, askedInBatches
    case sendingCutOff, receivingCutOff
  }

  final class Connection: ConsoleConnection, @unchecked Sendable {
    let name: String
    let isTerminal: Bool
    private let state = Mutex((sent: [UInt8](), isDeaf: false, isSlow: false, isClosed: false))

    init(name: String, isTerminal: Bool) { (self.name, self.isTerminal) = (name, isTerminal) }

    func send(_ bytes: [UInt8]) { state.withLock { if !$0.isDeaf { $0.sent += bytes } } }
    func discardUnsent() {}
    func handled(_ count: Int) {}
    /// One that does not read any more has no room, and is not asked for what it was told; a slow one has little.
    var room: Int { state.withLock { $0.isDeaf ? 0 : $0.isSlow ? max(0, 400 - $0.sent.count) : .max } }
    func close() { state.withLock { $0.isClosed = true } }
    func goDeaf() { state.withLock { $0.isDeaf = true } }
    func becomeSlow() { state.withLock { $0.isSlow = true } }
    /// The last that was typed here.
    let typed = Mutex<[String]>([])
    var isClosed: Bool { state.withLock { $0.isClosed } }
    var isSlow: Bool { state.withLock { $0.isSlow } }
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
    var isInMidLine = false
    /// Files are on their way, to here or from here; what has been said of them so far.
    var transfer: (deed: Deed, steps: Int)?
    var asked = 0
    var answered: Set<Int> = []
    var lastEvent: Int?
    let leavesAt: Instant
  }

  private struct Trace {
    weak var connection: Connection?
  }

  private var sink: (@Sendable (ConsolePortEvent) -> Void)?
  private var peers: [Peer] = []
  private var traces: [Trace] = []
  private var random: SeededGenerator
  private var next = Instant.at(1)
  private(set) var counts: [Deed: Int] = [:]
  private(set) var answers = 0
  private(set) var events = 0
  private(set) var prompts = 0
  private(set) var complaints: [String] = []
  private let end: Instant

  init(seed: UInt64, until end: Instant) {
    random = SeededGenerator(seed: seed)
    self.end = end
  }

  /// Connections that somebody still holds, though they are closed.
  var leftBehind: [String] {
    traces.compactMap { trace in
      guard let held = trace.connection, !peers.contains(where: { $0.connection === held }) else { return nil }
      return "\(held.name) after \(held.typed.withLock { $0.suffix(4) })"
    }
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
    if peers.count < 8, below(3) == 0 { arrive(now) }
    for index in peers.indices where !peers[index].connection.isSlow || below(4) == 0 { hear(index) }
    for index in peers.indices.reversed() where now >= peers[index].leavesAt || peers[index].connection.isClosed {
      // Pulled out, wherever it was.
      if peers[index].isInMidLine { count(.pulledInMidLine) }
      if let (deed, steps) = peers[index].transfer, steps > 0 { count(deed) }
      sink?(.closed(peers[index].connection))
      peers.remove(at: index)
    }
    for index in peers.indices where below(2) == 0 { act(index) }
    next = now + .milliseconds(2000 + below(20_000))
    return next
  }

  private func below(_ limit: Int) -> Int { random.below(limit) }
  private func count(_ deed: Deed) { counts[deed, default: 0] += 1 }

  private func arrive(_ now: Instant) {
    count(.connected)
    let connection = Connection(name: "console \(counts[.connected] ?? 0)", isTerminal: below(2) == 0)
    peers.append(Peer(connection: connection, leavesAt: now + .seconds(5 + below(300))))
    traces.append(Trace(connection: connection))
    sink?(.opened(connection))
  }

  private func type(_ text: String, _ index: Int) { type(Array(text.utf8), index) }

  private func type(_ bytes: [UInt8], _ index: Int) {
    // What is a line of a program, or a word, but for its end.
    peers[index].isInMidLine = bytes.last.map { $0 > 0x20 } ?? false
    peers[index].connection.typed.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
    sink?(.received(peers[index].connection, bytes))
  }

  private func act(_ index: Int) {
    if let transfer = peers[index].transfer { return goOn(transfer, index) }
    let people = [
      "status\r", "version\r", "list 5\r", "help\r", "stat", "\t", "\u{1B}[A", "\u{3}", "watch status\r", "q",
      "log 5\r", "mark in the midd", "settings recording.",
      "log --follow\r", "events\r", "events off\r", "settings recording.format\r", "settings\r", " ", "nonsense\r",
      "clear\r", "mark\r", "selftest all\r", "y", "s",
    ]
    switch below(24) {
    case 0:
      if !peers[index].connection.isDeaf { count(.readNoMore) }
      peers[index].connection.goDeaf()
    case 1:
      count(.heardGarbage)
      type(String(repeating: "\u{FFFD}x{[\"", count: 40), index)
    case 2:
      if !peers[index].connection.isSlow { count(.readSlowly) }
      peers[index].connection.becomeSlow()
    case 3...5 where !peers[index].isMachine:
      // Whatever was begun before is over.
      let deed = below(2) == 0 ? Deed.sendingCutOff : .receivingCutOff
      type(deed == .sendingCutOff ? "\u{3}bundle\r" : "\u{3}receive\r", index)
      peers[index].transfer = (deed, 0)
    case 6...13 where !peers[index].isMachine: type(people[below(people.count)], index)
    case 14...23: ask(index)
    default: break
    }
  }

  /// A program asks one thing, or several at once, or goes in the middle of asking.
  private func ask(_ index: Int) {
    let programs = [
      ("panel.state", ""), ("recorder.status", ""), ("library.list", #","params":{"limit":3}"#),
      ("events.subscribe", ""), ("log.follow", ""), ("system.info", ""), ("budget.report", ""), ("no.such", ""),
      ("recorder.mark", ""), ("panel.press", #","params":{"button":"UP"}"#),
      ("panel.mode", #","params":{"mode":"feed"}"#), ("panel.mode", #","params":{"mode":"dictaphone"}"#),
      ("events.subscribe", ""),
    ]
    if !peers[index].isMachine { type("\u{3}", index) }
    // The first line of a program says that it is one.
    let isFirst = !peers[index].isMachine
    peers[index].isMachine = true
    let requests = (0..<(isFirst ? 1 : 1 + below(5))).map { _ in
      let (method, rest) = programs[below(programs.count)]
      peers[index].asked += 1
      return #"{"jsonrpc":"2.0","id":\#(peers[index].asked),"method":"\#(method)"\#(rest)}"#
    }
    guard requests.count > 1 else {
      return below(10) == 0 && !isFirst ? type(String(requests[0].dropLast(5)), index) : type(requests[0] + "\n", index)
    }
    count(.askedInBatches)
    type("[" + requests.joined(separator: ",") + "]\n", index)
  }

  /// What a receiver or a sender says by ZMODEM, until it is cut off.
  private func goOn(_ transfer: (deed: Deed, steps: Int), _ index: Int) {
    peers[index].transfer?.steps += 1
    switch (transfer.deed, transfer.steps) {
    // ZRINIT, then ZRPOS 0: the file comes.
    case (.sendingCutOff, 0): type("**\u{18}B0100000023be50\r\n\u{11}", index)
    case (.sendingCutOff, 1): type("**\u{18}B0900000000a87c\r\n\u{11}", index)
    // ZRQINIT, and what is no file.
    case (_, 0): type("rz\r**\u{18}B00000000000000\r\n\u{11}", index)
    case (_, 1): type("\u{18}C\u{4}\u{0}\u{0}\u{0}\u{1}half a header", index)
    // Some end it, some are pulled out, some say no more.
    case (let deed, 2):
      guard below(2) == 0 else { return }
      count(deed)
      type([UInt8](repeating: 0x18, count: 8) + [UInt8](repeating: 0x08, count: 8), index)
      peers[index].transfer = nil
    default: break
    }
  }

  private func hear(_ index: Int) {
    let text = peers[index].connection.take()
    if peers[index].connection.isSlow { sink?(.drained(peers[index].connection)) }
    prompts += text.components(separatedBy: "mynah> ").count - 1
    for line in text.split(separator: "\n") where line.hasPrefix("{") || line.hasPrefix("[") {
      guard let message = try? JSONValue(parsing: String(line)) else { continue }
      for message in message.arrayValue ?? [message] { hear(message, index) }
    }
  }

  private func hear(_ message: JSONValue, _ index: Int) {
    let name = peers[index].connection.name
    if let id = message["id"]?.integerValue {
      answers += 1
      if id > peers[index].asked { complaints.append("\(name): an answer to \(id), never asked") }
      if !peers[index].answered.insert(id).inserted { complaints.append("\(name): two answers to \(id)") }
    } else if let number = message["params"]?["seq"]?.integerValue {
      events += 1
      if let last = peers[index].lastEvent, number != last + 1 {
        complaints.append("\(name): event \(number) after \(last)")
      }
      peers[index].lastEvent = number
    }
  }
}
