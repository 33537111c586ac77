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
  /// `size-differs`, `length-differs`, `format-differs`, `metadata-missing`, `metadata-damaged`, `backup-damaged`,
  /// `catalogue-differs`, `in-progress`;
  /// of clips `clip-missing`, `clip-damaged`, `clip-unfinished`, `receipt-missing`, `receipt-damaged`;
  /// of both `sealed`.
  public var code: String
  /// One sentence for people.
  public var text: String
  /// `repair` can do something about it.
  public var isRepairable: Bool
}

extension Sequence<Finding> {
  /// How many takes and clips nobody could look into: sealed ones, and what is being recorded.
  public var unseen: Int { Set(lazy.filter { $0.severity == .note }.map(\.id)).count }
}

/// Where a check of takes, or of one take or clip, is; made by `beginVerify`.
public struct VerifyCursor: Hashable, Sendable {
  /// Takes still to be checked, and clips, which come behind them; the next one last.
  var rest: [String]
  private(set) var clips: [String]
  /// It was asked for by its name, and may be a clip: if it is not there, that is an error.
  let isNamed: Bool
  /// Takes and clips checked.
  public private(set) var done = 0
  /// Takes in all.
  public let total: Int

  init(_ rest: [String], clips: [String] = [], isNamed: Bool = false) {
    self.rest = rest
    self.clips = clips
    self.isNamed = isNamed
    total = rest.count
  }

  var next: String? { rest.last ?? clips.last }
  var mayBeClip: Bool { isNamed || rest.isEmpty }

  mutating func advance() {
    if rest.popLast() == nil { clips.removeLast() }
    done += 1
  }
}

/// Looks whether takes and clips are as they should be, in bounded steps, and changes nothing, ever. Storage worker only.
final class Verification {
  /// A recording that is being looked at.
  private struct Look {
    let id: String
    /// What is known of it without its inside.
    let findings: [Finding]
    /// Looks at the inside a piece at a time; nil while there is more.
    let inside: () throws(StorageError) -> [Finding]?
    /// Open until that is done.
    let file: (any StoredFile)?
  }

  private let disk: Disk
  private let index: Index
  private let metadata: Metadata
  private let origin: Origin
  private let repairer: any TakeRepairer
  private let clips: ClipIndex
  private let queue: RecoveryQueue
  private var look: Look?

  /// - Parameter repairer: nobody else's: two files that are looked at by turns would begin anew each time.
  init(
    disk: Disk, index: Index, metadata: Metadata, origin: Origin, repairer: any TakeRepairer, clips: ClipIndex,
    queue: RecoveryQueue
  ) {
    self.origin = origin
    self.disk = disk
    self.index = index
    self.metadata = metadata
    self.repairer = repairer
    self.clips = clips
    self.queue = queue
  }

  /// A take with its safety take, or else a clip; what is on the storage counts, listed or not.
  func begin(of id: String) -> VerifyCursor {
    VerifyCursor([index.safety(of: id)?.id, id].compactMap(\.self), isNamed: true)
  }

  /// All takes, newest first, those that are not listed yet included; then the clips that are listed, and those that were cut
  /// off.
  func begin() -> VerifyCursor {
    VerifyCursor(
      index.ids + queue.unlisted.reversed().filter { index[$0] == nil && TakePath.isSound($0) },
      clips: (clips.finished.map(\.id) + queue.unfinishedClips).reversed())
  }

  /// Does the next piece of a check.
  ///
  /// - Returns: what was found, none while there is more of the same file; `nil` when all is done.
  func next(_ cursor: inout VerifyCursor) throws(LibraryError) -> [Finding]? {
    guard let id = cursor.next else {
      if look == nil { repairer.rest() }
      return nil
    }
    let found: [Finding]?
    do { found = try step(id, mayBeClip: cursor.mayBeClip) } catch {
      // Deleted since.
      guard case .notFound = error, !cursor.isNamed else { throw error }
      found = []
    }
    guard let found else { return [] }
    cursor.advance()
    return found
  }

