public import Clips
internal import Hardware
public import Library
internal import Media
internal import Recording

/// Keeps snapshots in the library, and ends its spool.
extension ClipLibrary: PictureStore {}
extension ClipSpool: SpoolStore {}

/// Lets the file writer keep clips in the library: they appear when they are whole. Storage lane only.
final class ClipFileStore: RecordingStore {
  private let library: ClipLibrary
  private let authors: RecordingAuthors

  init(_ library: ClipLibrary, authors: RecordingAuthors) { (self.library, self.authors) = (library, authors) }

  func begin(_ opening: RecordingOpening) throws(StorageError) -> RecordingPlace {
    let author = authors.author(at: opening.receipt.triggeredAt)
    let (id, file) = try library.begin(
      createdAt: opening.createdAt, receipt: signed(opening.receipt).document,
      author: author.flatMap { $0.isInName ? $0.name : nil })
    return RecordingPlace(id: id, file: file)
  }

  // Marks and gaps of clips are in their receipts.
  func addMark(_ id: String, frame: Int, title: String?) throws(StorageError) {}
  func marks(of id: String) -> [TakeMark] { [] }
  func addGap(_ id: String, _ gap: CaptureGap) throws(StorageError) {}

  func complete(_ id: String, _ ending: RecordingEnding) throws(StorageError) {
    try library.complete(id, receipt: signed(ending.receipt).document)
  }

  /// With who had logged in where it was asked for.
  private func signed(_ receipt: Receipt) -> Receipt {
    var receipt = receipt
    receipt.operatorName = authors.author(at: receipt.triggeredAt)?.name
    return receipt
  }

  func abandon(_ id: String) { library.abandon(id) }
  func discard(_ id: String) throws(StorageError) { try library.discard(id) }
}

/// The same for pieces of the spool, of which the newest are kept.
final class SpoolFileStore: RecordingStore {
  private let spool: ClipSpool

  init(_ spool: ClipSpool) { self.spool = spool }

  func begin(_ opening: RecordingOpening) throws(StorageError) -> RecordingPlace {
    let (id, file) = try spool.begin(createdAt: opening.createdAt, receipt: opening.receipt.document)
    return RecordingPlace(id: id, file: file)
  }

  func addMark(_ id: String, frame: Int, title: String?) throws(StorageError) {}
  func marks(of id: String) -> [TakeMark] { [] }
  func addGap(_ id: String, _ gap: CaptureGap) throws(StorageError) {}

  func complete(_ id: String, _ ending: RecordingEnding) throws(StorageError) {
    try spool.complete(id, receipt: ending.receipt.document)
  }

  func abandon(_ id: String) { spool.abandon(id) }
  func discard(_ id: String) throws(StorageError) { try spool.discard(id) }
}
