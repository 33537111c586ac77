/// Why there is no speech.
public struct SpeechError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// The voices' data cannot be found or unpacked.
    case data
    /// No voice speaks the language.
    case language
    /// The synthesiser failed.
    case synthesis
  }

  public var kind: Kind
  /// What happened, to what, and what to do about it.
  public var description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
