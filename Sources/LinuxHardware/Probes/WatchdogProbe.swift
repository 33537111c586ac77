internal import Glibc
public import Hardware

/// Looks at the hardware watchdog from outside: opening it would start it.
public struct WatchdogProbe: Probe {
  private let path: String
  private let seconds: Int

  /// - Parameters:
  ///   - path: `/dev/watchdog`.
  ///   - seconds: the time that the board file asks for.
  public init(path: String, seconds: Int) {
    self.path = path
    self.seconds = seconds
  }

  public func examine() -> [DeviceFinding] {
    let device = "watchdog"
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else {
      return [
        DeviceFinding(
          device, place: path, .missing, "there is none",
          remedy: "load its driver (bcm2835_wdt, i6300esb; softdog where the board has none), or set watchdog.device "
            + "to \"\"; the service manager's own watchdog works without")
      ]
    }
    // /dev/watchdog is the first of /dev/watchdogN under its old name.
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    let folder = "/sys/class/watchdog/\(name == "watchdog" ? "watchdog0" : name)"
    let identity = ProcText.line("\(folder)/identity") ?? "a watchdog"
    let timeout = ProcText.line("\(folder)/timeout").flatMap { Int($0) }
    let isStubborn = ProcText.line("\(folder)/nowayout") == "1"
    var facts: [String: Fact] = ["identity": .text(identity), "askedSeconds": .integer(seconds)]
    if let timeout { facts["timeoutSeconds"] = .integer(timeout) }
    facts["nowayout"] = .flag(isStubborn)
    let text = identity + (timeout.map { ", \($0) s" } ?? "") + (isStubborn ? ", cannot be stopped once started" : "")
    let isActive = ProcText.line("\(folder)/state") == "active"
    if let holder = Holder.find(device: path) ?? Holder.find(device: "/dev/watchdog0") {
      facts["holder"] = .integer(holder.process)
      if holder.isMynah {
        return [DeviceFinding(device, place: path, .inUse, "\(text), \(holder.text) feeds it", facts: facts)]
      }
      return [
        DeviceFinding(
          device, place: path, .limited, "\(text), \(holder.text) feeds it",
          remedy: "the board still resets if that hangs; for mynah to feed it, set RuntimeWatchdogSec=0 in system.conf",
          facts: facts)
      ]
    }
    if isActive { return [DeviceFinding(device, place: path, .inUse, "\(text), somebody feeds it", facts: facts)] }
    guard access(path, W_OK) == 0 else {
      return [
        DeviceFinding(
          device, place: path, .denied, "\(text), not writable for this user",
          remedy: "install udev/70-mynah.rules, or run as root", facts: facts)
      ]
    }
    return [DeviceFinding(device, place: path, .works, "\(text), nobody feeds it now", facts: facts)]
  }
}
