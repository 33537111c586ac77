public import Hardware

/// Everything that was recorded, on the storage: takes and clips, their names, what is known of them, trash, recovery.
///
/// Storage worker only, one thread at a time; every call may block. In virtual time any call may throw a stall
/// (`LibraryError.stalledUntil`): make the same call again then, and it goes on where it was.
public final class Library: Stepper, @unchecked Sendable {
  private let disk: Disk
  private let state: StateStore
  private let notices = Notices()
  private let names: Names
  private let trash: Trash
  private let deleting: Deleting
  private let index: Index
  private let metadata: Metadata
  private let openTakes: OpenTakes
  private let editor: TakeEditor
  private let parts: TakeParts
  private let dates: TakeDates
  private let recordings: Recordings
  private let queue = RecoveryQueue()
  private let log = RecoveryLog()
  private let note: ExaminationNote
  private let sounds: SoundRepair
  private let chapters: Chapters
  private let verification: Verification
  private let takeRecovery: TakeRecovery
  private let requested: RequestedRepair
  private let start: LibraryStart
  private let upkeep: Upkeep
  private let folders: Folders
  /// Folders have been removed or replaced, and the lists are those of before.
  private var isOutdated = false

  /// The take that the next one goes on from, although they have a gap between them.
  public var continued: String?

  /// The clips: how they are made, listed and kept.
  public let clips: ClipLibrary
  /// What was played with a dub.
  public let dubs: DubReceipts
  /// What goes to a stick.
  public let exports: Exports
  /// What comes in by a console.
  public let incoming: Incoming
  /// An update that comes by the network.
  public let fetched: FetchedUpdate
  /// The shapes of takes.
  public let waveforms: Waveforms
  /// The signed receipts beside recordings.
  public let proofs: Proofs
  /// Whom new recordings are sealed to.
  public let seals: Seals

  static let directories = Folders.all

  /// The word for what recovery has completed, as `stopReason`.
  public static let recovered = "recovered"
  /// The word of what was to go on in another file.
  static let split = "split"
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
  ///   - checker: another one, for `verifyNext`; nil: the same.
  public init(
    storage: any Storage, clock: any DeviceClock, state: StateStore, repairer: any TakeRepairer,
    checker: (any TakeRepairer)? = nil
  ) {
    let disk = Disk(storage)
    let (notices, queue, log, clipIndex) = (notices, queue, log, ClipIndex())
    (self.disk, self.state) = (disk, state)
    note = ExaminationNote(disk)
    folders = Folders(disk, notices: notices)
    names = Names(state: state, notices: notices)
    trash = Trash(disk, names: names, notices: notices)
    proofs = Proofs(disk: disk, clock: clock, notices: notices)
    seals = Seals()
    index = Index(disk, notices: notices)
    metadata = Metadata(disk, notices: notices)
    openTakes = OpenTakes(disk: disk, index: index, metadata: metadata, names: names, notices: notices)
    chapters = Chapters(disk: disk, index: index, metadata: metadata, proofs: proofs, notices: notices)
    editor = TakeEditor(disk: disk, index: index, metadata: metadata, open: openTakes)
    parts = TakeParts(index: index, editor: editor)
    dates = TakeDates(clock: clock, index: index, editor: editor, proofs: proofs)
    recordings = Recordings(disk: disk, index: index, clips: clipIndex, metadata: metadata, proofs: proofs)
    dubs = DubReceipts(disk)
    let origin = Origin(disk: disk, metadata: metadata, names: names, log: log, repairer: repairer)
    clips = ClipLibrary(
      disk: disk, clock: clock, index: clipIndex, names: names, notices: notices, trash: trash,
      queue: queue, origin: origin, proofs: proofs, seals: seals)
    exports = Exports(
      disk: disk, index: index, clips: clipIndex, metadata: metadata, chapters: chapters, parts: parts)
    waveforms = Waveforms(disk)
    incoming = Incoming(root: storage.root, disk: disk, index: index, queue: queue)
    fetched = FetchedUpdate(root: storage.root, disk: disk)
    deleting = Deleting(trash: trash, index: index, clipIndex: clipIndex, clips: clips, metadata: metadata)
    sounds = SoundRepair(disk: disk, clock: clock, repairer: repairer, log: log, notices: notices)
    takeRecovery = TakeRecovery(
      disk: disk, index: index, metadata: metadata, names: names, queue: queue, log: log, origin: origin,
      sounds: sounds, proofs: proofs)
    let clipRecovery = ClipRecovery(
      disk: disk, clock: clock, index: clipIndex, known: index, names: names, queue: queue, log: log,
      origin: origin, sounds: sounds, proofs: proofs)
    let recovery = Recovery(
      disk: disk, names: names, queue: queue, log: log, note: note, origin: origin, takes: takeRecovery,
      sounds: sounds, clips: clipRecovery)
    requested = RequestedRepair(
      disk: disk, index: index, metadata: metadata, queue: queue, log: log, note: note, sounds: sounds,
      takes: takeRecovery, clips: clipRecovery, clipIndex: clipIndex)
    verification = Verification(
      disk: disk, index: index, metadata: metadata, origin: origin, repairer: checker ?? repairer, clips: clipIndex,
      queue: queue)
    start = LibraryStart(
      disk: disk, state: state, notices: notices, names: names, index: index, clips: clipIndex, metadata: metadata,
      note: note, recovery: recovery, folders: folders)
    upkeep = Upkeep(
      state: state, trash: trash, deleting: deleting, index: index, metadata: metadata, dates: dates,
      chapters: chapters, queue: queue, note: note, recovery: recovery, takes: takeRecovery, requested: requested,
      notices: notices)
  }

