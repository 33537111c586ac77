public import Appliance
public import Hardware

/// What the buzzer says, once each time it becomes true.
///
/// | call          | beats, ms          | means, in dubbed playback |
/// |---------------|--------------------|---------------------------|
/// | dubbed        | 80                 | a dub is heard |
/// | original      | 80, 80, 80         | the original is heard |
/// | buffering     | 30                 | it stopped, and buffers |
/// | link lost     | 500                | a stream, or the service that dubs, cannot be reached |
/// | link restored | 40, 60, 40, 60, 40 | it can be reached again |
///
/// Nowhere else: what beeps beside a microphone is in the take, and with a pre-record in the next one as well.
public enum BuzzerCall: Hashable, Sendable, CaseIterable {
  case dubbed
  case original
  case buffering
  case linkLost
  case linkRestored

  /// Milliseconds on, off, on, …
  public var beats: [Int64] {
    switch self {
    case .dubbed: [80]
    case .original: [80, 80, 80]
    case .buffering: [30]
    case .linkLost: [500]
    case .linkRestored: [40, 60, 40, 60, 40]
    }
  }
}

/// Turns changes of the state into calls of a buzzer, or of a motor in its place. Pure.
public struct Buzzer: Hashable, Sendable {
  /// What there may be a change of; nothing while nothing is played with a dub.
  private struct Playback: Hashable {
    var isDubbed: Bool
    var isBuffering: Bool
    var isLinkLost: Bool
  }

  private struct Sounding: Hashable {
    var call: BuzzerCall
    var began: Instant
  }

  private var playback: Playback?
  private var current: Sounding?

  public init() {}

  /// Notices what has changed by `now`. A call that is not over is broken off by the next one.
  public mutating func follow(_ state: State, now: Instant) {
    let before = playback
    playback = Self.playback(state)
    if !state.settings.hasBuzzer {
      current = nil
    } else if let call = Self.call(from: before, to: playback) {
      current = Sounding(call: call, began: now)
    }
  }

  /// Whether it sounds.
  public func isOn(at now: Instant) -> Bool { beat(at: now).map { $0.index.isMultiple(of: 2) } ?? false }

  /// When it next begins or ceases to sound; `nil` if it is silent for good.
  public func nextChange(after now: Instant) -> Instant? { beat(at: now)?.end }

  private static func playback(_ state: State) -> Playback? {
    guard state.mode == .dub, state.dub.isBusy else { return nil }
    return Playback(
      isDubbed: state.dub.isOn && state.dub.rung != .original, isBuffering: state.dub.activity == .buffering,
      isLinkLost: state.dub.isLinkLost)
  }

  /// The most important of what has changed. That it buffers when it begins, in its own language, is no news.
  private static func call(from before: Playback?, to after: Playback?) -> BuzzerCall? {
    guard let after else { return nil }
    let before = before ?? Playback(isDubbed: false, isBuffering: true, isLinkLost: false)
    if before.isLinkLost != after.isLinkLost { return after.isLinkLost ? .linkLost : .linkRestored }
    if before.isDubbed != after.isDubbed { return after.isDubbed ? .dubbed : .original }
    return after.isBuffering && !before.isBuffering ? .buffering : nil
  }

  private func beat(at now: Instant) -> (index: Int, end: Instant)? {
    guard let current else { return nil }
    var end = current.began
    for (index, milliseconds) in current.call.beats.enumerated() {
      end = end + .milliseconds(milliseconds)
      if now < end { return (index, end) }
    }
    return nil
  }
}
