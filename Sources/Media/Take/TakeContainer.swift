public import Hardware

/// Writes a take so that its file can be played at every instant.
///
/// One thread at a time, the storage worker's: every throwing method blocks on the medium. A method that throws
/// has lost nothing: what was appended stays buffered, and the same call made again goes on where it failed,
/// overwriting any torn bytes. Memory is bounded by what is appended between two successful flushes.
public protocol TakeContainer {
  /// - Parameters:
  ///   - file: new and empty.
  ///   - scratch: an unnamed file for tables that would outgrow memory in a day-long take.
  init(file: any StoredFile, scratch: any StoredFile, description: TakeFileDescription)

  /// What `finish` adds to the file. Set it any time before.
  var summary: TakeSummary { get set }

  /// Puts the header on the medium: from here on the file plays (with nothing in it).
  mutating func begin() throws(StorageError)

  /// Buffers one packet in memory.
  ///
  /// - Parameters:
  ///   - packet: AAC: one access unit. WAV: interleaved little-endian PCM, whole frames.
  ///   - frames: frames in the packet; 1024 for AAC.
  mutating func append(_ packet: UnsafeRawBufferPointer, frames: Int)

  /// Writes everything appended so that it plays from now on, even after kill −9. Does not sync.
  mutating func flush() throws(StorageError)

  /// Flushes and turns the file into its final, ordinary form; synced on return (the directory is the caller's).
  ///
  /// If it throws `full`, the file still plays as it is: drop what is buffered and try again, or leave it to
  /// `TakeRepair` once there is room.
  ///
  /// - Parameter totalFrames: length of the take without priming. More than was appended is cut down to that.
  mutating func finish(totalFrames: Int) throws(StorageError)

  /// Gives up what is appended but not flushed, so that a full card can still be finished.
  mutating func dropBuffered()

  /// Frames appended and not yet flushed.
  var bufferedFrames: Int { get }
  /// Bytes of the file that count: without torn writes.
  var fileBytes: Int { get }
  /// Bytes that `finish` would add now, for the reserve.
  var finishBytes: Int { get }
}
