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
    if sentences.count < Self.most { sentences.append(sentence) }
  }
}
