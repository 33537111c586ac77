internal import Hardware
internal import JSON
internal import Library
internal import Media
internal import Proof
internal import Recording
internal import Sealing

/// Lets the file writer keep takes in the library. Storage lane only.
final class LibraryTakeStore: RecordingStore {
  private let library: Library
  private let storage: any Storage
  private let clock: any DeviceClock
  private let authors: RecordingAuthors
  /// Takes that are being made, by their names: one, or two where one goes on in another file, and the safety takes beside
  /// them.
  private var open: [String: FileMeta] = [:]
  /// What signs them.
  private var proofs: [String: ProofWriter] = [:]
  /// Titles of marks, by their frames, of takes that are sealed.
  private var titles: [String: [Int: String]] = [:]
  /// Takes whose notes are written, and whose proofs still want their ends.
  private var unsealed: [String: FileMeta] = [:]
  /// The last recording of each kind begun, which the next one may continue, or lie beside.
  private var last: [RecordingKind: (number: Int, id: String)] = [:]
  /// Whom the take that was begun last is sealed to, and whether it is signed: as was set then, to its end.
  private var recipients: [AgeRecipient] = []
  private var isSigned = false

  init(library: Library, storage: any Storage, clock: any DeviceClock, authors: RecordingAuthors) {
    self.authors = authors
    self.library = library
    self.storage = storage
    self.clock = clock
  }

  func begin(_ opening: RecordingOpening) throws(StorageError) -> RecordingPlace {
    let isSafety = opening.kind == .safety
    let main = isSafety ? begun(.take, opening.number - RecordingOpening.safety) : nil
    if isSafety, main == nil {
      throw StorageError(.notFound, operation: "begin a safety take without its take", path: "recordings")
    }
    if !isSafety, opening.continues == nil {
      (recipients, isSigned) = (library.seals.recipients, library.proofs.isOn)
    }
    let scratch = try storage.scratch()
    do throws(LibraryError) {
      let format = TakeFormat(rawValue: opening.encoding.rawValue) ?? .aac
      let (meta, file) = try library.begin(
        plan(opening), fileExtension: format.fileExtension + (recipients.isEmpty ? "" : TakeName.sealedSuffix),
        beside: main,
        author: author(of: opening).flatMap { $0.isInName ? $0.name : nil })
      open[meta.id] = meta
      last[opening.kind] = (opening.number, meta.id)
      if !isSafety {
        library.continued = nil
        // Not before: a safety take may be completed after its take.
        titles = titles.filter { open[$0.key] != nil }
      }
      if let sealed = library.seals.seal(meta.id, file, for: recipients) {
        return RecordingPlace(id: meta.id, sealed: sealed, scratch: scratch, suffix: TakeName.sealedSuffix)
      }
      let proof = library.proofs.begin(
        isSafety ? "safety" : "take", path: "recordings/\(meta.id)", isOn: isSigned
      ) {
        $0.notes = meta.signedAtStart
        $0.operatorName = meta.operatorName
        $0.continues = meta.linkedTake
      }
      proofs[meta.id] = proof
      return RecordingPlace(id: meta.id, file: file, scratch: scratch, proof: proof)
    } catch {
      scratch.close()
      throw Self.storageError(error)
    }
  }

  private func author(of opening: RecordingOpening) -> RecordingAuthors.Author? {
    authors.author(at: opening.receipt.triggeredAt ?? opening.take?.pressedInstant)
  }

  private func begun(_ kind: RecordingKind, _ number: Int) -> String? {
    last[kind].flatMap { $0.number == number ? $0.id : nil }
  }

  private func plan(_ opening: RecordingOpening) -> FileMeta {
    let pcm = opening.pcm
    let bitrate =
      opening.encoding == .aac || opening.encoding == .opus
      ? opening.sound?.bitrateKbps : pcm.sampleRate * pcm.channels * pcm.bits / 1000
    var meta = FileMeta(
      id: "", displayName: "", createdAt: opening.take?.pressedAt ?? opening.createdAt,
      audio: AudioAttributes(
        duration: 0, bitrateKbps: bitrate, sampleRate: pcm.sampleRate, channels: pcm.channels,
        format: opening.encoding.rawValue, fileSizeBytes: 0))
    meta.preRecordSeconds = pcm.duration(ofFrames: opening.take?.preRecordedFrames ?? 0).inSeconds
    meta.source = opening.take?.source
    meta.operatorName = author(of: opening)?.name
    meta.linkedTake = opening.continues.map { begun(opening.kind, $0) } ?? library.continued
    meta.startedMonotonic = (opening.take?.pressedInstant ?? opening.receipt.start).seconds
    return meta
  }

  func addMark(_ id: String, frame: Int, title: String?) throws(StorageError) -> String? {
    guard let take = open[id] else { return nil }
    // What people call it is in the file only, where that is sealed.
    let isSealed = TakeName.isSealed(id)
    do throws(LibraryError) {
      let mark = Bookmark(
        takeID: id, frame: frame, sampleRate: take.audio.sampleRate, ordinal: try library.show(id).bookmarks.count + 1,
        title: isSealed ? nil : title, createdAt: clock.wallNow)
      try library.mark(id, mark)
    } catch {
      if case .badArgument(let why) = error { return why }
      throw Self.storageError(error)
    }
    if isSealed, let title { titles[id, default: [:]][frame] = title }
    return nil
  }

  func keepMarks(_ id: String) throws(StorageError) {
    do throws(LibraryError) { try library.keepMarks(id) } catch { throw Self.storageError(error) }
  }

