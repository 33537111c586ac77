internal import Hardware

/// What became of a sound file under repair.
enum RepairOutcome {
  /// It is complete; `isMended` if it was not before.
  case kept(TakeShape, isMended: Bool)
  /// It is in `_Corrupted/`.
  case quarantined
}

/// How much sound there was when a take was finished, and how large its file was.
struct NotedSound {
  var frames: Int
  var bytes: Int

  /// More than the head of a file takes.
  private static let headBytes = 64 << 10

  /// - Parameters:
  ///   - found: frames that are found in it now.
  ///   - size: of the file now. Where its end is missing, it holds as much less.
  ///   - format: of FLAC and ALAC what is loud takes more bytes than what is silent.
  /// - Returns: whether what is found is not what the file should hold.
  func isLost(in found: Int, bytes size: Int, format: String) -> Bool {
    guard found < frames else { return false }
    guard size < bytes else { return true }
    let least = format == "flac" || format == "alac" ? 0.05 : 0.9
    return Double(found) < least * Double(frames) * Double(size - Self.headBytes) / Double(bytes)
  }
}

extension TakeDiagnosis {
  /// What the file holds, unless it is damaged.
  var shape: TakeShape? {
    switch self {
    case .complete(let shape), .unfinished(let shape): shape
    case .damaged, .unanswered: nil
    }
  }

  /// Why there is no shape.
  var complaint: String? {
    switch self {
    case .complete, .unfinished: nil
    case .damaged(let reason), .unanswered(let reason, _): reason
    }
  }

  /// What it means for a take: a film may have pictures only.
  func ofTake(_ id: String) -> TakeDiagnosis { TakeName.isOurs(id) ? self : ofStranger }

  /// What it means for a take that the device has not made.
  var ofStranger: TakeDiagnosis { shape?.channels == 0 ? .damaged(reason: "There is no sound in it.") : self }

  /// It is what the file is, and will be said again of the same file.
  var isFinal: Bool { if case .unanswered = self { false } else { true } }
}

extension TakeRepairer {
  /// Begins to look at a take: as at a recording if the device has made it, else as at whatever it may be.
  ///
  /// - Returns: the work, and the file that is to be closed after it.
  func look(
    at id: String, isOwn: Bool, on storage: any Storage
  ) throws(StorageError) -> (work: TakeWork, file: (any StoredFile)?) {
    let path = TakePath.sound(id)
    guard isOwn else { return (try examination(of: path), nil) }
    let file = try storage.open(path, writable: false)
    do throws(StorageError) { return (try inspection(of: file), file) } catch {
      file.close()
      throw error
    }
  }
}

/// Looks into sound files, makes them whole, or puts them aside: one at a time, in bounded steps. Storage worker only.
///
/// Only files that the device has made are ever changed or moved.
final class SoundRepair {
  private let disk: Disk
  private let clock: any DeviceClock
  private let repairer: any TakeRepairer
  private let quarantine: Quarantine
  private let log: RecoveryLog
  private let notices: Notices
  private var job: Job?

  /// The file that is being worked on.
  private struct Job {
    enum Stage {
      case looking
      case repairing
      /// What can be read is copied; why.
      case salvaging(String)
      /// The copy is completed; why there is one.
      case completing(String)
    }

    let id: String
    var stage: Stage
    var work: TakeWork
    /// Open until the work is done.
    var files: [any StoredFile]
  }

  init(disk: Disk, clock: any DeviceClock, repairer: any TakeRepairer, log: RecoveryLog, notices: Notices) {
    self.disk = disk
    self.clock = clock
    self.repairer = repairer
    self.log = log
    self.notices = notices
    quarantine = Quarantine(disk: disk)
  }

  /// Whether looking at a file from elsewhere cannot end the program.
  var examinesApart: Bool { repairer.examinesApart }

  /// Lets go of what is in hand; it is begun again when it is asked for again.
  func rest() {
    drop()
    repairer.rest()
  }

  private func drop() {
    job?.files.forEach { $0.close() }
    job = nil
  }

  // MARK: Looking

  /// Looks into a sound without changing it, in one go; any file may be asked about.
  func inspect(_ id: String) throws(LibraryError) -> TakeDiagnosis {
    while true {
      if let diagnosis = try look(id) { return diagnosis }
    }
  }

