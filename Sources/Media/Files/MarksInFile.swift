public import Hardware

/// Puts other marks into a finished take of ours, in place: the chapters of an M4A, the cue points of a WAV, the cue sheet
/// and chapters of a FLAC, the chapters of an Opus file.
///
/// No sound is written. First the file is closed in front of what tells of marks, by one small write; then that is
/// written; then the file reaches over it again. Whenever the power goes, it is a whole file, with the old marks, with
/// none or with the new ones, and the same call made again finishes it.
public enum MarksInFile {
  /// Storage lane only; blocks for a few small writes, each of them synced.
  ///
  /// - Parameters:
  ///   - marks: in the order of time.
  ///   - description: title, date and originator, for a FLAC or Opus file whose own a power cut took.
  /// - Returns: false, and nothing is changed, if it is no finished file of ours.
  public static func replace(
    _ marks: [TakeMark], in file: any StoredFile, _ description: FileDescription
  ) throws(StorageError) -> Bool {
    var head = ByteReader(try file.bytes(at: 0, count: 8))
    switch (head.fourCC(), head.fourCC()) {
    case ("fLaC", _):
      return try FLACBlocks.replaceMarks(
        marks, in: file, otherwise: VorbisComments(description))
    case ("OggS", _): return try OpusHead.replaceMarks(marks, in: file, otherwise: VorbisComments(description))
    case ("RIFF", _), ("RF64", _): return try WaveRepair(file).replaceMarks(marks)
    case (_, "ftyp"): return try MovieUserData.replaceMarks(marks, in: file)
    default: return false
    }
  }
}