  // MARK: Opening, and the work that waits

  /// Reads catalogue and directories and plans the recovery; opens no take. Call once, before anything else; what
  /// recovery finds to do is then done by `step`.
  ///
  /// A storage that cannot be written is no error here: takes and clips can be listed and played.
  public func open() throws(LibraryError) { try start.begin() }

  /// The run ends in order: nothing that is being examined is to blame. After it nothing else is asked of the library.
  public func close() throws(LibraryError) {
    try note.finish()
    sounds.rest()
  }

  /// Where the device was when it ended.
  public var last: LastState { state.last }

  /// Keeps where the device is; durable on return.
  public func keep(_ last: LastState) throws(LibraryError) {
    state.last = last
    try state.save()
  }

  /// The newest take, if it was being recorded when the power went. To be asked right after `open`.
  public func cutOff() throws(LibraryError) -> String? { try start.cutOff() }

  /// Does one piece of the work that waits: one of recovery, the trash when its time is over, metadata that could not be
  /// written before, the catalogue when it has grown. While a take is being recorded it leaves the storage alone as far
  /// as it can. Call again after every other call of the library.
  public func step(now: Instant) -> Instant? { upkeep.step(now: now) }

  /// Lists, in memory only, what a crash left or the catalogue does not know, as far as it can be understood without
  /// changing it. For those who only look.
  public func listUnchecked() throws(LibraryError) {
    // What a start may have died of is not read here, either.
    for id in queue.suspects { try takeRecovery.listUnread(id) }
    for id in queue.unlisted { try takeRecovery.listUnchecked(id) }
  }

  /// What recovery has done since `open`.
  public var report: RecoveryReport { log.report }

  /// Pieces of recovery not done yet.
  public var pendingWork: Int { queue.count }

  /// Looks whether somebody has removed or replaced folders under the running device; what lies there now is listed, and
  /// what is missing is made anew. Call now and then.
  ///
  /// - Returns: their names.
  public func lookAtFolders() throws(LibraryError) -> [String] {
    let changed = try folders.look()
    isOutdated = isOutdated || !changed.isEmpty
    if isOutdated { try start.relist() }
    isOutdated = false
    return changed
  }

  /// Whether the folders of takes and of clips take files: they may be somebody else's.
  public var foldersTakeFiles: (takes: Bool, clips: Bool) { folders.takeFiles }

  /// Takes that are being recorded and whose file somebody has removed. Call now and then.
  public func removedWhileRecording() throws(LibraryError) -> [String] { try metadata.removedWhileOpen() }

  /// Takes that are there and not listed yet: after a crash the library looks at those that were being changed, one
  /// after the other. Never blocks.
  public var pending: Int { queue.unlisted.count }

