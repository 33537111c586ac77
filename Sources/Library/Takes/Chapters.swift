internal import Hardware
public import Media

extension FileMeta {
  /// The marks as other programs see them in the file.
  public var chapters: [TakeMark] {
    bookmarks.enumerated().map { index, mark in
      let frame = mark.place(sampleRate: audio.sampleRate)
      return TakeMark(frame: frames > 0 ? min(frame, frames) : frame, label: mark.title ?? "mark \(index + 1)")
    }
  }
}

/// Brings the chapters in the files of finished takes in line with their metadata, which is the truth about marks.
/// Storage worker only.
final class Chapters {
  private let disk: Disk
  private let index: Index
  private let metadata: Metadata
  private let proofs: Proofs
  private let notices: Notices
  /// When the first that waits is written, unless marks are changed until then.
  private var due: Instant?

  /// Who sets a mark often sets another one.
  private static let rest = Duration.seconds(2)
  /// When it is looked again whether there is room.
  private static let pause = Duration.seconds(5)
  /// What has to be free: more than marks can take. A file that stopped half-way would say less than it did, and its proof
  /// would not fit it.
  private static let room = 1 << 20

  init(disk: Disk, index: Index, metadata: Metadata, proofs: Proofs, notices: Notices) {
    self.proofs = proofs
    self.disk = disk
    self.index = index
    self.metadata = metadata
    self.notices = notices
  }

  /// Marks have been changed.
  func postpone() { due = nil }

  /// Writes the chapters of one take, when it is time to.
  ///
  /// - Parameter noting: takes the path of a file before it is read.
  /// - Returns: when to be called again; nil if there is nothing to do.
  func step(now: Instant, noting: (String) throws(LibraryError) -> Void) throws(LibraryError) -> Instant? {
    guard let id = index.newMarks else { return nil }
    let due = due ?? now + Self.rest
    self.due = due
    guard now >= due else { return due }
    guard try hasRoom() else { return now + Self.pause }
    try noting(TakePath.sound(id))
    try write(id)
    return now
  }

  /// Writes those of one file now, if they wait and there is room; without, they are in its notes.
  func catchUp(_ id: String) throws(LibraryError) { if index.hasNewMarks(id), try hasRoom() { try write(id) } }

  private func hasRoom() throws(LibraryError) -> Bool { try disk.space().free >= Self.room }

  private func write(_ id: String) throws(LibraryError) {
    guard var meta = try metadata.file(TakePath.sidecar(id)).meta, meta.id == id, !metadata.isOpen(id) else {
      return index.settleMarks(id)
    }
    if meta.hasNewMarks {
      let isSigned = try proofs.announceMarks(TakePath.sound(id))
      let file = try disk.open(TakePath.sound(id), writable: true)
      defer { file.close() }
      // Somebody may fill the card meanwhile.
      file.usesReserve = true
      let description = FileDescription(sound: nil, createdAt: meta.createdAt, title: id)
      let isWritten: Bool
      do { isWritten = try MarksInFile.replace(meta.chapters, in: file, description) } catch { throw .storage(error) }
      if isSigned { try proofs.finishMarks(TakePath.sound(id)) }
      if !isWritten {
        notices.warn("The marks of \(id) are in its notes, and not in the file, which has no place for them")
      }
    }
    guard let sound = try disk.entry(TakePath.sound(id)) else { return index.settleMarks(id) }
    meta.hasNewMarks = false
    meta.audio.fileSizeBytes = sound.size
    let sidecar = try metadata.write(meta, id: id, withBackup: true)
    try index.enter(TakeRecord(meta, id: id, sound: sound, sidecar: sidecar, verified: true))
  }
}
