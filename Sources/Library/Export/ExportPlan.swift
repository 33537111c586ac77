public import Hardware

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
}

/// Which files of takes and clips go to a stick, and under which names. Pure.
enum ExportPlan {
  /// The folder on the stick.
  static let folder = "Mynah"

  /// The files of a take in their order, each with its notes; safety takes last.
  static func files(of take: TakeSummary, withSafety: Bool, words: ExportWords) -> [ExportFile] {
    let number = TakeName.number(in: take.id)
    let stem = TakeName.split(take.id).stem
    let called = take.displayName == stem ? number.map(words.take) ?? stem : take.displayName
    // Files from elsewhere have the name that people gave them, and a date that says little.
    let name = StickName.stem(number == nil ? called : "\(called) \(words.date(take.createdAt))")
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

  /// A clip and its receipt.
  static func files(ofClip id: String, words: ExportWords) -> [ExportFile] {
    let (stem, suffix) = TakeName.split(id)
    var name = stem
    if let own = TakeName(id) {
      name = "\(words.clip(own.number)) \(own.createdAt.map(words.date) ?? own.stamp)"
    }
    return pair(ClipPath.clip(id), notes: ClipPath.receipt(id), StickName.stem(name), StickName.suffix(suffix))
  }

  private static func pair(_ path: String, notes: String, _ stem: String, _ suffix: String) -> [ExportFile] {
    [
      ExportFile(source: path, name: stem + suffix),
      ExportFile(source: notes, name: "\(stem)\(suffix).json", isNotes: true),
    ]
  }
}