  /// Whether takes and clips of the device's may be there that are not listed yet. Never blocks.
  public var isListing: Bool { queue.isListing }

  /// Does some work; a take that it does not find may not be listed yet, and that is said then.
  public func minding<Value>(
    _ work: (Library) throws(LibraryError) -> Value
  ) throws(LibraryError) -> Value {
    do { return try work(self) } catch {
      guard pending > 0, case .notFound(let what) = error, TakePath.isSound(what) || Int(what) != nil else {
        throw error
      }
      throw .notLookedAtYet(what, of: pending)
    }
  }

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
  ///   - main: the open take that this is the safety take of; it has its name, and is no row of the list beside it.
  /// - Returns: the metadata as written (grow this copy, and give it to `update` and `complete`), and the take's file,
  ///   empty, open for reading and writing; whoever began the take closes it before `complete`.
  public func begin(
    _ plan: FileMeta, fileExtension: String, beside main: String? = nil, author: String? = nil
  ) throws(LibraryError) -> (meta: FileMeta, file: any StoredFile) {
    try openTakes.begin(plan, fileExtension: fileExtension, beside: main, author: author)
  }

  /// Replaces the metadata of a take that is being recorded (gaps): one write. Its marks, and what people set meanwhile
  /// (name, tags, favourite, custom fields), are kept.
  public func update(_ id: String, _ meta: FileMeta) throws(LibraryError) { try openTakes.update(id, meta) }

  /// Adds a mark to a take that is being recorded; `keepMarks` writes all that were added, or `complete` does.
  public func mark(_ id: String, _ mark: Bookmark) throws(LibraryError) { try openTakes.mark(id, mark) }

  /// Writes the marks of a take that is being recorded: one write.
  public func keepMarks(_ id: String) throws(LibraryError) { try openTakes.keepMarks(id) }

  /// Makes a take an ordinary one: final metadata with the file's true size, backup, catalogue. The sound file has
  /// been completed, synced and closed before. After a stall call again with the same values.
  ///
  /// When even the metadata cannot be written (storage full), this throws, the take is listed all the same, and `step`
  /// writes the metadata when there is room; if the power goes before, recovery completes it from the sound.
  ///
  /// - Parameter isUnfinished: the sound file could not be completed, and was closed as it is: `step` completes it as
  ///   soon as the storage lets it, or the next start does. Until then the metadata says `inProgress`.
  /// - Returns: the metadata as kept.
  @discardableResult
  public func complete(_ id: String, _ meta: FileMeta, isUnfinished: Bool = false) throws(LibraryError) -> FileMeta {
    let final = try openTakes.complete(id, meta, isUnfinished: isUnfinished)
    dates.note(id, final)
    upkeep.resume()
    return final
  }

  /// The wall clock may have been set: takes of this run that began before are dated with the next steps.
  public func lookAtTheClock() { dates.look() }

  /// Writes the metadata that `complete` could not write, if it still waits.
  ///
  /// - Throws: `notFound` if the take has been deleted; `busy` as long as its file is not complete.
  public func keepNotes(_ id: String) throws(LibraryError) {
    guard index[id] != nil else { throw .notFound(id) }
    guard !metadata.isOpen(id) else { throw .busy(id) }
    if try takeRecovery.writeWaiting(id) { upkeep.resume() }
    guard !metadata.unfinished.contains(id) else { throw .busy(id) }
  }

  /// Removes a take that came to nothing (no sample was written). After a stall call again.
  public func discard(_ id: String) throws(LibraryError) { try openTakes.discard(id) }

  // MARK: Listing takes

  /// Takes in memory, those being recorded included. Never blocks.
  public var count: Int { index.count }

  /// Seconds of sound of all takes; memory only.
  public var seconds: Double { index.sums.seconds }

  /// A window of the takes; memory only, never blocks or throws. Files from elsewhere that are in it
  /// and that nobody has looked at yet are looked at next.
  public func list(
    offset: Int = 0, limit: Int = .max, sort: TakeSort = TakeSort(), filter: TakeFilter = TakeFilter()
  ) -> TakePage {
    let page = index.window(offset: offset, limit: limit, filter: filter, sort: sort)
    queue.want(page.takes.lazy.filter(\.isPending).map { TakePath.sound($0.id) }, in: TakePath.recordings)
    return page
  }

