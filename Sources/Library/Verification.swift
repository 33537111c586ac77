internal import Hardware
internal import Media

/// Something that is not as it should be with a take or clip.
public struct Finding: Hashable, Sendable {
  public enum Severity: String, Hashable, Sendable {
    /// Worth knowing; nothing is wrong.
    case note
    /// Can be mended without loss.
    case warning
    /// Sound, pictures or metadata are lost or at risk.
    case error
  }

  /// The take or clip.
  public var id: String
  public var severity: Severity
  /// Stable word for programs: `sound-missing`, `sound-damaged`, `sound-unfinished`, `sound-unreadable`,
  /// `size-differs`, `length-differs`, `metadata-missing`, `metadata-damaged`, `backup-damaged`, `catalogue-differs`,
  /// `in-progress`; of clips `clip-missing`, `clip-damaged`, `clip-unfinished`, `receipt-missing`, `receipt-damaged`;
  /// of both `sealed`.
  public var code: String
  /// One sentence for people.
  public var text: String
  /// `repair` can do something about it.
  public var isRepairable: Bool
}

/// Where a check of the whole library is; made by `beginVerify`.
public struct VerifyCursor: Hashable, Sendable {
  /// Takes still to be checked, the next one last.
  var rest: [String]
  /// Takes checked.
  public internal(set) var done = 0
  /// Takes in all.
  public let total: Int
}

/// Looks whether takes and clips are as they should be, and changes nothing, ever. Storage worker only.
struct Verification {
  private let disk: Disk
  private let index: Index
  private let metadata: Metadata
  private let sounds: SoundRepair
  private let clips: ClipIndex
  private let queue: RecoveryQueue

  init(
    disk: Disk, index: Index, metadata: Metadata, sounds: SoundRepair, clips: ClipIndex, queue: RecoveryQueue
  ) {
    self.disk = disk
    self.index = index
    self.metadata = metadata
    self.sounds = sounds
    self.clips = clips
    self.queue = queue
  }

  /// A take with its safety take, or else a clip; what is on the storage counts, listed or not.
  func recording(_ id: String) throws(LibraryError) -> [Finding] {
    let findings: [Finding]
    do { findings = try take(id) } catch {
      guard case .notFound = error else { throw error }
      return try clip(id)
    }
    guard let safety = index.safety(of: id) else { return findings }
    return try findings + take(safety.id)
  }

  /// All takes, newest first, those that are not listed yet included.
  func begin() -> VerifyCursor {
    let ids = index.ids + queue.unlisted.reversed().filter { index[$0] == nil && TakePath.isSound($0) }
    return VerifyCursor(rest: ids, total: ids.count)
  }

  /// Those clips that are listed, and those that were cut off.
  var allClips: [String] { clips.finished.map(\.id) + queue.unfinishedClips }

  /// The next take; `nil` when all are done.
  func next(_ cursor: inout VerifyCursor) throws(LibraryError) -> [Finding]? {
    guard let id = cursor.rest.last else { return nil }
    var findings: [Finding] = []
    do { findings = try take(id) } catch {
      // Deleted since.
      guard case .notFound = error else { throw error }
    }
    cursor.rest.removeLast()
    cursor.done += 1
    return findings
  }

  // MARK: Takes

  private func take(_ id: String) throws(LibraryError) -> [Finding] {
    guard !metadata.isOpen(id) else {
      return [
        Finding(id: id, severity: .note, code: "in-progress", text: "It is being recorded.", isRepairable: false)
      ]
    }
    let record = index[id]
    guard let sound = try disk.entry(TakePath.sound(id)) else {
      guard record != nil else { throw .notFound(id) }
      return [Self.fault(id, "sound-missing", "The sound file is gone.")]
    }
    var findings: [Finding] = []
    let meta = try verifyMetadata(of: id, sound: sound, into: &findings)
    if TakeName.isSealed(id) { findings.append(Self.sealed(id)) }
    do {
      if try disk.cannotHold(sound.size) {
        findings.append(Self.fault(id, "sound-damaged", "The sound claims more bytes than the storage has."))
      } else if !TakeName.isSealed(id) {
        try verifySound(of: id, meta: meta, into: &findings)
      }
    } catch {
      if error.stalledUntil != nil { throw error }
      findings.append(Self.fault(id, "sound-unreadable", "The sound could not be read (\(error))."))
    }
    if let record, !record.matches(sound: sound) || record.frames != (meta?.frames ?? record.frames) {
      findings.append(Self.flaw(id, "catalogue-differs", "The catalogue knows another state of it."))
    }
    return findings
  }

