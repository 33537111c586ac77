/// A line that says that the power is to go, or about to go.
public struct PowerInput {
  public enum Meaning: Sendable {
    /// Somebody holds the power key.
    case key
    /// The supply fails: a comparator's output, a battery's controller.
    case failing
  }

  public let meaning: Meaning
  /// How long it must be active before that counts.
  public let hold: Duration
  /// Its edges, whatever key they name.
  public let line: any Buttons

  public init(_ meaning: Meaning, hold: Duration, line: any Buttons) {
    self.meaning = meaning
    self.hold = hold
    self.line = line
  }
}