  /// A take as the list has it, with all parts in which it goes on; memory only, never blocks.
  public func summary(_ id: String) -> TakeSummary? { index.summary(id) }

  /// The name of the take that a file is a part of, which is that of its first file.
  public func wholeTake(_ id: String) -> String { index.parts(with: id).first?.id ?? id }

  /// The safety take beside a file of a take: the same sound at -12 dB. The take beside which one lies; else itself.
  public func safety(of id: String) -> String? { index.safety(of: id)?.id }
  public func main(of id: String) -> String { TakeName.main(of: id) ?? id }

  /// All sound files, each part of a split take and each safety take for itself, newest first.
  public var files: [String] { index.ids.reversed() }

  /// One file of a take, and its safety take; without a name, all files.
  public func files(of id: String?) -> [String] { id.map { [$0] + [safety(of: $0)].compactMap { $0 } } ?? files }

  /// What is known of one file of a take; reads its metadata file.
  public func show(_ id: String) throws(LibraryError) -> FileMeta { try editor.show(id) }

  /// The same, with the length and the marks of all parts in which it goes on.
  public func showWhole(_ id: String) throws(LibraryError) -> FileMeta { try parts.show(id) }

  /// Path of a take's sound relative to the data directory.
  public func path(of id: String) -> String { TakePath.sound(id) }

