internal import Hardware

/// Copies of takes in several files whose files had not all got their names when the power went. Storage worker only.
enum CopyLeftovers {
  /// Takes the names from them again, so that all of such a copy are temporary files, which go with the start.
  ///
  /// A file is a copy's if it goes on from, or lies beside, one that has not got its name yet.
  ///
  /// - Returns: whether there were any; the listing is another one then.
  static func unname(_ listing: Listing, _ metadata: Metadata, on disk: Disk) throws(LibraryError) -> Bool {
    let named = Set(listing.sounds.map(\.name))
    var unnamed = Set(
      listing.temporaries.filter {
        $0.directory == TakePath.recordings && TakePath.isSound($0.name) && TakeName.isOurs($0.name)
          && !named.contains($0.name)
      }.map(\.name))
    // The files of a copy have numbers in a row.
    var numbers = Set(unnamed.compactMap(TakeName.number))
    guard let first = numbers.min() else { return false }
    var isAny = false
    var room = TakeParts.mostBytes
    let later = listing.sounds.compactMap { sound in TakeName(sound.name).map { (sound.name, $0) } }
      .filter { $0.1.number >= first }
      .sorted { ($0.1.number, $0.1.isSafety ? 1 : 0) < ($1.1.number, $1.1.isSafety ? 1 : 0) }
    for (id, name) in later where numbers.contains(name.number) || numbers.contains(name.number - 1) {
      var before = TakeName.main(of: id)
      if before == nil, room > 0 {
        let (file, bytes) = try metadata.measured(TakePath.sidecar(id))
        room -= bytes
        before = file.meta?.linkedTake
      }
      guard let before, unnamed.contains(before) else { continue }
      try disk.moveIfPresent(TakePath.sound(id), to: TakePath.sound(id) + ".tmp")
      unnamed.insert(id)
      numbers.insert(name.number)
      isAny = true
    }
    return isAny
  }
}
