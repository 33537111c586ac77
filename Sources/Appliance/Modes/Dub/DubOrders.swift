/// What is heard of the ladder of dubs, the best first, as events and screens say it; the raw value is the events' word.
public enum HeardRung: String, Hashable, Sendable, CaseIterable {
  /// A service that sends the dub as it is spoken.
  case service
  /// Another sound track of the stream.
  case rendition
  /// A sound file beside the clip.
  case sidecar
  /// Spoken here, from the subtitles.
  case synthesised
  /// No dub: the sound as it is.
  case original
}

/// What the dub player is told.
public enum DubOrder: Hashable, Sendable {
  /// Asks for what can be played.
  case list
  /// Plays a source from its beginning, or at its live edge. Answered by reports with this number.
  case start(DubSource, language: String, isOn: Bool, run: Int)
  case stop
  case pause
  case resume
  /// Moves by so many seconds.
  case seek(by: Double)
  /// Steps back (−1) or forward (+1) as long as the key is held, until 0.
  case scrub(direction: Int)
  case language(String)
  /// How loud original and dub are, in dB, and how they are put together.
  case volume(original: Int, dub: Int, DubMix)
  /// Dub or original.
  case enable(Bool)
}

/// What the dub player reports of the run with the number that came with it.
public enum DubReport: Hashable, Sendable {
  /// Nothing can be heard: why.
  case buffering(String)
  /// Sound comes out.
  case playing
  /// What is heard of the ladder has changed, and why if it is not the best.
  case rung(HeardRung, reason: String)
  /// Languages that there are.
  case languages([String])
  case linkLost(String)
  case linkRestored
  /// It has played to the end.
  case ended
  case failed(code: String, text: String)
}
