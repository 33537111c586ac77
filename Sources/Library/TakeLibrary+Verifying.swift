internal import Hardware

/// Something that is not as it should be with a take.
public struct Finding: Hashable, Sendable {
  public enum Severity: String, Hashable, Sendable {
    /// Worth knowing; nothing is wrong.
    case note
    /// Can be mended without loss.
    case warning
    /// Sound or metadata is lost or at risk.
    case error
  }

  /// The take.
  public var id: String
  public var severity: Severity
  /// Stable word for programs: `sound-missing`, `sound-damaged`, `sound-unfinished`, `sound-unreadable`,
  /// `size-differs`, `length-differs`, `metadata-missing`, `metadata-damaged`, `backup-damaged`, `catalogue-differs`,
  /// `in-progress`.
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

extension TakeLibrary {
  /// Checks one take without changing anything: sound structure, sizes, metadata, backup, catalogue. After a stall call
  /// again.
  public func verify(_ id: String) throws(LibraryError) -> [Finding] {
    guard active[id] == nil else {
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
    do {
      try verifySound(of: id, meta: meta, into: &findings)
    } catch {
      if error.stalledUntil != nil { throw error }
      findings.append(Self.fault(id, "sound-unreadable", "The sound could not be read (\(error))."))
    }
    if let record, !record.matches(sound: sound) || record.frames != (meta?.frames ?? record.frames) {
      findings.append(Self.flaw(id, "catalogue-differs", "The catalogue knows another state of it."))
    }
    return findings
  }

  /// Begins a check of all takes, newest first; `verifyNext` does one at a time.
  public func beginVerify() -> VerifyCursor { VerifyCursor(rest: index.records.map(\.id), total: index.count) }

  /// Checks the next take; `nil` when all are done. After a stall call again with the same cursor.
  public func verifyNext(_ cursor: inout VerifyCursor) throws(LibraryError) -> [Finding]? {
    guard let id = cursor.rest.last else { return nil }
    let findings: [Finding]
    do {
      findings = try verify(id)
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
  /// files that have been put into `recordings/` since the start, too. After a stall call again.
  ///
  /// - Returns: sentences about what was done; none if there was nothing to do.
  public func repair(_ id: String) throws(LibraryError) -> [String] {
    guard active[id] == nil else { throw .busy(id) }
    // An id is a file name, never a path to somewhere else.
    guard !id.contains("/"), TakePath.isSound(id) else { throw .notFound(id) }
    if index[id] == nil, try disk.entry(TakePath.sound(id)) == nil, try disk.entry(TakePath.salvage(id)) == nil {
      throw .notFound(id)
    }
    if try readMetadata(TakePath.backup(id)).meta == nil, let meta = try readMetadata(TakePath.sidecar(id)).meta,
      !meta.inProgress
    {
      try write(meta, id: id, withBackup: true)
      note("The backup of \(id)'s metadata was written again.")
    }
    try examine(id, thoroughly: true)
    defer { notes.removeAll() }
    return notes
  }

  private func verifyMetadata(
    of id: String, sound: StorageEntry, into findings: inout [Finding]
  ) throws(LibraryError) -> FileMeta? {
    let meta: FileMeta
    switch try readMetadata(TakePath.sidecar(id)) {
    case .absent:
      findings.append(Self.flaw(id, "metadata-missing", "The metadata file is gone."))
      return nil
    case .damaged(let reason):
      findings.append(Self.flaw(id, "metadata-damaged", "The metadata is damaged: \(reason)."))
      return nil
    case .good(let read): meta = read
    }
    if case .damaged(let reason) = try readMetadata(TakePath.backup(id)) {
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
    switch try inspect(id) {
    case .complete(let shape):
      guard let meta, !meta.inProgress, meta.frames != shape.frames else { return }
      findings.append(
        Self.flaw(
          id, "length-differs", "The sound has \(shape.frames) frames, the metadata says \(meta.frames)."))
    case .unfinished(let shape):
      findings.append(
        Self.flaw(
          id, "sound-unfinished", "The sound is not finished; \(shape.frames) frames of it can be kept."))
    case .damaged(let reason):
      findings.append(
        Finding(
          id: id, severity: .error, code: "sound-damaged", text: "The sound is damaged: \(reason)", isRepairable: true))
    }
  }

  private static func flaw(_ id: String, _ code: String, _ text: String) -> Finding {
    Finding(id: id, severity: .warning, code: code, text: text, isRepairable: true)
  }

  private static func fault(_ id: String, _ code: String, _ text: String) -> Finding {
    Finding(id: id, severity: .error, code: code, text: text, isRepairable: false)
  }
}
