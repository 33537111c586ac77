internal import Appliance
internal import Clips
internal import Hardware
internal import JSON
internal import Library
internal import Panel
internal import Recording
internal import Threads

/// What writes the files of clips, where there is a camera. Storage lane only.
final class ClipFiles: @unchecked Sendable {
  let writer: FileWriter
  let spool: ClipSpool

  init(writer: FileWriter, spool: ClipSpool) {
    self.writer = writer
    self.spool = spool
  }
}

extension TakeReference {
  init(_ clip: ClipSummary) {
    let isHeard = clip.sampleRate > 0 && clip.frames > 0
    let rate = isHeard ? clip.sampleRate : 90_000
    let seconds = clip.duration.isFinite ? min(1e9, max(0, clip.duration)) : 0
    self.init(
      id: clip.id, displayName: ClipNames.short(clip.id),
      frames: isHeard ? clip.frames : Int((seconds * Double(rate)).rounded()), sampleRate: rate)
    isProtected = clip.isProtected
  }
}

extension ClipLibrary {
  /// What makes a small picture of a clip.
  ///
  /// - Parameter room: bytes of decoded pictures at a time.
  func thumbnail(of id: String, on storage: any Storage, room: Int) throws(LibraryError) -> ClipThumbnails {
    guard !TakeName.isSealed(id) else { throw .sealed(id) }
    do throws(StorageError) {
      return ClipThumbnails(try storage.open("clips/\(id)", writable: false), room: room)
    } catch {
      throw .storage(error)
    }
  }
}
