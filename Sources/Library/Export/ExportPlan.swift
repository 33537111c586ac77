public import Hardware
internal import Media

/// What names on a stick are made of, in the language and the zone of the device.
public struct ExportWords: Sendable {
  /// What a take is called that has no name: `Take 42`.
  public var take: @Sendable (Int) -> String
  /// What a clip is called.
  public var clip: @Sendable (Int) -> String
  /// Date and time as part of a name.
  public var date: @Sendable (WallTime) -> String

  /// - Parameter date: nil: in UTC.
  public init(
    take: @escaping @Sendable (Int) -> String = { "Take \($0)" },
    clip: @escaping @Sendable (Int) -> String = { "Clip \($0)" },
    date: (@Sendable (WallTime) -> String)? = nil
  ) {
    self.take = take
    self.clip = clip
    self.date =
      date ?? { time in String(time.wholeSeconds.fileNameStamp.map { $0 == "T" ? " " : $0 }.filter { $0 != "Z" }) }
  }
}

/// A file that is to be on the stick.
struct ExportFile: Hashable {
  /// Path in the data directory.
  var source: String
  /// Its name in the folder on the stick; a number is added if another file has it.
  var name: String
  /// What is known of the recording; there may be none.
  var isNotes = false
  /// `nil`: copied as it is.
  var conversion: Conversion?

  /// Sound that is put into a file of another format.
  struct Conversion: Hashable {
    var format: ConvertedFormat
    /// Paths in the data directory, in the order in which they are heard.
    var parts: [String]
    var frames: Int
    var notes: SoundNotes
  }
}

/// Which files of takes and clips go to a stick, and under which names. Pure.
enum ExportPlan {
  /// The folder on the stick.
  static let folder = "Mynah"

  /// The files of a take in their order, each with its notes; safety takes last.
  static func files(of take: TakeSummary, withSafety: Bool, words: ExportWords) -> [ExportFile] {
    let name = name(of: take, words)
    func files(_ parts: [TakePart], _ ending: String) -> [ExportFile] {
      parts.enumerated().flatMap { place, part -> [ExportFile] in
        let count = parts.count > 1 ? " \(place + 1) of \(parts.count)" : ""
        return pair(
          TakePath.sound(part.id), notes: TakePath.sidecar(part.id), name + count + ending,
          StickName.suffix(TakeName.split(part.id).suffix))
      }
    }
    return files(take.files, "") + (withSafety ? files(take.safety, " safety") : [])
  }

  /// A take in another format: its parts as one file, its safety takes as another. What is one file of that format
  /// already is copied as it is.
  static func files(
    of take: TakeSummary, withSafety: Bool, words: ExportWords, as format: ConvertedFormat, _ meta: FileMeta
  ) -> [ExportFile] {
    let name = name(of: take, words)
    // Files are dated by their first sound. Nobody keeps more than a minute of what was before the press.
    let lead = Int64(min(meta.preRecordSeconds ?? 0, 60) * 1e9)
    let start = WallTime(nanosecondsSince1970: take.createdAt.nanosecondsSince1970 &- lead)
    var notes = SoundNotes(title: called(take, words), createdAt: start)
    notes.summary.tags = take.userTags
    notes.summary.marks = zip(meta.chapters, meta.bookmarks).map { chapter, mark in
      guard let note = mark.note, !note.isEmpty else { return chapter }
      return TakeMark(frame: chapter.frame, label: "\(chapter.label): \(note)")
    }
    let fields = meta.custom.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    notes.summary.comment = fields.joined(separator: "; ")
    notes.summary.loudness = meta.loudness.map {
      TakeLoudness(integrated: $0.integratedLUFS, truePeak: $0.truePeakDBTP)
    }
    func files(_ parts: [TakePart], _ ending: String, _ notes: SoundNotes) -> [ExportFile] {
      guard let first = parts.first else { return [] }
      let suffix = format.suffix
      // ALAC has the name of AAC, and is none.
      let isOther = format == .m4a && take.format == "alac"
      if parts.count == 1, !isOther, TakeName.split(first.id).suffix.lowercased() == suffix {
        return pair(TakePath.sound(first.id), notes: TakePath.sidecar(first.id), name + ending, suffix)
      }
      let frames = parts.reduce(0) { $0 &+ $1.frames }
      return [
        ExportFile(
          source: TakePath.sound(first.id), name: name + ending + suffix,
          conversion: ExportFile.Conversion(
            format: format, parts: parts.map { TakePath.sound($0.id) }, frames: frames, notes: notes))
      ]
    }
    // The loudness that was measured is the take's, not that of what lies beside it.
    var beside = notes
    beside.summary.loudness = nil
    return files(take.files, "", notes) + (withSafety ? files(take.safety, " safety", beside) : [])
  }

  private static func called(_ take: TakeSummary, _ words: ExportWords) -> String {
    let stem = TakeName.split(take.id).stem
    guard take.displayName == stem else { return take.displayName }
    return TakeName.number(in: take.id).map(words.take) ?? stem
  }

  /// Files from elsewhere have the name that people gave them, and a date that says little.
  private static func name(of take: TakeSummary, _ words: ExportWords) -> String {
    let called = called(take, words)
    return StickName.stem(TakeName.number(in: take.id) == nil ? called : "\(called) \(words.date(take.createdAt))")
  }

  /// A clip and its receipt.
  static func files(ofClip id: String, words: ExportWords) -> [ExportFile] {
    let (stem, suffix) = TakeName.split(id)
    var name = KernelName.shown(stem)
    if let own = TakeName(id) {
      name = "\(words.clip(own.number)) \(own.createdAt.map(words.date) ?? own.stamp)"
    }
    return pair(ClipPath.clip(id), notes: ClipPath.receipt(id), StickName.stem(name), StickName.suffix(suffix))
  }

  private static func pair(_ path: String, notes: String, _ stem: String, _ suffix: String) -> [ExportFile] {
    [
      ExportFile(source: path, name: stem + suffix),
      ExportFile(source: notes, name: "\(stem)\(suffix).json", isNotes: true),
      ExportFile(source: ProofName.of(path), name: ProofName.of(stem + suffix), isNotes: true),
    ]
  }
}
