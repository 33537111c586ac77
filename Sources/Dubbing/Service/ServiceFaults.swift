/// What has gone wrong with a dubbing service since something was started, by kind.
public struct ServiceFaults: Hashable, Sendable {
  /// Times that it was lost, or was not there at first; attempts to reach it again are not counted.
  public var lost = 0
  /// Answers that did not come in time.
  public var late = 0
  /// Utterances that it would not dub.
  public var refused = 0
  /// Messages that do not keep to the protocol, sound that cannot be decoded, and silence in place of words.
  public var malformed = 0

  public init() {}
}
