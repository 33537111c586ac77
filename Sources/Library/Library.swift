public import Hardware

/// Everything that was recorded, on the storage: takes and clips, their names, what is known of them, trash, recovery.
///
/// Storage worker only, one thread at a time; every call may block. In virtual time any call may throw a stall
/// (`LibraryError.stalledUntil`): make the same call again then, and it goes on where it was.
public final class Library: Stepper, @unchecked Sendable {
  private let root: String
  private let disk: Disk
  private let state: StateStore
  private let notices = Notices()
  private let names: Names
  private let trash: Trash
  private let index: Index
  private let metadata: Metadata
  private let openTakes: OpenTakes
  private let editor: TakeEditor
  private let clipIndex = ClipIndex()
  private let queue = RecoveryQueue()
  private let log = RecoveryLog()
  private let note: ExaminationNote
  private let sounds: SoundRepair
  private let suspects: Suspects
  private let takeRecovery: TakeRecovery
  private let recovery: Recovery
  private let verification: Verification
  /// Somebody has this take repaired; recovery waits, for there is one pair of hands.
  private var underRepair: String?
  /// Something could not be written; not tried again before then, or before something else has changed.
  private var pausedUntil: Instant?

  /// The clips: how they are made, listed and kept.
  public let clips: ClipLibrary

  static let directories = ["recordings", "clips", "cache", "_Corrupted", "trash", "log"]

  /// How long the work that waits rests after a failure.
  private static let pause = Duration.seconds(5)
  /// So many dead starts in a row, and the library is not examined.
  private static let mostDeaths = 2
  /// A longer page is nobody's screen.
  private static let mostWanted = 200

  /// The word for what recovery has completed, as `stopReason`.
  public static let recovered = "recovered"
  /// How long a delete can be undone.
  public static let undoTime: Duration = .seconds(10)
  /// Longest display name, title or tag in bytes of UTF-8.
  public static let longestName = 200
  /// Longest note of a bookmark in bytes of UTF-8.
  public static let longestNote = 4000
  /// Most tags of a take.
  public static let mostTags = 64

  /// - Parameters:
  ///   - state: loaded by `open`; keeps the session counter.
  ///   - repairer: knows the insides of sound files.
  ///   - boot: tells one boot of the machine from another; empty if that is not known.
  public init(
    storage: any Storage, clock: any DeviceClock, state: StateStore, repairer: any TakeRepairer, boot: String = ""
  ) {
    let disk = Disk(storage)
    let (notices, queue, log) = (notices, queue, log)
    let note = ExaminationNote(disk, boot: boot)
    self.disk = disk
    self.state = state
    root = storage.root
    names = Names(state: state, notices: notices)
    trash = Trash(disk, names: names, notices: notices)
    index = Index(disk, notices: notices)
    metadata = Metadata(disk, notices: notices)
    openTakes = OpenTakes(disk: disk, index: index, metadata: metadata, names: names, notices: notices)
    editor = TakeEditor(disk: disk, index: index, metadata: metadata, open: openTakes)
    clips = ClipLibrary(
      root: root, disk: disk, clock: clock, index: clipIndex, names: names, notices: notices, trash: trash)
    let sounds = SoundRepair(disk: disk, clock: clock, repairer: repairer, log: log, notices: notices)
    self.note = note
    self.sounds = sounds
    suspects = Suspects(disk: disk, clock: clock)
    takeRecovery = TakeRecovery(
      disk: disk, index: index, metadata: metadata, names: names, queue: queue, log: log, sounds: sounds)
    let clipRecovery = ClipRecovery(disk: disk, clock: clock, index: clipIndex, names: names, queue: queue, log: log)
    recovery = Recovery(
      disk: disk, names: names, queue: queue, log: log, note: note, takes: takeRecovery, sounds: sounds,
      clips: clipRecovery)
    verification = Verification(disk: disk, index: index, metadata: metadata, sounds: sounds, clips: clipIndex)
  }

  // MARK: Opening, and the work that waits

