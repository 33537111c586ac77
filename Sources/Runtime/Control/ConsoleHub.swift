internal import Console
internal import Hardware

/// The consoles that are open: one session a connection. Control lane only.
final class ConsoleHub {
  private struct Member {
    let connection: any ConsoleConnection
    let session: ConsoleSession
    let listener: EventHub.Listener
  }

  private let events: EventStream
  private let greeting: String
  private let knowledge: (CompletionSubject) -> [String]
  private var dispatcher: CommandDispatcher?
  private var members: [ObjectIdentifier: Member] = [:]

  /// - Parameters:
  ///   - greeting: name and version, shown to whoever connects.
  ///   - knowledge: what TAB may complete beside commands.
  init(events: EventStream, greeting: String, knowledge: @escaping (CompletionSubject) -> [String]) {
    self.events = events
    self.greeting = greeting
    self.knowledge = knowledge
  }

  /// Says who performs commands; before the first connection.
  func serve(_ device: CommandContext) { dispatcher = CommandDispatcher(DeviceTable.table, context: device) }

  func take(_ event: ConsolePortEvent) {
    switch event {
    case .opened(let connection): open(connection)
    case .received(let connection, let bytes):
      members[ObjectIdentifier(connection)]?.session.receive(bytes)
      connection.handled(bytes.count)
    case .closed(let connection): close(connection)
    case .trouble: break
    }
  }

  private func open(_ connection: any ConsoleConnection) {
    guard let dispatcher else { return connection.close() }
    let session = ConsoleSession(
      dispatcher: dispatcher,
      environment: ConsoleSession.Environment(
        send: { connection.send($0) }, knowledge: knowledge, hangUp: { connection.close() }))
    let listener = events.hub.attach { [weak session] in session?.deliver($0) }
    members[ObjectIdentifier(connection)] = Member(connection: connection, session: session, listener: listener)
    session.start(greeting: greeting)
  }

  private func close(_ connection: any ConsoleConnection) {
    guard let member = members.removeValue(forKey: ObjectIdentifier(connection)) else { return }
    events.hub.detach(member.listener)
  }
}
