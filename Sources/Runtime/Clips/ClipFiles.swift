internal import Appliance
internal import Clips
internal import Hardware
internal import JSON
internal import Library
internal import Panel
internal import Recording
internal import Threads

/// The files of clips: what writes them, and what knows them. Storage lane only.
final class ClipFiles: @unchecked Sendable {
  let writer: FileWriter
  let library: ClipLibrary
  private let inbox: Mailbox<ControlInput>
  private var isOpen = false
  private var reported = 0
  private var published: (count: Int, last: String?)?

  /// Clips that TAB on the console knows.
  private static let completionClips = 200

  init(writer: FileWriter, library: ClipLibrary, inbox: Mailbox<ControlInput>) {
    self.writer = writer
    self.library = library
    self.inbox = inbox
  }

  /// Reads the directory; the takes' library has to be open.
  ///
  /// - Returns: when to try again if the medium stalls.
  func open() -> Instant? {
    guard !isOpen else { return nil }
    do throws(LibraryError) {
      try library.open()
    } catch {
      if let until = error.stalledUntil { return until }
      inbox.post(.library(.failed(code: error.code, text: "the clips could not be read: \(error)")))
    }
    isOpen = true
    return nil
  }

  /// Goes on with recovery.
  ///
  /// - Returns: when to be called again.
  func step(now: Instant) -> Instant? {
    let next = library.step(now: now)
    for sentence in library.report.dropFirst(reported) + library.takeWarnings() { inbox.post(.say(sentence)) }
    reported = library.report.count
    return next
  }

  /// Tells the control loop which clip is the newest, and how many there are, when that has changed.
  ///
  /// - Returns: the newest clips' ids, if it has.
  func publish() -> [String]? {
    let (clips, count) = library.list(limit: 1)
    guard published == nil || published?.count != count || published?.last != clips.first?.id else { return nil }
    published = (count, clips.first?.id)
    inbox.post(.library(.clipsChanged(count: count, last: clips.first.map { TakeReference($0) })))
    return library.ids(limit: Self.completionClips)
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
