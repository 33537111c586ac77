internal import Hardware

/// A take that is being copied, a piece at a time: another take of the same sound, with what is known of it. All its files
/// are copied, those in which it goes on and its safety takes. Storage lane only.
///
/// Every file is durable under a temporary name before notes are written, and they get their own names last, the first
/// one, which the list shows, as the very last: a power cut leaves the whole copy or none (`CopyLeftovers`).
public final class TakeCopy: @unchecked Sendable {
  private let source: String
  private let disk: Disk
  private let index: Index
  private let metadata: Metadata
  private let names: Names
  private let chapters: Chapters
  /// In the order of the take, each safety take behind the one that it lies beside.
  private var files: [File] = []
  /// Files that are complete under their temporary names.
  private var copied = 0
  private var open: Open?
  private var isChecked = false

  private struct File {
    let source: String
    let name: TakeName
    /// The source as it was at the beginning.
    let before: StorageEntry
    /// The notes of the copy, once they are written.
    var notes: (meta: FileMeta, entry: StorageEntry?)?

    var temporary: String { TakePath.sound(name.file) + ".tmp" }
  }

  /// What is being copied: a sound, or the signed receipt beside it.
  private struct Open {
    let from: any StoredFile
    let to: any StoredFile
    let size: Int
    var isProof = false
    var bytes = 0
  }

  private static let piece = 256 << 10
  /// As much is made durable at a time: one sync of a gigabyte would keep the take that is being recorded waiting.
  private static let synced = 1 << 20
  /// What has to be left beside the sound, for its notes.
  private static let margin = 1 << 20

  init(_ source: String, disk: Disk, index: Index, metadata: Metadata, names: Names, chapters: Chapters) {
    self.source = source
    self.disk = disk
    self.index = index
    self.metadata = metadata
    self.names = names
    self.chapters = chapters
  }

  deinit { close() }

  /// Bytes that are copied, and of how many.
  public var progress: (done: Int, total: Int) {
    let sizes = files.map(\.before.size)
    let part = open.map { $0.isProof ? files[copied].before.size : $0.bytes } ?? 0
    return (sizes.prefix(copied).reduce(part, &+), isChecked ? sizes.reduce(0, &+) : 0)
  }

  /// Does the next piece of the work. After a stall call again.
  ///
  /// - Returns: what is known of the new take when it is there; `nil` while there is more to be done.
  public func step() throws(LibraryError) -> FileMeta? {
    do throws(LibraryError) {
      // The chapters of the source are not to be written anew while it is read.
      chapters.postpone()
      guard isChecked else {
        try begin()
        return nil
      }
      guard copied < files.count else { return try finish() }
      try copyPiece(of: files[copied])
      return nil
    } catch {
      if error.stalledUntil == nil { giveUp() }
      throw error
    }
  }

  /// Leaves nothing of a copy that has not been finished.
  public func giveUp() {
    close()
    // What stays goes at the next start.
    for file in files {
      let id = file.name.file
      for path in [
        TakePath.sound(id), TakePath.sidecar(id), TakePath.backup(id), ProofName.of(TakePath.sound(id)), file.temporary,
      ] {
        try? disk.removeIfPresent(path)
      }
    }
    (files, copied, isChecked) = ([], 0, false)
  }

  /// Looks at all files, and reserves the names of their copies: in a row, for a take goes on in the next number.
  private func begin() throws(LibraryError) {
    let sources = index.files(with: source)
    guard !sources.isEmpty else { throw .notFound(source) }
    for record in sources.dropFirst(files.count) {
      guard !metadata.isOpen(record.id) else { throw .busy(source) }
      guard TakeName.isOurs(record.id), !record.isForeign, !record.isPending, !record.isUnreadable else {
        throw .badArgument(
          "\(source) was not made by the device, which copies only its own takes; copy it on a computer")
      }
      guard let before = try disk.entry(TakePath.sound(record.id)) else { throw .notFound(record.id) }
      files.append(File(source: record.id, name: try name(for: record), before: before))
    }
    isChecked = true
    let total = progress.total
    let free = try disk.space().free
    guard free - Self.margin >= total else {
      throw .storage(
        StorageError(
          .full, operation: "be copied: it has \(total) bytes and \(max(0, free)) are free", path: source))
    }
  }

