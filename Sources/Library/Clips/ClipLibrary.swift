public import Hardware
public import JSON

/// A clip in a list.
public struct ClipSummary: Hashable, Sendable {
  /// File name in `clips/`.
  public var id: String
  public var bytes: Int
  /// Seconds; 0 if its receipt does not say.
  public var duration: Double
  public var isProtected: Bool
  public var stopReason: String?
  /// What started it; `nil` if its receipt does not say.
  public var trigger: String?
  /// A file from elsewhere of which nothing can be made; it is listed, and left as it is.
  public var isUnreadable = false
  /// Rate and length of its sound, for the player.
  public var sampleRate: Int
  public var frames: Int
}

/// The clips of a library: how they are made and kept. Deleting and bringing back is the library's, for takes and clips
/// alike.
///
/// Storage worker only, one thread at a time; every call may block. In virtual time any call may throw a stall: make the
/// same call again then. A clip is written under a temporary name (`.part`) with a provisional receipt beside it; when it
/// is whole its receipt is replaced and the file renamed, so that it appears at once.
public final class ClipLibrary: @unchecked Sendable {
  private let disk: Disk
  private let clock: any DeviceClock
  private let index: ClipIndex
  private let names: Names
  private let notices: Notices
  private let trash: Trash
  private let receipts: Receipts
  private let room: ClipRoom
  /// What receipts say of clips.
  let reader: ClipFactsReader
  private let queue: RecoveryQueue
  private let origin: Origin
  let proofs: Proofs
  let seals: Seals
  /// A clip between the creation of its file and that of its receipt, because the medium stalled.
  private var pending: (id: String, file: any StoredFile)?

  /// What retention may do.
  public var retention: ClipRetention {
    get { room.retention }
    set { room.retention = newValue }
  }

  init(
    disk: Disk, clock: any DeviceClock, index: ClipIndex, names: Names, notices: Notices, trash: Trash,
    queue: RecoveryQueue, origin: Origin, proofs: Proofs, seals: Seals
  ) {
    self.origin = origin
    self.proofs = proofs
    self.seals = seals
    self.disk = disk
    self.clock = clock
    self.index = index
    self.names = names
    self.notices = notices
    self.trash = trash
    self.queue = queue
    receipts = Receipts(disk)
    reader = ClipFactsReader(disk, index)
    room = ClipRoom(disk: disk, index: index, reader: reader, names: names, notices: notices, trash: trash)
  }

  // MARK: Listing

  /// Path of a clip for tools that open files by name.
  public func absolutePath(of id: String) -> String { disk.absolutePath(ClipPath.clip(id)) }

  /// Finished clips, the newest first, and how many match in all; receipts are read of those that are returned only, in
  /// one go: `listing` is for pages that may be long.
  ///
  /// - Parameter query: words, each of which must occur in the file's name, without regard to case; empty matches all.
  public func list(offset: Int = 0, limit: Int = 50, query: String = "") -> (clips: [ClipSummary], total: Int) {
    let (page, total) = page(offset: offset, limit: limit, query: query)
    queue.want(page.lazy.filter(\.isPending).map { ClipPath.clip($0.id) }, in: ClipPath.clips)
    return (page.map { summary($0) }, total)
  }

  private func page(offset: Int, limit: Int, query: String) -> (clips: [ClipRecord], total: Int) {
    let search = query.isEmpty ? nil : WordSearch(query)
    let found = search.map { search in index.finished.filter { search.matches(lowercased: $0.id.lowercased()) } }
    let clips = found ?? index.finished
    return (Array(clips.reversed().dropFirst(max(0, offset)).prefix(max(0, limit))), clips.count)
  }

  /// Those of a page whose receipts nobody has read yet.
  func unread(offset: Int, limit: Int, query: String) -> [String] {
    page(offset: offset, limit: limit, query: query).clips.filter { $0.facts == nil }.map(\.id)
  }

  /// Names of clips, the newest first; nothing is read.
  public func ids(offset: Int = 0, limit: Int) -> [String] {
    index.finished.dropLast(max(0, offset)).suffix(max(0, limit)).reversed().map(\.id)
  }

  /// The newest clip, and how many there are.
  public var newest: (clip: ClipSummary?, total: Int) {
    (index.finished.last.map { summary($0) }, index.finished.count)
  }

  /// One clip; `nil` if there is none of this name.
  public func summary(_ id: String) -> ClipSummary? { index[id].map { summary($0) } }

  /// Bytes of all finished clips.
  public var totalBytes: Int { index.totalBytes }

  /// A clip's receipt as it is on the storage, in one go.
  public func receipt(of id: String) throws(LibraryError) -> JSONValue {
    guard index[id] != nil || index.isOpen(id) else { throw .notFound(id) }
    return try receipts.read(id)
  }

  /// The same a piece at a time.
  public func receiptReading(of id: String) throws(LibraryError) -> ReceiptReading {
    guard index[id] != nil || index.isOpen(id) else { throw .notFound(id) }
    return ReceiptReading(disk, ClipPath.receipt(id))
  }

