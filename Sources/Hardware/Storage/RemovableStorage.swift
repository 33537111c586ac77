/// What is in the socket for a stick.
public struct StickState: Hashable, Sendable {
  public enum Condition: String, Hashable, Sendable, CaseIterable {
    /// Nothing is.
    case absent
    /// A stick is; it can be asked for its files.
    case plugged
    /// Its files are there.
    case mounted
    /// It has been let go of, and may be pulled out.
    case safe
    /// It has no file system that the system knows, or nobody mounts it; see `reason`.
    case unusable
  }

  public var condition: Condition
  /// What its owner calls it; may be empty.
  public var label: String
  /// Size in bytes; 0 while not known.
  public var bytes: Int
  /// Why it cannot be used, and what to do; empty where it can.
  public var reason: String
  /// The name of the newest update file on it, where the system takes updates and has found one; else empty.
  public var update = ""

  public init(_ condition: Condition, label: String = "", bytes: Int = 0, reason: String = "") {
    self.condition = condition
    self.label = label
    self.bytes = bytes
    self.reason = reason
  }

  public static let absent = StickState(.absent)
}

/// A socket into which people put a stick to take files away: a USB stick, or a card in a reader.
///
/// Storage lane only; nothing here waits. Mounting and letting go are asked for, and `look` tells when they are done. The
/// stick may be pulled out at any time: its files then fail, and nothing else does.
public protocol RemovableStorage: AnyObject, Sendable {
  /// What is in the socket now. Takes some ms.
  func look() -> StickState
  /// Asks for the stick's files.
  func mount() throws(DeviceError)
  /// The stick's files from its root, while it is mounted. Files are written as far as they are synced.
  func files() throws(DeviceError) -> any Storage
  /// Asks that the stick be let go of, with everything written; all files have been closed before.
  func release() throws(DeviceError)
}