  /// The same in steps: nil while there is more to do.
  func look(_ id: String) throws(LibraryError) -> TakeDiagnosis? {
    try stepping(id) { () throws(StorageError) in try begin(id) }?.ofTake(id)
  }

  /// A step of looking at a file that the device has not made, by its path: nil while there is more to do.
  func look(at path: String) throws(LibraryError) -> TakeDiagnosis? {
    try stepping(path) { () throws(StorageError) in
      Job(id: path, stage: .looking, work: try repairer.examination(of: path), files: [])
    }
  }

  /// Opens what the first step needs.
  private func begin(_ id: String) throws(StorageError) -> Job {
    let (work, file) = try repairer.look(at: id, isOwn: TakeName.isOurs(id), on: disk.storage)
    return Job(id: id, stage: .looking, work: work, files: [file].compactMap(\.self))
  }

  /// Does a step of the work on a file, begun anew where another was in hand. What ends or throws is let go of.
  private func stepping(
    _ id: String, _ begin: () throws(StorageError) -> Job
  ) throws(LibraryError) -> TakeDiagnosis? {
    do throws(StorageError) {
      if job?.id != id {
        drop()
        job = try begin()
      }
      guard let diagnosis = try job?.work.step() else { return nil }
      drop()
      return diagnosis
    } catch {
      drop()
      throw .storage(error)
    }
  }

  // MARK: Repairing

  /// Repairs what is unfinished, salvages what is damaged, moves away what is beyond saving.
  ///
  /// - Parameter noted: what the notes say of a take that they call finished.
  /// - Returns: nil while there is more to do.
  func repair(_ id: String, noted: NotedSound? = nil) throws(LibraryError) -> RepairOutcome? {
    if job?.id != id { drop() }
    let stage = job?.stage ?? .looking
    let found: TakeDiagnosis?
    do {
      found = try stepping(id) { () throws(StorageError) in try begin(id) }
    } catch {
      if error.stalledUntil == nil { discardCopy(id, stage) }
      throw error
    }
    guard let diagnosis = found else { return nil }
    switch (stage, diagnosis) {
    case (.looking, .complete(let shape)): return .kept(shape, isMended: false)
    case (.looking, .unfinished(let shape)):
      let size = try disk.entry(TakePath.sound(id))?.size ?? 0
      // To finish it in place would be to empty it, or to throw away what was there when it was finished.
      let isEmptied = shape.frames == 0 && size > TakeRecovery.largestEmpty(id)
      guard !isEmptied, noted?.isLost(in: shape.frames, bytes: size, format: shape.format) != true else {
        try beginSalvage(
          id, reason: shape.frames == 0 ? "No sound could be found in it." : "Much of its sound could not be found.")
        break
      }
      // Remembered, for a repair that stalls at its last write leaves a complete file.
      log.markMended(id)
      let file = try disk.open(TakePath.sound(id), writable: true)
      // Of what the end of a take is written from.
      file.usesReserve = true
      try start(id, .repairing, [file]) { () throws(StorageError) in try repairer.repair(of: file) }
    case (.repairing, .complete(let shape)), (.repairing, .unfinished(let shape)): return .kept(shape, isMended: true)
    case (.looking, .damaged(let reason)), (.repairing, .damaged(let reason)),
      (.looking, .unanswered(let reason, _)), (.repairing, .unanswered(let reason, _)):
      try beginSalvage(id, reason: reason)
    case (.salvaging(let reason), .unfinished):
      let target = try disk.open(TakePath.salvage(id), writable: true)
      try start(id, .completing(reason), [target]) { () throws(StorageError) in try repairer.repair(of: target) }
    case (.salvaging(let reason), _), (.completing(let reason), _):
      return try finishSalvage(id, diagnosis.shape, reason: reason)
    }
    return nil
  }

  /// A copy that could not be finished is of no use.
  private func discardCopy(_ id: String, _ stage: Job.Stage) {
    switch stage {
    case .looking, .repairing: return
    case .salvaging, .completing:
      do throws(LibraryError) { try disk.removeIfPresent(TakePath.salvage(id)) } catch { notices.warn("\(error)") }
    }
  }

  private func start(
    _ id: String, _ stage: Job.Stage, _ files: [any StoredFile], _ work: () throws(StorageError) -> TakeWork
  ) throws(LibraryError) {
    do throws(StorageError) {
      job = Job(id: id, stage: stage, work: try work(), files: files)
    } catch {
      files.forEach { $0.close() }
      throw .storage(error)
    }
  }

