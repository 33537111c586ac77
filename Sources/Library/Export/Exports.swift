public import Hardware
public import Media

/// What can be copied to a stick, and the copying of it. Storage lane only.
public final class Exports {
  private let disk: Disk
  private let index: Index
  private let clips: ClipIndex
  private let metadata: Metadata
  private let chapters: Chapters
  private let parts: TakeParts

  init(
    disk: Disk, index: Index, clips: ClipIndex, metadata: Metadata, chapters: Chapters, parts: TakeParts
  ) {
    self.disk = disk
    self.index = index
    self.clips = clips
    self.metadata = metadata
    self.chapters = chapters
    self.parts = parts
  }

  /// All finished takes, newest first, all finished clips, and all pictures that were kept.
  public func all() throws(LibraryError) -> [String] { finishedTakes.map(\.id) + finishedClips + (try pictures()) }

  /// Pictures that were kept: of them there is no list but that of their folder. Where that cannot be read all else is
  /// exported.
  func pictures() throws(LibraryError) -> [String] {
    do throws(LibraryError) { return try disk.files(ClipPath.clips).map(\.name).filter(ClipPath.isPicture) } catch {
      if error.stalledUntil != nil { throw error }
      return []
    }
  }

  var finishedTakes: [TakeSummary] {
    index.window(offset: 0, limit: .max, filter: TakeFilter(), sort: TakeSort()).takes.filter { !$0.inProgress }
  }

  var finishedClips: [String] { clips.finished.map(\.id) }

  /// Begins to copy takes and clips, with their notes, to a stick; its `step` does the work.
  ///
  /// - Parameters:
  ///   - ids: file names, or numbers of takes and clips; each goes once.
  ///   - stick: the stick's files, from its root.
  ///   - withSafety: safety takes, too.
  ///   - words: what names on it are made of.
  ///   - format: what takes are converted to; nil: as they are. Clips, and takes that were not made here, always go as
  ///     they are: strangers' files are decoded in a process of their own only.
  public func begin(
    _ ids: [String], to stick: any Storage, withSafety: Bool = false, words: ExportWords = ExportWords(),
    as format: ConvertedFormat? = nil
  ) -> StickExport {
    var seen: Set<String> = []
    return StickExport(
      ids.map(named).filter { seen.insert($0).inserted }, to: stick, withSafety: withSafety, words: words,
      format: format, disk: disk, index: index,
      clips: clips, metadata: metadata, chapters: chapters, parts: parts)
  }

  /// The take or clip of this name, or else of this number.
  private func named(_ id: String) -> String {
    guard index.summary(id) == nil, clips[id] == nil, let number = Int(id) else { return id }
    return index.ids.first { TakeName.number(in: $0) == number && !TakeName.isSafety($0) }
      ?? clips.finished.first { $0.number == number }?.id ?? id
  }
}
