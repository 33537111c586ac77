internal import Console
internal import Hardware
internal import Threads

/// Ends the run in order when a power key is held or the supply fails: everything that is open is completed and synced,
/// then the board is switched off where something can do that. Control lane; without such lines it does nothing.
final class PowerWatch: Stepper, @unchecked Sendable {
  private let inputs: [PowerInput]
  private let orders: BoardOrders
  private let events: EventStream
  private let inbox: Mailbox<ControlInput>
  /// Since when each line is active.
  private var active: [Instant?]
  private var isOver = false

  init(_ ground: Ground, orders: BoardOrders) {
    inputs = ground.hardware.powerInputs
    self.orders = orders
    events = ground.events
    inbox = ground.inbox
    active = Array(repeating: nil, count: inputs.count)
  }

  /// Takes an edge of a line, by its place among the inputs.
  func take(_ edge: ButtonEdge, of index: Int) {
    guard active.indices.contains(index) else { return }
    active[index] = edge.isPressed ? active[index] ?? edge.at : nil
  }

  func step(now: Instant) -> Instant? {
    guard !isOver else { return nil }
    var next: Instant?
    for (input, since) in zip(inputs, active) {
      guard let since else { continue }
      let due = since + input.hold
      guard due <= now else {
        next = min(next ?? due, due)
        continue
      }
      isOver = end(input.meaning, now)
      if isOver { return nil }
    }
    // What was refused is not asked for again until the key is let go.
    for index in active.indices {
      if let since = active[index], since + inputs[index].hold <= now { active[index] = nil }
    }
    return next
  }

  /// - Returns: whether the run ends.
  private func end(_ meaning: PowerInput.Meaning, _ now: Instant) -> Bool {
    do throws(CommandFailure) { try orders.atTheEnd(.powerOff) } catch {
      events.log(.error, "system", "the board cannot be switched off: \(error.message)", at: now)
      // A supply that fails does not ask: what is open is completed in any case.
      guard meaning == .failing else { return false }
    }
    let why = meaning == .key ? "the power key is held" : "the supply fails"
    events.log(.warning, "system", "\(why): what is open is saved, then the board goes off", at: now)
    inbox.post(.shutDown)
    return true
  }
}
