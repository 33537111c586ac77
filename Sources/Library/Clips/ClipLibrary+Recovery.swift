public import Hardware
internal import JSON
internal import Media

/// Something that recovery has to look at.
enum ClipWork: Hashable {
  /// A clip that was being written, by its final name.
  case part(String)
  /// A clip whose receipt still says that it is being written.
  case provisional(String)
  /// A piece of the spool that is left over.
  case spooled(String)
  /// A file of an edit that was not finished.
  case edit(String)
  /// A receipt without a clip.
  case orphan(String)
}

extension ClipLibrary {
  /// Reads the directory and plans the recovery; opens no clip. Once, after the takes' library was opened. What there is
  /// to be done is then done by `step`, a file at a time.
  public func open() throws(LibraryError) {
    let entries = try disk.list(Self.directory)
    let names = Set(entries.map(\.name))
    clips = []
    work = []
    for entry in entries where !entry.isDirectory {
      let (stem, suffix) = TakeName.split(entry.name)
      switch suffix {
      case Self.partSuffix: work.append(.part(stem))
      case Self.editSuffix: work.append(.edit(entry.name))
      case ".mp4": clips.append(ClipRecord(id: entry.name, bytes: entry.size))
      case ".json":
        let clip = "\(stem).mp4"
        if !names.contains(clip), !names.contains(clip + Self.partSuffix) { work.append(.orphan(entry.name)) }
      default: break
      }
    }
    work += try spooledPieces()
    clips.sort { ($0.number, $0.id) < ($1.number, $1.id) }
    // Only the newest can have been left between two steps of completing.
    if let last = clips.last { work.append(.provisional(last.id)) }
  }

  /// Whether recovery has nothing left to do.
  public var isRecovered: Bool { work.isEmpty }

  /// Does one piece of recovery.
  ///
  /// - Returns: when to be called again; `nil` if there is nothing left.
  public func step(now: Instant) -> Instant? {
    guard let next = work.first else { return nil }
    do throws(LibraryError) {
      switch next {
      case .part(let id): if !active.contains(id) { try recover(id) }
      case .provisional(let id): try settle(id)
      case .spooled(let piece): if let id = try adopt(piece) { work.insert(.part(id), at: 1) }
      case .orphan(let name): try clear(name)
      case .edit(let name): try disk.removeIfPresent(Self.path(name))
      }
    } catch {
      if let until = error.stalledUntil { return until }
      warn("recovery of clips: \(error)")
    }
    work.removeFirst()
    return work.isEmpty ? nil : now
  }

  private func recover(_ id: String) throws(LibraryError) {
    let path = Self.part(id)
    guard let entry = try disk.entry(path) else { return }
    let file = try disk.open(path, writable: true)
    let found: ClipInspection
    do throws(StorageError) {
      file.usesReserve = true
      found = try ClipRepair.repair(file)
    } catch {
      file.close()
      throw .storage(error)
    }
    let size = file.size
    file.close()
    guard found.condition == .finished else { return try giveUp(id, entry) }
    let isFromRing = try noteRecovery(id, found, bytes: size)
    // A clip of this name cannot be there: names are given once.
    try disk.moveIfPresent(path, to: Self.path(id))
    enter(ClipRecord(id: id, bytes: size))
    let seconds = Self.seconds(found.seconds)
    report.append(
      isFromRing
        ? "\(id): \(seconds) that nobody had triggered yet, from before the power was cut."
        : "\(id) was cut off while it was being made; \(seconds) of it are saved.")
  }

  /// - Returns: whether it comes from the spool.
  @discardableResult
  private func noteRecovery(_ id: String, _ found: ClipInspection, bytes: Int) throws(LibraryError) -> Bool {
    var receipt: JSONValue
    do throws(LibraryError) {
      receipt = try readReceipt(id)
    } catch {
      if error.stalledUntil != nil { throw error }
      receipt = ["id": .string(id)]
    }
    // One that was whole already, and only lacked its name, says so itself.
    guard receipt["stopReason"] == nil || receipt["inProgress"]?.boolValue == true else { return false }
    receipt["inProgress"] = nil
    receipt["id"] = .string(id)
    receipt["path"] = .string(Self.path(id))
    receipt["stopReason"] = .string(TakeLibrary.recovered)
    receipt["durationSeconds"] = .number(found.seconds)
    receipt["fileBytes"] = .integer(bytes)
    if var sound = receipt["sound"] {
      sound["frames"] = .integer(found.frames)
      receipt["sound"] = sound
    }
    if var pictures = receipt["pictures"] {
      pictures["captured"] = .integer(found.pictures)
      pictures["keyframes"] = .integer(found.keyframes)
      receipt["pictures"] = pictures
    }
    if found.unreadableBytes > 0 { receipt["unreadableBytes"] = .integer(found.unreadableBytes) }
    try writeReceipt(id, receipt)
    return receipt[Self.fromRing]?.boolValue == true
  }

  /// Nothing can be shown of it: an empty one goes, bytes that somebody might still rescue are kept.
  private func giveUp(_ id: String, _ entry: StorageEntry) throws(LibraryError) {
    if entry.size > 64 << 10 {
      let target = try quarantine.take(
        Self.part(id), reason: "No picture was found in what was written of the clip.", advice: Self.advice,
        at: clock.wallNow)
      if let target { report.append("Of \(id) nothing could be saved; what there is lies in \(target).") }
    } else {
      try disk.removeIfPresent(Self.part(id))
    }
    try disk.removeIfPresent(Self.receipt(id))
  }

  /// A clip that has its name is whole, whatever its receipt still says.
  private func settle(_ id: String) throws(LibraryError) {
    guard try disk.entry(Self.receipt(id)) != nil, let receipt = try? readReceipt(id),
      receipt["inProgress"]?.boolValue == true, let entry = try disk.entry(Self.path(id))
    else { return }
    let file = try disk.open(Self.path(id), writable: false)
    defer { file.close() }
    let found: ClipInspection
    do throws(StorageError) { found = try ClipRepair.inspect(file) } catch { throw .storage(error) }
    try noteRecovery(id, found, bytes: entry.size)
  }

  /// A receipt alone is what a crash leaves of a delete (the clip goes first), or of a clip that was only begun.
  private func clear(_ name: String) throws(LibraryError) {
    guard TakeName.number(in: name) != nil else { return }
    try disk.removeIfPresent("\(Self.directory)/\(name)")
  }

  private static func seconds(_ value: Double) -> String { "\((value * 10).rounded() / 10) s" }

  private static let advice = """
    Copy the file to a computer before trying anything. To save what can be decoded:
      ffmpeg -err_detect ignore_err -i FILE -c copy rescued.mp4
    """
}
