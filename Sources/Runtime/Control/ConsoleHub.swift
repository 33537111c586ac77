internal import Appliance
internal import Board
internal import Console
internal import Hardware

/// The consoles that are open: one session a connection. Control lane only, but for `init`.
final class ConsoleHub: Stepper, @unchecked Sendable {
  private struct Member {
    let connection: any ConsoleConnection
    let session: ConsoleSession
    let listener: EventHub.Listener
  }

  /// Lines of a terminal of which nothing is known.
  private static let usualHeight = 24

  private let events: EventStream
  private let greeting: String
  private let knowledge: (CompletionSubject) -> [String]
  private let dispatcher: CommandDispatcher
  private let device: CommandContext
  private var members: [ObjectIdentifier: Member] = [:]
  /// Whose peers have gone, and left requests that wait for their turn.
  private var leaving: [Member] = []

  /// - Parameters:
  ///   - device: performs the commands.
  ///   - storage: knows the takes that TAB may complete.
  init(_ ground: Ground, device: CommandContext, storage: StorageWorker) {
    events = ground.events
    greeting = "Mynah \(ground.options.version) on \(ground.board.name); \"help\" explains"
    knowledge = CompletionSource(storage: storage, settings: Settings.table.map(\.key)).answer
    dispatcher = CommandDispatcher(DeviceTable.table, context: device)
    self.device = device
    device.operators.onChange = { [weak self] name in
      guard let self else { return }
      (members.values + leaving).filter { $0.session.signedIn?.name == name }.forEach { $0.session.signOut() }
    }
    events.onLine = { [weak self] line in self?.members.values.forEach { $0.session.deliver(line) } }
  }

  func take(_ event: ConsolePortEvent) {
    switch event {
    case .opened(let connection): open(connection)
    case .received(let connection, let bytes):
      members[ObjectIdentifier(connection)]?.session.receive(bytes)
    case .drained(let connection): members[ObjectIdentifier(connection)]?.session.pump()
    case .closed(let connection): close(connection)
    case .trouble: break
    }
  }

  func step(now: Instant) -> Instant? {
    guard !members.isEmpty || !leaving.isEmpty else { return nil }
    let due = (members.values + leaving).compactMap { $0.session.step(now: now) }.min()
    for member in leaving where !member.session.hasRequests { end(member) }
    leaving.removeAll { !$0.session.hasRequests }
    return due
  }

  private func open(_ connection: any ConsoleConnection) {
    var environment = ConsoleSession.Environment(
      send: { connection.send($0) }, room: { connection.room },
      height: connection.isTerminal ? Self.usualHeight : nil, knowledge: knowledge,
      hangUp: { connection.close() })
    environment.handled = { connection.handled($0) }
    environment.owes = { connection.owes($0) }
    environment.name = connection.name
    environment.discardUnsent = { connection.discardUnsent() }
    environment.timeout = { [unowned device] in
      let minutes = device.state.settings.operatorTimeoutMinutes
      return minutes > 0 ? .seconds(60 * minutes) : nil
    }
    environment.dated = { [unowned device] in (Zone(device.state.settings.zone) ?? .utc).localText($0) }
    environment.onTimeout = { [unowned device] who in
      device.operators.noteLogOut(who, from: connection.name, isIdle: true)
    }
    let session = ConsoleSession(dispatcher: dispatcher, environment: environment)
    let listener = events.hub.attach { [weak session] in session?.deliver($0) }
    members[ObjectIdentifier(connection)] = Member(connection: connection, session: session, listener: listener)
    session.start(greeting: device.operators.isOn ? "\(greeting); \"login NAME\" first" : greeting)
  }

  private func close(_ connection: any ConsoleConnection) {
    guard let member = members.removeValue(forKey: ObjectIdentifier(connection)) else { return }
    events.hub.detach(member.listener)
    member.session.close()
    if member.session.hasRequests { leaving.append(member) } else { end(member) }
  }

  /// Whoever pulls the plug is gone.
  private func end(_ member: Member) {
    if let who = member.session.signedIn {
      device.operators.noteLogOut(who, from: member.connection.name, isIdle: false)
    }
  }
}