  /// Goes on with the look at a recording, or waits while another check has one in hand.
  private func step(_ id: String, mayBeClip: Bool) throws(LibraryError) -> [Finding]? {
    if look == nil { look = try begin(id, mayBeClip: mayBeClip) }
    guard let look, look.id == id else { return nil }
    do throws(StorageError) {
      guard let found = try look.inside() else { return nil }
      end()
      return look.findings + found
    } catch {
      end()
      if LibraryError.storage(error).stalledUntil != nil { throw .storage(error) }
      return look.findings + [Self.unreadable(id, "\(LibraryError.storage(error))")]
    }
  }

  private func end() {
    look?.file?.close()
    look = nil
  }

  private func begin(_ id: String, mayBeClip: Bool) throws(LibraryError) -> Look {
    do { return try beginTake(id) } catch {
      guard case .notFound = error, mayBeClip else { throw error }
      return try beginClip(id)
    }
  }

  private static func isName(_ id: String) -> Bool { !id.utf8.contains(UInt8(ascii: "/")) }

  /// One of which no more can be said.
  private static func known(_ id: String, _ findings: [Finding]) -> Look {
    Look(id: id, findings: findings, inside: { () throws(StorageError) in [] }, file: nil)
  }

  // MARK: Takes

  private func beginTake(_ id: String) throws(LibraryError) -> Look {
    guard !metadata.isOpen(id) else { return Self.known(id, [Self.recording(id)]) }
    let record = index[id]
    // A folder, or notes, are no recording, wherever a path leads.
    guard record != nil || TakePath.isSound(id) && Self.isName(id) else { throw .notFound(id) }
    guard let sound = try disk.entry(TakePath.sound(id)) else {
      guard record != nil else { throw .notFound(id) }
      return Self.known(id, [Self.fault(id, "sound-missing", "The sound file is gone.")])
    }
    var findings: [Finding] = []
    let isOwn = try isOwn(id)
    let meta = isOwn ? try verifyMetadata(of: id, sound: sound, into: &findings) : try metadata.ofStranger(id)
    let noted = isOwn ? meta?.frames : nil
    if let record, !record.matches(sound: sound) || record.frames != (noted ?? record.frames) {
      findings.append(Self.flaw(id, "catalogue-differs", "The catalogue knows another state of it."))
    }
    if isOwn, TakeName.isSealed(id) { findings.append(Self.sealed(id)) }
    do {
      if try disk.cannotHold(sound.size) {
        return Self.known(
          id, findings + [Self.fault(id, "sound-damaged", "The sound claims more bytes than the storage has.")])
      }
      guard !isOwn || !TakeName.isSealed(id) else { return Self.known(id, findings) }
      return try beginSound(id, isOwn: isOwn, meta, findings)
    } catch {
      if error.stalledUntil != nil { throw error }
      return Self.known(id, findings + [Self.unreadable(id, "\(error)")])
    }
  }

  /// A file that cannot be read is told of as what its name says.
  private func isOwn(_ id: String) throws(LibraryError) -> Bool {
    do throws(LibraryError) { return try origin.isOwn(id) } catch {
      if error.stalledUntil != nil { throw error }
      return TakeName.isOurs(id)
    }
  }

  private func beginSound(
    _ id: String, isOwn: Bool, _ meta: FileMeta?, _ findings: [Finding]
  ) throws(LibraryError) -> Look {
    do throws(StorageError) {
      let (work, file) = try repairer.look(at: id, isOwn: isOwn, on: disk.storage)
      let inside: () throws(StorageError) -> [Finding]? = { () throws(StorageError) in
        try work.step().map { Self.findings(of: id, isOwn: isOwn, isOwn ? $0 : $0.ofStranger, meta) }
      }
      return Look(id: id, findings: findings, inside: inside, file: file)
    } catch {
      throw .storage(error)
    }
  }