  private func name(for record: TakeRecord) throws(LibraryError) -> TakeName {
    if TakeName.isSafety(record.id), var beside = files.last?.name, !beside.isSafety {
      beside.isSafety = true
      beside.fileExtension = String(TakeName.split(record.id).suffix.dropFirst())
      return beside
    }
    return try names.give(
      createdAt: record.summary.createdAt, fileExtension: String(TakeName.split(record.id).suffix.dropFirst())
    ) { name throws(LibraryError) -> TakeName? in
      let sound = TakePath.sound(name.file)
      for path in [sound, sound + ".tmp", TakePath.sidecar(name.file), TakePath.backup(name.file)]
      where try disk.entry(path) != nil { return nil }
      return name
    }
  }

  /// Longer names are cut where a character ends, and say so.
  private static func name(ofCopy name: String) -> String {
    var name = name
    guard name.utf8.count > Library.longestName - 5 else { return name + " copy" }
    while name.utf8.count > Library.longestName - 8 { name.removeLast() }
    return name + "… copy"
  }

  private func copyPiece(of file: File) throws(LibraryError) {
    guard let open else {
      let from = try disk.open(TakePath.sound(file.source), writable: false)
      do throws(LibraryError) {
        open = Open(from: from, to: try disk.create(file.temporary), size: file.before.size)
      } catch {
        from.close()
        throw error
      }
      return
    }
    guard open.bytes < open.size else {
      try disk.sync(open.to)
      guard !open.isProof else { return try finishFile() }
      // Somebody has changed what was being read.
      if let now = try disk.entry(TakePath.sound(file.source)), now != file.before { throw changed }
      guard let signed = try proof(of: file) else { return try finishFile() }
      close()
      self.open = signed
      return
    }
    var bytes = [UInt8](repeating: 0, count: min(Self.piece, open.size - open.bytes))
    let count = try disk.read(into: &bytes, from: open.from, at: open.bytes)
    guard count > 0 else { throw changed }
    bytes.removeLast(bytes.count - count)
    try disk.write(bytes, to: open.to, at: open.bytes)
    self.open?.bytes += count
    if (open.bytes + count) % Self.synced == 0 { try disk.sync(open.to) }
  }

  private func finishFile() throws(LibraryError) {
    close()
    copied += 1
  }

  /// A copy is proven by what its source is proven by.
  private func proof(of file: File) throws(LibraryError) -> Open? {
    guard let entry = try disk.entry(ProofName.of(TakePath.sound(file.source))) else { return nil }
    let target = ProofName.of(TakePath.sound(file.name.file))
    // Of a try before a stall.
    try disk.removeIfPresent(target)
    let from = try disk.open(ProofName.of(TakePath.sound(file.source)), writable: false)
    do throws(LibraryError) {
      return Open(from: from, to: try disk.create(target), size: entry.size, isProof: true)
    } catch {
      from.close()
      throw error
    }
  }

  private func finish() throws(LibraryError) -> FileMeta? {
    try disk.syncDirectory(TakePath.recordings)
    for place in files.indices where files[place].notes?.entry == nil {
      var meta = try metadata.read(files[place].source)
      let name = files[place].name
      if place == 0 {
        let isUnnamed = meta.displayName == TakeName.split(files[0].source).stem
        let shown = isUnnamed ? "Take \(meta.session ?? name.number)" : meta.displayName
        meta.displayName = Self.name(ofCopy: shown)
      } else if let first = files[0].notes?.meta {
        meta.displayName = first.displayName
      }
      meta.id = name.file
      meta.session = name.number
      meta.isProtected = false
      if let before = files.first(where: { $0.source == meta.linkedTake }) { meta.linkedTake = before.name.file }
      files[place].notes = (meta, try metadata.write(meta, id: name.file, withBackup: true))
    }
    for file in files.reversed() { try disk.moveIfPresent(file.temporary, to: TakePath.sound(file.name.file)) }
    var records: [TakeRecord] = []
    for file in files {
      guard let (meta, sidecar) = file.notes else { continue }
      let sound = try disk.entry(TakePath.sound(meta.id))
      records.append(TakeRecord(meta, id: meta.id, sound: sound, sidecar: sidecar, verified: true))
    }
    for record in records { try index.enter(record) }
    try names.keep()
    defer { files = [] }
    return files.first?.notes?.meta
  }

  private var changed: LibraryError {
    .cancelled("\(source) has been changed while it was copied: nothing of the copy stays; copy it again")
  }

  private func close() {
    open?.from.close()
    open?.to.close()
    open = nil
  }
}
