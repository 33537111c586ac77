internal import CLinux
internal import Glibc
public import Hardware

/// What the recorder asks of the system: one short file each.
public enum SystemRequest: Hashable, Sendable {
  /// Nanoseconds since 1970, and when they were right: the wish may lie for a moment.
  case clock(WallTime, asOf: Instant)
  case power(PowerChange)

  /// Longer is none of ours.
  public static let limit = 64

  /// Of its file.
  public var name: String {
    switch self {
    case .clock: "clock"
    case .power: "power"
    }
  }

  /// All that stands in the file.
  public var text: String {
    switch self {
    case .clock(let time, let asOf): "clock \(time.nanosecondsSince1970) \(asOf.nanoseconds)\n"
    case .power(let change): "power \(change.rawValue)\n"
    }
  }

  /// `set the clock`, `reboot`.
  var words: String {
    switch self {
    case .clock: "set the clock"
    case .power(let change): change.words
    }
  }

  /// Reads what stands in a file that anybody of the group could have written; nil if it is no request.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.limit, let text = String(validating: bytes, as: UTF8.self), text.last == "\n" else {
      return nil
    }
    let words = text.dropLast().split(separator: " ", omittingEmptySubsequences: false)
    switch (words.first, words.count) {
    case ("clock", 3):
      guard let time = Int64(words[1]), let asOf = Int64(words[2]), asOf >= 0,
        WallTime(nanosecondsSince1970: time).isSettable
      else { return nil }
      self = .clock(WallTime(nanosecondsSince1970: time), asOf: Instant(nanoseconds: asOf))
    case ("power", 2):
      guard let change = PowerChange(rawValue: String(words[1])) else { return nil }
      self = .power(change)
    default: return nil
    }
  }
}

/// The system's side: does what was asked for, with the rights of its unit.
public enum SystemWork {
  /// Takes the request of a name out of a folder and does it.
  ///
  /// - Returns: what went wrong, in a sentence; nil if nothing did.
  public static func perform(_ name: String, in folder: String) -> String? {
    let path = "\(folder)/\(name)"
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    let reason = errno
    // Whatever it is, it is not asked for a second time.
    unlink(path)
    guard file >= 0 else { return "\(path): cannot be read (errno \(reason))" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: SystemRequest.limit + 1)
    let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    guard count > 0, let request = SystemRequest(Array(bytes[..<count])), request.name == name else {
      return "\(path): that is no request of mynah's; it is removed"
    }
    let code: Int32 =
      switch request {
      case .clock(let time, let asOf): setClock(time, asOf: asOf)
      case .power(let change): power(change)
      }
    return code == 0 ? nil : "cannot \(request.words): errno \(code)"
  }

  static var monotonic: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  private static func setClock(_ time: WallTime, asOf: Instant) -> Int32 {
    // A request of another boot, or one that has lain for minutes, is nobody's wish any more.
    let age = monotonic &- asOf.nanoseconds
    guard (0...60_000_000_000).contains(age) else { return ETIME }
    return setClock(WallTime(nanosecondsSince1970: time.nanosecondsSince1970 &+ age))
  }

  /// Sets the wall clock, and the board's own where there is one. 0, or errno.
  static func setClock(_ time: WallTime) -> Int32 {
    guard time.isSettable else { return EINVAL }
    let code = mynah_set_wall_clock(time.nanosecondsSince1970)
    guard code == 0 else { return code }
    let kept = mynah_set_hardware_clock("/dev/rtc0", Int64(time.seconds))
    // Most boards have none, and the kernel sets some by itself.
    return kept == ENOENT || kept == ENODEV || kept == ENXIO || kept == EINVAL ? 0 : kept
  }

  static func power(_ change: PowerChange) -> Int32 { mynah_ask_for_power(change == .reboot ? 1 : 0) }
}

extension PowerChange {
  /// As an operation.
  var words: String {
    switch self {
    case .reboot: "reboot"
    case .powerOff: "switch off"
    }
  }
}
