public import Hardware
internal import Media

/// Makes the shapes of takes that have none while nobody wants anything of the device, so that the player has them at once:
/// a column twice a second, of one take after the other. Media worker only.
///
/// Only what the device has made itself: a stranger's take is decoded in another process, and gets its shape when it plays.
public final class IdleShapes {
  private let ask: () -> Void
  private let answers: () -> [[PlayerFile]]
  private let keep: (_ id: String, _ peaks: [Float]) -> Void
  private var id = ""
  private var source: PeakSource?
  private var overview: TakeOverview?
  /// When the device has been idle for long enough; nil: it is not idle.
  private var begins: Instant?
  /// There may be takes without a shape.
  private var isAsking = true
  private var isWaiting = false
  private var next = Instant.zero

  /// Idle for so long first: who has just stopped a take may go on.
  static let patience = Duration.seconds(10)
  private static let interval = Duration.milliseconds(500)

  /// - Parameters:
  ///   - ask: asks for a take without a shape.
  ///   - answers: gives what has come since it was called last: the files of a take that has none, in the order in which
  ///     they are heard; empty: all have theirs.
  ///   - keep: given the shape of a take.
  public init(
    ask: @escaping () -> Void, answers: @escaping () -> [[PlayerFile]],
    keep: @escaping (_ id: String, _ peaks: [Float]) -> Void
  ) {
    (self.ask, self.answers, self.keep) = (ask, answers, keep)
  }

  private func take(_ files: [PlayerFile]) {
    isWaiting = false
    isAsking = !files.isEmpty
    guard let first = files.first, let sound = try? TakeSound(files), let source = sound.peaks() else { return }
    (id, self.source, overview) = (first.id, source, TakeOverview(of: 0..<source.frames))
  }

  /// There may be another take.
  public func lookAgain() { isAsking = true }

  /// - Parameter isIdle: nothing is recorded, played or spared.
  /// - Returns: when there is something to do next.
  public func step(now: Instant, isIdle: Bool) -> Instant? {
    if isWaiting { for files in answers() { take(files) } }
    guard isIdle else {
      begins = nil
      return nil
    }
    guard isAsking || overview != nil, !isWaiting else { return nil }
    let start = begins ?? now + Self.patience
    begins = start
    guard now >= max(start, next) else { return max(start, next) }
    next = now + Self.interval
    if overview == nil {
      isWaiting = true
      ask()
      return nil
    }
    if let source { overview?.step(source) }
    guard let done = overview, done.isComplete else { return next }
    // Where it fails, the shape is none, and the take is not asked for again.
    keep(id, done.peaks)
    (source, overview) = (nil, nil)
    return next
  }
}
