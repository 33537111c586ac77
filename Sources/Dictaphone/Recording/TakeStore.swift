public import Hardware

/// A take's place on the storage, while it is being made.
public struct ShelvedTake {
  /// File name in `recordings/`, the take's identity.
  public var id: String
  public var file: any StoredFile
  /// Unnamed file for the container's tables; gone by itself after a crash.
  public var scratch: any StoredFile

  public init(id: String, file: any StoredFile, scratch: any StoredFile) {
    self.id = id
    self.file = file
    self.scratch = scratch
  }
}

/// Where takes are kept, as the storer needs it.
///
/// Storage worker only. Every call may block, and may throw `stalled` having done nothing that a second call would
/// do twice.
public protocol TakeStore: AnyObject {
  /// Creates the take's file, under a name that was never used, and metadata that says it is in progress.
  func begin(_ opening: TakeOpening) throws(StorageError) -> ShelvedTake
  /// Keeps a mark of the open take.
  func addMark(frame: Int, title: String?) throws(StorageError)
  /// Keeps a gap of the open take.
  func addGap(frame: Int, frames: Int, reason: String) throws(StorageError)
  /// Completes the open take's metadata; durable on return.
  func complete(_ ending: TakeEnding, fileBytes: Int) throws(StorageError)
  /// Forgets the open take and removes its file, in which there is no sound.
  func discard() throws(StorageError)
}
