internal import Hardware

/// The folders of the data directory that the device works in. Storage worker only.
///
/// What bears the name of one and is none, a file, a pipe, a device or a link, is set aside under a free name, as what it
/// is: nothing on a card keeps the device from recording.
final class Folders {
  private let disk: Disk
  private let notices: Notices
  /// Which they were when they were looked at last.
  private var places: [String: StorageEntry] = [:]

  static let all = [
    TakePath.recordings, ClipPath.clips, "cache", Quarantine.directory, Trash.directory, "log",
  ]
  /// Those without which the lists are not true.
  private static let watched = [TakePath.recordings, ClipPath.clips, Trash.directory]

  init(_ disk: Disk, notices: Notices) {
    self.disk = disk
    self.notices = notices
  }

  /// Makes those that are not there.
  func makeAll() throws(LibraryError) {
    for folder in Self.all {
      try notices.attempt("\(folder)/ could not be made") { () throws(LibraryError) in try make(folder) }
    }
  }

  private func make(_ folder: String) throws(LibraryError) {
    if let entry = try disk.entry(folder), !entry.isDirectory, let name = try disk.setAside(folder) {
      notices.warn("\(folder) was not a folder; it was set aside, as it was, as \(name)")
    }
    try disk.makeDirectory(folder)
    places[folder] = try disk.entry(folder)
  }

  /// Whether it is the one that it was. FAT has no numbers of its own for folders: the kernel may give one another, but not
  /// another time of its last change.
  private func isInPlace(_ folder: String, _ before: StorageEntry) throws(LibraryError) -> Bool {
    guard let entry = try disk.entry(folder), entry.isDirectory else { return false }
    guard entry.inode == before.inode || entry.modified == before.modified else { return false }
    places[folder] = entry
    return true
  }

  /// Whether takes, and clips, can be put into theirs.
  var takeFiles: (takes: Bool, clips: Bool) {
    (disk.storage.takesFiles(in: TakePath.recordings), disk.storage.takesFiles(in: ClipPath.clips))
  }

  /// Looks whether they are those that they were. One that has been removed is made anew.
  ///
  /// - Returns: those that were removed or replaced since the last look.
  func look() throws(LibraryError) -> [String] {
    var changed: [String] = []
    var failure: LibraryError?
    for folder in Self.watched {
      // A storage that does not answer is asked again.
      guard let before = places[folder], (try? isInPlace(folder, before)) == false else { continue }
      do throws(LibraryError) {
        try make(folder)
        changed.append(folder)
      } catch {
        failure = error
      }
    }
    if changed.isEmpty, let failure { throw failure }
    return changed
  }
}
