public import Hardware
public import Media
public import Proof
public import Sealing

/// A recording's place on the storage, while it is being made.
public struct RecordingPlace {
  /// File name, the recording's identity.
  public var id: String
  public var file: any StoredFile
  /// Unnamed file for tables that would outgrow memory; gone by itself after a crash. `nil` keeps them in memory.
  public var scratch: (any StoredFile)?
  /// Signs it while it is written; nil: nobody does.
  public var proof: ProofWriter?
  /// The file itself, where it is sealed while it is written.
  public var sealed: SealedFile?
  /// What stands in the file as its title: its name before it was sealed.
  public var title: String

  public init(id: String, file: any StoredFile, scratch: (any StoredFile)? = nil, proof: ProofWriter? = nil) {
    self.id = id
    self.file = file
    self.scratch = scratch
    self.proof = proof
    title = id
  }

  /// A place of which nothing can be read once it is closed.
  ///
  /// - Parameter suffix: what its name has at its end because of that.
  public init(id: String, sealed: SealedFile, scratch: (any StoredFile)? = nil, suffix: String) {
    self.init(id: id, file: sealed, scratch: scratch.map { VeiledScratch($0) })
    self.sealed = sealed
    title = id.hasSuffix(suffix) ? String(id.dropLast(suffix.utf8.count)) : id
  }
}

/// Where recordings of one kind are kept, as the file writer needs it.
///
/// Storage lane only. Every call may block, and may throw `stalled` having done nothing that a second call would do
/// twice.
public protocol RecordingStore: AnyObject {
  /// Creates the recording's file, under a name or number that was never used, and notes beside it that say it is in
  /// progress.
  func begin(_ opening: RecordingOpening) throws(StorageError) -> RecordingPlace
  /// Takes in a mark of an open recording; `keepMarks` writes it, or `complete`.
  ///
  /// - Returns: why it is not kept at all.
  func addMark(_ id: String, frame: Int, title: String?) throws(StorageError) -> String?
  /// Writes the marks that were taken in, all at once; what is not written is kept for `complete`.
  func keepMarks(_ id: String) throws(StorageError)
  /// The marks of an open recording as they go into its file; nothing for recordings that keep none there.
  func marks(of id: String) -> [TakeMark]
  /// Keeps a gap of an open recording.
  func addGap(_ id: String, _ gap: CaptureGap) throws(StorageError)
  /// Writes the final notes of a file that is complete, closed and synced, and lets it appear; durable on return. After an
  /// error it may be called again; `notFound` if the recording has been deleted meanwhile.
  ///
  /// A take whose file could not be completed (`unfinished`) is taken in as it is, and completed when the storage lets it;
  /// called again, it throws until that is done.
  func complete(_ id: String, _ ending: RecordingEnding) throws(StorageError)
  /// How a take ended whose file was completed later: its length is known then.
  func kept(_ id: String, _ ending: RecordingEnding) -> RecordingEnding
  /// Leaves a file that could not be completed to the next start's recovery.
  func abandon(_ id: String)
  /// Forgets a recording in which there is nothing, and removes its file.
  func discard(_ id: String) throws(StorageError)
}

extension RecordingStore {
  public func kept(_ id: String, _ ending: RecordingEnding) -> RecordingEnding { ending }
}

/// Who knows how long the steps of the lanes take, while a recording is open. Storage lane only.
public protocol StepWatch {
  func begin(_ recording: Int, _ kind: RecordingKind)
  /// The longest steps since then, milliseconds of the processor by name of the lane; those that are measured.
  func longest(_ recording: Int, _ kind: RecordingKind) -> [String: Double]
}

/// Work for the storage lane that is no recording and keeps its place among them, such as a snapshot.
///
/// Storage lane only.
public protocol RecordingTasks: AnyObject {
  /// Does a task; called again after a stall.
  func perform(_ task: RecordingTask) throws(StorageError) -> FileWriter.Event?
  /// The storage said no for good.
  func fail(_ task: RecordingTask, _ error: StorageError) -> FileWriter.Event?
}