  func marks(of id: String) -> [TakeMark] {
    let main = library.main(of: id)
    let marks = (try? library.show(main).chapters) ?? []
    guard let titles = titles[main] else { return marks }
    return marks.map { TakeMark(frame: $0.frame, label: titles[$0.frame] ?? $0.label) }
  }

  func addGap(_ id: String, _ gap: CaptureGap) throws(StorageError) {
    try edit(id) { $0.add(Gap(frame: gap.frame, frames: gap.frames, reason: gap.reason)) }
  }

  func complete(_ id: String, _ ending: RecordingEnding) throws(StorageError) {
    if let meta = unsealed[id] { return try seal(id, meta) }
    guard var take = open[id] else { return try keepNotes(id) }
    take.setLength(frames: ending.frames, fileSizeBytes: ending.fileBytes)
    // What these come to is known only now.
    if take.audio.format == TakeFormat.flac.rawValue || take.audio.format == TakeFormat.alac.rawValue {
      take.audio.bitrateKbps = Int(Double(ending.fileBytes) * 8 / 1000 / max(0.001, take.audio.duration))
    }
    take.stopReason = ending.reason.rawValue
    take.clampPreRecord()
    let main = library.main(of: id)
    if main != id {
      // A safety take has the marks that its take has now, and nobody has measured it.
      take.bookmarks = (try? library.show(main).bookmarks) ?? []
    } else if !TakeName.isSealed(id) {
      // What a sealed one sounds like is nobody's business who has not the key.
      take.loudness = Loudness(integratedLUFS: ending.integratedLUFS, truePeakDBTP: ending.truePeakDBTP)
    }
    clamp(&take, to: ending.frames)
    // The library carries it without knowing what is in it.
    var receipt = ending.receipt
    receipt.sound.lostFrames = min(receipt.sound.lostFrames, take.gaps.reduce(0) { $0 + $1.frames })
    take.unknown["receipt"] = receipt.takeJSON
    if ending.unfinished != nil, let proof = proofs[id] {
      // What is signed is on the storage before the file is completed, and recovery signs what has come of it then.
      try library.proofs.end(proof, notes: [:], seconds: 0)
      proofs[id] = nil
    }
    let kept: FileMeta
    do throws(LibraryError) {
      kept = try library.complete(id, take, isUnfinished: ending.unfinished != nil)
    } catch {
      let refusal = Self.storageError(error)
      switch refusal.kind {
      case .stalled: break
      case .notFound: forget(id)
      // Its proof gets its end with the notes.
      default: open[id] = nil
      }
      throw refusal
    }
    open[id] = nil
    try seal(id, kept)
  }

  /// Writes notes that the storage did not take when the take ended, and the end of its proof, which tells what is in them.
  private func keepNotes(_ id: String) throws(StorageError) {
    let kept: FileMeta
    do throws(LibraryError) {
      try library.keepNotes(id)
      guard proofs[id] != nil else { return }
      kept = try library.show(id)
    } catch {
      let refusal = Self.storageError(error)
      if refusal.kind == .notFound { forget(id) }
      throw refusal
    }
    try seal(id, kept)
  }

  func kept(_ id: String, _ ending: RecordingEnding) -> RecordingEnding {
    guard ending.unfinished != nil, let meta = try? library.show(id) else { return ending }
    var kept = ending
    (kept.frames, kept.fileBytes) = (meta.frames, meta.audio.fileSizeBytes)
    return kept
  }

  /// Signs the end of a take, with what its notes say of it.
  private func seal(_ id: String, _ meta: FileMeta) throws(StorageError) {
    unsealed[id] = meta
    if let proof = proofs[id] {
      try library.proofs.end(
        proof, notes: meta.signed, seconds: meta.audio.duration, facts: ["bookmarks": meta.signedMarks])
    }
    unsealed[id] = nil
    proofs[id] = nil
  }

  private func forget(_ id: String) {
    open[id] = nil
    proofs.removeValue(forKey: id)?.close()
  }

  /// Start-up completes what is in the file.
  func abandon(_ id: String) { forget(id) }

  func discard(_ id: String) throws(StorageError) {
    guard open[id] != nil else { return }
    proofs.removeValue(forKey: id)?.close()
    do throws(LibraryError) { try library.discard(id) } catch {
      if error.stalledUntil == nil { open[id] = nil }
      throw Self.storageError(error)
    }
    open[id] = nil
  }

  /// Gaps of sound that the storage did not take any more: the take ends before them.
  private func clamp(_ meta: inout FileMeta, to frames: Int) {
    meta.gaps = meta.gaps.compactMap { gap in
      let kept = min(gap.frames, frames - gap.frame)
      return kept > 0 ? Gap(frame: gap.frame, frames: kept, reason: gap.reason) : nil
    }
  }

  /// Changes an open take's metadata; a stall leaves it as it was, so that the change is made once. What cannot be written
  /// is kept for the end of the take.
  private func edit(_ id: String, _ change: (inout FileMeta) -> Void) throws(StorageError) {
    guard var take = open[id] else { return }
    change(&take)
    do throws(LibraryError) { try library.update(id, take) } catch {
      if error.stalledUntil == nil { open[id] = take }
      throw Self.storageError(error)
    }
    open[id] = take
  }

  private static func storageError(_ error: LibraryError) -> StorageError {
    if case .storage(let inner) = error { return inner }
    let isGone = if case .notFound = error { true } else { false }
    return StorageError(isGone ? .notFound : .failed, operation: "keep the take: \(error)", path: "recordings")
  }
}
