internal import Hardware
internal import Media

/// What has come of copying to a stick.
public struct ExportOutcome: Hashable, Sendable {
  /// A take or clip that is not on the stick.
  public struct Failure: Hashable, Sendable {
    public var id: String
    public var error: LibraryError
  }

  /// Takes and clips that are whole on the stick.
  public var done = 0
  /// Files that have been copied.
  public var copied = 0
  /// Files that were on the stick already.
  public var there = 0
  public var failures: [Failure] = []
  /// Of the last take or clip that is whole on it, as people call it.
  public var name: String?

  public init() {}
}

/// Takes and clips on their way to a stick, with their notes; `step` does the work. Storage lane only.
///
/// What cannot be read, and what is longer than the stick's file system takes, is left out and told of; what else is wrong
/// with the stick ends it all.
public final class StickExport: @unchecked Sendable {
  private let disk: Disk
  private let index: Index
  private let clips: ClipIndex
  private let metadata: Metadata
  private let chapters: Chapters
  private let parts: TakeParts
  private let format: ConvertedFormat?
  private let folder: StickFolder
  private let ids: [String]
  private let withSafety: Bool
  private let words: ExportWords
  private let pieces = ExportPieces()
  private var hasFolder = false
  /// Of `ids`.
  private var next = 0
  /// Files of the present take that are still to be copied.
  private var waiting: [ExportFile] = []
  private var current: (any ExportStage)?
  /// What the last recording was to be called, and what it is called on the stick.
  private var called: (wanted: String, got: String)?
  /// Bytes of takes that are done, of files of the present one, and of all.
  private var finished = 0
  private var filesDone = 0
  private let total: Int

  public private(set) var outcome = ExportOutcome()

  init(
    _ ids: [String], to stick: any Storage, withSafety: Bool, words: ExportWords, format: ConvertedFormat?,
    disk: Disk, index: Index, clips: ClipIndex, metadata: Metadata, chapters: Chapters, parts: TakeParts
  ) {
    (self.ids, self.withSafety, self.words, self.format) = (ids, withSafety, words, format)
    (self.disk, self.index, self.clips) = (disk, index, clips)
    (self.metadata, self.chapters, self.parts) = (metadata, chapters, parts)
    folder = StickFolder(stick)
    total = ids.reduce(0) { $0 &+ Self.bytes($1, index, clips, withSafety: withSafety) }
  }

  /// Bytes that are on the stick and read back, and of how many.
  public var progress: (done: Int, total: Int) {
    (min(total, finished &+ filesDone &+ (current?.done ?? 0)), total)
  }

  /// The take or clip that is being copied.
  public var id: String? { ids.indices.contains(next) ? ids[next] : nil }

  /// Does the next piece of the work. After a stall call again.
  ///
  /// - Returns: what has come of it when all is done; nil while there is more to do.
  /// - Throws: what is wrong with the stick, after which nothing unfinished is left on it, as far as it still answers.
  public func step() throws(LibraryError) -> ExportOutcome? {
    guard let id else { return outcome }
    // The chapters of what is being read are not to be written anew.
    chapters.postpone()
    do throws(LibraryError) {
      try goOn(with: id)
    } catch {
      if error.stalledUntil != nil { throw error }
      giveUp()
      switch error {
      case .stick(.tooLong): break
      case .stick: throw error
      default: break
      }
      outcome.failures.append(ExportOutcome.Failure(id: id, error: error))
      finishTake(id)
    }
    return nil
  }

  /// Leaves nothing unfinished on the stick.
  public func giveUp() {
    current?.giveUp()
    current = nil
    waiting = []
  }

  private func goOn(with id: String) throws(LibraryError) {
    if !hasFolder {
      try folder.make()
      hasFolder = true
      return
    }
    if let current {
      guard let result = try current.step() else { return }
      switch result {
      case .copied: outcome.copied += 1
      case .there: outcome.there += 1
      }
      self.current = nil
      filesDone &+= current.size
      let file = waiting.removeFirst()
      if !file.isNotes { called = (file.name, current.nameOnStick) }
      if waiting.isEmpty { finishWhole(id) }
    } else if let file = waiting.first {
      current = try begin(file)
      if current != nil { return }
      guard file.isNotes else { throw .notFound(id) }
      waiting.removeFirst()
      if waiting.isEmpty { finishWhole(id) }
    } else {
      waiting = try files(of: id)
    }
  }

  private func files(of id: String) throws(LibraryError) -> [ExportFile] {
    if let take = index.summary(id) {
      guard !take.inProgress, !metadata.isOpen(id) else { throw .busy(id) }
      // Marks that were set a moment ago go along in the file; from a card that takes nothing more, in the notes only.
      for part in take.files {
        do throws(LibraryError) { try chapters.catchUp(part.id) } catch {
          if error.stalledUntil != nil { throw error }
        }
      }
      guard let format, isOurs(take) else {
        return ExportPlan.files(of: take, withSafety: withSafety, words: words)
      }
      return ExportPlan.files(
        of: take, withSafety: withSafety, words: words, as: format, try parts.show(take.id))
    }
    if id == SupportFile.name { return [ExportFile(source: SupportFile.path, name: SupportFile.name)] }
    if ClipPath.isPicture(id) { return ExportPlan.files(ofClip: id, words: words).filter { !$0.isNotes } }
    guard clips[id] != nil, !clips.isOpen(id) else { throw .notFound(id) }
    return ExportPlan.files(ofClip: id, words: words)
  }

  private func begin(_ file: ExportFile) throws(LibraryError) -> (any ExportStage)? {
    var file = file
    // What tells of a recording is beside it, whatever number that got.
    if file.isNotes, let called, file.name.hasPrefix(called.wanted) {
      file.name = called.got + file.name.dropFirst(called.wanted.count)
    }
    guard let conversion = file.conversion else {
      return try FileExport(file, disk: disk, folder: folder, pieces: pieces)
    }
    return try ConvertedExport(file.name, conversion, disk: disk, folder: folder, pieces: pieces)
  }

  /// What has our name and bears our marks was made here, and can be decoded in this process.
  private func isOurs(_ take: TakeSummary) -> Bool {
    let all = take.files + (withSafety ? take.safety : [])
    return all.allSatisfy { part in
      TakeName.isOurs(part.id) && MediaRepair.isFinishedRecording(disk.absolutePath(TakePath.sound(part.id)))
    }
  }

  private func finishWhole(_ id: String) {
    outcome.done += 1
    outcome.name = index.summary(id)?.displayName ?? TakeName.split(id).stem
    finishTake(id)
  }

  private func finishTake(_ id: String) {
    finished &+= Self.bytes(id, index, clips, withSafety: withSafety)
    filesDone = 0
    next += 1
  }

  private static func bytes(_ id: String, _ index: Index, _ clips: ClipIndex, withSafety: Bool) -> Int {
    guard let take = index.summary(id) else { return clips[id]?.bytes ?? 0 }
    return take.fileSizeBytes &+ (withSafety ? take.safetyBytes ?? 0 : 0)
  }
}
