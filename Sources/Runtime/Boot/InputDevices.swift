internal import Appliance
internal import Hardware
internal import Threads

/// Keys, the trigger input and console ports, whose drivers' threads post to the control loop. One that does not start
/// is reported, and the others work.
struct InputDevices {
  private let hardware: HardwareSet
  private let inbox: Mailbox<ControlInput>

  init(_ ground: Ground) {
    hardware = ground.hardware
    inbox = ground.inbox
  }

  func start() {
    let inbox = inbox
    for buttons in hardware.buttons {
      do throws(DeviceError) { try buttons.start { inbox.post(.edge($0)) } } catch {
        inbox.post(.device(.buttons, error))
      }
    }
    if let trigger = hardware.trigger {
      do throws(DeviceError) { try trigger.start { if $0.isPressed { inbox.post(.trigger($0.at)) } } } catch {
        inbox.post(.device(.buttons, error))
      }
    }
    for port in hardware.consolePorts {
      do throws(DeviceError) { try port.start { inbox.post(.console($0)) } } catch {
        inbox.post(.device(.console, error))
      }
    }
  }

  func stop() {
    for buttons in hardware.buttons { buttons.stop() }
    hardware.trigger?.stop()
    for port in hardware.consolePorts { port.stop() }
  }
}
