internal import CLinux

/// What the C library's heap does with large blocks.
public enum LargeBlocks {
  /// Sound of a third of a second, and whatever is larger.
  private static let smallest: Int32 = 128 << 10

  /// Gives large blocks back to the system when they are freed. Call once at start, before the first of them.
  ///
  /// glibc begins so, but keeps them from the first one on that was freed, up to 32 MiB (mallopt(3)): then every thread's
  /// heap has holes of megabytes that nothing fits into.
  public static func giveBack() { mynah_map_blocks_from(smallest) }
}
