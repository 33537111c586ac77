/// A point of a recording that somebody marked.
public struct TakeMark: Hashable, Sendable {
  /// Frames from the start.
  public var frame: Int
  public var label: String

  public init(frame: Int, label: String) {
    self.frame = frame
    self.label = label
  }
}

/// Loudness by EBU R 128 and true peak by ITU-R BS.1770, as bext version 2 carries them; `nil` is "not measured".
public struct TakeLoudness: Hashable, Sendable {
  /// Integrated, LUFS.
  public var integrated: Double?
  /// Loudness range, LU.
  public var range: Double?
  /// Maximum true peak, dBTP.
  public var truePeak: Double?
  /// Highest momentary (400 ms) loudness, LUFS.
  public var maximumMomentary: Double?
  /// Highest short-term (3 s) loudness, LUFS.
  public var maximumShortTerm: Double?

  public init(
    integrated: Double? = nil, range: Double? = nil, truePeak: Double? = nil, maximumMomentary: Double? = nil,
    maximumShortTerm: Double? = nil
  ) {
    self.integrated = integrated
    self.range = range
    self.truePeak = truePeak
    self.maximumMomentary = maximumMomentary
    self.maximumShortTerm = maximumShortTerm
  }
}

/// What is only known when a recording ends, written into the file by `MediaWriter.finish`.
public struct FileSummary: Hashable, Sendable {
  /// In time order. Cue points in BWF, chapters in MP4 (the first 255).
  public var marks: [TakeMark] = []
  public var loudness: TakeLoudness?
  /// A sentence for people, such as why the recording stopped; empty writes none.
  public var comment: String = ""
  /// Words that it is found by; none writes none.
  public var tags: [String] = []

  public init() {}
}
