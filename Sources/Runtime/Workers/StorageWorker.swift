internal import Appliance
internal import Clips
internal import Dictaphone
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

/// What others want to know of the storage, any time.
struct StorageStatus: Sendable {
  /// Bytes that may still be written; `nil` while not known.
  var freeBytes: Int?
  var totalBytes: Int?
  var takes = 0
  /// The newest takes' ids, for completion on the console.
  var recentTakes: [String] = []
  /// The newest clips' ids.
  var recentClips: [String] = []
}

/// Everything that touches the data directory, on the storage lane: the take being written comes first, then what
/// people asked for, then recovery.
final class StorageWorker: Stepper, @unchecked Sendable {
  private let writer: FileWriter
  /// The files of clips, where the board has a camera.
  private let clips: ClipFiles?
  private let library: Library
  private let settings: SettingsStore
  let storage: any Storage
  private let lowBytes: Int
  let inbox: Mailbox<ControlInput>
  private let jobs: Mailbox<StorageJob>
  private let shared = Mutex(StorageStatus())
  private var queue: [StorageJob] = []
  private var isOpen = false
  /// When the step in hand began.
  private var now = Instant.zero
  /// Sentences of recovery that have been said.
  private var saidOfRecovery = 0
  private var publishedClips: (count: Int, last: String?) = (0, nil)
  private var level = StorageLevel.ample
  private var nextLook = Instant.zero
  /// Settings that the storage did not take.
  private var unsaved: [String: JSONValue]?
  /// What is wrong with the place of the data directory.
  private var complaint: String?

  /// Takes, and clips, that TAB on the console knows.
  private static let completions = 200
  /// How often the free space is looked at.
  private static let lookInterval = Duration.seconds(1)

  /// - Parameters:
  ///   - lowBytes: free space below which the storage counts as low.
  ///   - inbox: the control loop's.
  ///   - wake: wakes the storage lane.
  init(
    writer: FileWriter, clips: ClipFiles?, library: Library, settings: SettingsStore, storage: any Storage,
    lowBytes: Int,
    inbox: Mailbox<ControlInput>, wake: @escaping @Sendable () -> Void
  ) {
    self.writer = writer
    self.clips = clips
    self.library = library
    self.settings = settings
    self.storage = storage
    self.lowBytes = lowBytes
    self.inbox = inbox
    jobs = Mailbox(onPost: wake)
  }

  /// Any thread.
  var status: StorageStatus { shared.withLock { $0 } }

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
    queue += jobs.drain()
    var waits: [Instant] = []
    if let until = open(now: now) { return until }
    if let until = writer.step() { waits.append(until) }
    if let until = clips?.writer.step() { waits.append(until) }
    if let until = runJobs() { waits.append(until) }
    if let next = library.step(now: now) { waits.append(next) }
    publishClips()
    reportRecovery()
    look(now: now)
    waits.append(nextLook)
    return waits.min()
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
      defer { status.takes = count }
      return status.takes != count
    }
    guard changed else { return }
    let recent = library.list(limit: Self.completions).takes.map(\.id)
    shared.withLock { $0.recentTakes = recent }
    tell(.changed(count: count))
  }

  /// Tells the control loop which clip is the newest, and how many there are, when that has changed.
  private func publishClips() {
    let (newest, count) = library.clips.list(limit: 1)
    guard publishedClips.count != count || publishedClips.last != newest.first?.id else { return }
    publishedClips = (count, newest.first?.id)
    tell(.clipsChanged(count: count, last: newest.first.map { TakeReference($0) }))
    let recent = library.clips.ids(limit: Self.completions)
    shared.withLock { $0.recentClips = recent }
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

  private func tell(_ report: LibraryReport) { inbox.post(.library(report)) }
  private func say(_ sentence: String) { inbox.post(.say(sentence)) }
}

// MARK: What the machine asks for

extension StorageWorker {
  /// Finds a take for the player: its path, where it was left, and its length. Clips are short, say their length, and begin
  /// at their start.
  func locate(
    _ id: String, fromStart: Bool, then: @escaping @Sendable (_ path: String, _ frame: Int, _ length: Int) -> Void
  ) {
    submit { library throws(LibraryError) in
      guard let take = library.summary(id) else {
        guard library.clips.summary(id) != nil else { throw .notFound(id) }
        return then(library.clips.absolutePath(of: id), 0, 0)
      }
      let seconds = fromStart ? 0 : take.lastPlayedPosition ?? 0
      // A position from a file may be anything; past the end means the beginning.
      let frame = (seconds * Double(take.sampleRate)).rounded()
      then(library.absolutePath(of: id), frame >= 0 && frame < 1e15 ? Int(frame) : 0, take.frames)
    } onFailure: { [inbox] error in
      inbox.post(.media(.player(.failed(code: error.code, text: "\(error)"))))
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

  /// Marks a take in the player.
  func mark(_ id: String, frame: Int, title: String?, at wall: WallTime) {
    submit { [inbox] library throws(LibraryError) in
      guard let take = library.summary(id) else { throw .notFound(id) }
      let mark = Bookmark(
        takeID: id, frame: frame, sampleRate: take.sampleRate, ordinal: take.bookmarkCount + 1, title: title,
        createdAt: wall)
      try library.addBookmark(id, mark)
      inbox.post(.marked(id: id, frame: frame))
    } onFailure: { [inbox] error in
      inbox.post(.library(.failed(code: error.code, text: "no mark was put: \(error)")))
    }
  }

  func window(start: Int, count: Int) {
    submit { [inbox] library throws(LibraryError) in
      let page = library.list(offset: start, limit: count)
      inbox.post(.library(.window(start: start, takes: page.takes.map(TakeReference.init), count: page.total)))
    } onFailure: { _ in
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
  func delete(_ id: String, from library: Library) throws(LibraryError) {
    guard let reference = library.reference(id) else { throw .notFound(id) }
    try library.delete(id, now: now)
    inbox.post(.library(.deleted(reference)))
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
    if let reference = library.reference(id) { inbox.post(.library(.protected(reference))) }
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
    submit { library throws(LibraryError) in
      try library.close()
      do throws(StorageError) { try spool?.clear() } catch { throw .storage(error) }
      done()
    } onFailure: { _ in
      done()
    }
  }

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
  /// A take or clip as the machine knows it; nil if there is none of this name.
  func reference(_ id: String) -> TakeReference? {
    summary(id).map { TakeReference($0) } ?? clips.summary(id).map { TakeReference($0) }
  }
}

extension TakeReference {
  init(_ take: TakeSummary) {
    self.init(id: take.id, displayName: take.displayName, frames: take.frames, sampleRate: take.sampleRate)
    isProtected = take.isProtected
  }
}
