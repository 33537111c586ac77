/// The item that plays, from its start to its end, as the player reports of it.
public struct FeedPlay: Hashable, Sendable {
  public let item: FeedItem
  /// Nothing of it can be heard yet, or not at the moment.
  public var isBuffering = true
  /// CENTRE has stopped the sound for a while.
  public var isPaused = false
  /// Why it cannot be played; it is shown until a key is pressed.
  public var fault: FeedFault?
  /// Why it buffers, in words; empty if there is nothing to say.
  public var reason = ""
  public var isLinkLost = false
  /// What is heard of the ladder of dubs.
  public var rung = HeardRung.original
  /// The direction of a held LEFT (−1) or RIGHT (+1) while scrubbing, else 0.
  public var scrubbing = 0
  /// Sound of it has come out.
  var hasPlayed = false

  public init(of item: FeedItem) { self.item = item }

  /// The key that scrubs has lost its meaning.
  mutating func letGo(_ transition: inout Transition) {
    guard scrubbing != 0 else { return }
    scrubbing = 0
    transition.feed(.scrub(direction: 0))
  }

  /// Takes what the player tells, but for its ends.
  mutating func handle(_ report: DubReport) {
    switch report {
    case .buffering(let why): (isBuffering, reason) = (true, why)
    case .playing: (isBuffering, reason, hasPlayed) = (false, "", true)
    case .rung(let heard, _): rung = heard
    case .linkLost(let why): (isLinkLost, reason) = (true, why)
    case .linkRestored: (isLinkLost, reason) = (false, "")
    case .languages, .ended, .failed: break
    }
  }
}
