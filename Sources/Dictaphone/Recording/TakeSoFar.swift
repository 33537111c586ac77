public import Hardware
public import Recording

/// What there is of a take, and what it is made as: the settings may have been changed for the next one.
public struct TakeSoFar: Hashable, Sendable {
  /// When it was asked for.
  public let pressed: Instant
  /// What is encoded of it.
  public internal(set) var frames = 0
  public let encoding: TakeEncoding
  /// kbit/s, where it is compressed.
  public let bitrateKbps: Int
  /// Bits of a sample in a lossless file; `nil`: as the microphone gives.
  public let fileBits: Int?
  public let hasSafetyTake: Bool

  init(_ settings: RecordingSettings, pressed: Instant) {
    self.pressed = pressed
    encoding = settings.encoding
    bitrateKbps = settings.bitrateKbps
    fileBits = settings.fileBits
    hasSafetyTake = settings.hasSafetyTake
  }
}
