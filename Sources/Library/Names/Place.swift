internal import Hardware

/// Where takes' files are.
enum TakePath {
  static let recordings = "recordings"

  /// What the library takes for sound when it finds it in `recordings/`.
  private static let extensions: Set<String> = ["m4a", "mp4", "wav", "flac", "opus"]
  /// And what only others call sound, whatever number it has.
  private static let foreignExtensions: Set<String> = [
    "aac", "ac3", "aif", "aifc", "aiff", "amr", "ape", "asf", "au", "awb", "caf", "dff", "dsf", "dts", "eac3", "gsm",
    "m4b", "m4r", "mka", "mp1", "mp2", "mp3", "mpc", "mpga", "oga", "ogg", "ra", "rf64", "snd", "spx", "tta", "voc",
    "w64", "weba", "webm", "wma", "wv",
  ]

  /// Whether the device gives no names with this suffix, though others do.
  static func isOnlyOthers(_ suffix: String) -> Bool { foreignExtensions.contains(suffix) }

  /// What hides behind a dot is another system's business, unless it can be played.
  static func isSound(_ fileName: String) -> Bool {
    guard fileName.utf8.first != UInt8(ascii: ".") else { return false }
    let suffix = TakeName.split(fileName).suffix
    // One that is only called sealed has no suffix but that.
    let word = (TakeName.isSealed(fileName) ? suffix.dropLast(TakeName.sealedSuffix.count) : suffix[...]).dropFirst()
      .lowercased()
    return extensions.contains(word) || foreignExtensions.contains(word)
  }

  static func sound(_ id: String) -> String { "\(recordings)/\(id)" }

  /// The id of a path in `recordings/`; `nil` for any other.
  static func id(_ path: String) -> String? { path.behind("\(recordings)/") }

  static func sidecar(_ id: String) -> String { "\(recordings)/\(Sidecar.name(id))" }

  static func backup(_ id: String) -> String { "\(recordings)/\(Sidecar.backup(id))" }

  /// A copy that is being salvaged from a damaged file, until it takes the damaged file's place.
  static let salvageSuffix = ".salvage"

  static func salvage(_ id: String) -> String { "\(recordings)/\(id)\(salvageSuffix)" }
}

/// The file with the signed receipt of a take or clip, beside it.
enum ProofName {
  static let suffix = ".proof"

  /// Of a recording's name or path.
  static func of(_ recording: String) -> String { recording + suffix }

  static func isOne(_ fileName: String) -> Bool { fileName.hasSuffix(suffix) }

  /// Whose proof a file is.
  static func owner(_ fileName: String) -> String { String(fileName.dropLast(suffix.utf8.count)) }
}

/// Where clips' files are.
enum ClipPath {
  static let clips = "clips"
  static let fileExtension = "mp4"
  static let sealedExtension = fileExtension + TakeName.sealedSuffix
  /// A clip that is being written.
  static let partSuffix = ".part"
  /// A clip that is being put together from others.
  static let editSuffix = ".edit"

  /// What others call a film; what is in a file counts, not this.
  private static let filmExtensions: Set<String> = [
    "3gp", "asf", "avi", "flv", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts", "mxf", "ogv", "ts", "vob",
    "webm", "wmv",
  ]

  /// Whether a file that the device has not made is listed before somebody has looked into it, and if nothing is in it.
  static func isFilm(_ fileName: String) -> Bool {
    fileName.utf8.first != UInt8(ascii: ".")
      && filmExtensions.contains(TakeName.split(fileName).suffix.dropFirst().lowercased())
  }

  /// Whether a file of `clips/` is a picture that the device has kept, by its name.
  static func isPicture(_ fileName: String) -> Bool {
    TakeName.isOurs(fileName) && [".jpg", ".jpg\(TakeName.sealedSuffix)"].contains(TakeName.split(fileName).suffix)
  }

  static func clip(_ id: String) -> String { "\(clips)/\(id)" }
  /// The file name in a path of `clips/`; the path itself if it is none.
  static func name(_ path: String) -> String { path.behind("\(clips)/") ?? path }
  static func part(_ id: String) -> String { "\(clips)/\(id)\(partSuffix)" }
  static func edit(_ id: String) -> String { "\(clips)/\(id)\(editSuffix)" }
  static func receipt(_ id: String) -> String { "\(clips)/\(Sidecar.name(id))" }
}

/// The file with what is known of a take or clip, beside it.
enum Sidecar {
  static let suffix = ".json"
  static let backupSuffix = ".json.bak"

  /// Files that are not numbered by us keep their whole name in it, for `Talk.mp3` and `Talk.wav` may lie side by side.
  static func name(_ id: String) -> String { "\(TakeName.isOurs(id) ? TakeName.split(id).stem : id)\(suffix)" }

  static func backup(_ id: String) -> String { "\(name(id)).bak" }

  static func isOne(_ fileName: String) -> Bool { fileName.hasSuffix(suffix) || fileName.hasSuffix(backupSuffix) }

  /// What a sidecar, or a backup of one, that is not numbered by us has to name as `id` to be the device's.
  static func owner(_ fileName: String) -> String { String(withoutBackup(fileName).dropLast(suffix.utf8.count)) }

  /// The sidecar of which a file is the backup; itself if it is none.
  static func withoutBackup(_ fileName: String) -> String {
    fileName.hasSuffix(backupSuffix) ? String(fileName.dropLast(4)) : fileName
  }
}
