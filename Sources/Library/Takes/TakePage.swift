/// A window of the list.
public struct TakePage: Hashable, Sendable {
  public var takes: [TakeSummary]
  /// How many takes match in all.
  public var total: Int
}

/// The library in numbers.
public struct LibraryTotals: Hashable, Sendable {
  public var takes: Int
  /// Seconds of sound.
  public var seconds: Double
  /// Bytes of sound files.
  public var bytes: Int
  /// Bytes that may still be written, the reserve not counted.
  public var freeBytes: Int
  /// Size of the file system.
  public var totalBytes: Int
}