  /// Reads catalogue and directories and plans the recovery; opens no take. Call once, before anything else; what
  /// recovery finds to do is then done by `step`.
  ///
  /// A storage that cannot be written is no error here: takes and clips can be listed and played.
  public func open() throws(LibraryError) {
    for directory in Self.directories {
      try notices.attempt("\(directory)/ could not be made") { () throws(LibraryError) in
        try disk.makeDirectory(directory)
      }
    }
    let past = try note.open()
    var sentences = try suspects.setAside(past)
    // Not even its own notes are read by a start after three that died.
    if past.deaths <= Self.mostDeaths { sentences += try state.load() }
    let listing = try Listing(disk)
    guard past.deaths < Self.mostDeaths else { return openUnexamined(listing, sentences, past) }
    let (known, damagedLines) = try index.load()
    if damagedLines > 0 {
      sentences.append(
        "The catalogue had \(damagedLines) damaged lines; what they said is read from the takes themselves.")
    }
    names.resume(found: listing.numbers)
    let plan = RecoveryPlan(listing, known: known, suspect: suspects.stranger(past))
    index.begin(with: plan.well + plan.unseen)
    clipIndex.begin(with: plan.clips)
    recovery.begin(plan, sentences: sentences)
  }

  /// Lists what is there by its names alone, so that a device that dies of its library can record all the same.
  private func openUnexamined(_ listing: Listing, _ sentences: [String], _ past: ExaminationNote.Past) {
    names.resume(found: listing.numbers)
    index.begin(uncatalogued: listing.sounds.map(TakeRecord.init(unseen:)))
    clipIndex.begin(with: RecoveryPlan.clips(listing))
    let sentence =
      "The last \(past.deaths) starts ended while the library was examined. It is not examined now, and takes are listed "
      + "by their names; recording goes on as ever. library.repair, or a start in a minute, examines it."
    recovery.begin(nil, sentences: sentences + [sentence])
  }

  /// The run ends in order: nothing that is being examined is to blame. After it nothing else is asked of the library.
  public func close() throws(LibraryError) {
    try note.finish()
    sounds.rest()
  }

  /// Does one piece of the work that waits: one of recovery, the trash when its time is over, metadata that could not be
  /// written before, the catalogue when it has grown. While a take is being recorded it leaves the storage alone as far
  /// as it can. Call again after every other call of the library.
  public func step(now: Instant) -> Instant? {
    do {
      if let until = pausedUntil, now >= until { pausedUntil = nil }
      if try advance(now: now) { return now }
    } catch {
      if let until = error.stalledUntil { return until }
      pausedUntil = now + Self.pause
      notices.warn(error.description)
    }
    return [trash.expires, pausedUntil].compactMap { $0 }.min()
  }

  /// - Returns: whether there was something to do.
  private func advance(now: Instant) throws(LibraryError) -> Bool {
    try note.live(now)
    if trash.moving != nil {
      try finishDelete()
      return true
    }
    if let expires = trash.expires, now >= expires {
      try trash.empty()
      pausedUntil = nil
      return true
    }
    if pausedUntil == nil, let id = metadata.waiting {
      try takeRecovery.writeWaiting(id)
      return true
    }
    if underRepair != nil { return false }
    if try recovery.step(isRecording: metadata.isRecording) { return true }
    guard queue.next == nil, !metadata.isRecording, pausedUntil == nil else { return false }
    return try index.tidy()
  }

  /// Lists, in memory only, what a crash left or the catalogue does not know, as far as it can be understood without
  /// changing it. For those who only look.
  public func listUnchecked() throws(LibraryError) {
    for id in queue.unlisted { try takeRecovery.listUnchecked(id) }
  }

  /// What recovery has done since `open`.
  public var report: RecoveryReport { log.report }

  /// Pieces of recovery not done yet.
  public var pendingWork: Int { queue.count }

  /// Takes that are there and not listed yet: after a crash the library looks at those that were being changed, one
  /// after the other. Never blocks.
  public var pending: Int { queue.unlisted.count }