  private static func findings(
    of id: String, isOwn: Bool, _ diagnosis: TakeDiagnosis, _ meta: FileMeta?
  ) -> [Finding] {
    switch diagnosis {
    case .complete(let shape):
      // Of files from elsewhere the notes need not know the length.
      guard isOwn, let meta, !meta.inProgress else { return [] }
      let audio = meta.audio
      var found: [Finding] = []
      if meta.frames != shape.frames {
        found.append(
          flaw(id, "length-differs", "The sound has \(shape.frames) frames, the metadata says \(meta.frames)."))
      }
      if audio.sampleRate != shape.sampleRate || audio.channels != shape.channels {
        let (noted, said) = (
          "\(audio.sampleRate) Hz x \(audio.channels)", "\(shape.sampleRate) Hz x \(shape.channels)"
        )
        found.append(flaw(id, "format-differs", "The sound says \(said), the metadata says \(noted)."))
      }
      return found
    case .unfinished(let shape):
      guard isOwn else { return [] }
      return [
        flaw(id, "sound-unfinished", "The sound is not finished; \(shape.frames) frames of it can be kept.")
      ]
    case .damaged(let reason), .unanswered(let reason, _):
      return [
        Finding(
          id: id, severity: .error, code: "sound-damaged", text: "The sound is damaged: \(reason)",
          isRepairable: isOwn)
      ]
    }
  }

  private func verifyMetadata(
    of id: String, sound: StorageEntry, into findings: inout [Finding]
  ) throws(LibraryError) -> FileMeta? {
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

  // MARK: Clips

  private func beginClip(_ id: String) throws(LibraryError) -> Look {
    guard !clips.isOpen(id) else { return Self.known(id, [Self.recording(id)]) }
    guard (ClipPath.isFilm(id) || TakeName.isSealed(id)) && Self.isName(id) || clips[id] != nil else {
      throw .notFound(id)
    }
    guard try disk.entry(ClipPath.clip(id)) != nil else {
      guard try disk.entry(ClipPath.part(id)) == nil else {
        return Self.known(id, [Self.flaw(id, "clip-unfinished", "It was cut off and has not been completed.")])
      }
      guard clips[id] != nil else { throw .notFound(id) }
      return Self.known(id, [Self.fault(id, "clip-missing", "The clip is gone.")])
    }
    var findings: [Finding] = []
    // What the device has not made is as its maker left it.
    guard TakeName.isOurs(id) else { return Self.known(id, []) }
    try verifyReceipt(of: id, into: &findings)
    guard !TakeName.isSealed(id) else { return Self.known(id, findings + [Self.sealed(id)]) }
    let file = try disk.open(ClipPath.clip(id), writable: false)
    var looking = MediaRepair(inspecting: file)
    var index: ClipCheck?
    let inside: () throws(StorageError) -> [Finding]? = { () throws(StorageError) in
      if index != nil {
        switch try index?.step() {
        case nil: return nil
        case .whole: return []
        case .damaged(let reason): return [Self.fault(id, "clip-damaged", "The clip is damaged: \(reason).")]
        }
      }
      guard let found = try looking.step() else { return nil }
      if found.condition == .finished { return [] }
      // One that was trimmed or joined has no head to be mended by: it is an ordinary file, whose index has to do.
      if found.condition == .foreign {
        index = ClipCheck(file)
        return nil
      }
      if case .unfinished(let reason) = found.condition {
        return [Self.flaw(id, "clip-damaged", "The clip is not whole: \(reason)")]
      }
      return [Self.fault(id, "clip-damaged", "The clip is damaged or has lost its end.")]
    }
    return Look(id: id, findings: findings, inside: inside, file: file)
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

  private static func recording(_ id: String) -> Finding {
    Finding(id: id, severity: .note, code: "in-progress", text: "It is being recorded.", isRepairable: false)
  }

  private static func unreadable(_ id: String, _ reason: String) -> Finding {
    fault(id, "sound-unreadable", "The sound could not be read (\(reason)).")
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
