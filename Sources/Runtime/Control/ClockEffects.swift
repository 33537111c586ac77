internal import Appliance
internal import Console
internal import Hardware
internal import Threads

/// What the panel asks of the wall clock: the same way as the console's `clock.set`. Control lane only.
struct ClockEffects {
  private let orders: BoardOrders
  private let clock: any DeviceClock
  private let storage: StorageWorker
  private let inbox: Mailbox<ControlInput>

  init(_ orders: BoardOrders, clock: any DeviceClock, storage: StorageWorker, inbox: Mailbox<ControlInput>) {
    self.orders = orders
    self.clock = clock
    self.storage = storage
    self.inbox = inbox
  }

  func perform(_ order: ClockOrder) {
    switch order {
    case .tell: inbox.post(.clock(.shows(clock.wallNow)))
    case .set(let time):
      orders.set(time) { [storage, inbox] outcome in
        storage.dateTakes()
        switch outcome {
        case .success(let shown): inbox.post(.clock(.set(shown)))
        case .failure(let failure): inbox.post(.clock(.failed(code: failure.code.rawValue, text: failure.message)))
        }
      }
    }
  }
}