  private func verifyMetadata(
    of id: String, sound: StorageEntry, into findings: inout [Finding]
  ) throws(LibraryError) -> FileMeta? {
    // Files from elsewhere need none, and what lies beside them may be others'.
    guard TakeName.isOurs(id) else { return try metadata.ofStranger(id) }
    let meta: FileMeta
    switch try metadata.file(TakePath.sidecar(id)) {
    case .absent:
      findings.append(Self.flaw(id, "metadata-missing", "The metadata file is gone."))
      return nil
    case .damaged(let reason):
      findings.append(Self.flaw(id, "metadata-damaged", "The metadata is damaged: \(reason)."))
      return nil
    case .good(let read): meta = read
    }
    if case .damaged(let reason) = try metadata.file(TakePath.backup(id)) {
      findings.append(Self.flaw(id, "backup-damaged", "The metadata's backup is damaged: \(reason)."))
    }
    if meta.inProgress {
      findings.append(Self.flaw(id, "in-progress", "It was cut off and has not been completed."))
    } else if meta.audio.fileSizeBytes != sound.size {
      findings.append(
        Self.flaw(
          id, "size-differs", "The sound has \(sound.size) bytes, the metadata says \(meta.audio.fileSizeBytes)."))
    }
    return meta
  }

  private func verifySound(of id: String, meta: FileMeta?, into findings: inout [Finding]) throws(LibraryError) {
    switch try sounds.inspect(id) {
    case .complete(let shape):
      guard let meta, !meta.inProgress, meta.frames != shape.frames else { return }
      findings.append(
        Self.flaw(
          id, "length-differs", "The sound has \(shape.frames) frames, the metadata says \(meta.frames)."))
    case .unfinished(let shape):
      guard TakeName.isOurs(id) else { return }
      findings.append(
        Self.flaw(
          id, "sound-unfinished", "The sound is not finished; \(shape.frames) frames of it can be kept."))
    case .damaged(let reason), .unanswered(let reason, _):
      findings.append(
        Finding(
          id: id, severity: .error, code: "sound-damaged", text: "The sound is damaged: \(reason)",
          isRepairable: TakeName.isOurs(id)))
    }
  }

  // MARK: Clips

  private func clip(_ id: String) throws(LibraryError) -> [Finding] {
    guard !clips.isOpen(id) else {
      return [
        Finding(id: id, severity: .note, code: "in-progress", text: "It is being recorded.", isRepairable: false)
      ]
    }
    guard try disk.entry(ClipPath.clip(id)) != nil else {
      guard try disk.entry(ClipPath.part(id)) == nil else {
        return [Self.flaw(id, "clip-unfinished", "It was cut off and has not been completed.")]
      }
      guard clips[id] != nil else { throw .notFound(id) }
      return [Self.fault(id, "clip-missing", "The clip is gone.")]
    }
    var findings: [Finding] = []
    // What the device has not made is as its maker left it.
    guard TakeName.isOurs(id) else { return [] }
    try verifyReceipt(of: id, into: &findings)
    guard !TakeName.isSealed(id) else { return findings + [Self.sealed(id)] }
    let file = try disk.open(ClipPath.clip(id), writable: false)
    defer { file.close() }
    let found: MediaInspection
    do throws(StorageError) { found = try MediaRepair.inspect(file) } catch { throw .storage(error) }
    if found.condition != .finished {
      findings.append(Self.fault(id, "clip-damaged", "The clip is damaged or has lost its end."))
    }
    return findings
  }

  private func verifyReceipt(of id: String, into findings: inout [Finding]) throws(LibraryError) {
    guard try disk.entry(ClipPath.receipt(id)) != nil else {
      return findings.append(Self.fault(id, "receipt-missing", "The receipt is gone."))
    }
    do {
      _ = try Receipts(disk).read(id)
    } catch {
      if error.stalledUntil != nil { throw error }
      findings.append(Self.fault(id, "receipt-damaged", "The receipt is damaged (\(error))."))
    }
  }

  private static func sealed(_ id: String) -> Finding {
    Finding(
      id: id, severity: .note, code: "sealed", text: "It is sealed: what is in it can be checked with its key only.",
      isRepairable: false)
  }

  private static func flaw(_ id: String, _ code: String, _ text: String) -> Finding {
    Finding(id: id, severity: .warning, code: code, text: text, isRepairable: true)
  }

  private static func fault(_ id: String, _ code: String, _ text: String) -> Finding {
    Finding(id: id, severity: .error, code: code, text: text, isRepairable: false)
  }
}
