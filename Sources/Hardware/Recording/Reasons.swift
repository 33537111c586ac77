/// Why a recording ended; the raw value is in metadata, receipts and events.
public enum StopReason: String, Hashable, Sendable, CaseIterable {
  case user
  /// The time of its schedule is over.
  case schedule
  /// A clip's time after its trigger is over.
  case postRoll = "post-roll"
  /// It goes on in another file.
  case split
  case storageFull = "storage-full"
  case deviceLost = "device-lost"
  case power
  case recovered
  case voice
  case error
}

/// What set a clip off; the raw value is in receipts and events.
public enum TriggerSource: String, Hashable, Sendable, CaseIterable {
  case key
  case console
  /// A GPIO input of the board file, other than a key.
  case input
  /// The sound was louder than `clips.soundTriggerDecibels`.
  case sound
  /// Something moved in the picture.
  case motion
  /// Recording without end, and what a split goes on with.
  case continuous
  /// A picture every so often.
  case timeLapse = "time-lapse"

  /// Whether the machine asked for the clip; the others come from the recorder itself.
  public var isOrdered: Bool { self == .key || self == .console || self == .input }
}
