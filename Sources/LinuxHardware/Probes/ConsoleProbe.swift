internal import CLinux
internal import Glibc
public import Hardware

/// Looks at the serial line of the console, and who else uses it.
public struct SerialProbe: Probe {
  private let path: String
  private let baud: Int

  public init(path: String, baud: Int) {
    self.path = path
    self.baud = baud
  }

  public func examine() -> [DeviceFinding] {
    let device = "console.tty"
    let facts: [String: Fact] = ["baud": .integer(baud)]
    if let holder = Holder.find(device: path) {
      let held = facts.merging(["holder": .integer(holder.process)]) { old, _ in old }
      return [
        holder.isMynah
          ? DeviceFinding(device, place: path, .inUse, "\(holder.text) has it", facts: held)
          : DeviceFinding(
            device, place: path, .busy, "\(holder.text) has it",
            remedy: "stop it; a getty by systemctl disable --now serial-getty@\(path.split(separator: "/").last ?? "")",
            facts: held)
      ]
    }
    do throws(DeviceError) {
      try Self.touch(path, baud: baud)
    } catch {
      return [DeviceFinding(device, place: path, error, facts: facts)]
    }
    if Self.isKernelConsole(path) {
      return [
        DeviceFinding(
          device, place: path, .limited, "opens at \(baud) baud; the kernel writes its messages on it too",
          remedy: "take console=\(path.split(separator: "/").last ?? "") out of the kernel's command line", facts: facts
        )
      ]
    }
    return [DeviceFinding(device, place: path, .works, "opens at \(baud) baud", facts: facts)]
  }

  /// Opens the line as the console does and leaves it as it was.
  private static func touch(_ path: String, baud: Int) throws(DeviceError) {
    let before = retrying { Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) }
    var settings = termios()
    let hasSettings = before >= 0 && tcgetattr(before, &settings) == 0
    defer {
      if hasSettings { tcsetattr(before, TCSANOW, &settings) }
      if before >= 0 { close(before) }
    }
    close(try SerialLine.open(path, baud: baud))
    // The line was taken for this process alone, until all have closed it.
    if before >= 0 { mynah_tty_shared(before) }
  }

  /// Whether the kernel prints there: a line of /proc/consoles ends in the device's number, `4:64`.
  private static func isKernelConsole(_ path: String) -> Bool {
    var text = [CChar](repeating: 0, count: 24)
    mynah_device_number(path, &text, text.count)
    let number = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return ProcText.read("/proc/consoles").split(separator: "\n").contains { line in
      line.split(separator: " ").last.map { $0 == number } ?? false
    }
  }
}

/// Looks whether the console's socket is served, or can be made.
public struct SocketProbe: Probe {
  private let path: String

  public init(path: String) { self.path = path }

  public func examine() -> [DeviceFinding] {
    let device = "console.socket"
    if let peer = try? UnixSocket.connect(path) {
      defer { close(peer) }
      let holder = mynah_peer_process(peer)
      let who = holder > 0 ? Holder(task: Int(holder)).text : "somebody"
      return [
        DeviceFinding(
          device, place: path, .inUse, "\(who) listens there",
          facts: holder > 0 ? ["holder": .integer(Int(holder))] : [:])
      ]
    }
    let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
    let directory = folder ?? "."
    guard access(directory, F_OK) == 0 else {
      return [
        DeviceFinding(
          device, place: path, .missing, "there is no directory \(directory)",
          remedy: "make it for mynah's user, or start mynah as a service, which makes it")
      ]
    }
    guard access(directory, W_OK | X_OK) == 0 else {
      return [
        DeviceFinding(
          device, place: path, .denied, "\(directory) is not writable for this user",
          remedy: "run the doctor as root or as mynah's user, or give it the directory")
      ]
    }
    return [DeviceFinding(device, place: path, .works, "can be made; nobody listens now")]
  }
}
