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
  /// What signs the clips that are being made.
  private var proofs: [String: ProofWriter] = [:]

  init(_ library: ClipLibrary, _ signing: Proofs) {
    self.library = library
    self.signing = signing
  }

  func begin(_ opening: RecordingOpening) throws(StorageError) -> RecordingPlace {
    let (id, file) = try library.begin(createdAt: opening.createdAt, receipt: opening.receipt.document)
    let proof = signing.begin("clip", path: "clips/\(id)") {
      $0.notes = ["clip": .integer(opening.receipt.number), "start": .number(opening.receipt.start.seconds)]
      $0.operatorName = $0.operatorName ?? opening.receipt.operatorName
    }
    proofs[id] = proof
    return RecordingPlace(id: id, file: file, proof: proof)
  }

  // Marks and gaps of clips are in their receipts.
  func addMark(_ id: String, frame: Int, title: String?) throws(StorageError) {}
  func marks(of id: String) -> [TakeMark] { [] }
  func addGap(_ id: String, _ gap: CaptureGap) throws(StorageError) {}

  func complete(_ id: String, _ ending: RecordingEnding) throws(StorageError) {
    let proof = proofs[id]
    // People protect a clip, and no more; all else in its receipt is the device's word.
    var notes = ending.receipt.json.objectValue ?? [:]
    notes["protected"] = nil
    try library.complete(id, receipt: ending.receipt.document) { () throws(StorageError) in
      if let proof { try signing.end(proof, notes: notes, seconds: ending.receipt.duration) }
    }
    proofs[id] = nil
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
