internal import Hardware
internal import JSON
internal import Library
internal import Media
internal import Recording

/// Lets the file writer keep takes in the library. Storage lane only.
final class LibraryTakeStore: RecordingStore {
  private let library: Library
  private let storage: any Storage
  private let clock: any DeviceClock
  /// Takes that are being made, by their names: one, or two where one goes on in another file.
  private var open: [String: FileMeta] = [:]
  /// The last recording begun, which the next one may continue.
  private var last: (number: Int, id: String)?

  init(library: Library, storage: any Storage, clock: any DeviceClock) {
    self.library = library
    self.storage = storage
    self.clock = clock
  }

  func begin(_ opening: RecordingOpening) throws(StorageError) -> RecordingPlace {
    let scratch = try storage.scratch()
    do throws(LibraryError) {
      let format = TakeFormat(rawValue: opening.encoding.rawValue) ?? .aac
      let (meta, file) = try library.begin(plan(opening), fileExtension: format.fileExtension)
      open[meta.id] = meta
      last = (opening.number, meta.id)
      return RecordingPlace(id: meta.id, file: file, scratch: scratch)
    } catch {
      scratch.close()
      throw Self.storageError(error)
    }
  }

  private func plan(_ opening: RecordingOpening) -> FileMeta {
    let pcm = opening.pcm
    let bitrate =
      opening.encoding == .aac ? opening.sound?.bitrateKbps : pcm.sampleRate * pcm.channels * pcm.bits / 1000
    var meta = FileMeta(
      id: "", displayName: "", createdAt: opening.take?.pressedAt ?? opening.createdAt,
      audio: AudioAttributes(
        duration: 0, bitrateKbps: bitrate, sampleRate: pcm.sampleRate, channels: pcm.channels,
        format: opening.encoding.rawValue, fileSizeBytes: 0))
    meta.preRecordSeconds = pcm.duration(ofFrames: opening.take?.preRecordedFrames ?? 0).inSeconds
    meta.source = opening.take?.source
    meta.linkedTake = last.flatMap { $0.number == opening.continues ? $0.id : nil }
    meta.startedMonotonic = (opening.take?.pressedInstant ?? opening.receipt.start).seconds
    return meta
  }

  func addMark(_ id: String, frame: Int, title: String?) throws(StorageError) {
    try edit(id) { meta in
      meta.bookmarks.append(
        Bookmark(
          takeID: meta.id, frame: frame, sampleRate: meta.audio.sampleRate, ordinal: meta.bookmarks.count + 1,
          title: title, createdAt: clock.wallNow))
    }
  }

  func addGap(_ id: String, _ gap: CaptureGap) throws(StorageError) {
    try edit(id) { $0.gaps.append(Gap(frame: gap.frame, frames: gap.frames, reason: gap.reason)) }
  }

  func complete(_ id: String, _ ending: RecordingEnding) throws(StorageError) {
    guard var take = open[id] else {
      do throws(LibraryError) { return try library.keepNotes(id) } catch { throw Self.storageError(error) }
    }
    take.setLength(frames: ending.frames, fileSizeBytes: ending.fileBytes)
    // What these come to is known only now.
    if take.audio.format == TakeFormat.flac.rawValue || take.audio.format == TakeFormat.alac.rawValue {
      take.audio.bitrateKbps = Int(Double(ending.fileBytes) * 8 / 1000 / max(0.001, take.audio.duration))
    }
    take.stopReason = ending.reason.rawValue
    clamp(&take, to: ending.frames)
    take.loudness = Loudness(integratedLUFS: ending.integratedLUFS, truePeakDBTP: ending.truePeakDBTP)
    // The library carries it without knowing what is in it.
    take.unknown["receipt"] = ending.receipt.takeJSON
    do throws(LibraryError) { try library.complete(id, take) } catch {
      let refusal = Self.storageError(error)
      if case .stalled = refusal.kind {} else { open[id] = nil }
      throw refusal
    }
    open[id] = nil
  }

  /// Start-up completes what is in the file.
  func abandon(_ id: String) { open[id] = nil }

  func discard(_ id: String) throws(StorageError) {
    guard open[id] != nil else { return }
    do throws(LibraryError) { try library.discard(id) } catch { throw Self.storageError(error) }
    open[id] = nil
  }

  /// Marks and gaps of sound that the storage did not take any more: the take ends before them.
  private func clamp(_ meta: inout FileMeta, to frames: Int) {
    let end = Double(frames) / Double(max(1, meta.audio.sampleRate))
    for index in meta.bookmarks.indices where meta.bookmarks[index].time > end {
      meta.bookmarks[index].time = end
      meta.bookmarks[index].frame = frames
    }
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