  /// Sentences about what went wrong without failing a call (a backup or catalogue entry that could not be written);
  /// emptied by reading.
  public func takeWarnings() -> [String] { notices.drain() }

  // MARK: Recording takes

  /// Creates the file of a new take under a name that has never been used, and its provisional metadata
  /// (`inProgress`): two writes, both durable on return.
  ///
  /// After a stall call again with the same plan; with another plan, the file of the first is removed.
  ///
  /// - Parameters:
  ///   - plan: what is known before the first sample; the library sets id, name and number.
  ///   - fileExtension: `m4a`, `wav`, `flac`.
  /// - Returns: the metadata as written (grow this copy, and give it to `update` and `complete`), and the take's file,
  ///   empty, open for reading and writing; whoever began the take closes it before `complete`.
  public func begin(
    _ plan: FileMeta, fileExtension: String
  ) throws(LibraryError) -> (meta: FileMeta, file: any StoredFile) {
    try openTakes.begin(plan, fileExtension: fileExtension)
  }

  /// Replaces the metadata of a take that is being recorded (marks, gaps): one write. What people set meanwhile
  /// (name, tags, favourite, custom fields, marks from the console) is kept.
  public func update(_ id: String, _ meta: FileMeta) throws(LibraryError) { try openTakes.update(id, meta) }

  /// Makes a take an ordinary one: final metadata with the file's true size, backup, catalogue. The sound file has
  /// been completed, synced and closed before. After a stall call again with the same values.
  ///
  /// When even the metadata cannot be written (storage full), this throws, the take is listed all the same, and `step`
  /// writes the metadata when there is room; if the power goes before, recovery completes it from the sound.
  ///
  /// - Returns: the metadata as kept.
  @discardableResult
  public func complete(_ id: String, _ meta: FileMeta) throws(LibraryError) -> FileMeta {
    let final = try openTakes.complete(id, meta)
    pausedUntil = nil
    return final
  }

  /// Writes the metadata that `complete` could not write, if it still waits.
  ///
  /// - Throws: `notFound` if the take has been deleted.
  public func keepNotes(_ id: String) throws(LibraryError) {
    guard index[id] != nil else { throw .notFound(id) }
    try takeRecovery.writeWaiting(id)
  }

  /// Removes a take that came to nothing (no sample was written). After a stall call again.
  public func discard(_ id: String) throws(LibraryError) { try openTakes.discard(id) }

  // MARK: Listing takes

  /// Takes in memory, those being recorded included. Never blocks.
  public var count: Int { index.count }

  /// A window of the takes that match `query`; memory only, never blocks or throws. Files from elsewhere that are in it
  /// and that nobody has looked at yet are looked at next.
  ///
  /// - Parameter query: words, each of which must occur in name or tags, without regard to case; empty matches all.
  public func list(
    offset: Int = 0, limit: Int = .max, query: String = "", sort: TakeSort = TakeSort(),
    favouritesOnly: Bool = false
  ) -> TakePage {
    let page = index.window(offset: offset, limit: limit, query: query, sort: sort, favouritesOnly: favouritesOnly)
    if limit <= Self.mostWanted { queue.want(page.takes.filter(\.isPending).map(\.id)) }
    return page
  }

  /// A take as the list has it; memory only, never blocks.
  public func summary(_ id: String) -> TakeSummary? { index[id]?.summary }

  /// All that is known of a take; reads its metadata file.
  public func show(_ id: String) throws(LibraryError) -> FileMeta { try editor.show(id) }

  /// Path of a take's sound relative to the data directory.
  public func path(of id: String) -> String { TakePath.sound(id) }

  /// Path of a take's sound for tools that open files by name.
  public func absolutePath(of id: String) -> String { "\(root)/\(TakePath.sound(id))" }

  public func totals() throws(LibraryError) -> LibraryTotals {
    let space = try disk.space()
    return LibraryTotals(
      takes: index.count, seconds: index.sums.seconds, bytes: index.sums.bytes, freeBytes: space.free,
      totalBytes: space.total)
  }