  /// A page of the list a piece at a time; see `list`.
  public func listing(offset: Int = 0, limit: Int = 50, query: String = "") -> ClipListing {
    ClipListing(self, offset: offset, limit: limit, query: query)
  }

  private func summary(_ record: ClipRecord) -> ClipSummary {
    let facts = reader.facts(of: record)
    return ClipSummary(
      id: record.id, bytes: record.bytes, duration: facts.duration, isProtected: facts.isProtected,
      stopReason: facts.stopReason, trigger: facts.trigger, isUnreadable: record.isUnreadable,
      sampleRate: facts.sampleRate, frames: facts.frames)
  }

  func record(_ id: String) -> ClipRecord? { index[id] }

  // MARK: Recording

  /// Makes room by retention, creates a clip's file under its temporary name, and its provisional receipt.
  ///
  /// - Parameters:
  ///   - receipt: JSON with `inProgress`.
  ///   - isSealed: what is written into it can be read by nobody here.
  public func begin(
    createdAt: WallTime, receipt: [UInt8], author: String? = nil, isSealed: Bool = false
  ) throws(StorageError) -> (id: String, file: any StoredFile) {
    try Self.stored { () throws(LibraryError) in
      if pending == nil {
        try room.make()
        pending = try create(createdAt: createdAt, author: author, isSealed: isSealed, path: ClipPath.part)
      }
      guard let (id, file) = pending else { throw .notFound("the new clip") }
      do throws(LibraryError) {
        try disk.replace(ClipPath.receipt(id), with: receipt)
      } catch {
        if error.stalledUntil == nil {
          // No clip without a receipt: give the name back as if nothing had been.
          pending = nil
          file.close()
          do throws(LibraryError) { try disk.removeIfPresent(ClipPath.part(id)) } catch {
            notices.warn("\(id) stays behind, empty: \(error)")
          }
        }
        throw error
      }
      pending = nil
      index.setOpen(id)
      return (id, file)
    }
  }

  /// Writes the final receipt and lets the clip appear. Durable on return.
  ///
  /// - Parameter sign: signs the clip with this receipt; called again after an error.
  public func complete(
    _ id: String, receipt: [UInt8], sign: () throws(StorageError) -> Void = {}
  ) throws(StorageError) {
    try Self.stored { () throws(LibraryError) in
      // Once it is there others may have changed its receipt while the medium stalled.
      if index[id] == nil {
        try disk.replace(ClipPath.receipt(id), with: receipt)
        do throws(StorageError) { try sign() } catch { throw .storage(error) }
        try disk.moveIfPresent(ClipPath.part(id), to: ClipPath.clip(id))
        guard let entry = try disk.entry(ClipPath.clip(id)) else { throw .notFound(ClipPath.clip(id)) }
        index.close(id)
        index.enter(ClipRecord(id: id, bytes: entry.size))
      }
      try names.keep()
      try room.keepQuota(sparing: [id])
    }
  }

  /// Leaves a file that could not be completed to the next start's recovery.
  public func abandon(_ id: String) { index.close(id) }

  /// Removes a clip in which there is nothing.
  public func discard(_ id: String) throws(StorageError) {
    try Self.stored { () throws(LibraryError) in
      try names.keep()
      try disk.removeIfPresent(ClipPath.receipt(id))
      try disk.removeIfPresent(ProofName.of(ClipPath.clip(id)))
      try disk.removeIfPresent(ClipPath.part(id))
      index.close(id)
    }
  }

  /// Keeps a picture as `clips/000044_….jpg`, sealed if recordings are; it appears whole.
  ///
  /// - Returns: its file name.
  public func keepPicture(_ bytes: [UInt8], createdAt: WallTime) throws(StorageError) -> String {
    try Self.stored { () throws(LibraryError) in
      let bytes = seals.sealed(bytes)
      let suffix = "jpg\(seals.suffix)"
      let name = try names.give(createdAt: createdAt, fileExtension: suffix) { name throws(LibraryError) -> String? in
        guard try Self.isFree(name, on: disk) else { return nil }
        try disk.replace(ClipPath.clip(name.file), with: bytes)
        return name.file
      }
      try names.keep()
      return name
    }
  }

  /// Creates a clip's file under the next name that nothing has.
  private func create(
    createdAt: WallTime, author: String? = nil, isSealed: Bool = false, path: (String) -> String
  ) throws(LibraryError) -> (id: String, file: any StoredFile) {
    let suffix = isSealed ? ClipPath.sealedExtension : ClipPath.fileExtension
    return try names.give(createdAt: createdAt, fileExtension: suffix, author: author) {
      name throws(LibraryError) -> (id: String, file: any StoredFile)? in
      guard try Self.isFree(name, on: disk) else { return nil }
      return (name.file, try disk.create(path(name.file)))
    }
  }

