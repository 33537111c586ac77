internal import Hardware

/// Sorts what lies in the data directory into what is known to be well and what has to be looked at. No I/O.
///
/// What the device has not made is listed at most: it is never moved, changed or removed.
struct RecoveryPlan {
  /// Takes that are as the catalogue knows them.
  private(set) var well: [TakeRecord] = []
  /// Files from elsewhere of which no more than the name is known.
  private(set) var unseen: [TakeRecord] = []
  /// Of these sounds the catalogue knows the structure, though not the metadata.
  private(set) var trusted: [String] = []
  private(set) var items: [RecoveryItem] = []
  private(set) var clips: [ClipRecord] = []

  private let listing: Listing
  /// The sound or clip that a sidecar is about, by the sidecar's name.
  private var soundOwners: [String: String] = [:]
  private var clipOwners: [String: String] = [:]
  /// Sidecars of what was being deleted.
  private var discarded: Set<String> = []

  /// Documents of the data directory itself, which are replaced by way of a temporary file.
  private static let documents = ["settings.json", "state.json", "operators.json", Catalogue.path]

  /// - Parameter suspect: the id of a file from elsewhere that is not to be read.
  init(_ listing: Listing, known: [String: TakeRecord], suspect: String? = nil) {
    self.listing = listing
    well.reserveCapacity(listing.sounds.count)
    planTakes(known)
    planStrangers(known, suspect: suspect)
    planClips()
    planTrash()
    planOrphans()
    planTemporaries()
  }

  // MARK: Takes

  private mutating func planTakes(_ known: [String: TakeRecord]) {
    // Numbered sounds that would share one metadata file: all but one will get numbers of their own.
    var sharing: [String: [String]] = [:]
    for sound in listing.sounds + listing.others {
      let sidecar = Sidecar.name(sound.name)
      if let other = soundOwners.updateValue(sound.name, forKey: sidecar) {
        sharing[sidecar, default: [other]].append(sound.name)
      }
    }
    for (sidecar, ids) in sharing.sorted(by: { $0.key < $1.key }) { items.append(.renumber(sidecar, ids)) }
    let interrupted = Set(listing.salvages.filter(TakeName.isOurs))
    var doubtful: [String] = []
    for sound in listing.sounds where sharing[Sidecar.name(sound.name)] == nil && TakeName.isOurs(sound.name) {
      if !isWell(sound, known[sound.name], isInterrupted: interrupted.contains(sound.name)) {
        doubtful.append(sound.name)
      }
    }
    for id in interrupted.sorted() {
      items.append(.finishSalvage(id))
      // The copy takes the damaged file's place and is then a take to be examined.
      if soundOwners.updateValue(id, forKey: Sidecar.name(id)) == nil { items.append(.take(id)) }
    }
    for id in doubtful.sorted(by: Self.isNewer) { items.append(.take(id)) }
  }

  /// Files from elsewhere are listed by their names at once, and looked at when there is time.
  private mutating func planStrangers(_ known: [String: TakeRecord], suspect: String?) {
    for sound in listing.sounds + listing.others where !TakeName.isOurs(sound.name) {
      guard !isWell(sound, known[sound.name], isInterrupted: false) else { continue }
      var record = TakeRecord(unseen: sound)
      if sound.name == suspect {
        (record.isPending, record.isUnreadable, record.verified) = (false, true, true)
        well.append(record)
        continue
      }
      if TakePath.isSound(sound.name) { unseen.append(record) }
      items.append(.look(sound.name))
    }
  }

  private mutating func isWell(_ sound: StorageEntry, _ record: TakeRecord?, isInterrupted: Bool) -> Bool {
    guard let record, record.matches(sound: sound), !record.inProgress, record.verified, !isInterrupted else {
      return false
    }
    let isSame: Bool
    if let entry = listing.sidecars[Sidecar.name(sound.name)] {
      isSame = record.matches(sidecar: entry)
    } else {
      // Files from elsewhere have metadata only once people have said something about them.
      isSame = record.metaSize == 0 && !TakeName.isOurs(sound.name)
    }
    if isSame { well.append(record) } else { trusted.append(sound.name) }
    return isSame
  }

