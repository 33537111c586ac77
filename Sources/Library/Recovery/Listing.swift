internal import Hardware

/// What lies in the data directory at start. Only ordinary files count: links, pipes and directories are nobody's takes.
struct Listing {
  /// Files with the name of a sound.
  private(set) var sounds: [StorageEntry] = []
  /// Files from elsewhere that may be sounds, whatever they are called.
  private(set) var others: [StorageEntry] = []
  /// Metadata files and their backups, by name.
  private(set) var sidecars: [String: StorageEntry] = [:]
  private(set) var salvages: [String] = []
  /// Signed receipts in `recordings/` and in `clips/`.
  private(set) var proofs: [String] = []
  private(set) var clipProofs: [String] = []
  private(set) var clips: [StorageEntry] = []
  /// Files in `clips/` that the device has not made and that may be films, whatever they are called.
  private(set) var films: [StorageEntry] = []
  /// Clips that were being written, by their final names.
  private(set) var clipParts: [String] = []
  /// Clips that were being put together from others, by their final names.
  private(set) var clipEdits: [String] = []
  private(set) var receipts: Set<String> = []
  /// Pieces of the ring's copy, oldest first.
  private(set) var ringPieces: [String] = []
  private(set) var trash: [String] = []
  /// Temporary files: directory and name without `.tmp`.
  private(set) var temporaries: [(directory: String, name: String)] = []
  /// Session numbers in names, of whatever kind.
  private(set) var numbers: [Int] = []

  static let temporarySuffix = ".tmp"

  /// As the catalogue calls them.
  var ids: Set<String> {
    Set((sounds + others).map(\.name) + (clips + films).map { ClipPath.clip($0.name) })
  }

  init(_ disk: Disk) throws(LibraryError) {
    let recordings = try disk.files(TakePath.recordings)
    sidecars.reserveCapacity(recordings.count)
    numbers.reserveCapacity(recordings.count)
    for entry in recordings where !note(entry, in: TakePath.recordings) { sort(recording: entry) }
    for entry in try Self.files(of: ClipPath.clips, on: disk) where !note(entry, in: ClipPath.clips) {
      sort(clip: entry)
    }
    for entry in try Self.files(of: Trash.directory, on: disk) {
      _ = note(entry, in: Trash.directory)
      trash.append(entry.name)
    }
    for directory in ["", Quarantine.directory] {
      for entry in try Self.files(of: directory, on: disk) { _ = note(entry, in: directory) }
    }
    ringPieces = try Self.files(of: ClipSpool.directory, on: disk).compactMap { entry in
      ClipSpool.number(of: entry.name).map { ($0, entry.name) }
    }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// Only the numbers that were given; nothing else is asked of the names.
  init(numbersOf disk: Disk) throws(LibraryError) {
    for directory in [TakePath.recordings, ClipPath.clips, Trash.directory, "", Quarantine.directory] {
      numbers += try Self.files(of: directory, on: disk).compactMap { TakeName.number(in: $0.name) }
    }
  }

  /// A directory that cannot be read costs only what it would have told.
  private static func files(of directory: String, on disk: Disk) throws(LibraryError) -> [StorageEntry] {
    do {
      return try disk.files(directory)
    } catch {
      if error.stalledUntil != nil { throw error }
      return []
    }
  }

  /// - Returns: whether it is a temporary file, of which there is no more to be said.
  private mutating func note(_ entry: StorageEntry, in directory: String) -> Bool {
    if let number = TakeName.number(in: entry.name) { numbers.append(number) }
    guard directory != Trash.directory, entry.name.hasSuffix(Self.temporarySuffix) else { return false }
    temporaries.append((directory, String(entry.name.dropLast(Self.temporarySuffix.count))))
    return true
  }

  private mutating func sort(recording entry: StorageEntry) {
    if entry.name.hasSuffix(TakePath.salvageSuffix), TakeName.isOurs(entry.name) {
      salvages.append(String(entry.name.dropLast(TakePath.salvageSuffix.count)))
    } else if ProofName.isOne(entry.name) {
      proofs.append(entry.name)
    } else if Sidecar.isOne(entry.name) {
      sidecars[entry.name] = entry
    } else if TakePath.isSound(entry.name) {
      sounds.append(entry)
    } else if !TakeName.isOurs(entry.name) {
      others.append(entry)
    }
  }

  private mutating func sort(clip entry: StorageEntry) {
    let (stem, suffix) = TakeName.split(entry.name)
    switch suffix {
    case ProofName.suffix: clipProofs.append(entry.name)
    case Sidecar.suffix: receipts.insert(entry.name)
    case _ where !TakeName.isOurs(entry.name): films.append(entry)
    case ClipPath.partSuffix: clipParts.append(stem)
    case ClipPath.editSuffix: clipEdits.append(stem)
    case ".\(ClipPath.fileExtension)", ".\(ClipPath.sealedExtension)": clips.append(entry)
    default: break
    }
  }
}
