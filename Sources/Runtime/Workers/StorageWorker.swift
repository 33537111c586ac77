internal import Appliance
internal import Clips
internal import Dictaphone
internal import Hardware
internal import JSON
internal import Library
internal import Media
internal import Recording
internal import Synchronization
internal import Threads

/// A piece of work on the storage, done when its turn comes and again after a stall.
struct StorageJob: Sendable {
  /// Does the work; must be fit to be called again after it has thrown a stall.
  let work: @Sendable (Library) throws(LibraryError) -> Void
  /// Told of any other failure.
  let onFailure: @Sendable (LibraryError) -> Void
}

/// What others want to know of the storage, any time.
struct StorageStatus: Sendable {
  /// Bytes that may still be written; `nil` while not known.
  var freeBytes: Int?
  var totalBytes: Int?
  var takes = 0
  /// Seconds of sound.
  var seconds = 0.0
  var clips = 0
  /// The newest takes' ids, for completion on the console.
  var recentTakes: [String] = []
  /// The newest clips' ids.
  var recentClips: [String] = []
  /// The words that stand for the key by which recordings are signed; empty without one.
  var keyWords: [String] = []
}

/// Everything that touches the data directory, on the storage lane: the take being written comes first, then what
/// people asked for, then recovery.
final class StorageWorker: Stepper, @unchecked Sendable {
  private let writer: FileWriter
  /// The files of clips, where the board has a camera.
  private let clips: ClipFiles?
  private let library: Library
  private let settings: SettingsStore
  private let log: StoredLog
  private let audit: (files: AuditFiles, writer: AuditWriter)
  let storage: any Storage
  /// Copies to the stick, in what time the rest leaves.
  let stick: StickWorker
  private let lowBytes: Int
  let inbox: Mailbox<ControlInput>
  private let jobs: Mailbox<StorageJob>
  private let shared = Mutex(StorageStatus())
  /// What is to be back in the player as soon as it is listed.
  private var wanted: (id: String, find: () -> Void)?
  private var queue: [StorageJob] = []
  private var isOpen = false
  /// When the step in hand began.
  private(set) var now = Instant.zero
  /// Sentences of recovery that have been said.
  private var saidOfRecovery = 0
  private var publishedClips: (count: Int, last: String?) = (0, nil)
  private var level = StorageLevel.ample
  private var nextLook = Instant.zero
  /// Settings that the storage did not take.
  private var unsaved: [String: JSONValue]?
  private let clock: any DeviceClock
  private let pace = Mutex(StoragePace())
  /// When what the device looks at unasked has its next turn.
  private var nextUnasked = Instant.zero
  /// What is wrong with the place of the data directory.
  private var complaint: String?

  /// Takes, and clips, that TAB on the console knows.
  private static let completions = 200
  /// How often the free space is looked at.
  private static let lookInterval = Duration.seconds(1)
  /// From one piece of unasked work to the next, while that is slowed down.
  private static let slowInterval = Duration.seconds(2)

  /// - Parameters:
  ///   - lowBytes: free space below which the storage counts as low.
  ///   - inbox: the control loop's.
  ///   - wake: wakes the storage lane.
  init(
    writer: FileWriter, clips: ClipFiles?, library: Library, settings: SettingsStore, log: StoredLog,
    audit: (AuditFiles, AuditWriter), storage: any Storage, clock: any DeviceClock, stick: StickWorker, lowBytes: Int,
    inbox: Mailbox<ControlInput>, wake: @escaping @Sendable () -> Void
  ) {
    self.writer = writer
    self.clips = clips
    self.library = library
    self.settings = settings
    self.log = log
    self.audit = audit
    self.storage = storage
    self.clock = clock
    self.stick = stick
    self.lowBytes = lowBytes
    self.inbox = inbox
    jobs = Mailbox(onPost: wake)
  }

  /// Any thread.
  var status: StorageStatus { shared.withLock { $0 } }

  /// The longest that the medium has let this lane wait since the last call. Any thread.
  func takeLatency(at now: Instant) -> Duration { pace.withLock { $0.take(at: now) } }

  /// Whether what nobody has asked for, such as looking at files from elsewhere, is done a piece every other second. Any
  /// thread.
  func slowDown(_ isSlow: Bool) { pace.withLock { $0.isSlow = isSlow } }

  /// The wall clock was set: takes that began before are dated; nobody waits for that.
  func dateTakes() {
    submit { library in
      library.lookAtTheClock()
    } onFailure: { _ in
    }
  }

  /// Queues work. Any thread.
  func submit(
    _ work: @escaping @Sendable (Library) throws(LibraryError) -> Void,
    onFailure: @escaping @Sendable (LibraryError) -> Void
  ) {
    jobs.post(StorageJob(work: work, onFailure: onFailure))
  }

