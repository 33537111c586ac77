public import Hardware

/// The takes on the storage: their names, metadata, catalogue, trash and recovery.
///
/// Storage worker only, one thread at a time; every call may block. In virtual time any call may throw a stall
/// (`LibraryError.stalledUntil`): make the same call again then, and it goes on where it was. Files of one take are
/// written in such an order that a crash between any two writes leaves either the old or the new, or something that
/// recovery at the next start completes.
public final class TakeLibrary: @unchecked Sendable {
  let storage: any Storage
  let disk: Disk
  let clock: any DeviceClock
  let state: StateStore
  let doctor: any TakeRepairer
  let quarantine: Quarantine
  let catalogue: Catalogue

  var index = TakeIndex()
  /// Highest session number given or seen.
  var highestNumber = 0
  /// Takes that receive sound, with their latest metadata.
  var active: [String: FileMeta] = [:]
  /// A take whose file exists but whose metadata could not be written yet because the medium stalled.
  var pendingTake: PendingTake?
  /// Final metadata that could not be written (storage full); tried again by `step`.
  var unsaved: [String: FileMeta] = [:]
  /// The take that `undelete` brings back.
  var trash: TrashedTake?
  var work = RecoveryQueue()
  /// Sentences of the work in hand, kept over a stall.
  var notes: [String] = []
  var warnings: [String] = []
  /// Something could not be written; not tried again before something else has changed.
  var isPaused = false

  /// What recovery has done since `open`.
  public internal(set) var report = RecoveryReport()

  /// - Parameters:
  ///   - state: loaded by `open`; keeps the session counter.
  ///   - doctor: knows the insides of sound files.
  public init(storage: any Storage, clock: any DeviceClock, state: StateStore, doctor: any TakeRepairer) {
    self.storage = storage
    self.clock = clock
    self.state = state
    self.doctor = doctor
    disk = Disk(storage)
    quarantine = Quarantine(disk: disk)
    catalogue = Catalogue(disk)
  }

  deinit { catalogue.close() }

  /// The name of the metadata key `stopReason` for what recovery has completed.
  public static let recovered = "recovered"

  /// Sentences about what went wrong without failing a call (a backup or catalogue entry that could not be written);
  /// emptied by reading.
  public func takeWarnings() -> [String] {
    defer { warnings.removeAll() }
    return warnings
  }

  /// Path of a take's sound relative to the data directory.
  public func path(of id: String) -> String { TakePath.sound(id) }

  /// Path of a take's sound for tools that open files by name.
  public func absolutePath(of id: String) -> String { "\(storage.root)/\(TakePath.sound(id))" }

  func warn(_ sentence: String) {
    if warnings.count < 100, !warnings.contains(sentence) { warnings.append(sentence) }
  }

  /// Runs what may fail without failing the caller; a stall is passed on so that the caller's call is made again.
  func attempt(_ what: String, _ body: () throws(LibraryError) -> Void) throws(LibraryError) {
    do {
      try body()
    } catch {
      if error.stalledUntil != nil { throw error }
      warn("\(what): \(error)")
    }
  }

  /// Puts a take into memory and catalogue.
  func enter(_ record: TakeRecord) throws(LibraryError) {
    index.put(record)
    try attempt("The catalogue will be made anew") { () throws(LibraryError) in
      try catalogue.append(.put(record))
    }
  }

  /// Makes the session counter durable before a numbered file goes for good, lest its number be given twice.
  func keepCounter() throws(LibraryError) {
    guard state.session < highestNumber else { return }
    state.note(session: highestNumber)
    try attempt("The session counter could not be saved") { () throws(LibraryError) in try state.save() }
  }
}

/// A new take between the creation of its file and that of its metadata.
struct PendingTake {
  var plan: TakePlan
  var name: TakeName
  var file: any StoredFile
}

/// The take in the trash.
struct TrashedTake {
  var record: TakeRecord
  /// When it goes for good.
  var expires: Instant
  /// Its files are still being moved.
  var isMoving: Bool
}
