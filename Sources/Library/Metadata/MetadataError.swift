/// Why a metadata, settings or state file could not be understood: which file, where in it, what is wrong there.
public struct MetadataError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Path of the file in the data directory, and after a blank the field: `recordings/x.json audio.sampleRate`.
  public var path: String
  public var reason: String

  public var description: String { "\(path): \(reason)" }
}