  /// Queues work on the clips. Any thread.
  func submitClips(
    _ work: @escaping @Sendable (ClipLibrary) throws(LibraryError) -> Void,
    onFailure: @escaping @Sendable (LibraryError) -> Void
  ) {
    submit({ library throws(LibraryError) in try work(library.clips) }, onFailure: onFailure)
  }

  func step(now: Instant) -> Instant? {
    self.now = now
    pace.withLock { $0.begin(at: now) }
    var stall: Instant?
    let next = work(now, &stall)
    // Who waits for the medium comes back when it may answer again.
    pace.withLock { $0.end(at: clock.now, isStalled: stall.map { $0 > now } ?? false) }
    return next
  }

  private func work(_ now: Instant, _ stall: inout Instant?) -> Instant? {
    queue += jobs.drain()
    var waits: [Instant] = []
    stall = open(now: now)
    if let stall { return stall }
    if let until = writer.step() { waits.append(until) }
    if let until = clips?.writer.step() { waits.append(until) }
    if let until = runJobs() { waits.append(until) }
    stall = waits.max()
    if let next = stepLibrary(now) { waits.append(next) }
    if let next = stick.step(now: now, library: library) { waits.append(next) }
    restoreWanted()
    publishClips()
    reportRecovery()
    log.writer.step(log.files, now: now)
    audit.writer.step(audit.files, now: now)
    look(now: now)
    waits.append(nextLook)
    return waits.min()
  }

  private func stepLibrary(_ now: Instant) -> Instant? {
    guard pace.withLock({ $0.isSlow }) else { return library.step(now: now) }
    guard now >= nextUnasked else { return nextUnasked }
    nextUnasked = now + Self.slowInterval
    return library.step(now: now).map { max($0, nextUnasked) }
  }

  /// Opens the library before anything else; returns when to try again if the medium stalls.
  private func open(now: Instant) -> Instant? {
    guard !isOpen else { return nil }
    do throws(LibraryError) {
      try library.open()
    } catch {
      if let until = error.stalledUntil { return until }
      tell(.failed(code: error.code, text: "the library could not be read: \(error)"))
    }
    isOpen = true
    let earlier = log.files.tail()
    if !earlier.isEmpty { log.found.send(earlier) }
    // What cannot be read now is not gone on with.
    inbox.post(.restored(library.last, cutOff: (try? library.cutOff()) ?? nil))
    try? storage.keepReserve()
    publishCount()
    return nil
  }

  private func runJobs() -> Instant? {
    while let job = queue.first {
      do throws(LibraryError) {
        try job.work(library)
      } catch {
        if let until = error.stalledUntil { return until }
        job.onFailure(error)
      }
      queue.removeFirst()
      publishCount()
      // A take that is being written must not wait for a long queue.
      if let until = writer.step() { return until }
      if let until = clips?.writer.step() { return until }
    }
    return nil
  }

  private func reportRecovery() {
    for warning in library.takeWarnings() { say(warning) }
    let sentences = library.report.sentences
    for sentence in sentences.dropFirst(saidOfRecovery) { say(sentence) }
    saidOfRecovery = sentences.count
    publishCount()
  }

  /// Tells the control loop how many takes there are, when that has changed.
  private func publishCount() {
    let count = library.count
    let changed = shared.withLock { status in
      defer { (status.takes, status.seconds, status.keyWords) = (count, library.seconds, library.proofs.words) }
      return status.takes != count
    }
    guard changed else { return }
    let recent = library.list(limit: Self.completions).takes.map(\.id)
    shared.withLock { $0.recentTakes = recent }
    tell(.changed(count: count))
  }

  /// Tells the control loop which clip is the newest, and how many there are, when that has changed.
  private func publishClips() {
    let (newest, count) = library.clips.newest
    guard publishedClips.count != count || publishedClips.last != newest?.id else { return }
    publishedClips = (count, newest?.id)
    tell(.clipsChanged(count: count, last: newest.map { TakeReference($0) }))
    let recent = library.clips.ids(limit: Self.completions)
    shared.withLock { ($0.recentClips, $0.clips) = (recent, count) }
  }

  private func look(now: Instant) {
    guard now >= nextLook else { return }
    nextLook = now + Self.lookInterval
    checkPlace()
    try? storage.keepReserve()
    writer.retry()
    clips?.writer.retry()
    if let unsaved, (try? keep(unsaved)) != nil { say("the settings are kept now") }
    guard let space = try? storage.space() else { return }
    shared.withLock {
      $0.freeBytes = space.free
      $0.totalBytes = space.total
    }
    let found: StorageLevel = space.free <= 0 ? .full : space.free < lowBytes ? .low : .ample
    if found != level {
      level = found
      inbox.post(.storageLevel(found))
    }
  }

