internal import Hardware

/// Decides where the spool begins and ends: the copy of the ring that the storage has, if the setting asks for one. Pure.
///
/// It is a clip that nobody has triggered, in pieces that join without a seam; the storage keeps the piece being written
/// and the one before it, and recovery makes clips of them if the power fails. A slow card ends it: clips go first.
struct Spool {
  enum Step {
    case goOn
    case begin
    case end
  }

  /// Until then nothing is spooled, for the storage has refused to.
  private var pausedUntil = Instant.zero
  /// Whether the storage may have something of it.
  private var isKept = false

  /// Least length of a piece: each is a file to be made and completed.
  private static let shortestPiece = Duration.seconds(10)
  private static let pause = Duration.seconds(10)
  /// Share of the way to the storage beyond which the spool makes room for clips.
  private static let largestBacklog = 0.125

  /// - Parameters:
  ///   - isWanted: by the setting, and there is something to be spooled.
  ///   - backlog: share of the way to the storage that is taken.
  ///   - pieces: whether there are some whose media is still being sent, and one that has no end.
  mutating func step(
    now: Instant, isWanted: Bool, backlog: Double, pieces: (any: Bool, endless: Bool)
  ) -> Step {
    let isCrowded = backlog > Self.largestBacklog
    if pieces.endless {
      if isCrowded { rest(from: now) }
      return isWanted && !isCrowded ? .goOn : .end
    }
    guard isWanted, !isCrowded, now >= pausedUntil, !pieces.any else { return .goOn }
    isKept = true
    return .begin
  }

  /// The storage does not take it, or clips need the way.
  mutating func rest(from now: Instant) { pausedUntil = now + Self.pause }

  /// Where a piece is to be split.
  static func split(of piece: CutPlanner.Cut, window: Duration) -> Instant? {
    piece.end == .distantFuture ? piece.start + max(shortestPiece, window) : nil
  }

  /// Whether the storage may forget what nobody needs any more; then it is asked to once.
  mutating func letGo(isWanted: Bool, hasPieces: Bool) -> Bool {
    guard isKept, !isWanted, !hasPieces else { return false }
    isKept = false
    return true
  }
}