  private static func isNewer(_ left: String, _ right: String) -> Bool {
    let numbers = (TakeName.number(in: left) ?? 0, TakeName.number(in: right) ?? 0)
    return numbers.0 == numbers.1 ? left < right : numbers.0 > numbers.1
  }

  // MARK: Clips

  /// In the order of their numbers.
  static func clips(_ listing: Listing) -> [ClipRecord] {
    listing.clips.map { ClipRecord(id: $0.name, bytes: $0.size) }.sorted { ($0.number, $0.id) < ($1.number, $1.id) }
  }

  private mutating func planClips() {
    clips = Self.clips(listing)
    for clip in clips { clipOwners[Sidecar.name(clip.id)] = clip.id }
    for id in listing.clipParts.filter(TakeName.isOurs) {
      clipOwners[Sidecar.name(id)] = id
      items.append(.clipPart(id))
    }
    // Only the newest can have been left between two steps of completing.
    if let last = clips.last { items.append(.clipReceipt(last.id)) }
    for piece in listing.ringPieces { items.append(.ringPiece(piece)) }
    for id in listing.clipEdits.filter(TakeName.isOurs) { items.append(.leftover(ClipPath.edit(id))) }
  }

  // MARK: Trash

  /// A trash from before the start is emptied, after half-done deletes are finished and half-done undeletes too.
  ///
  /// The order of moves tells which it was: sound or pictures always move first, the sidecar after them.
  private mutating func planTrash() {
    let trashed = Set(listing.trash.filter { !Sidecar.isOne($0) }.map(Sidecar.name))
    for name in listing.sidecars.keys.sorted() {
      let sidecar = Sidecar.withoutBackup(name)
      guard soundOwners[sidecar] == nil, trashed.contains(sidecar) else { continue }
      items.append(.discard("\(TakePath.recordings)/\(name)"))
      discarded.insert(name)
    }
    for name in listing.receipts.sorted() where clipOwners[name] == nil && trashed.contains(name) {
      items.append(.discard("\(ClipPath.clips)/\(name)"))
      discarded.insert(name)
    }
    for name in listing.trash {
      let sidecar = Sidecar.withoutBackup(name)
      if !Sidecar.isOne(name) || trashed.contains(sidecar) {
        items.append(.discard(Trash.path(name)))
      } else if soundOwners[sidecar] != nil, listing.sidecars[name] == nil {
        items.append(.restore(name, to: "\(TakePath.recordings)/\(name)"))
      } else if clipOwners[sidecar] != nil, !listing.receipts.contains(name) {
        items.append(.restore(name, to: "\(ClipPath.clips)/\(name)"))
      } else {
        items.append(.discard(Trash.path(name)))
      }
    }
  }

  // MARK: Leftovers

  private mutating func planOrphans() {
    for name in listing.sidecars.keys.sorted() where TakeName.isOurs(name) && !discarded.contains(name) {
      if soundOwners[Sidecar.withoutBackup(name)] == nil { items.append(.orphan(name)) }
    }
    for name in listing.receipts.sorted() where TakeName.isOurs(name) && !discarded.contains(name) {
      if clipOwners[name] == nil { items.append(.orphanReceipt(name)) }
    }
  }

  private mutating func planTemporaries() {
    for (directory, name) in listing.temporaries where isOurs(name, in: directory) {
      items.append(.leftover("\(directory.isEmpty ? "" : "\(directory)/")\(name).tmp"))
    }
  }

  /// Whether a temporary file of this name is an interrupted write of the device's.
  private func isOurs(_ name: String, in directory: String) -> Bool {
    if TakeName.isOurs(name) { return true }
    let sidecar = Sidecar.withoutBackup(name)
    switch directory {
    case TakePath.recordings: return soundOwners[sidecar] != nil
    case ClipPath.clips: return clipOwners[sidecar] != nil
    default: return Self.documents.contains { name.hasPrefix($0) }
    }
  }
}
