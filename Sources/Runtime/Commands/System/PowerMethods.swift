internal import Appliance
internal import Console
internal import Hardware
internal import Threads

/// Methods after which the device goes: everything is closed and synced first.
private enum PowerOrder {
  static func begin(
    _ change: PowerChange, in device: CommandContext, _ reply: @escaping (Result<Done, CommandFailure>) -> Void
  ) {
    do throws(CommandFailure) { try device.boardOrders.atTheEnd(change) } catch { return reply(.failure(error)) }
    reply(.success(Done()))
    device.inbox.post(.shutDown)
  }
}

enum SystemReboot: DeviceTask {
  static let row = MethodRow(
    "system.reboot", "completes and syncs what is open, then starts the board anew", .technician,
    discussion: "A take that is being recorded is saved first.")
  typealias Answer = Done

  static func perform(_: NoParameters, in device: CommandContext, reply: @escaping Reply) {
    PowerOrder.begin(.reboot, in: device, reply)
  }
}

enum SystemPowerOff: DeviceTask {
  static let row = MethodRow(
    "system.powerOff", "completes and syncs what is open, then switches the board off", .technician,
    discussion: "A take that is being recorded is saved first.")
  typealias Answer = Done

  static func perform(_: NoParameters, in device: CommandContext, reply: @escaping Reply) {
    PowerOrder.begin(.powerOff, in: device, reply)
  }
}
