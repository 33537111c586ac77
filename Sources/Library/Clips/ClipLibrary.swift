public import Hardware

/// The clips on the storage: their names, receipts, retention and recovery.
///
/// Storage lane only, one thread at a time; every call may block. In virtual time any call may throw a stall: make the
/// same call again then. A clip is written under a temporary name (`.part`) with a provisional receipt beside it; when it
/// is whole its receipt is replaced and the file renamed, so that it appears at once. Numbers are shared with takes.
public final class ClipLibrary: @unchecked Sendable {
  static let directory = "clips"
  static let partSuffix = ".part"
  static let largestReceipt = 4 << 20

  let disk: Disk
  let storage: any Storage
  let clock: any DeviceClock
  let takes: TakeLibrary
  let quarantine: Quarantine

  /// What retention may do.
  public var retention = ClipRetention()
  /// Finished clips by name, in the order of their numbers.
  var clips: [ClipRecord] = []
  /// Clips being written.
  var active: Set<String> = []
  /// A clip between the creation of its file and that of its receipt, because the medium stalled.
  private var pending: (id: String, file: any StoredFile)?
  var work: [ClipWork] = []
  var warnings: [String] = []
  /// Sentences about what recovery has done.
  public internal(set) var report: [String] = []

  /// - Parameter takes: gives out numbers; opened before this is.
  public init(storage: any Storage, clock: any DeviceClock, takes: TakeLibrary) {
    self.storage = storage
    self.clock = clock
    self.takes = takes
    disk = Disk(storage)
    quarantine = Quarantine(disk: disk)
  }

  /// Sentences about what went wrong without failing a call; emptied by reading.
  public func takeWarnings() -> [String] {
    defer { warnings.removeAll() }
    return warnings
  }

  func warn(_ sentence: String) {
    if warnings.count < 100, !warnings.contains(sentence) { warnings.append(sentence) }
  }

  // MARK: Names

  static func path(_ id: String) -> String { "\(directory)/\(id)" }
  static func part(_ id: String) -> String { "\(directory)/\(id)\(partSuffix)" }
  static func receipt(_ id: String) -> String { "\(directory)/\(TakeName.split(id).stem).json" }

  /// Path of a clip for tools that open files by name.
  public func absolutePath(of id: String) -> String { "\(storage.root)/\(Self.path(id))" }

  /// The next name that nothing has.
  func freeName(createdAt: WallTime, fileExtension: String) throws(LibraryError) -> TakeName {
    while takes.highestNumber < TakeName.highestNumber {
      takes.highestNumber += 1
      let name = TakeName(number: takes.highestNumber, createdAt: createdAt, fileExtension: fileExtension)
      if try disk.entry(Self.path(name.file)) == nil, try disk.entry(Self.receipt(name.file)) == nil,
        try disk.entry(Self.part(name.file)) == nil
      {
        return name
      }
    }
    throw .badArgument("all session numbers are used up")
  }

  // MARK: Recording

  /// Makes room by retention, creates a clip's file under its temporary name, and its provisional receipt.
  ///
  /// - Parameter receipt: JSON with `inProgress`.
  public func begin(createdAt: WallTime, receipt: [UInt8]) throws(StorageError) -> (id: String, file: any StoredFile) {
    try Self.stored { () throws(LibraryError) in
      if pending == nil {
        try makeRoom()
        let name = try freeName(createdAt: createdAt, fileExtension: "mp4")
        pending = (name.file, try disk.create(Self.part(name.file)))
      }
      guard let (id, file) = pending else { throw .notFound("the new clip") }
      do throws(LibraryError) {
        try disk.replace(Self.receipt(id), with: receipt)
      } catch {
        if error.stalledUntil == nil {
          // No clip without a receipt: give the name back as if nothing had been.
          pending = nil
          file.close()
          do throws(LibraryError) { try disk.removeIfPresent(Self.part(id)) } catch {
            warn("\(id) stays behind, empty: \(error)")
          }
        }
        throw error
      }
      pending = nil
      active.insert(id)
      return (id, file)
    }
  }

  /// Writes the final receipt and lets the clip appear. Durable on return.
  public func complete(_ id: String, receipt: [UInt8]) throws(StorageError) {
    try Self.stored { () throws(LibraryError) in
      try disk.replace(Self.receipt(id), with: receipt)
      try disk.moveIfPresent(Self.part(id), to: Self.path(id))
      guard let entry = try disk.entry(Self.path(id)) else { throw .notFound(Self.path(id)) }
      active.remove(id)
      enter(ClipRecord(id: id, bytes: entry.size))
      try keepCounter()
    }
  }

  /// Leaves a file that could not be completed to the next start's recovery.
  public func abandon(_ id: String) { active.remove(id) }

  /// Removes a clip in which there is nothing.
  public func discard(_ id: String) throws(StorageError) {
    try Self.stored { () throws(LibraryError) in
      try keepCounter()
      try disk.removeIfPresent(Self.receipt(id))
      try disk.removeIfPresent(Self.part(id))
      active.remove(id)
    }
  }

  /// Keeps a picture as `clips/000044_….jpg`; it appears whole.
  ///
  /// - Returns: its file name.
  public func keepPicture(_ bytes: [UInt8], createdAt: WallTime) throws(StorageError) -> String {
    try Self.stored { () throws(LibraryError) in
      let name = try freeName(createdAt: createdAt, fileExtension: "jpg")
      try disk.replace(Self.path(name.file), with: bytes)
      try keepCounter()
      return name.file
    }
  }

  private func keepCounter() throws(LibraryError) { try takes.keepCounter() }

  func enter(_ record: ClipRecord) {
    clips.removeAll { $0.id == record.id }
    let place = clips.firstIndex { $0.number > record.number } ?? clips.count
    clips.insert(record, at: place)
  }

  /// Carries out `body`, whose errors become those that a storer knows.
  static func stored<Result>(_ body: () throws(LibraryError) -> Result) throws(StorageError) -> Result {
    do throws(LibraryError) {
      return try body()
    } catch {
      if case .storage(let inner) = error { throw inner }
      throw StorageError(.failed, operation: "keep the clip: \(error)", path: directory)
    }
  }
}

/// What is known of a finished clip without opening it.
struct ClipRecord: Hashable {
  var id: String
  var bytes: Int
  /// Read from the receipt when it is first needed.
  var isProtected: Bool?

  var number: Int { TakeName.number(in: id) ?? 0 }
}
