internal import Appliance
internal import Clips
internal import Hardware
internal import JSON
internal import Library
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
  /// Fetches updates, in what time the rest leaves.
  let updates: UpdateFetch
  let inbox: Mailbox<ControlInput>
  /// What others get to know.
  let news: StorageNews
  private var lookout: StorageLookout
  private let jobs: Mailbox<StorageJob>
  /// What is to be done once a take is listed.
  private var awaited: (id: String, work: () -> Void)?
  /// What is to be done when it looks at the storage next, once a second. Storage lane only.
  var atNextLook: ((Library) -> Void)?
  private var queue: [StorageJob] = []
  private var isOpen = false
  /// When the step in hand began.
  private(set) var now = Instant.zero
  /// Settings that the storage did not take.
  private var unsaved: [String: JSONValue]?
  private let clock: any DeviceClock
  private let pace = Mutex(StoragePace())
  /// When what the device looks at unasked has its next turn.
  private var nextUnasked = Instant.zero
  /// From one piece of unasked work to the next, while that is slowed down.
  private static let slowInterval = Duration.seconds(2)

  /// - Parameters:
  ///   - lowBytes: free space below which the storage counts as low.
  ///   - inbox: the control loop's.
  ///   - wake: wakes the storage lane.
  init(
    writer: FileWriter, clips: ClipFiles?, library: Library, settings: SettingsStore, log: StoredLog,
    audit: (AuditFiles, AuditWriter), storage: any Storage, clock: any DeviceClock, stick: StickWorker,
    updates: UpdateFetch, lowBytes: Int, inbox: Mailbox<ControlInput>, wake: @escaping @Sendable () -> Void
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
    self.updates = updates
    self.inbox = inbox
    news = StorageNews(inbox)
    lookout = StorageLookout(storage, lowBytes: lowBytes)
    jobs = Mailbox(onPost: wake)
  }

  /// Any thread.
  var status: StorageStatus { news.status }

  /// The longest that the medium has let this lane wait since the last call. Any thread.
  func takeLatency(at now: Instant) -> Duration { pace.withLock { $0.take(at: now) } }

  /// Since when the medium has not answered; `nil` if it does. Any thread.
  var standsSince: Instant? { pace.withLock { $0.standsSince } }

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
    // Who waits for the medium comes back when it may answer again; who has more to write comes back at once.
    let end = clock.now
    pace.withLock { $0.end(at: end, isStalled: stall.map { $0 > end } ?? false) }
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
    if let next = updates.step(now: now, library: library) { waits.append(next) }
    doAwaited()
    news.publishClips(of: library)
    news.sayOfRecovery(of: library)
    news.publishCount(of: library)
    news.noteListed(library.pendingWork == 0)
    log.writer.step(log.files, now: now)
    audit.writer.step(audit.files, now: now)
    look(now: now)
    waits.append(lookout.next)
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
      news.tell(.failed(code: error.code, text: "the library could not be read: \(error)"))
    }
    isOpen = true
    let earlier = log.files.tail()
    if !earlier.isEmpty { log.found.send(earlier) }
    // What cannot be read now is not gone on with.
    inbox.post(.restored(library.last, cutOff: (try? library.cutOff()) ?? nil))
    try? storage.keepReserve()
    news.publishCount(of: library)
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
      news.publishCount(of: library)
      // A take that is being written must not wait for a long queue.
      if let until = writer.step() { return until }
      if let until = clips?.writer.step() { return until }
    }
    return nil
  }

  private func look(now: Instant) {
    guard lookout.isDue(now) else { return }
    lookout.checkPlace(news)
    lookout.checkFolders(of: library, news)
    let work = atNextLook
    atNextLook = nil
    work?(library)
    try? storage.keepReserve()
    // What is not found while all of it is away has not been deleted.
    if !lookout.isMissing {
      writer.retry()
      clips?.writer.retry()
    }
    if let unsaved, (try? keep(unsaved)) != nil { news.say("the settings are kept now") }
    let level = lookout.measure(news)
    if clips != nil, let free = news.status.freeBytes { try? library.clips.keepRoom(free: free) }
    if let refused = lookout.checkRights(of: library, news) { inbox.post(.storageRefuses(refused)) }
    if let level { inbox.post(.storageLevel(level)) }
  }

  /// What it is to the machine that a file of a recording was refused. For want of room the device counts as full until the
  /// storage is measured anew. Any thread.
  func refusal(_ reason: StopReason, _ text: String) -> Event {
    submit { [self] _ in
      if reason == .storageFull { lookout.noteRefusal(at: now) } else { lookout.lookAtRights() }
    } onFailure: { _ in
    }
    return reason == .storageFull ? .storage(.full) : .library(.failed(code: "device-lost", text: text))
  }

  /// Does something on the storage lane once the library has come to a take, and nothing if that is no more. The last of
  /// these counts.
  func onceListed(_ id: String, _ work: @escaping @Sendable () -> Void) {
    submit { [self] _ in
      awaited = (id, work)
    } onFailure: { _ in
    }
  }

  private func doAwaited() {
    guard let (id, work) = awaited else { return }
    let isListed = library.summary(id) != nil
    if isListed { work() }
    if isListed || library.pendingWork == 0 { awaited = nil }
  }

  // MARK: What the machine asks for

  /// Deletes a take or clip, whoever asks for it; `library.undelete` brings it back for a while.
  func delete(_ id: String, isClip: Bool = false) {
    submit { [self] library throws(LibraryError) in
      try delete(id, isClip: isClip, from: library)
    } onFailure: { [news] error in
      news.tell(error)
    }
  }

  /// The same, within work on the library that answers for itself.
  ///
  /// - Parameters:
  ///   - isClip: no take of this name is meant.
  ///   - joining: it goes with others, and comes back with them; so many have gone before it.
  func delete(
    _ id: String, isClip: Bool = false, joining before: Int = 0, from library: Library
  ) throws(LibraryError) {
    guard let reference = library.reference(id, isClip: isClip) else { throw .notFound(id) }
    try library.delete(id, isClip: isClip, joining: before > 0, now: now)
    news.tell(.deleted(reference, number: before + 1))
  }

  /// Locks a take or clip against being deleted, or unlocks it.
  func protect(_ id: String, _ isProtected: Bool, isClip: Bool = false) {
    submit { [self] library throws(LibraryError) in
      try protect(id, isProtected, isClip: isClip, in: library)
    } onFailure: { [news] error in
      news.tell(error)
    }
  }

  /// The same, within work on the library that answers for itself.
  func protect(
    _ id: String, _ isProtected: Bool, isClip: Bool = false, in library: Library
  ) throws(LibraryError) {
    try library.protect(id, isProtected, isClip: isClip)
    if let reference = library.reference(id, isClip: isClip) { news.tell(.protected(reference)) }
  }

  /// Keeps all settings at once.
  func save(_ new: Settings) {
    let values = new.stored
    submit { [self] _ throws(LibraryError) in
      try keep(values)
    } onFailure: { [self] error in
      unsaved = values
      news.tell(.failed(code: error.code, text: "settings are not kept: \(error)"))
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
      updates.close()
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
    } onFailure: { [news] error in
      news.say("recordings are not signed: \(error)")
    }
  }

  /// Writes what waits for the audit log. Storage lane only.
  func flushAudit() { audit.writer.step(audit.files, now: now, isEnd: true) }

  /// Follows the settings of how much room clips may take, and of how long the ring is.
  func keepClips(_ settings: Settings) {
    guard let spool = clips?.spool else { return }
    let (quota, seconds) = (settings.clipQuotaBytes, Double(settings.clipDurationSeconds))
    submitClips { clips throws(LibraryError) in
      clips.retention.quotaBytes = quota
      spool.seconds = seconds
    } onFailure: { _ in
    }
  }
}
