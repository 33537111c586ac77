internal import Hardware

extension TakeLibrary {
  static let directories = ["recordings", "clips", "cache", "_Corrupted", "trash", "log"]

  /// Reads catalogue and directories and plans the recovery; opens no take. Call once, before anything else; what
  /// recovery finds to do is then done by `step`, a file at a time.
  ///
  /// A storage that cannot be written is no error here: takes can be listed and played.
  public func open() throws(LibraryError) {
    for directory in Self.directories {
      try attempt("\(directory)/ could not be made") { () throws(LibraryError) in
        try disk.makeDirectory(directory)
      }
    }
    let sentences = try state.load()
    let listing = try Listing(disk)
    let (known, damagedLines) = try catalogue.load()

    report = RecoveryReport()
    for sentence in sentences { report.say(sentence) }
    if damagedLines > 0 {
      report.say("The catalogue had \(damagedLines) damaged lines; what they said is read from the takes themselves.")
    }
    highestNumber = max(highestNumber, state.session, listing.highestNumber)
    work = RecoveryQueue()
    reconcile(listing, with: known)
  }

  /// Sorts what is on the storage into what is known to be well and what has to be looked at.
  private func reconcile(_ listing: Listing, with known: [String: TakeRecord]) {
    var well: [TakeRecord] = []
    var doubtful: [String] = []
    var owners: [String: String] = [:]
    var salvaged: [String] = []
    well.reserveCapacity(listing.sounds.count)
    let interrupted = Set(listing.salvages.map { String($0.dropLast(TakePath.salvageSuffix.count)) })
    // Numbered sounds that would share one metadata file: all but one will get numbers of their own.
    var sharing: [String: [String]] = [:]
    for sound in listing.sounds {
      let sidecar = TakePath.sidecarName(sound.name)
      if let other = owners.updateValue(sound.name, forKey: sidecar) {
        sharing[sidecar, default: [other]].append(sound.name)
      }
    }
    for (sidecar, names) in sharing.sorted(by: { $0.key < $1.key }) { work.add(.renumber(sidecar, names)) }
    for sound in listing.sounds {
      let sidecar = TakePath.sidecarName(sound.name)
      guard sharing[sidecar] == nil else { continue }
      guard let record = known[sound.name], record.matches(sound: sound), !record.inProgress, record.verified,
        !interrupted.contains(sound.name)
      else {
        doubtful.append(sound.name)
        continue
      }
      if let entry = listing.sidecars[sidecar], record.matches(sidecar: entry) {
        well.append(record)
      } else {
        doubtful.append(sound.name)
        work.trust(sound.name)
      }
    }
    for id in interrupted.sorted() {
      work.add(.finishSalvage(id))
      // The copy takes the damaged file's place and is then a take to be examined.
      if owners.updateValue(id, forKey: TakePath.sidecarName(id)) == nil { salvaged.append(id) }
    }
    planTrash(listing, owners: owners)
    for id in salvaged { work.add(.take(id)) }
    for id in doubtful.sorted(by: Self.isNewer) { work.add(.take(id)) }
    for name in listing.sidecars.keys.sorted() {
      let metadata = name.hasSuffix(".bak") ? String(name.dropLast(4)) : name
      if owners[metadata] == nil, !work.handles(name) { work.add(.orphan(name)) }
    }
    for path in listing.leftovers { work.add(.leftover(path)) }
    index = TakeIndex(well)
    report.known = well.count
  }

  /// A trash from before the start is emptied, after half-done deletes are finished and half-done undeletes too.
  ///
  /// The order of moves tells which it was: a sound always moves first, its metadata after it.
  private func planTrash(_ listing: Listing, owners: [String: String]) {
    var trashedSidecars: Set<String> = []
    for name in listing.trash where TakePath.isSound(name) { trashedSidecars.insert(TakePath.sidecarName(name)) }
    for name in listing.sidecars.keys.sorted() {
      let metadata = name.hasSuffix(".bak") ? String(name.dropLast(4)) : name
      if owners[metadata] == nil, trashedSidecars.contains(metadata) {
        work.add(.discard("\(TakePath.recordings)/\(name)"))
        work.claim(name)
      }
    }
    for name in listing.trash {
      let isMetadata = name.hasSuffix(".json") || name.hasSuffix(".json.bak")
      let metadata = name.hasSuffix(".bak") ? String(name.dropLast(4)) : name
      if isMetadata, owners[metadata] != nil, !trashedSidecars.contains(metadata), listing.sidecars[name] == nil {
        work.add(.restore(name))
      } else {
        work.add(.discard(TakePath.trashed(name)))
      }
    }
  }

  private static func isNewer(_ left: String, _ right: String) -> Bool {
    let numbers = (TakeName.number(in: left) ?? 0, TakeName.number(in: right) ?? 0)
    return numbers.0 == numbers.1 ? left < right : numbers.0 > numbers.1
  }
}

/// What lies in the data directory at start.
struct Listing {
  private(set) var sounds: [StorageEntry] = []
  /// Metadata files and their backups, by name.
  private(set) var sidecars: [String: StorageEntry] = [:]
  private(set) var salvages: [String] = []
  /// Paths of temporary files that nobody will finish.
  private(set) var leftovers: [String] = []
  private(set) var trash: [String] = []
  private(set) var highestNumber = 0

  init(_ disk: Disk) throws(LibraryError) {
    let recordings = try disk.list(TakePath.recordings)
    sidecars.reserveCapacity(recordings.count)
    for entry in recordings where !entry.isDirectory { sort(entry) }
    for directory in ["", "clips", TakePath.trash, Quarantine.directory] {
      for entry in try Self.entries(of: directory, on: disk) where !entry.isDirectory {
        note(entry.name)
        if entry.name.hasSuffix(".tmp") {
          leftovers.append(directory.isEmpty ? entry.name : "\(directory)/\(entry.name)")
        } else if directory == TakePath.trash {
          trash.append(entry.name)
        }
      }
    }
  }

  /// A directory that cannot be read costs only what it would have told.
  private static func entries(of directory: String, on disk: Disk) throws(LibraryError) -> [StorageEntry] {
    do {
      return try disk.list(directory)
    } catch {
      if error.stalledUntil != nil { throw error }
      return []
    }
  }

  private mutating func sort(_ entry: StorageEntry) {
    note(entry.name)
    if entry.name.hasSuffix(".tmp") {
      leftovers.append(TakePath.sound(entry.name))
    } else if entry.name.hasSuffix(TakePath.salvageSuffix) {
      salvages.append(entry.name)
    } else if entry.name.hasSuffix(".json") || entry.name.hasSuffix(".json.bak") {
      sidecars[entry.name] = entry
    } else if TakePath.isSound(entry.name) {
      sounds.append(entry)
    }
  }

  private mutating func note(_ name: String) {
    if let number = TakeName.number(in: name) { highestNumber = max(highestNumber, number) }
  }
}