  /// How long one can still record at this rate before the reserve is touched.
  ///
  /// - Parameter bytesPerSecond: of the sound file; 0 or less gives `nil`.
  /// - Returns: seconds.
  public func timeLeft(bytesPerSecond: Int) throws(LibraryError) -> Double? {
    guard bytesPerSecond > 0 else { return nil }
    return Double(max(0, try disk.space().free)) / Double(bytesPerSecond)
  }

  // MARK: What people say about takes

  /// Gives a take another name for people. Its file keeps its own, which is its identity.
  ///
  /// - Parameter name: 1 to 200 bytes without control characters; blanks around it are dropped.
  @discardableResult
  public func rename(_ id: String, to name: String) throws(LibraryError) -> FileMeta {
    try editor.rename(id, to: name)
  }

  /// Replaces a take's tags; equal ones (without regard to case) count once.
  @discardableResult
  public func setTags(_ id: String, _ tags: [String]) throws(LibraryError) -> FileMeta {
    try editor.setTags(id, tags)
  }

  @discardableResult
  public func setFavourite(_ id: String, _ favourite: Bool) throws(LibraryError) -> FileMeta {
    try editor.setFavourite(id, favourite)
  }

  /// Keeps where playing stopped.
  ///
  /// - Parameter seconds: from the start of the take, 0 or more.
  @discardableResult
  public func updatePosition(_ id: String, _ seconds: Double) throws(LibraryError) -> FileMeta {
    try editor.updatePosition(id, seconds)
  }

  /// Adds a mark, or replaces the one with the same id; marks stay in the order of time.
  @discardableResult
  public func addBookmark(_ id: String, _ bookmark: Bookmark) throws(LibraryError) -> FileMeta {
    try editor.addBookmark(id, bookmark)
  }

  /// Takes a mark away; one that is not there is fine.
  @discardableResult
  public func removeBookmark(_ id: String, bookmarkID: String) throws(LibraryError) -> FileMeta {
    try editor.removeBookmark(id, bookmarkID: bookmarkID)
  }

  // MARK: Deleting and protecting takes and clips

  /// Locks a take or clip against being deleted, by hand and to make room, or unlocks it. Durable on return.
  public func protect(_ id: String, _ isProtected: Bool) throws(LibraryError) {
    if clipIndex[id] != nil, index[id] == nil { return try clips.protect(id, isProtected) }
    _ = try editor.protect(id, isProtected)
  }

  /// Moves a take or clip to the trash, from where `undelete` brings it back until the next delete or for 10 s. What was
  /// in the trash goes for good. After a stall call again with the same id.
  public func delete(_ id: String, now: Instant) throws(LibraryError) {
    if trash.moving != id {
      let item = try deletable(id, expires: now + Self.undoTime)
      try finishDelete()
      try trash.empty()
      trash.put(item)
    }
    try finishDelete()
  }

  /// Brings back, name, marks, receipt and all, what was deleted last. After a stall call again.
  ///
  /// - Returns: its id.
  @discardableResult
  public func undelete() throws(LibraryError) -> String {
    try finishDelete()
    guard let item = try trash.takeOut() else { throw .notFound("A deleted take or clip that could be brought back") }
    switch item.content {
    case .take(let record): try index.enter(record)
    case .clip(let record): clipIndex.enter(record)
    }
    trash.clear()
    return item.id
  }

  /// The id of the take or clip that `undelete` would bring back.
  public var undoable: String? { trash.undoable }

  /// Removes what is in the trash for good. After a stall call again.
  public func emptyTrash() throws(LibraryError) {
    try finishDelete()
    try trash.empty()
    pausedUntil = nil
  }

