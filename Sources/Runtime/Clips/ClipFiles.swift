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
  /// Names of the newest clips.
  func ids(limit: Int) -> [String] { list(limit: limit).clips.map(\.id) }

  /// A small picture of a clip; `nil` if there is none to be had.
  func thumbnail(of id: String, on storage: any Storage) throws(LibraryError) -> GreyPicture? {
    let file: any StoredFile
    do throws(StorageError) { file = try storage.open("clips/\(id)", writable: false) } catch { throw .storage(error) }
    defer { file.close() }
    return ClipThumbnails.picture(of: file)
  }
}
