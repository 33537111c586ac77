internal import Glibc
internal import Hardware

/// The helper of the system that mounts a stick (`deploy/stick`, started by udev for each): it has the rights that the
/// appliance has not. It is asked by words into a pipe, and answers by a file: a word; the stick's label or what is wrong; and,
/// where the system takes updates and the stick has one, its name.
struct StickHelper {
  /// What it says of a stick.
  enum Answer: Hashable {
    case plugged(label: String)
    case mounted(label: String)
    case safe(label: String)
    case failed(String)
  }

  /// The helper's folder for one stick: `/run/mynah-stick/sda1`.
  let folder: String

  private static let longestLabel = 64
  private static let longestName = 96

  var files: String { "\(folder)/files" }

  /// What it said last; nil: there is no helper.
  func answer() -> Answer? {
    let rest = line(1, longest: Self.longestLabel)
    switch lines.first {
    case "plugged": return .plugged(label: rest)
    case "mounted": return .mounted(label: rest)
    case "safe": return .safe(label: rest)
    case "failed": return .failed(rest)
    default: return nil
    }
  }

  /// The update that it has found; may be empty.
  var update: String { line(2, longest: Self.longestName) }

  private var lines: [Substring] {
    ProcText.read("\(folder)/state").split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// What a stranger has written on his stick.
  private func line(_ number: Int, longest: Int) -> String {
    String((lines.dropFirst(number).first ?? "").unicodeScalars.filter { $0.value >= 0x20 }.prefix(longest))
  }

  /// Asks it for something: `mount` or `release`. Never waits.
  func ask(_ word: String) throws(DeviceError) {
    let path = "\(folder)/request"
    let pipe = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    guard pipe >= 0 else { throw unreachable("ask the helper to \(word) it", errno) }
    defer { close(pipe) }
    let bytes = Array("\(word)\n".utf8)
    let count = bytes.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
    guard count == bytes.count else { throw unreachable("ask the helper to \(word) it", errno) }
  }

  private func unreachable(_ operation: String, _ code: Int32) -> DeviceError {
    let kind: DeviceError.Kind = code == EACCES || code == EPERM ? .denied : .missing
    return DeviceError(
      kind, device: folder, operation: operation, code: code,
      hint: "mynah-stick@.service of the package mounts sticks; see systemctl status 'mynah-stick@*'")
  }
}
