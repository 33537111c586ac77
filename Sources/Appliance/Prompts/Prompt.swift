/// Something that is to be said aloud, for somebody who does not look at the screen.
public struct Prompt: Hashable, Sendable {
  /// When it is said.
  public enum Urgency: String, Hashable, Sendable, CaseIterable {
    /// At once: what is being said ends. The answer to a key, and what is grave.
    case interrupts
    /// Behind what is being said.
    case follows
    /// Only if nothing is being said: later it would be of no use.
    case fleeting
  }

  /// As the synthesiser is given it: units in words, Russian with stress marks where they are needed.
  public var text: String
  public var language: Language
  public var urgency: Urgency
  /// Something went wrong or soon will: it is kept while nothing may be said.
  public var isGrave: Bool

  public init(_ text: String, in language: Language, _ urgency: Urgency, isGrave: Bool = false) {
    self.text = text
    self.language = language
    self.urgency = urgency
    self.isGrave = isGrave
  }
}

/// What prompts tell that is not in the machine's state.
public struct PromptFigures: Hashable, Sendable {
  /// Length of the open take, and the place in what is played, in seconds.
  public var takeSeconds = 0.0
  public var positionSeconds = 0.0
  /// Seconds of recording that still fit; `nil`: not known.
  public var timeLeftSeconds: Double?
  /// The card: bytes free and all; takes, and clips.
  public var freeBytes: Int64?
  public var totalBytes: Int64?
  public var takes = 0
  public var clips = 0

  public init() {}
}
