internal import Dictaphone
internal import Hardware
internal import Library
internal import Media

/// Lets the storer keep its takes in the library. Storage lane only.
final class LibraryTakeStore: TakeStore {
  private let library: TakeLibrary
  private let storage: any Storage
  private let clock: any DeviceClock
  private var open: TakeHandle?

  init(library: TakeLibrary, storage: any Storage, clock: any DeviceClock) {
    self.library = library
    self.storage = storage
    self.clock = clock
  }

  func begin(_ opening: TakeOpening) throws(StorageError) -> ShelvedTake {
    let preRecorded = opening.pcm.duration(ofFrames: opening.preRecordedFrames)
    let plan = TakePlan(
      createdAt: opening.pressedAt, started: opening.pressedInstant, format: opening.format.rawValue,
      fileExtension: opening.format == .aac ? "m4a" : "wav", sampleRate: opening.pcm.sampleRate,
      channels: opening.pcm.channels,
      bitrateKbps: opening.format == .aac
        ? opening.bitrateKbps : opening.pcm.sampleRate * opening.pcm.channels * opening.pcm.bits / 1000,
      preRecordSeconds: preRecorded.inSeconds, source: opening.source)
    let scratch = try storage.scratch()
    do throws(LibraryError) {
      let take = try library.begin(plan)
      open = take
      return ShelvedTake(id: take.id, file: take.file, scratch: scratch)
    } catch {
      scratch.close()
      throw Self.storageError(error)
    }
  }

  func addMark(frame: Int, title: String?) throws(StorageError) {
    try edit { meta in
      meta.bookmarks.append(
        Bookmark(
          takeID: meta.id, frame: frame, sampleRate: meta.audio.sampleRate, ordinal: meta.bookmarks.count + 1,
          title: title, createdAt: clock.wallNow))
    }
  }

  func addGap(frame: Int, frames: Int, reason: String) throws(StorageError) {
    try edit { $0.gaps.append(Gap(frame: frame, frames: frames, reason: reason)) }
  }

  func complete(_ ending: TakeEnding, fileBytes: Int) throws(StorageError) {
    guard var take = open else { return }
    take.meta.setLength(frames: ending.frames, fileSizeBytes: fileBytes)
    take.meta.stopReason = ending.reason.rawValue
    clamp(&take.meta, to: ending.frames)
    take.meta.loudness = Loudness(integratedLUFS: ending.integratedLUFS, truePeakDBTP: ending.truePeakDBTP)
    do throws(LibraryError) { try library.complete(take.id, take.meta) } catch { throw Self.storageError(error) }
    open = nil
  }

  func discard() throws(StorageError) {
    guard let take = open else { return }
    do throws(LibraryError) { try library.discard(take.id) } catch { throw Self.storageError(error) }
    open = nil
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

  /// Changes the open take's metadata; a stall leaves it as it was, so that the change is made once.
  private func edit(_ change: (inout FileMeta) -> Void) throws(StorageError) {
    guard var take = open else { return }
    change(&take.meta)
    do throws(LibraryError) { try library.update(take.id, take.meta) } catch { throw Self.storageError(error) }
    open = take
  }

  private static func storageError(_ error: LibraryError) -> StorageError {
    if case .storage(let inner) = error { return inner }
    return StorageError(.failed, operation: "keep the take: \(error)", path: "recordings")
  }
}