  /// Saves what can be saved into a copy beside the original, moves the original away, puts the copy in its place. The
  /// copy's own suffix lets the next start finish the exchange, or begin it again, after a crash at any point.
  private func beginSalvage(_ id: String, reason: String) throws(LibraryError) {
    let path = TakePath.salvage(id)
    try disk.removeIfPresent(path)
    let target = try disk.create(path)
    let source: any StoredFile
    do throws(LibraryError) { source = try disk.open(TakePath.sound(id), writable: false) } catch {
      target.close()
      throw error
    }
    try start(id, .salvaging(reason), [source, target]) { () throws(StorageError) in
      try repairer.salvage(from: source, into: target)
    }
  }

  private func finishSalvage(_ id: String, _ saved: TakeShape?, reason: String) throws(LibraryError) -> RepairOutcome {
    let path = TakePath.salvage(id)
    guard let saved, saved.frames > 0 else {
      try disk.removeIfPresent(path)
      try setAside(id, reason: reason)
      return .quarantined
    }
    log.markSalvaged(id)
    try quarantine.take(
      TakePath.sound(id), reason: "\(reason) A copy of what could be saved has taken its place.",
      advice: RescueAdvice.sound, at: clock.wallNow)
    try setAsideProof(of: id, at: clock.wallNow)
    try disk.moveIfPresent(path, to: TakePath.sound(id))
    return .kept(saved, isMended: true)
  }

  /// Puts a salvaged copy in the place of its original, if that is in `_Corrupted/` already; else the copy may be
  /// incomplete and is made again.
  func finishSalvage(_ id: String) throws(LibraryError) {
    let path = TakePath.salvage(id)
    guard try disk.entry(path) != nil else { return }
    if try disk.entry(TakePath.sound(id)) == nil {
      try disk.moveIfPresent(path, to: TakePath.sound(id))
      log.markSalvaged(id)
    } else {
      try disk.removeIfPresent(path)
    }
  }

  /// Moves a sound and its metadata to `_Corrupted/`, the sound first: metadata without sound is recognised and
  /// follows at the next start.
  func setAside(_ id: String, reason: String) throws(LibraryError) {
    let time = clock.wallNow
    log.markQuarantined(id, reason: reason)
    log.note("\(id) could not be read and was moved to \(Quarantine.directory)/: \(reason)")
    let target = try quarantine.take(TakePath.sound(id), reason: reason, advice: RescueAdvice.sound, at: time)
    if let target { log.count { $0.corrupted.append(target) } }
    try setAsideProof(of: id, at: time)
    let metadata = try quarantine.take(
      TakePath.sidecar(id), reason: "Its sound could not be read.", advice: RescueAdvice.orphan, at: time)
    if metadata != nil {
      try disk.removeIfPresent(TakePath.backup(id))
    } else {
      try quarantine.take(
        TakePath.backup(id), reason: "Its sound could not be read.", advice: RescueAdvice.orphan, at: time)
    }
  }

  /// A signed receipt goes where the sound goes that it is about.
  private func setAsideProof(of id: String, at time: WallTime) throws(LibraryError) {
    try quarantine.take(
      ProofName.of(TakePath.sound(id)), reason: "Its sound could not be read.", advice: RescueAdvice.orphan, at: time)
  }

  /// Moves a damaged metadata file away.
  func setAsideMetadata(of id: String, reason: String) throws(LibraryError) {
    log.note("The metadata of \(id) was damaged (\(reason)) and moved to \(Quarantine.directory)/.")
    let target = try quarantine.take(
      TakePath.sidecar(id), reason: reason, advice: RescueAdvice.metadata, at: clock.wallNow)
    if let target { log.count { $0.corrupted.append(target) } }
  }

  /// Metadata whose sound is gone.
  func setAsideOrphan(_ name: String) throws(LibraryError) {
    let target = try quarantine.take(
      "\(TakePath.recordings)/\(name)", reason: "The sound it describes is not in recordings/.",
      advice: RescueAdvice.orphan, at: clock.wallNow)
    guard let target else { return }
    log.count { $0.corrupted.append(target) }
    log.note("\(name) had no sound beside it and was moved to \(target).")
  }
}
