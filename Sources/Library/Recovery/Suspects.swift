internal import Hardware

/// Files at which a start has died: they are set aside unread. Storage worker only.
struct Suspects {
  private let disk: Disk
  private let clock: any DeviceClock
  private let quarantine: Quarantine

  init(disk: Disk, clock: any DeviceClock) {
    self.disk = disk
    self.clock = clock
    quarantine = Quarantine(disk: disk)
  }

  /// Moves the device's own file, and what is known of it, to `_Corrupted/`.
  ///
  /// - Returns: sentences about it.
  func setAside(_ past: ExaminationNote.Past) throws(LibraryError) -> [String] {
    guard let path = past.suspect, path.utf8.split(separator: UInt8(ascii: "/")).count == 2 else { return [] }
    if let id = stranger(past) {
      return ["\(id): the last start ended while it was looked at; it is listed as unreadable, and stays as it is."]
    }
    let beside: [String]
    if let id = Self.name(path, in: TakePath.recordings) {
      beside = [TakePath.sidecar(id), TakePath.backup(id)]
    } else if let file = Self.name(path, in: ClipPath.clips) {
      let id = file.hasSuffix(ClipPath.partSuffix) ? String(file.dropLast(ClipPath.partSuffix.count)) : file
      beside = [ClipPath.receipt(id)]
    } else {
      return []
    }
    do {
      guard let target = try move(path) else { return [] }
      for path in beside { _ = try move(path) }
      return ["\(path): the last start ended while it was looked at; it was moved to \(target) without being read."]
    } catch {
      if error.stalledUntil != nil { throw error }
      return ["\(path): the last start ended while it was looked at, and it could not be moved away (\(error))."]
    }
  }

  /// The id of a file from elsewhere that is not to be read.
  func stranger(_ past: ExaminationNote.Past) -> String? {
    guard let path = past.suspect, let id = Self.name(path, in: TakePath.recordings), !TakeName.isOurs(id) else {
      return nil
    }
    return id
  }

  private func move(_ path: String) throws(LibraryError) -> String? {
    try quarantine.take(
      path, reason: "The program ended while it looked at it, so it has not been read again.",
      advice: RescueAdvice.suspect, at: clock.wallNow)
  }

  private static func name(_ path: String, in directory: String) -> String? {
    path.hasPrefix("\(directory)/") ? String(path.dropFirst(directory.utf8.count + 1)) : nil
  }
}
