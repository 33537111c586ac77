internal import Appliance
internal import Hardware
internal import Library
internal import Synchronization
internal import Threads

/// What others want to know of the storage, any time.
struct StorageStatus: Sendable {
  /// Bytes that may still be written; `nil` while not known.
  var freeBytes: Int?
  var totalBytes: Int?
  var takes = 0
  /// Seconds of sound.
  var seconds = 0.0
  var clips = 0
  /// All that is on the card is in these numbers.
  var isListed = false
  /// The newest takes' ids, for completion on the console.
  var recentTakes: [String] = []
  /// The newest clips' ids.
  var recentClips: [String] = []
  /// The words that stand for the key by which recordings are signed; empty without one.
  var keyWords: [String] = []
}

/// What others get to know of the storage: the status, any time, and the control loop what has changed, whoever has changed
/// it. What looks into the library is the storage lane's.
final class StorageNews: @unchecked Sendable {
  private let inbox: Mailbox<ControlInput>
  private let shared = Mutex(StorageStatus())
  /// Sentences of recovery that have been said.
  private var saidOfRecovery = 0
  private var publishedClips: (count: Int, last: String?) = (0, nil)

  /// Takes, and clips, that TAB on the console knows.
  private static let completions = 200

  /// - Parameter inbox: the control loop's.
  init(_ inbox: Mailbox<ControlInput>) { self.inbox = inbox }

  /// Any thread.
  var status: StorageStatus { shared.withLock { $0 } }

  // MARK: What has been done, by who has done it

  /// Any thread.
  func tell(_ report: LibraryReport) { inbox.post(.library(report)) }

  /// Any thread.
  func tell(_ error: LibraryError) { tell(.failed(code: error.code, text: "\(error)")) }

  /// The data directory is not in its place, or (`nil`) is again. Any thread.
  func tellPlace(_ error: DeviceError?) { inbox.post(.device(.storage, error)) }

  /// A sentence for people. Any thread.
  func say(_ sentence: String) { inbox.post(.say(sentence)) }

  /// What a take is like now. Storage lane only.
  func tellChanged(_ id: String, in library: Library) {
    if let reference = library.reference(library.wholeTake(id)) { tell(.renewed(reference)) }
  }

  /// Storage lane only.
  ///
  /// - Parameter number: of so many that have come back it is the last.
  func tellRestored(_ id: String, number: Int = 1, in library: Library) {
    if let reference = library.reference(id) { tell(.restored(reference, number: number)) }
  }

  /// The marks of a take. Storage lane only.
  func tellMarks(of id: String, in library: Library) throws(LibraryError) {
    let take = try library.showWhole(id)
    tell(
      .marks(
        take: id,
        take.bookmarks.prefix(MarkList.most).map { mark in
          MarkReference(id: mark.id, frame: mark.place(sampleRate: take.audio.sampleRate), title: mark.title ?? "")
        }))
  }

  // MARK: What is there. Storage lane only

  func note(_ space: (free: Int, total: Int)) { shared.withLock { ($0.freeBytes, $0.totalBytes) = space } }

  /// Nothing can be written, for the storage is not there.
  func noteNoRoom() { shared.withLock { $0.freeBytes = 0 } }

  /// Whether all that is there has been told.
  func noteListed(_ isListed: Bool) { shared.withLock { $0.isListed = isListed } }

  /// How many takes there are, if that has changed.
  func publishCount(of library: Library) {
    let count = library.count
    let changed = shared.withLock { status in
      defer { (status.takes, status.seconds, status.keyWords) = (count, library.seconds, library.proofs.words) }
      return status.takes != count
    }
    guard changed else { return }
    let recent = library.list(limit: Self.completions).takes.map(\.id)
    shared.withLock { $0.recentTakes = recent }
    tell(.changed(count: count))
  }

  /// Which clip is the newest, and how many there are, if that has changed.
  func publishClips(of library: Library) {
    let (newest, count) = library.clips.newest
    guard publishedClips.count != count || publishedClips.last != newest?.id else { return }
    publishedClips = (count, newest?.id)
    tell(.clipsChanged(count: count, last: newest.map { TakeReference($0) }))
    let recent = library.clips.ids(limit: Self.completions)
    shared.withLock { ($0.recentClips, $0.clips) = (recent, count) }
  }

  /// What recovery has done, and what went wrong without failing a call.
  func sayOfRecovery(of library: Library) {
    for warning in library.takeWarnings() { say(warning) }
    let sentences = library.report.sentences
    for sentence in sentences.dropFirst(saidOfRecovery) { say(sentence) }
    saidOfRecovery = sentences.count
  }
}

extension Library {
  /// A take or clip as the machine knows it; nil if there is none of this name.
  func reference(_ id: String) -> TakeReference? {
    summary(id).map { TakeReference($0) } ?? clips.summary(id).map { TakeReference($0) }
  }

  /// The same of the whole take, or of the clip alone.
  func reference(_ id: String, isClip: Bool) -> TakeReference? {
    isClip ? clips.summary(id).map { TakeReference($0) } : reference(wholeTake(id))
  }
}

extension TakeReference {
  init(_ take: TakeSummary) {
    self.init(id: take.id, displayName: take.displayName, frames: take.frames, sampleRate: take.sampleRate)
    isProtected = take.isProtected
    isFavourite = take.favourite
    tags = take.userTags.joined(separator: "\n")
  }
}
