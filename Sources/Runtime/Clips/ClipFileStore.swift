public import Clips
internal import Hardware
internal import JSON
public import Library
internal import Media
internal import Proof
internal import Recording

/// Keeps snapshots in the library, and ends its spool.
extension ClipLibrary: PictureStore {}
extension ClipSpool: SpoolStore {}

/// Lets the file writer keep clips in the library: they appear when they are whole. Storage lane only.
final class ClipFileStore: RecordingStore {
  private let library: ClipLibrary
  private let signing: Proofs
  private let seals: Seals
  private let authors: RecordingAuthors
  /// What signs the clips that are being made.
  private var proofs: [String: ProofWriter] = [:]

  init(_ library: ClipLibrary, _ signing: Proofs, _ seals: Seals, authors: RecordingAuthors) {
    self.library = library
    self.seals = seals
    self.signing = signing
    self.authors = authors
  }

  func begin(_ opening: RecordingOpening) throws(StorageError) -> RecordingPlace {
    let author = authors.author(at: opening.receipt.triggeredAt)
    let receipt = signed(opening.receipt)
    let (id, file) = try library.begin(
      createdAt: opening.createdAt, receipt: receipt.document,
      author: author.flatMap { $0.isInName ? $0.name : nil }, isSealed: seals.isOn)
    if let sealed = seals.seal(id, file) {
      return RecordingPlace(id: id, sealed: sealed, suffix: TakeName.sealedSuffix)
    }
    let proof = signing.begin("clip", path: "clips/\(id)") {
      $0.notes = ["clip": .integer(receipt.number), "start": .number(receipt.start.seconds)]
      $0.operatorName = receipt.operatorName
    }
    proofs[id] = proof
    return RecordingPlace(id: id, file: file, proof: proof)
  }

  // Marks and gaps of clips are in their receipts.
  func addMark(_ id: String, frame: Int, title: String?) throws(StorageError) -> String? { nil }
  func keepMarks(_ id: String) throws(StorageError) {}
  func marks(of id: String) -> [TakeMark] { [] }
  func addGap(_ id: String, _ gap: CaptureGap) throws(StorageError) {}

  func complete(_ id: String, _ ending: RecordingEnding) throws(StorageError) {
    let proof = proofs[id]
    let receipt = signed(ending.receipt)
    // People protect a clip, and no more; all else in its receipt is the device's word.
    var notes = receipt.json.objectValue ?? [:]
    notes["protected"] = nil
    try library.complete(id, receipt: receipt.document) { () throws(StorageError) in
      if let proof { try signing.end(proof, notes: notes, seconds: receipt.duration) }
    }
    proofs[id] = nil
  }

  /// With who had logged in where it was asked for.
  private func signed(_ receipt: Receipt) -> Receipt {
    var receipt = receipt
    receipt.operatorName = authors.author(at: receipt.triggeredAt)?.name
    return receipt
  }

  func abandon(_ id: String) {
    proofs.removeValue(forKey: id)?.close()
    library.abandon(id)
  }

  func discard(_ id: String) throws(StorageError) {
    proofs.removeValue(forKey: id)?.close()
    try library.discard(id)
  }
}

/// The same for pieces of the spool, of which the newest are kept.
final class SpoolFileStore: RecordingStore {
  private let spool: ClipSpool
  private let seals: Seals

  init(_ spool: ClipSpool, _ seals: Seals) {
    self.spool = spool
    self.seals = seals
  }

  func begin(_ opening: RecordingOpening) throws(StorageError) -> RecordingPlace {
    let (id, file) = try spool.begin(
      createdAt: opening.createdAt, receipt: opening.receipt.document, isSealed: seals.isOn)
    if let sealed = seals.seal(id, file) {
      return RecordingPlace(id: id, sealed: sealed, suffix: TakeName.sealedSuffix)
    }
    return RecordingPlace(id: id, file: file)
  }

  func addMark(_ id: String, frame: Int, title: String?) throws(StorageError) -> String? { nil }
  func keepMarks(_ id: String) throws(StorageError) {}
  func marks(of id: String) -> [TakeMark] { [] }
  func addGap(_ id: String, _ gap: CaptureGap) throws(StorageError) {}

  func complete(_ id: String, _ ending: RecordingEnding) throws(StorageError) {
    try spool.complete(id, receipt: ending.receipt.document, seconds: ending.receipt.duration)
  }

  func abandon(_ id: String) { spool.abandon(id) }
  func discard(_ id: String) throws(StorageError) { try spool.discard(id) }
}
