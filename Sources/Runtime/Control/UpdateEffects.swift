internal import Appliance
internal import Console
internal import Hardware
internal import Threads

/// What the panel asks of updates: the same way as the console's `update.install` and `system.reboot`. Control lane only.
struct UpdateEffects {
  private let orders: BoardOrders
  private let inbox: Mailbox<ControlInput>

  init(_ orders: BoardOrders, inbox: Mailbox<ControlInput>) {
    self.orders = orders
    self.inbox = inbox
  }

  /// One that is found is offered only where one can be taken now.
  func passes(_ news: UpdateNews) -> Bool {
    guard case .found = news else { return true }
    guard let phase = try? orders.update().phase else { return false }
    return !phase.isBusy && phase != .installed
  }

  func perform(_ order: UpdateOrder, _ state: State) {
    do throws(CommandFailure) {
      switch order {
      case .install: try orders.install(.stick, in: state)
      case .restart:
        try orders.atTheEnd(.reboot)
        inbox.post(.shutDown)
      }
    } catch {
      inbox.post(.update(.told(UpdateReport(.refused, text: "\(error.code.rawValue): \(error.message)"))))
    }
  }
}
