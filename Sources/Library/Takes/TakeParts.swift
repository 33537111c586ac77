internal import Hardware

/// What people say of takes, whatever number of files they are in: names and the like are those of all parts, marks have
/// their places in the whole. Storage worker only.
final class TakeParts {
  private let index: Index
  private let editor: TakeEditor
  /// Bytes of notes that are read at once: those of thousands of files of ours. A card may bring more than there is memory.
  static let mostBytes = 8 << 20
  /// The mark that was taken away last, and its take.
  private var removed: (take: String, mark: Bookmark)?

  init(index: Index, editor: TakeEditor) {
    self.index = index
    self.editor = editor
  }

  /// Changes all parts of a take, the safety takes beside them too, the first, which the list shows, as the last.
  func edit(_ id: String, _ edit: (String) throws(LibraryError) -> FileMeta) throws(LibraryError) -> FileMeta {
    let parts = index.files(with: id).map(\.id)
    for part in parts.dropFirst().reversed() { _ = try edit(part) }
    return try edit(parts.first ?? id)
  }

  /// Parts in the trash of takes whose first ones are not there, and safety takes of takes that are not.
  static func torn(_ listing: Listing, _ metadata: Metadata) throws(LibraryError) -> [String] {
    let trashed = listing.trash.filter { TakePath.isSound($0) && TakeName.isOurs($0) }.sorted()
    guard !trashed.isEmpty else { return [] }
    var room = mostBytes
    func meta(_ id: String) throws(LibraryError) -> FileMeta? {
      let names = [Sidecar.name(id), Sidecar.backup(id)]
      for path in names.map({ "\(TakePath.recordings)/\($0)" }) + names.map(Trash.path) {
        let (file, bytes) = try metadata.measured(path)
        room -= bytes
        if let meta = file.meta { return meta }
      }
      return nil
    }
    // Where cards of several devices have come together parts are rows of their own, and each was deleted for itself.
    var stems: [Int: String] = [:]
    var shared: Set<Int> = []
    for name in listing.sounds.map(\.name) + trashed where !TakeName.isSafety(name) {
      guard let number = TakeName.number(in: name) else { continue }
      let other = stems.updateValue(Sidecar.name(name), forKey: number)
      if let other, other != stems[number] { shared.insert(number) }
    }
    func isShared(_ id: String) -> Bool { TakeName.number(in: id).map(shared.contains) ?? false }
    var torn: [String] = []
    var there = Set(listing.sounds.map(\.name))
    for id in trashed where !TakeName.isSafety(id) {
      guard room > 0 else { break }
      guard !isShared(id), let before = try meta(id)?.linkedTake,
        there.contains(before), !isShared(before), try meta(before)?.stopReason == Library.split
      else { continue }
      torn.append(id)
      there.insert(id)
    }
    for id in trashed where TakeName.main(of: id).map(there.contains) == true { torn.append(id) }
    return torn
  }

  /// What is known of a take, with the length and the marks of all parts in which it goes on.
  func show(_ id: String) throws(LibraryError) -> FileMeta {
    var whole = try editor.show(id)
    var (frames, bytes) = (whole.frames, whole.audio.fileSizeBytes)
    let parts = index.parts(from: id).dropFirst()
    guard !parts.isEmpty else { return whole }
    var room = Self.mostBytes
    for part in parts {
      if part.bookmarks > 0 { room -= part.metaSize }
      let marks = part.bookmarks > 0 && room > 0 ? try editor.show(part.id).bookmarks : []
      whole.bookmarks += marks.map { $0.shifted(by: frames, sampleRate: Int(part.sampleRate)) }
      whole.inProgress = whole.inProgress || part.inProgress
      frames &+= part.frames
      bytes &+= part.size
    }
    whole.setLength(frames: frames, fileSizeBytes: bytes)
    return whole
  }

  /// Puts a mark into the part that it lies in, and takes it from where it was.
  func addBookmark(_ id: String, _ mark: Bookmark) throws(LibraryError) -> FileMeta {
    let parts = index.parts(from: id)
    guard parts.count > 1, mark.time >= 0, mark.time <= FileMeta.longestSeconds else {
      return try editor.addBookmark(id, mark)
    }
    var start = 0
    var place = 0
    let frame = mark.place(sampleRate: Int(parts[0].sampleRate))
    while place + 1 < parts.count, frame >= start + parts[place].frames {
      start += parts[place].frames
      place += 1
    }
    let home = parts[place]
    // There first: who has it twice has not lost it.
    let meta = try editor.addBookmark(home.id, mark.shifted(by: -start, sampleRate: Int(home.sampleRate)))
    for part in parts where part.id != home.id { try remove(mark.id, from: part) }
    return meta
  }

  func removeBookmark(_ id: String, _ mark: String) throws(LibraryError) -> FileMeta {
    // After a stall it is gone already.
    if let found = try show(id).bookmarks.first(where: { $0.id == mark }) { removed = (id, found) }
    for part in index.parts(from: id).dropFirst() { try remove(mark, from: part) }
    return try editor.removeBookmark(id, bookmarkID: mark)
  }

  /// Brings back the mark that was taken away last.
  func restoreBookmark() throws(LibraryError) -> String {
    guard let (id, mark) = removed else { throw .nothingDeleted }
    _ = try addBookmark(id, mark)
    removed = nil
    return id
  }

  private func remove(_ mark: String, from part: TakeRecord) throws(LibraryError) {
    guard part.bookmarks > 0, try editor.show(part.id).bookmarks.contains(where: { $0.id == mark }) else { return }
    _ = try editor.removeBookmark(part.id, bookmarkID: mark)
  }
}

extension Bookmark {
  fileprivate func shifted(by frames: Int, sampleRate: Int) -> Bookmark {
    var mark = self
    mark.move(to: max(0, place(sampleRate: sampleRate) &+ frames), sampleRate: sampleRate)
    return mark
  }
}
