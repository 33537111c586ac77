internal import Hardware
internal import JSON
internal import Media

/// The receipts beside clips. Storage worker only.
struct Receipts {
  private let disk: Disk

  init(_ disk: Disk) { self.disk = disk }

  func read(_ id: String) throws(LibraryError) -> JSONValue { try read(at: ClipPath.receipt(id)) }

  /// In one go: for receipts that are of this device's making, and short.
  func read(at path: String) throws(LibraryError) -> JSONValue {
    let reading = ReceiptReading(disk, path)
    while true {
      if let receipt = try reading.step() { return receipt }
    }
  }

  /// The receipt, or a new one for a clip that has none that can be read.
  func readOrBegin(_ id: String) throws(LibraryError) -> JSONValue {
    do throws(LibraryError) {
      return try read(id)
    } catch {
      if error.stalledUntil != nil { throw error }
      // One that is too long to be read is not written over.
      if let bytes = try disk.entry(ClipPath.receipt(id))?.size, bytes > ReceiptReading.largest { throw error }
      return ["id": .string(KernelName.composed(id))]
    }
  }

  /// Whether the JSON beside a file from elsewhere is the device's, which says whose it is.
  func isOwn(_ path: String) throws(LibraryError) -> Bool {
    guard let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map({ String(Substring($0)) }) else {
      return false
    }
    do throws(LibraryError) {
      return try read(at: path)["id"]?.stringValue.map(KernelName.listed) == Sidecar.owner(name)
    } catch {
      if error.stalledUntil != nil { throw error }
      return false
    }
  }

  /// What could not be read again is not written over what can.
  func write(_ id: String, _ receipt: JSONValue) throws(LibraryError) {
    let (bytes, path) = (Array("\(receipt.text)\n".utf8), ClipPath.receipt(id))
    guard bytes.count <= ReceiptReading.largest, receipt.weight <= ReceiptReading.mostValues else {
      throw .badArgument("\(path) would be too long to be read again")
    }
    try disk.replace(path, with: bytes)
  }
}

extension JSONValue {
  /// Has a clip's receipt say what is missing in the file that was mended, and about how many pictures are damaged.
  mutating func note(gapsOf found: MediaInspection) {
    guard !found.gaps.isEmpty else { return }
    let told: [JSONValue] = found.gaps.map { gap in
      [
        "track": .string(gap.isPictures ? "picture" : "sound"), "start": .number(gap.start),
        "seconds": .number(gap.seconds), "reason": .string(gap.isDamage ? Gap.damaged : Gap.cameraMissed),
      ]
    }
    // Of a clip that is mended again they are found again; why no pictures came somebody may have told better.
    let all = self["gaps"]?.arrayValue ?? []
    let known = all.filter { $0["reason"]?.stringValue != Gap.damaged }
    self["gaps"] = .array(
      known + told.filter { gap in gap["reason"]?.stringValue == Gap.damaged || !known.contains { $0.overlaps(gap) } })
    let unseen = found.gaps.filter(\.isPictures)
    let missing = unseen.reduce(0) { $0 + ($1.isDamage ? $1.seconds : 0) }
    let seen = unseen.reduce(found.seconds) { $0 - $1.seconds }
    guard missing > 0, seen > 0 else { return }
    var pictures = self["pictures"] ?? [:]
    var dropped = pictures["dropped"] ?? [:]
    dropped[Gap.damaged] = .integer(
      Int(min(Double(found.pictures) * missing / seen, 1e9).rounded()))
    pictures["dropped"] = dropped
    self["pictures"] = pictures
  }

  /// Whether both are gaps of one track, and of the same time.
  fileprivate func overlaps(_ other: JSONValue) -> Bool {
    func end(_ gap: JSONValue) -> Double { (gap["start"]?.numberValue ?? 0) + (gap["seconds"]?.numberValue ?? 0) }
    return self["track"] == other["track"] && self["start"]?.numberValue ?? 0 < end(other)
      && other["start"]?.numberValue ?? 0 < end(self)
  }

  /// Has a clip's receipt say what can be seen and heard of the file that there is.
  mutating func state(_ facts: MediaFacts) {
    self["durationSeconds"] = .number(facts.duration)
    var pictures = self["pictures"] ?? [:]
    pictures["captured"] = .integer(facts.pictures)
    pictures["keyframes"] = .integer(facts.keyframes)
    pictures["longestDeltaSeconds"] = .number(facts.longestStep)
    self["pictures"] = pictures
    if var sound = self["sound"] {
      sound["frames"] = .integer(facts.frames)
      self["sound"] = facts.frames > 0 ? sound : nil
    }
    if let start = self["start"]?.numberValue {
      // A time-lapse ends with its last picture.
      let steps = Double(max(0, facts.pictures - 1))
      let lapse = self["timeLapseSeconds"]?.numberValue.map { min(1e6, max(0, $0)) * steps }
      self["end"] = .number(start + (lapse ?? facts.duration))
    }
    guard let gaps = self["gaps"]?.arrayValue else { return }
    self["gaps"] = .array(
      gaps.compactMap { gap in
        guard let start = gap["start"]?.numberValue, let seconds = gap["seconds"]?.numberValue, start < facts.duration
        else { return nil }
        var kept = gap
        kept["seconds"] = .number(min(seconds, facts.duration - start))
        return kept
      })
  }
}
