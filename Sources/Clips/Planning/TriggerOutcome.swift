/// What became of a trigger; every one has an outcome.
public enum TriggerOutcome: Hashable, Sendable {
  /// A clip of its own began; `continues` names the one at whose end it starts.
  case started(clip: Int, continues: Int?)
  /// An open clip holds its range now.
  case joined(clip: Int)
  /// It came within the debounce time of trigger `of`, and is one with it.
  case bounced(of: Int)
  /// Nothing came of it; a stable code (`device-lost`, `busy`, `internal`) and a sentence.
  case refused(code: String, text: String)
}