  /// Says it once when the data directory, or its lock, has gone from under the device, and when it is back.
  private func checkPlace() {
    var complaint: String?
    do throws(StorageError) { try storage.checkPlace() } catch { complaint = "\(error)" }
    guard complaint != self.complaint else { return }
    self.complaint = complaint
    if let complaint {
      tell(.failed(code: "device-lost", text: complaint))
    } else {
      say("the data directory is back in its place")
    }
  }

  // MARK: What the control loop is told, whoever has changed a take

  /// Any thread.
  func tell(_ report: LibraryReport) { inbox.post(.library(report)) }

  /// What a take is like now. Storage lane only.
  func tellChanged(_ id: String, in library: Library) {
    if let reference = library.reference(library.wholeTake(id)) { tell(.renewed(reference)) }
  }

  /// Storage lane only.
  ///
  /// - Parameter number: of so many that have come back it is the last.
  func tellRestored(_ id: String, number: Int = 1, in library: Library) {
    if let reference = library.reference(id) { tell(.restored(reference, number: number)) }
  }

  /// The marks of a take. Storage lane only.
  func tellMarks(of id: String, in library: Library) throws(LibraryError) {
    let take = try library.showWhole(id)
    tell(
      .marks(
        take: id,
        take.bookmarks.prefix(MarkList.most).map { mark in
          MarkReference(id: mark.id, frame: mark.place(sampleRate: take.audio.sampleRate), title: mark.title ?? "")
        }))
  }

  private func say(_ sentence: String) { inbox.post(.say(sentence)) }
}

// MARK: What the machine asks for

extension StorageWorker {
  /// Finds a take for the player: its files, those in which it goes on included, and where it was left. Clips are short,
  /// and begin at their start.
  ///
  /// - Parameters:
  ///   - position: in seconds; nil: where it was left.
  ///   - then: called on the storage lane, as `onFailure` is.
  func locate(
    _ id: String, fromStart: Bool, position: Double? = nil,
    then: @escaping @Sendable (_ files: [PlayerFile], _ frame: Int) -> Void,
    onFailure: @escaping @Sendable (_ code: String, _ text: String) -> Void
  ) {
    let look: @Sendable (Library) throws(LibraryError) -> Void = { [self] library throws(LibraryError) in
      if let sealed = library.sealedPart(of: id) { throw .sealed(sealed) }
      guard let take = library.summary(id) else {
        guard let clip = library.clips.summary(id) else { throw .notFound(id) }
        return then([playerFile(id, library.clips.absolutePath(of: id), clip.frames)], 0)
      }
      let seconds = fromStart ? 0 : position ?? take.lastPlayedPosition ?? 0
      // A position from a file may be anything; past the end means the beginning.
      let frame = (seconds * Double(take.sampleRate)).rounded()
      var files = playerFiles(of: take, in: library)
      if !files.isEmpty { files[0].overview = library.waveforms.peaks(of: take) }
      then(
        files,
        frame >= 0 && frame < 1e15 ? Int(frame) : 0)
      try tellMarks(of: id, in: library)
    }
    submit(look) { error in onFailure(error.code, "\(error)") }
  }

  /// The files of a take in the order in which they are heard. Storage lane only.
  func playerFiles(of take: TakeSummary, in library: Library) -> [PlayerFile] {
    take.files.map { playerFile($0.id, library.absolutePath(of: $0.id), $0.frames) }
  }

  /// What has our name and bears our marks was made here; the player decodes all else in another process.
  private func playerFile(_ id: String, _ path: String, _ frames: Int) -> PlayerFile {
    PlayerFile(
      id: id, path: path, frames: frames, isForeign: !TakeName.isOurs(id) || !MediaRepair.isFinishedRecording(path))
  }

  /// Finds the take that was in the player before the start, once the library has come to it; nothing happens if it is no
  /// more.
  func restore(
    _ id: String, position: Double?, then: @escaping @Sendable (_ files: [PlayerFile], _ frame: Int) -> Void
  ) {
    submit { [self] library throws(LibraryError) in
      wanted = (id, { [self] in locate(id, fromStart: false, position: position, then: then, onFailure: { _, _ in }) })
    } onFailure: { _ in
    }
  }

  private func restoreWanted() {
    guard let (id, find) = wanted else { return }
    let isListed = library.summary(id) != nil
    if isListed { find() }
    if isListed || library.pendingWork == 0 { wanted = nil }
  }