  private func deletable(_ id: String, expires: Instant) throws(LibraryError) -> Trash.Item {
    guard !metadata.isOpen(id), !clipIndex.isOpen(id) else { throw .busy(id) }
    if let record = index[id] {
      guard !record.isProtected else { throw .protected(id) }
      let hasNotes = TakeName.isOurs(id) ? true : try metadata.ofStranger(id) != nil
      return Trash.Item(id: id, content: .take(record), expires: expires, hasNotes: hasNotes)
    }
    guard let clip = clips.summary(id), let record = clipIndex[id] else { throw .notFound(id) }
    guard !clip.isProtected else { throw .protected(id) }
    return Trash.Item(id: id, content: .clip(record), expires: expires, hasNotes: try clips.hasOwnReceipt(id))
  }

  private func finishDelete() throws(LibraryError) {
    guard let item = try trash.moveIn() else { return }
    switch item.content {
    case .take:
      try index.forget(item.id)
      metadata.stopWaiting(item.id)
    case .clip: clipIndex.forget(item.id)
    }
    trash.settle()
    pausedUntil = nil
  }

  // MARK: Checking and mending

  /// Checks one take or clip without changing anything: structure, sizes, metadata, backup, catalogue. After a stall
  /// call again.
  public func verify(_ id: String) throws(LibraryError) -> [Finding] {
    do {
      return try verification.take(id)
    } catch {
      guard case .notFound = error else { throw error }
      return try verification.clip(id)
    }
  }

  /// Begins a check of all takes, newest first, those that are not listed yet included; `verifyNext` does one at a time.
  public func beginVerify() -> VerifyCursor {
    let ids = index.ids + queue.unlisted.reversed().filter { index[$0] == nil && TakePath.isSound($0) }
    return VerifyCursor(rest: ids, total: ids.count)
  }

  /// The clips to be checked, by `verify`: those that are listed, and those that were cut off.
  public var clipsToVerify: [String] { clipIndex.finished.map(\.id) + queue.unfinishedClips }

  /// Checks the next take; `nil` when all are done. After a stall call again with the same cursor.
  public func verifyNext(_ cursor: inout VerifyCursor) throws(LibraryError) -> [Finding]? {
    guard let id = cursor.rest.last else { return nil }
    let findings: [Finding]
    do {
      findings = try verification.take(id)
    } catch {
      // Deleted since.
      guard case .notFound = error else { throw error }
      findings = []
    }
    cursor.rest.removeLast()
    cursor.done += 1
    return findings
  }

  /// Mends one take as recovery at start would: completes, salvages or moves it away; makes metadata anew. Works for
  /// files that have been put into `recordings/` since the start, too. What the device has not made is looked at and
  /// left as it is. After a stall call again.
  ///
  /// - Returns: sentences about what was done; none if there was nothing to do.
  public func repair(_ id: String) throws(LibraryError) -> [String] {
    while true { if let sentences = try repairStep(id) { return sentences } }
  }

  /// A bounded piece of the same; call again with the same id while it gives nil.
  public func repairStep(_ id: String) throws(LibraryError) -> [String]? {
    // One after the other, if several are asked for.
    if let other = underRepair, other != id { return nil }
    underRepair = nil
    guard !metadata.isOpen(id) else { throw .busy(id) }
    // An id is a file name, never a path to somewhere else.
    guard !id.contains("/"), TakePath.isSound(id) || index[id] != nil else { throw .notFound(id) }
    if index[id] == nil, try disk.entry(TakePath.sound(id)) == nil, try disk.entry(TakePath.salvage(id)) == nil {
      throw .notFound(id)
    }
    if TakeName.isOurs(id), try metadata.file(TakePath.backup(id)).meta == nil,
      let meta = try metadata.file(TakePath.sidecar(id)).meta, !meta.inProgress
    {
      try metadata.write(meta, id: id, withBackup: true)
      log.note("The backup of \(id)'s metadata was written again.")
    }
    if TakeName.isOurs(id) || !sounds.examinesApart { try note.mark(TakePath.sound(id)) { [] } }
    guard try takeRecovery.examine(id, thoroughly: true) else {
      underRepair = id
      return nil
    }
    if queue.next == nil { try note.finish() } else { try note.settle() }
    return log.drainNotes()
  }
}
