internal import Hardware

/// What a library begins with: its directories, its own notes, the catalogue, what there is on the storage, and the plan of
/// what recovery has to do. Opens no take. Storage worker only.
final class LibraryStart {
  private let disk: Disk
  private let state: StateStore
  private let notices: Notices
  private let names: Names
  private let index: Index
  private let clips: ClipIndex
  private let metadata: Metadata
  private let note: ExaminationNote
  private let recovery: Recovery
  private let folders: Folders
  /// The newest take that was there.
  private var newest: String?

  /// So many dead starts in a row, and the library is not examined.
  private static let mostDeaths = 2

  init(
    disk: Disk, state: StateStore, notices: Notices, names: Names, index: Index, clips: ClipIndex, metadata: Metadata,
    note: ExaminationNote, recovery: Recovery, folders: Folders
  ) {
    self.folders = folders
    (self.disk, self.state, self.notices, self.names) = (disk, state, notices, names)
    (self.index, self.clips, self.metadata) = (index, clips, metadata)
    (self.note, self.recovery) = (note, recovery)
  }

  /// Lists takes and clips, and has recovery begin.
  func begin() throws(LibraryError) {
    try folders.makeAll()
    let past = try note.open()
    var sentences: [String] = []
    // Not even its own notes are read by a start after three that died, and after a fourth nothing is listed.
    if past.deaths <= Self.mostDeaths { sentences += try state.load() } else { state.leaveUnread() }
    let isListed = past.deaths <= Self.mostDeaths + 1
    let listing = try isListed ? Listing(disk) : Listing(numbersOf: disk)
    newest = listing.sounds.map(\.name).filter { TakeName.isOurs($0) && !TakeName.isSafety($0) }
      .max { (TakeName.number(in: $0) ?? 0, $0) < (TakeName.number(in: $1) ?? 0, $1) }
    if past.deaths < Self.mostDeaths {
      try examine(listing, sentences, past)
    } else {
      listUnexamined(listing, sentences, past, isListed: isListed)
    }
  }

  /// Lists what there is now, in the place of what was there before.
  func relist() throws(LibraryError) {
    guard recovery.isExamining else { return }
    let listing = try Listing(disk)
    names.resume(found: listing.numbers)
    let plan = RecoveryPlan(listing, known: index.known)
    let open = index.known.values.filter { metadata.isOpen($0.id) }
    index.begin(with: plan.well + plan.unseen + open)
    clips.begin(with: plan.clips)
    recovery.goOn(with: plan)
  }

  /// The newest take, if it was being recorded when the power went.
  func cutOff() throws(LibraryError) -> String? {
    guard let id = newest, let meta = try metadata.file(TakePath.sidecar(id)).meta else { return nil }
    // One that has ended has a reason, although its file may still be to be completed.
    return meta.inProgress && meta.stopReason == nil || meta.stopReason == "power" ? id : nil
  }

  private func examine(
    _ found: Listing, _ sentences: [String], _ past: ExaminationNote.Past
  ) throws(LibraryError) {
    var (listing, sentences) = (found, sentences)
    try notices.attempt("A copy that was cut off is not cleared away") { () throws(LibraryError) in
      if try CopyLeftovers.unname(listing, metadata, on: disk) { listing = try Listing(disk) }
    }
    let (known, damagedLines) = try index.load(listing)
    if damagedLines > 0 {
      sentences.append(
        "The catalogue had \(damagedLines) damaged lines; what they said is read from the takes themselves.")
    }
    names.resume(found: listing.numbers)
    let plan = RecoveryPlan(
      listing, known: known, parts: try TakeParts.torn(listing, metadata), suspect: past.suspect)
    index.begin(with: plan.well + plan.unseen)
    clips.begin(with: plan.clips)
    recovery.begin(plan, sentences: sentences, isCertain: past.isCertain)
  }

  /// Lists what is there by its names alone, so that a device that dies of its library can record all the same.
  private func listUnexamined(
    _ listing: Listing, _ sentences: [String], _ past: ExaminationNote.Past, isListed: Bool
  ) {
    names.resume(found: listing.numbers)
    index.begin(uncatalogued: listing.sounds.map(TakeRecord.init(unseen:)))
    clips.begin(with: RecoveryPlan.clips(listing))
    let sentence =
      "The last \(past.deaths) starts ended while the library was examined. It is not examined now, and takes are "
      + (isListed ? "listed by their names; " : "where they were, but not listed; ")
      + "recording goes on as ever. library.repair, or a start in a minute, examines it."
    recovery.begin(nil, sentences: sentences + [sentence])
  }
}