  /// Keeps the shape that the player has made of a take. Any thread.
  func keepOverview(_ id: String, _ peaks: [Float]) {
    submit { library in
      guard library.sealedPart(of: id) == nil, let take = library.summary(id) else { return }
      library.waveforms.keep(peaks, of: take)
    } onFailure: { _ in
    }
  }

  func keepPosition(_ id: String, seconds: Double) {
    submit { library throws(LibraryError) in
      guard library.summary(id) != nil else { return }
      try library.updatePosition(id, seconds)
    } onFailure: { [inbox] error in
      inbox.post(.say("the position in \(id) is not kept: \(error)"))
    }
  }

  /// Deletes a take or clip, whoever asks for it; `library.undelete` brings it back for a while.
  func delete(_ id: String) {
    submit { [self] library throws(LibraryError) in
      try delete(id, from: library)
    } onFailure: { [inbox] error in
      inbox.post(.library(.failed(code: error.code, text: "\(error)")))
    }
  }

  /// The same, within work on the library that answers for itself.
  ///
  /// - Parameter joining: it goes with others, and comes back with them; so many have gone before it.
  func delete(_ id: String, joining before: Int = 0, from library: Library) throws(LibraryError) {
    guard let reference = library.reference(library.wholeTake(id)) else { throw .notFound(id) }
    try library.delete(id, joining: before > 0, now: now)
    inbox.post(.library(.deleted(reference, number: before + 1)))
  }

  /// Locks a take or clip against being deleted, or unlocks it.
  func protect(_ id: String, _ isProtected: Bool) {
    submit { [self] library throws(LibraryError) in
      try protect(id, isProtected, in: library)
    } onFailure: { [inbox] error in
      inbox.post(.library(.failed(code: error.code, text: "\(error)")))
    }
  }

  /// The same, within work on the library that answers for itself.
  func protect(_ id: String, _ isProtected: Bool, in library: Library) throws(LibraryError) {
    try library.protect(id, isProtected)
    if let reference = library.reference(library.wholeTake(id)) { inbox.post(.library(.protected(reference))) }
  }

  /// Keeps all settings at once.
  func save(_ new: Settings) {
    let values = new.stored
    submit { [self] _ throws(LibraryError) in
      try keep(values)
    } onFailure: { [self] error in
      unsaved = values
      tell(.failed(code: error.code, text: "settings are not kept: \(error)"))
    }
  }

  /// The same, within work that answers for itself: kept on return. Storage lane only.
  func keep(_ values: [String: JSONValue]) throws(LibraryError) {
    try settings.save(values)
    unsaved = nil
  }

  /// The program ends in order: nothing of the ring's copy is left behind, for nobody has asked for what is in it.
  func close(then done: @escaping @Sendable () -> Void) {
    let spool = clips?.spool
    submit { [self] library throws(LibraryError) in
      stick.close()
      log.writer.step(log.files, now: now, isEnd: true)
      flushAudit()
      try library.close()
      do throws(StorageError) { try spool?.clear() } catch { throw .storage(error) }
      done()
    } onFailure: { _ in
      done()
    }
  }

  /// Follows the settings of whether recordings are signed, and whom they are sealed to.
  func keepProofs(_ settings: Settings) {
    let isOn = settings.signsRecordings
    let recipients = settings.recipients
    submit { library throws(LibraryError) in
      library.seals.recipients = recipients
      try library.proofs.turn(isOn)
    } onFailure: { [inbox] error in
      inbox.post(.say("recordings are not signed: \(error)"))
    }
  }

  /// Writes what waits for the audit log. Storage lane only.
  func flushAudit() { audit.writer.step(audit.files, now: now, isEnd: true) }

  /// Follows the setting of how much room clips may take.
  func keepClips(_ settings: Settings) {
    guard clips != nil else { return }
    let quota = settings.clipQuotaBytes
    submitClips { clips throws(LibraryError) in
      clips.retention.quotaBytes = quota
    } onFailure: { _ in
    }
  }
}

extension Library {
  /// A file of a take or clip that is sealed, and so cannot be played here; nil if there is none.
  func sealedPart(of id: String) -> String? {
    let files = summary(id)?.files.map(\.id) ?? [id]
    return files.first { TakeName.isSealed($0) }
  }

  /// A take or clip as the machine knows it; nil if there is none of this name.
  func reference(_ id: String) -> TakeReference? {
    summary(id).map { TakeReference($0) } ?? clips.summary(id).map { TakeReference($0) }
  }
}

extension TakeReference {
  init(_ take: TakeSummary) {
    self.init(id: take.id, displayName: take.displayName, frames: take.frames, sampleRate: take.sampleRate)
    isProtected = take.isProtected
    isFavourite = take.favourite
    tags = take.userTags.joined(separator: "\n")
  }
}
