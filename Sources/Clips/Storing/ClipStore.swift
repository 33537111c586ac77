public import Hardware

/// Where files of clips are made, as the storer needs it.
///
/// Storage lane only. Every call may block, and may throw `stalled` having done nothing that a second call would do
/// twice.
public protocol ClipFiling: AnyObject {
  /// Makes room (retention), then creates a clip's file under a number never used, with a temporary name, and a
  /// provisional receipt beside it.
  ///
  /// - Parameters:
  ///   - createdAt: wall time of the clip's first instant, for its name.
  ///   - receipt: JSON; what is known so far.
  /// - Returns: the clip's final file name in `clips/`, its identity, and the open, empty file.
  func begin(createdAt: WallTime, receipt: [UInt8]) throws(StorageError) -> (id: String, file: any StoredFile)
  /// Writes the final receipt, then gives the file, closed and synced, its final name: it appears at once and whole.
  /// Durable on return.
  func complete(_ id: String, receipt: [UInt8]) throws(StorageError)
  /// Leaves a file that could not be completed to the next start's recovery.
  func abandon(_ id: String)
  /// Removes a clip in which there is nothing.
  func discard(_ id: String) throws(StorageError)
}

/// Where clips are kept; `ClipLibrary` of room Library is one. The same rules.
public protocol ClipStore: ClipFiling {
  /// Keeps a picture: `clips/000044_<stamp>.jpg`, appearing whole.
  ///
  /// - Returns: its file name.
  func keepPicture(_ bytes: [UInt8], createdAt: WallTime) throws(StorageError) -> String
}

/// Where the spool is kept; `ClipSpool` of room Library is one. The same rules; of what is completed only the newest piece
/// is kept.
public protocol SpoolStore: ClipFiling {
  /// Removes every piece.
  func clear() throws(StorageError)
}
