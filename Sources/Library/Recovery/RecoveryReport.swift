internal import Hardware

/// What recovery has found and done since the library was opened.
public struct RecoveryReport: Hashable, Sendable {
  /// One sentence for people for everything that was not as it should be, in the order of finding.
  public private(set) var sentences: [String] = []
  /// Takes that the catalogue knew and that are unchanged; not opened.
  public internal(set) var known = 0
  /// Takes that were read in from their metadata because the catalogue did not know them as they are.
  public internal(set) var indexed = 0
  /// Takes whose sound was looked at.
  public internal(set) var inspected = 0
  /// Takes that a crash had cut off or that had lost their end, and that are complete now.
  public internal(set) var recovered: [String] = []
  /// Takes that were damaged and of which a copy could be saved; the originals are in `_Corrupted/`.
  public internal(set) var salvaged: [String] = []
  /// Sound and metadata files that were moved to `_Corrupted/` for good.
  public internal(set) var corrupted: [String] = []
  /// Takes whose metadata had to be taken from the backup or made anew.
  public internal(set) var metadataRebuilt: [String] = []
  /// Clips that were cut off, and are whole now.
  public internal(set) var recoveredClips: [String] = []
  /// Takes that were begun and had received nothing; removed.
  public internal(set) var emptyRemoved = 0
  /// Temporary files and remains of the trash that were removed.
  public internal(set) var leftoversRemoved = 0
  /// Files that could not be dealt with (read-only or failing storage); they stay where they are.
  public internal(set) var failures = 0
  /// All planned work is done.
  public internal(set) var isFinished = false

  public init() {}

  /// Sentences kept; a library with more troubles than this has one.
  private static let most = 1000

  mutating func say(_ sentence: String) {
    if sentences.count < Self.most { sentences.append(sentence.shown) }
  }

  /// `1 h 02 min 03.4 s`, without the parts that are nought.
  static func spoken(seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e12 else { return "an unknown length" }
    let tenths = Int((seconds * 10).rounded())
    let (hours, minutes) = (tenths / 36_000, tenths / 600 % 60)
    let rest = "\(tenths / 10 % 60).\(tenths % 10) s"
    if hours > 0 { return "\(hours) h \(minutes) min \(rest)" }
    return minutes > 0 ? "\(minutes) min \(rest)" : rest
  }
}
