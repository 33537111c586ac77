internal import Hardware
internal import Streaming

/// Hands a programme's pictures to whoever shows them, with the clock that they follow. Dubbing lane only.
struct PictureForwarder {
  private let taker: (any PictureTaker)?
  /// Taken from the programme, and not due yet.
  private var waiting: ProgrammePicture?

  /// How long before it is due a picture is handed on: decoders hold some back until they know the order.
  private static let lead = 48_000

  /// - Parameter taker: `nil`: nobody ever looks.
  init(to taker: (any PictureTaker)?) { self.taker = taker }

  /// Begins anew: another place, or pictures are wanted again (`isPlaying`) or no longer.
  mutating func restart(isPlaying: Bool) {
    waiting = nil
    taker?.restart(isPlaying: isPlaying)
  }

  /// Hands on what is due soon.
  ///
  /// - Parameters:
  ///   - frame: what is at the speaker at `now`; `nil`: not known yet.
  ///   - isAtEnd: whether no sound follows what is decoded.
  mutating func forward(
    from programme: any Programme, heard frame: Double?, at now: Instant, isRunning: Bool, isAtEnd: Bool,
    isLowPower: Bool
  ) {
    guard let taker, !isLowPower, taker.isWanted else {
      waiting = nil
      while programme.nextPicture() != nil {}
      return
    }
    guard let frame else { return }
    let limit = Int(frame) + Self.lead
    while let next = waiting ?? programme.nextPicture() {
      waiting = next.start < limit ? nil : next
      guard waiting == nil else { break }
      taker.take(next)
    }
    taker.follow(HeardClock(frame: frame, at: now, isRunning: isRunning, isEnding: waiting == nil && isAtEnd))
  }
}
