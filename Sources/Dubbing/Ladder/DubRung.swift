/// Where a dub can come from, best first: the rungs of the ladder.
///
/// The lower rung plays whenever a higher one is not ready in time; the original always is.
public enum DubRung: Int, CaseIterable, Comparable, Hashable, Sendable {
  /// A live dubbing service over WebSocket (PROTOCOL.md).
  case service
  /// Another sound rendition of the stream (RFC 8216 section 4.3.4.1).
  case rendition
  /// A sound track that lies beside a local clip.
  case sidecar
  /// Speech made on the device from subtitles.
  case synthesised
  /// What was there all the time.
  case original

  /// Better rungs come first.
  public static func < (left: DubRung, right: DubRung) -> Bool { left.rawValue < right.rawValue }

  /// Whether it is a whole sound track, with music and effects, that takes the original's place; the others are a
  /// voice over it.
  public var isTrack: Bool { self == .rendition || self == .sidecar }
}
