internal import Appliance
internal import Hardware
internal import Threads

/// Keys, the trigger input and console ports, whose drivers' threads post to the control loop. One that does not start
/// is reported, and the others work.
struct InputDevices {
  private let hardware: HardwareSet
  private let inbox: Mailbox<ControlInput>
  private let consoles: ConsoleHub

  private let media: MediaWorker
  private let power: PowerWatch

  init(_ ground: Ground, consoles: ConsoleHub, media: MediaWorker, power: PowerWatch) {
    self.media = media
    hardware = ground.hardware
    inbox = ground.inbox
    self.consoles = consoles
    self.power = power
  }

  func start() {
    let (inbox, consoles, power) = (inbox, consoles, power)
    for buttons in hardware.buttons {
      buttons.report { inbox.post(.device(.buttons, $0)) }
      do throws(DeviceError) { try buttons.start { inbox.post(.edge($0)) } } catch {
        inbox.post(.device(.buttons, error))
      }
    }
    if let trigger = hardware.trigger {
      do throws(DeviceError) { try trigger.start { if $0.isPressed { inbox.post(.trigger($0.at)) } } } catch {
        inbox.post(.device(.buttons, error))
      }
    }
    for (index, input) in hardware.powerInputs.enumerated() {
      do throws(DeviceError) {
        try input.line.start { edge in inbox.post(.run { power.take(edge, of: index) }) }
      } catch {
        inbox.post(.device(.buttons, error))
      }
    }
    start(hardware.soundPort) { [media] in media.post(.client($0)) }
    for port in hardware.consolePorts { start(port) { event in inbox.post(.run { consoles.take(event) }) } }
  }

  private func start(_ port: (any ConsolePort)?, _ take: @escaping @Sendable (ConsolePortEvent) -> Void) {
    guard let port else { return }
    let inbox = inbox
    do throws(DeviceError) {
      try port.start { event in
        if case .trouble(let error) = event { inbox.post(.device(.console, error)) } else { take(event) }
      }
    } catch {
      inbox.post(.device(.console, error))
    }
  }

  func stop() {
    for buttons in hardware.buttons { buttons.stop() }
    hardware.trigger?.stop()
    for input in hardware.powerInputs { input.line.stop() }
    hardware.soundPort?.stop()
    for port in hardware.consolePorts { port.stop() }
  }
}
