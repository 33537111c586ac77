/// Rates that `forced-rate` can run a device at, Hz.
public enum SessionRates {
  public static let all = [8000, 16_000, 32_000, 44_100, 48_000]
}

/// How the rate of a sound device is settled between those who ask for different ones. The raw value is the word of
/// board files, settings and answers.
public enum SessionStrategy: String, Hashable, Sendable, CaseIterable {
  /// Takes what the hardware grants, each time it is asked.
  case baseline
  /// The device is opened and pinned before anyone asks; who asks for another rate has it pinned anew.
  case preInitialised = "pre-initialised"
  /// The device runs at one rate, whoever asks for whatever.
  case forcedRate = "forced-rate"
  /// The device is held for the life of the process, at the board's rate.
  case locked
}
