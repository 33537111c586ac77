public import Hardware

/// What is known about a take; kept as JSON beside its sound file.
///
/// The first block of fields has the seed's names, the second is ours. Fields that this version does not know are in
/// `unknown` (and in those of the nested values) and survive a rewrite.
public struct FileMeta: Hashable, Sendable {
  /// File name of the sound in `recordings/`: the take's identity for as long as it exists.
  public var id: String
  /// Name for people; the file keeps its own.
  public var displayName: String
  /// When REC was pressed, by the wall clock of that time, in whole seconds; the sound begins `preRecordSeconds` before.
  public var createdAt: WallTime
  /// Seconds from the start.
  public var lastPlayedPosition: Double?
  public var bookmarks: [Bookmark] = []
  public var audio: AudioAttributes
  public var userTags: [String] = []
  public var custom: [String: String] = [:]

  /// Why it ended: `user`, `storage-full`, `device-lost`, `power`, `recovered`, `split`, `voice`, `error`.
  public var stopReason: String?
  /// Its session number, the same as in the file name; `nil` for files that came from elsewhere.
  public var session: Int?
  public var gaps: [Gap] = []
  /// Seconds of sound from before the REC press.
  public var preRecordSeconds: Double?
  public var loudness: Loudness?
  public var favourite = false
  /// Locked against deletion.
  public var isProtected = false
  /// The id of the take that this one continues.
  public var linkedTake: String?
  /// Exact length in frames at `audio.sampleRate`.
  public var frames = 0
  /// True from the creation of the file until it is complete: how a crash is noticed.
  public var inProgress = false
  /// Name of the microphone.
  public var source: String?
  /// Seconds of the monotonic clock at the first sample.
  public var startedMonotonic: Double?
  /// Fields that this version does not know.
  public var unknown: [String: StoredValue] = [:]

  /// Durations and positions beyond a hundred years are damage.
  static let longestSeconds = 3.2e9

  public init(id: String, displayName: String, createdAt: WallTime, audio: AudioAttributes) {
    self.id = id
    self.displayName = displayName
    self.createdAt = createdAt.wholeSeconds
    self.audio = audio
  }

  /// Sets the exact length and, from it, the duration and, where there is none, the mean bit rate.
  public mutating func setLength(frames: Int, fileSizeBytes: Int) {
    self.frames = max(0, frames)
    audio.duration = Double(self.frames) / Double(max(1, audio.sampleRate))
    audio.fileSizeBytes = max(0, fileSizeBytes)
    if audio.bitrateKbps == nil, audio.duration > 0 {
      let kilobits = (Double(audio.fileSizeBytes) * 8 / audio.duration / 1000).rounded()
      audio.bitrateKbps = kilobits < 1_000_000 ? Int(kilobits) : nil
    }
  }
}
