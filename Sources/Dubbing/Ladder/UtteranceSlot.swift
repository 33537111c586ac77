/// A stretch of the timeline that is dubbed as one: an utterance with the pause behind it.
public struct UtteranceSlot: Hashable, Sendable {
  /// Grows by one a slot.
  public var id: Int
  public var epoch: Int
  /// Where the utterance begins and ends on the programme's timeline, in frames.
  public var start: Int
  public var end: Int
  /// Where the next utterance begins, as far as is known.
  public var limit: Int?
  /// What is said; empty where only the sound is known.
  public var text: String
  /// Language of the text, or empty.
  public var language: String
}