  static func isFree(_ name: TakeName, on disk: Disk) throws(LibraryError) -> Bool {
    for path in [ClipPath.clip(name.file), ClipPath.receipt(name.file), ClipPath.part(name.file)] {
      if try disk.entry(path) != nil { return false }
    }
    return true
  }

  // MARK: Keeping

  /// Protects a clip against being deleted, by hand and to make room, or no longer. Durable on return.
  public func protect(_ id: String, _ isProtected: Bool) throws(LibraryError) {
    guard index[id] != nil else { throw .notFound(id) }
    let isOthers = try disk.entry(ClipPath.receipt(id)) == nil ? false : !hasOwnReceipt(id)
    guard !isOthers else {
      throw .badArgument(
        "\(ClipPath.receipt(id)) is not the device's, and is left as it is; rename it on a computer to go on")
    }
    // One from elsewhere, or one whose receipt is damaged, can be protected as well.
    var receipt = try receipts.readOrBegin(id)
    receipt["protected"] = .bool(isProtected)
    try receipts.write(id, receipt)
    index.note(nil, of: id)
  }

  /// Whether what lies beside a clip is the device's, and about it: beside one from elsewhere it says so.
  func hasOwnReceipt(_ id: String) throws(LibraryError) -> Bool {
    guard TakeName.isOurs(id) else { return try receipts.isOwn(ClipPath.receipt(id)) }
    guard try origin.isOwnReceipt(beside: id) else { return false }
    guard index[id + TakeName.sealedSuffix] != nil || TakeName.isSealed(id) else { return true }
    do throws(LibraryError) { return !reader.isOfOther(try receipts.read(id), id) } catch {
      if error.stalledUntil != nil { throw error }
      return true
    }
  }

  // MARK: Room

  /// Removes the oldest clips that are not protected until quota and reserve are kept, as far as that goes. What is in
  /// the trash goes first.
  func makeRoom() throws(LibraryError) { try room.make() }

  /// The same while clips are being made, which may become larger than the reserve.
  ///
  /// - Parameter free: bytes that are free now.
  public func keepRoom(free: Int) throws(LibraryError) { try room.keep(free: free) }

  // MARK: Editing

  /// A new clip of others, one after the other; they must agree in size, codec and sound. The work is done by the steps
  /// of what is returned.
  public func join(_ sources: [String]) -> ClipEditing { ClipEditing(self, sources, range: nil) }

  /// A new clip of a part of another: from the picture shown at the range's start (seconds) to its end exactly.
  public func trim(_ source: String, to range: Range<Double>) -> ClipEditing {
    ClipEditing(self, [source], range: range)
  }

  /// Opens a source of an edit.
  func openSource(_ id: String) throws(LibraryError) -> any StoredFile {
    guard index[id] != nil else { throw .notFound(id) }
    guard !TakeName.isSealed(id) else { throw .sealed(id) }
    return try disk.open(ClipPath.clip(id), writable: false)
  }

  /// Makes no room: nothing is to go for a clip that comes to nothing, and least of all what it is made of.
  func beginEdit() throws(LibraryError) -> (id: String, file: any StoredFile, createdAt: WallTime) {
    let wall = clock.wallNow
    let (id, file) = try create(createdAt: wall, path: ClipPath.edit)
    return (id, file, wall)
  }

  func checkProof(of id: String) throws(LibraryError) -> ProofCheck {
    guard index[id] != nil else { throw .notFound(id) }
    return try proofs.check(ClipPath.clip(id), notes: ClipPath.receipt(id))
  }

  /// - Parameters:
  ///   - sources: what it is made of.
  ///   - sign: signs the clip with this receipt; called again after a stall.
  func finishEdit(
    _ id: String, of sources: [String], receipt: JSONValue, bytes: Int, sign: () throws(StorageError) -> Void
  ) throws(LibraryError) {
    try receipts.write(id, receipt)
    do throws(StorageError) { try sign() } catch { throw .storage(error) }
    try disk.moveIfPresent(ClipPath.edit(id), to: ClipPath.clip(id))
    index.enter(ClipRecord(id: id, bytes: bytes))
    try names.keep()
    try room.keepQuota(sparing: Set(sources + [id]))
  }

  func discardEdit(_ id: String) throws(LibraryError) {
    try disk.removeIfPresent(ClipPath.edit(id))
    try disk.removeIfPresent(ProofName.of(ClipPath.clip(id)))
    try disk.removeIfPresent(ClipPath.receipt(id))
  }

  func warn(_ sentence: String) { notices.warn(sentence) }

  /// Carries out `body`, whose errors become those that a storer knows.
  static func stored<Result>(_ body: () throws(LibraryError) -> Result) throws(StorageError) -> Result {
    do throws(LibraryError) {
      return try body()
    } catch {
      if case .storage(let inner) = error { throw inner }
      throw StorageError(.failed, operation: "keep the clip: \(error)", path: ClipPath.clips)
    }
  }
}