  /// Path of a take's sound for tools that open files by name.
  public func absolutePath(of id: String) -> String { disk.absolutePath(TakePath.sound(id)) }

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
    try parts.edit(id) { part throws(LibraryError) in try editor.rename(part, to: name) }
  }

  /// All tags that takes have, each once whatever its case, A to Z, and how many have it; memory only.
  public var tags: [(tag: String, takes: Int)] { index.tags }

  /// Gives a take tags, and takes others from it, without regard to case.
  @discardableResult
  public func changeTags(_ id: String, add: [String], remove: [String] = []) throws(LibraryError) -> FileMeta {
    let gone = Set(remove.map { $0.lowercased() })
    let meta = try editor.show(id)
    return try setTags(id, meta.userTags.filter { !gone.contains($0.lowercased()) } + add)
  }

  /// Replaces a take's tags; equal ones (without regard to case) count once.
  @discardableResult
  public func setTags(_ id: String, _ tags: [String]) throws(LibraryError) -> FileMeta {
    try parts.edit(id) { part throws(LibraryError) in try editor.setTags(part, tags) }
  }

  @discardableResult
  public func setFavourite(_ id: String, _ favourite: Bool) throws(LibraryError) -> FileMeta {
    try parts.edit(id) { part throws(LibraryError) in try editor.setFavourite(part, favourite) }
  }

  /// Keeps where playing stopped.
  ///
  /// - Parameter seconds: from the start of the take, 0 or more.
  @discardableResult
  public func updatePosition(_ id: String, _ seconds: Double) throws(LibraryError) -> FileMeta {
    try editor.updatePosition(id, seconds)
  }

  /// Adds a mark, or replaces the one with the same id, at its place in the whole take; marks stay in the order of time.
  /// The chapters in the files of a complete take follow by `step`.
  @discardableResult
  public func addBookmark(_ id: String, _ bookmark: Bookmark) throws(LibraryError) -> FileMeta {
    chapters.postpone()
    return try parts.addBookmark(id, bookmark)
  }

  /// Takes a mark away; one that is not there is fine.
  @discardableResult
  public func removeBookmark(_ id: String, bookmarkID: String) throws(LibraryError) -> FileMeta {
    chapters.postpone()
    return try parts.removeBookmark(id, bookmarkID)
  }

  /// Brings back the mark that was taken away last.
  ///
  /// - Returns: the id of its take.
  public func restoreBookmark() throws(LibraryError) -> String {
    chapters.postpone()
    return try parts.restoreBookmark()
  }

  // MARK: Copies, and files for others

  /// Begins a copy of a take, as a take of its own; its `step` does the work.
  public func copy(_ id: String) -> TakeCopy {
    TakeCopy(id, disk: disk, index: index, metadata: metadata, names: names, chapters: chapters)
  }

  /// Whether a take or a clip is being written; memory only.
  public var isWriting: Bool { recordings.isWriting }

  /// At most so many bytes of a take's or clip's file, or of its notes, as it is on the storage now; behind the end nothing.
  public func read(
    _ id: String, notes: Bool = false, offset: Int, bytes: Int, isSummed: Bool = true
  ) throws(LibraryError) -> FilePiece {
    try recordings.read(id, notes: notes, offset: offset, bytes: bytes, isSummed: isSummed)
  }

  /// Compares a take or clip with its signed receipt; its `step` does the work.
  public func checkProof(of id: String) throws(LibraryError) -> ProofCheck { try recordings.checkProof(of: id) }

  // MARK: Deleting and protecting takes and clips

  /// Locks a take or clip against being deleted, by hand and to make room, or unlocks it. Durable on return.
  ///
  /// - Parameter isClip: no take of this name is meant.
  public func protect(_ id: String, _ isProtected: Bool, isClip: Bool = false) throws(LibraryError) {
    if isClip || recordings.kind(of: id) == .clip { return try clips.protect(id, isProtected) }
    _ = try parts.edit(id) { part throws(LibraryError) in try editor.protect(part, isProtected) }
  }

  /// Moves a take or clip to the trash, from where `undelete` brings it back until the next delete or for 10 s. What was
  /// in the trash goes for good. After a stall call again with the same id.
  ///
  /// - Parameters:
  ///   - isClip: no take of this name is meant.
  ///   - joining: it belongs to what was deleted before, which stays in the trash, and comes back with it.
  public func delete(_ id: String, isClip: Bool = false, joining: Bool = false, now: Instant) throws(LibraryError) {
    try deleting.delete(id, isClip: isClip, joining: joining, expires: now + Self.undoTime)
    upkeep.resume()
  }

  /// Brings back one of what was deleted together, the last first.
  ///
  /// - Returns: its id; nil if there is nothing more.
  public func undeleteNext() throws(LibraryError) -> String? { try deleting.undeleteNext() }

  /// The ids of the takes or clips that `undelete` would bring back.
  public var undoable: [String] { trash.undoable }

  /// Removes what is in the trash for good. After a stall call again.
  public func emptyTrash() throws(LibraryError) {
    try deleting.finish()
    try trash.empty()
    upkeep.resume()
  }

  // MARK: Checking and mending

  /// Begins a check of one take, with its safety take, or clip; without an id of all takes, newest first, those that are not
  /// listed yet included, and then of the clips. `verifyNext` makes it.
  public func beginVerify(_ id: String? = nil) -> VerifyCursor {
    id.map { verification.begin(of: $0) } ?? verification.begin()
  }

  /// The same of one, in one go: structure, sizes, metadata, backup, catalogue. After a stall call again.
  public func verify(_ id: String) throws(LibraryError) -> [Finding] {
    var (cursor, findings) = (beginVerify(id), [Finding]())
    while let found = try verifyNext(&cursor) { findings += found }
    return findings
  }

  /// Does a bounded piece of a check, and changes nothing; `nil` when all is done. After a stall call again with the same
  /// cursor. Two checks may be made by turns.
  public func verifyNext(_ cursor: inout VerifyCursor) throws(LibraryError) -> [Finding]? {
    // What is being looked at is not to be written anew meanwhile.
    chapters.postpone()
    return try verification.next(&cursor)
  }

  /// What a repair of one take (with its safety take) or clip goes through; without a name, of all.
  public func repairable(_ id: String?) -> [String] { files(of: id) + (id == nil ? clips.ids(limit: .max) : []) }

  /// Mends one take as recovery at start would: completes, salvages or moves it away; makes metadata anew. Works for
  /// files that have been put into `recordings/` since the start, too. A finished clip whose index is damaged gets a
  /// new one. What the device has not made is looked at and left as it is. After a stall call again.
  ///
  /// - Returns: sentences about what was done; none if there was nothing to do.
  public func repair(_ id: String) throws(LibraryError) -> [String] {
    while true { if let sentences = try repairStep(id) { return sentences } }
  }

  /// A bounded piece of the same; call again with the same id while it gives nil.
  public func repairStep(_ id: String) throws(LibraryError) -> [String]? {
    try requested.step(id)
  }
}
