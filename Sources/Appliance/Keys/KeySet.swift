public import Hardware

/// A set of keys in one word.
public struct KeySet: Hashable, Sendable {
  private var bits: UInt16 = 0

  public init() {}

  /// Every key.
  public static let all: KeySet = {
    var keys = KeySet()
    for key in Button.allCases { keys.insert(key) }
    return keys
  }()

  public func contains(_ key: Button) -> Bool { bits & Self.bit(key) != 0 }
  public mutating func insert(_ key: Button) { bits |= Self.bit(key) }
  public mutating func remove(_ key: Button) { bits &= ~Self.bit(key) }

  private static func bit(_ key: Button) -> UInt16 { 1 << UInt16(truncatingIfNeeded: key.ordinal) }
}
