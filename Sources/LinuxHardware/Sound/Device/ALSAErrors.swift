internal import Glibc
internal import Hardware

/// Which way sound goes.
enum SoundDirection: Sendable {
  case capture
  case playback
}

/// From libasound's error codes to errors that say what to do.
enum ALSAErrors {
  /// The error for a failed step of opening or configuring.
  static func error(device: String, direction: SoundDirection, operation: String, code: Int32) -> DeviceError {
    DeviceError(
      kind(of: code), device: device, operation: operation, code: code,
      hint: hint(for: code, device: device, direction: direction))
  }

  /// The class of an errno.
  static func kind(of code: Int32) -> DeviceError.Kind {
    switch code {
    case ENOENT, ENODEV, ENXIO: .missing
    case EBUSY, EAGAIN: .busy
    case EACCES, EPERM: .denied
    case EINVAL, ENOTTY, ENOSYS, ENOTSUP: .unsupported
    default: .failed
    }
  }

  private static func hint(for code: Int32, device: String, direction: SoundDirection) -> String {
    let tool = direction == .capture ? "arecord" : "aplay"
    switch kind(of: code) {
    case .missing:
      return "plug it in, or correct its name in the board file; \(tool) -L lists the names there are"
    case .busy:
      if let owner = SoundOwner.find(device: device, direction: direction) {
        return "stop \(owner.name) (process \(owner.process)), which has it open"
      }
      return "stop the program that has it open; fuser -v /dev/snd/* names it"
    case .denied:
      return "add the user to the group audio, or install the udev rules, and log in again"
    case .unsupported:
      return "choose what it can do; \(tool) --dump-hw-params -D \(device) shows it"
    case .lost, .failed:
      return "plug it in again; dmesg tells what the kernel saw"
    }
  }
}

/// The process that has a card's PCM open, as /proc/asound tells.
struct SoundOwner: Hashable, Sendable {
  /// The process, or the thread of it that opened the PCM.
  var process: Int
  var name: String
  /// The sub-device's directory in /proc/asound.
  var folder: String

  /// Looks through the sub-devices of the card that `device` names (`hw:1,0`, `plughw:CARD=Device`), or of all.
  static func find(device: String, direction: SoundDirection) -> SoundOwner? {
    let root = "/proc/asound"
    let letter = direction == .capture ? "c" : "p"
    for card in ProcText.entries(root) where isWanted(card, device: device) {
      for pcm in ProcText.entries("\(root)/\(card)") where pcm.hasPrefix("pcm") && pcm.hasSuffix(letter) {
        for sub in ProcText.entries("\(root)/\(card)/\(pcm)") where sub.hasPrefix("sub") {
          guard let process = owner(in: ProcText.read("\(root)/\(card)/\(pcm)/\(sub)/status")) else { continue }
          let name = ProcText.read("/proc/\(process)/comm").split(separator: "\n").first.map(String.init)
          return SoundOwner(
            process: process, name: name ?? "a program", folder: "\(root)/\(card)/\(pcm)/\(sub)")
        }
      }
    }
    return nil
  }

  /// The number after `owner_pid` in a sub-device's status.
  static func owner(in status: String) -> Int? {
    for line in status.split(separator: "\n") where line.hasPrefix("owner_pid") {
      return line.split(separator: ":").last.flatMap { Int($0.drop(while: { $0 == " " })) }
    }
    return nil
  }

  /// Whether a directory of /proc/asound may be the card that `device` names.
  private static func isWanted(_ entry: String, device: String) -> Bool {
    guard entry.hasPrefix("card"), let number = Int(entry.dropFirst(4)) else { return false }
    guard let arguments = device.split(separator: ":", maxSplits: 1).dropFirst().first,
      var card = arguments.split(separator: ",").first
    else { return true }
    if card.hasPrefix("CARD=") { card = card.dropFirst(5) }
    if let wanted = Int(card) { return wanted == number }
    let identifier = ProcText.read("/proc/asound/\(entry)/id").split(separator: "\n").first
    return identifier == nil || identifier == card
  }
}
