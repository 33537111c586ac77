internal import Hardware
internal import Proof

/// Sorts what lies in the data directory into what is known to be well and what has to be looked at. No I/O.
///
/// What the device has not made is listed at most: it is never moved, changed or removed. Of what is called like its own
/// `Origin` says whether it has; the plan goes by names.
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
  /// Names in the trash that go back to where they were.
  private var broughtBack: Set<String> = []

  /// Documents of the data directory itself, which are replaced by way of a temporary file.
  private static let documents = [
    "settings.json", "secrets.json", "operators.json", "state.json", "schedules.json", DeviceKey.path, Catalogue.path,
  ]

  /// - Parameters:
  ///   - parts: parts of takes that lie in the trash and go back.
  ///   - suspect: the path of the file that the last start had in hand when it ended.
  init(_ listing: Listing, known: [String: TakeRecord], parts: [String] = [], suspect: String? = nil) {
    self.listing = listing
    well.reserveCapacity(listing.sounds.count)
    planTakes(known)
    planStrangers(known)
    planClips(known)
    bringBack(parts)
    planTrash()
    planOrphans()
    planProofs()
    planTemporaries()
    if let suspect { items = items.map { $0.examined == suspect ? .suspected($0) : $0 } }
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
    let settled = settleStrangers(known, &sharing)
    for (sidecar, ids) in sharing.sorted(by: { $0.key < $1.key }) { items.append(.renumber(sidecar, ids)) }
    let interrupted = Set(listing.salvages.filter(TakeName.isOurs))
    var doubtful: [String] = []
    // The number of a take that may go on from the one before it; older catalogues do not say.
    var next = -1
    for sound in listing.sounds where sharing[Sidecar.name(sound.name)] == nil && TakeName.isOurs(sound.name) {
      guard !settled.contains(sound.name) else { continue }
      let record = known[sound.name]
      let isUntold = record?.session == next && record?.isLinked == false
      next = record?.isSplit == true ? (record?.session ?? 0) &+ 1 : -1
      if !isWell(sound, record, isInterrupted: interrupted.contains(sound.name), isUntold: isUntold) {
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

  /// Takes those out of what shares notes that are known to be strangers': they have none.
  private mutating func settleStrangers(
    _ known: [String: TakeRecord], _ sharing: inout [String: [String]]
  ) -> Set<String> {
    var settled: Set<String> = []
    guard !sharing.isEmpty else { return settled }
    for sound in listing.sounds where sharing[Sidecar.name(sound.name)] != nil {
      guard let record = known[sound.name], record.isForeign, record.metaSize == 0, record.matches(sound: sound) else {
        continue
      }
      settled.insert(sound.name)
      well.append(record)
    }
    for (sidecar, ids) in sharing where ids.contains(where: settled.contains) {
      let rest = ids.filter { !settled.contains($0) }
      sharing[sidecar] = rest.count > 1 ? rest : nil
      if let first = rest.first { soundOwners[sidecar] = first }
    }
    return settled
  }

  /// Files from elsewhere are listed by their names at once, and looked at when there is time.
  private mutating func planStrangers(_ known: [String: TakeRecord]) {
    for sound in listing.sounds + listing.others where !TakeName.isOurs(sound.name) {
      guard !isWell(sound, known[sound.name], isInterrupted: false) else { continue }
      if TakePath.isSound(sound.name) { unseen.append(TakeRecord(unseen: sound)) }
      items.append(.look(TakePath.sound(sound.name)))
    }
  }

  private mutating func isWell(
    _ sound: StorageEntry, _ record: TakeRecord?, isInterrupted: Bool, isUntold: Bool = false
  ) -> Bool {
    guard let record, record.matches(sound: sound), !record.inProgress, record.verified, !isInterrupted else {
      return false
    }
    let isSame: Bool
    if let entry = listing.sidecars[Sidecar.name(sound.name)] {
      isSame = !isUntold && !record.hasUntoldMarks && record.matches(sidecar: entry)
    } else {
      // Files from elsewhere have metadata only once people have said something about them.
      isSame = record.metaSize == 0 && (record.isForeign || !TakeName.isOurs(sound.name))
    }
    if isSame { well.append(record) } else if !record.isForeign { trusted.append(sound.name) }
    return isSame
  }

  private static func isNewer(_ left: String, _ right: String) -> Bool {
    let numbers = (TakeName.number(in: left) ?? 0, TakeName.number(in: right) ?? 0)
    guard numbers.0 == numbers.1 else { return numbers.0 > numbers.1 }
    // A safety take belongs to what is listed before it.
    let ranks = (TakeName.isSafety(left) ? 1 : 0, TakeName.isSafety(right) ? 1 : 0)
    return (ranks.0, left) < (ranks.1, right)
  }

  // MARK: Clips

  /// In the order of their numbers, as far as names tell.
  static func clips(_ listing: Listing, _ seen: [String: ClipRecord] = [:]) -> [ClipRecord] {
    let films = listing.films.map { file in
      var clip = ClipRecord(id: file.name, bytes: file.size)
      clip.isPending = true
      return seen[file.name] ?? clip
    }
    let own = listing.clips.map { seen[$0.name] ?? ClipRecord(id: $0.name, bytes: $0.size) }
    return (own + films.filter { $0.isPending ? ClipPath.isFilm($0.id) : $0.isListed })
      .sorted { ($0.number, $0.id) < ($1.number, $1.id) }
  }

  private mutating func planClips(_ known: [String: TakeRecord]) {
    // A clip without a receipt is looked at like a film from elsewhere.
    let bare = listing.clips.filter { !listing.receipts.contains(Sidecar.name($0.name)) }
    var seen: [String: ClipRecord] = [:]
    for film in listing.films + bare {
      clipOwners[Sidecar.name(film.name)] = film.name
      if let record = known[ClipPath.clip(film.name)], record.matches(sound: film) {
        seen[film.name] = ClipRecord(record)
        well.append(record)
      } else {
        items.append(.look(ClipPath.clip(film.name)))
      }
    }
    clips = Self.clips(listing, seen)
    for clip in clips { clipOwners[Sidecar.name(clip.id)] = clip.id }
    for id in listing.clipParts {
      clipOwners[Sidecar.name(id)] = id
      items.append(.clipPart(id))
    }
    // Only the newest can have been left between two steps of completing.
    if let last = clips.last { items.append(.clipReceipt(last.id)) }
    for piece in listing.ringPieces { items.append(.ringPiece(piece)) }
    for id in listing.clipEdits { items.append(.leftover(ClipPath.edit(id))) }
  }

  // MARK: Trash

  /// The later parts of a split take whose first ones are where they belong: the power went while all of them were moved,
  /// and the whole take is kept.
  private mutating func bringBack(_ parts: [String]) {
    let trash = Set(parts.isEmpty ? [] : listing.trash)
    for id in parts where soundOwners[Sidecar.name(id)] == nil {
      soundOwners[Sidecar.name(id)] = id
      for name in [id, Sidecar.name(id), Sidecar.backup(id), ProofName.of(id)] where trash.contains(name) {
        broughtBack.insert(name)
        items.append(.restore(name, to: "\(TakePath.recordings)/\(name)"))
      }
      items.append(.take(id))
    }
  }

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
    for name in listing.trash where !broughtBack.contains(name) {
      let sidecar = Sidecar.withoutBackup(name)
      if ProofName.isOne(name), let home = home(ofProof: name) {
        items.append(.restore(name, to: home))
      } else if !Sidecar.isOne(name) || trashed.contains(sidecar) {
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

  /// Where a proof in the trash belongs whose recording has come back; nil: it goes.
  private func home(ofProof name: String) -> String? {
    let owner = ProofName.owner(name)
    if soundOwners[Sidecar.name(owner)] == owner, !listing.proofs.contains(name) { return TakePath.sound(name) }
    if clipOwners[Sidecar.name(owner)] == owner, !listing.clipProofs.contains(name) { return ClipPath.clip(name) }
    return nil
  }

  /// Signed receipts whose recordings are not there: of what was being deleted, or of a copy that was cut off, they go; others
  /// are put aside.
  private mutating func planProofs() {
    let gone = Set(listing.trash)
    let copies = Set(listing.temporaries.map(\.name))
    for name in listing.proofs where TakeName.isOurs(name) {
      let owner = ProofName.owner(name)
      guard soundOwners[Sidecar.name(owner)] == nil else { continue }
      let isDue = gone.contains(owner) || copies.contains(owner)
      items.append(isDue ? .discard(TakePath.sound(name)) : .orphan(name))
    }
    for name in listing.clipProofs where TakeName.isOurs(name) && clipOwners[Sidecar.name(ProofName.owner(name))] == nil
    {
      items.append(.discard(ClipPath.clip(name)))
    }
  }

  // MARK: Leftovers

  private mutating func planOrphans() {
    // A copy that has not got its name yet comes to nothing: the notes first, for they tell whose the file is.
    let copies = Set(
      listing.temporaries.filter { $0.directory == TakePath.recordings && TakePath.isSound($0.name) }.map {
        Sidecar.name($0.name)
      })
    for name in listing.sidecars.keys.sorted() where TakeName.isOurs(name) && !discarded.contains(name) {
      let sidecar = Sidecar.withoutBackup(name)
      guard soundOwners[sidecar] == nil else { continue }
      items.append(copies.contains(sidecar) ? .discard("\(TakePath.recordings)/\(name)") : .orphan(name))
    }
    for name in listing.receipts.sorted() where TakeName.isOurs(name) && !discarded.contains(name) {
      if clipOwners[name] == nil { items.append(.orphanReceipt(name)) }
    }
  }

  private mutating func planTemporaries() {
    // The last one first: what is left when that is cut off has numbers in a row.
    for (directory, name) in listing.temporaries.sorted(by: { $0.name > $1.name }) where isOurs(name, in: directory) {
      items.append(.leftover("\(directory.isEmpty ? "" : "\(directory)/")\(name).tmp"))
    }
  }

  /// Whether a temporary file of this name is an interrupted write of the device's.
  private func isOurs(_ name: String, in directory: String) -> Bool {
    let sidecar = ProofName.isOne(name) ? Sidecar.name(ProofName.owner(name)) : Sidecar.withoutBackup(name)
    switch directory {
    case TakePath.recordings:
      // A copy of a take has no notes yet: what is in it says whose it is.
      return soundOwners[sidecar] != nil || TakeName.isOurs(name) && TakePath.isSound(name)
    case ClipPath.clips:
      return clipOwners[sidecar] != nil || ClipPath.isPicture(name)
    case Quarantine.directory where TakeName.isOurs(name): return name.hasSuffix(".txt")
    default:
      // A document, its backup, or the note on one that was put aside.
      var document = name
      for suffix in directory.isEmpty ? [".bak"] : [".txt", ".bak"] where document.hasSuffix(suffix) {
        document.removeLast(suffix.utf8.count)
      }
      return Self.documents.contains(document) && (directory.isEmpty || name.hasSuffix(".txt"))
    }
  }
}
