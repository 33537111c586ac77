internal import Hardware
internal import JSON

/// Tells the device's own files from strangers' whose names are like its own.
///
/// The rule for all of recovery: a name of the form that the device gives (`TakeName.isOurs`) is not enough to have a file
/// mended, renumbered, moved or removed. One of these has to say so as well:
/// - notes beside it, or their backup, that name it (of a clip, a receipt), or the catalogue, which knows it with its notes;
/// - what stands at its beginning, as in every recording of the device's, also in one that was cut off
///   (`TakeRepairer.bearsMarks`);
/// - of an empty file: the number that the last start may have had in hand.
///
/// Notes and receipts are the device's if they have its fields. A file of which none of that holds is a stranger's: it is
/// listed, looked at apart, and left as it is. What people say of it is kept in notes that say `foreign`. Storage worker
/// only; a few small reads.
struct Origin {
  private let disk: Disk
  private let metadata: Metadata
  private let names: Names
  private let log: RecoveryLog
  private let repairer: any TakeRepairer

  init(disk: Disk, metadata: Metadata, names: Names, log: RecoveryLog, repairer: any TakeRepairer) {
    self.disk = disk
    self.metadata = metadata
    self.names = names
    self.log = log
    self.repairer = repairer
  }

  // MARK: Takes

  /// Whether a file of `recordings/` is a take of the device's.
  func isOwn(_ id: String) throws(LibraryError) -> Bool {
    guard TakeName.isOurs(id) else { return false }
    return try isOwn(id, notes: try metadata.file(TakePath.sidecar(id)))
  }

  /// The same, where its notes have been read.
  func isOwn(_ id: String, notes: MetadataFile) throws(LibraryError) -> Bool {
    guard TakeName.isOurs(id) else { return false }
    if let said = try word(of: id, notes) { return said }
    return log.isTrusted(id) ? true : try bearsMarks(TakePath.sound(id), id)
  }

  /// What notes say of a file; nil if there are none that name it.
  private func word(of id: String, _ notes: MetadataFile) throws(LibraryError) -> Bool? {
    var meta = notes.meta
    if meta == nil { meta = try metadata.file(TakePath.backup(id)).meta }
    guard let meta, meta.id != id else { return meta.map { !$0.isForeign } }
    // Somebody has sealed the one that they name, or has opened it, beside it.
    guard meta.id == id + TakeName.sealedSuffix || id == meta.id + TakeName.sealedSuffix else { return nil }
    return try disk.entry(TakePath.sound(meta.id)) == nil ? nil : false
  }

  /// Whether a copy that was being salvaged is the device's.
  func isOwnSalvage(_ id: String) throws(LibraryError) -> Bool {
    if let said = try word(of: id, try metadata.file(TakePath.sidecar(id))) { return said }
    guard let size = try disk.entry(TakePath.salvage(id))?.size else { return true }
    return size == 0 ? try isOwn(id) : try bearsMarks(TakePath.salvage(id), id)
  }

  /// Whether a file that lies in `recordings/` without its sound is notes of the device's, or a signed receipt.
  func isOwnOrphan(_ name: String) throws(LibraryError) -> Bool {
    guard !ProofName.isOne(name) else { return try isProof(TakePath.sound(name)) }
    return try metadata.file(TakePath.sound(name)).meta.map { TakeName.isOurs($0.id) } ?? false
  }

  /// Its first record, before a tab and the signature, says of which version it is.
  private func isProof(_ path: String) throws(LibraryError) -> Bool {
    let line = try head(path, bytes: 64 << 10).prefix { $0 != UInt8(ascii: "\t") }
    return (try? JSONValue.parse(Array(line), path: path))?["proof"] != nil
  }

  // MARK: Clips

  /// Whether a clip that was being written is the device's. A receipt that is damaged may have been its own.
  func isOwnPart(_ id: String) throws(LibraryError) -> Bool {
    if try disk.entry(ClipPath.receipt(id)) != nil, try isOwnReceipt(Sidecar.name(id), orDamaged: true) { return true }
    return try bearsMarks(ClipPath.part(id), id)
  }

  /// The same of one that was finished.
  func isOwnClip(_ id: String) throws(LibraryError) -> Bool {
    guard TakeName.isOurs(id) else { return false }
    if try disk.entry(ClipPath.receipt(id)) != nil, try isOwnReceipt(Sidecar.name(id), orDamaged: true) { return true }
    return try bearsMarks(ClipPath.clip(id), id)
  }

  /// Whether what lies beside a finished clip is the device's: of what is damaged the clip says it.
  func isOwnReceipt(beside id: String) throws(LibraryError) -> Bool {
    try isOwnReceipt(Sidecar.name(id)) ? true : try bearsMarks(ClipPath.clip(id), id)
  }

  /// Whether a file in `clips/` is a receipt of the device's.
  func isOwnReceipt(_ name: String, orDamaged: Bool = false) throws(LibraryError) -> Bool {
    let receipt: JSONValue
    do throws(LibraryError) { receipt = try Receipts(disk).read(at: ClipPath.clip(name)) } catch {
      if error.stalledUntil != nil { throw error }
      return orDamaged
    }
    if let id = receipt["id"]?.stringValue { return Sidecar.name(id) == name }
    return receipt["inProgress"]?.boolValue != nil || receipt["stopReason"]?.stringValue != nil
  }

  // MARK: Leftovers

  /// Whether a temporary file is an interrupted write of the device's. The plan has asked for what it lies beside; a copy of
  /// a take says it itself, or by its number where it is empty.
  func isLeftover(_ path: String) throws(LibraryError) -> Bool {
    let sound = String(path.dropLast(Listing.temporarySuffix.count))
    guard path.hasSuffix(Listing.temporarySuffix), let id = TakePath.id(sound), TakeName.isOurs(id),
      TakePath.isSound(id)
    else { return true }
    return try bearsMarks(path, id)
  }

  // MARK: Marks

  private static let sealedMark = Array("age-encryption.org/v1\n".utf8)

  /// - Parameter id: the name that the file has or is to have.
  private func bearsMarks(_ path: String, _ id: String) throws(LibraryError) -> Bool {
    guard let entry = try disk.entry(path), entry.isRegular else { return false }
    guard entry.size > 0 else { return names.mayHaveBegun(id) }
    if TakeName.isSealed(id) { return try head(path, bytes: Self.sealedMark.count) == Self.sealedMark }
    let file = try disk.open(path, writable: false)
    defer { file.close() }
    do throws(StorageError) { return try repairer.bearsMarks(file) } catch { throw .storage(error) }
  }

  private func head(_ path: String, bytes: Int) throws(LibraryError) -> [UInt8] {
    let file = try disk.open(path, writable: false)
    defer { file.close() }
    do throws(StorageError) { return try file.bytes(at: 0, count: bytes) } catch { throw .storage(error) }
  }
}
