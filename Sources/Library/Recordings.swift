/// Takes and clips alike: which of them a name means, where its files are, and what is in them. A name that both have means
/// the take. Storage worker only.
struct Recordings {
  enum Kind {
    case take, clip
  }

  private let index: Index
  private let clips: ClipIndex
  private let metadata: Metadata
  private let reader: FileReader
  private let proofs: Proofs

  init(disk: Disk, index: Index, clips: ClipIndex, metadata: Metadata, proofs: Proofs) {
    (self.index, self.clips, self.metadata, self.proofs) = (index, clips, metadata, proofs)
    reader = FileReader(disk)
  }

  /// Of what is listed; nil: nothing is called so.
  func kind(of id: String) -> Kind? { index[id] != nil ? .take : clips[id] != nil ? .clip : nil }

  /// Its file, and its notes.
  func places(of id: String) throws(LibraryError) -> (file: String, notes: String) {
    switch kind(of: id) {
    case .take: (TakePath.sound(id), TakePath.sidecar(id))
    case .clip: (ClipPath.clip(id), ClipPath.receipt(id))
    case nil: throw .notFound(id)
    }
  }

  /// Whether one is being written; memory only.
  var isWriting: Bool { metadata.isRecording || clips.hasOpen }

  /// A piece of its file, of its notes, of its signed receipt, which is asked for by its own name, of a picture that was
  /// kept, or of what `system.bundle` has made.
  func read(
    _ id: String, notes: Bool, offset: Int, bytes: Int, isSummed: Bool
  ) throws(LibraryError) -> FilePiece {
    let isPicture = ClipPath.isPicture(id) && !notes
    if let path = id == SupportFile.name ? SupportFile.path : isPicture ? ClipPath.clip(id) : nil {
      return try reader.read(path, offset: offset, bytes: bytes, isOpen: false, isSummed: isSummed)
    }
    let isProof = ProofName.isOne(id)
    let id = isProof ? ProofName.owner(id) : id
    let places = try places(of: id)
    let path = isProof ? ProofName.of(places.file) : notes ? places.notes : places.file
    let isOpen = metadata.isOpen(id) || clips.isOpen(id)
    return try reader.read(path, offset: offset, bytes: bytes, isOpen: isOpen, isSummed: isSummed)
  }

  /// Begins to compare it with its signed receipt.
  func checkProof(of id: String) throws(LibraryError) -> ProofCheck {
    let places = try places(of: id)
    return try proofs.check(places.file, notes: places.notes)
  }
}
