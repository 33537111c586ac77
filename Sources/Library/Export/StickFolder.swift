internal import Hardware

/// The folder on a stick that files are copied to. What else is on the stick is left alone: nothing is replaced or
/// removed but the device's own unfinished files, and links are not followed. Storage lane only; every call may block.
struct StickFolder {
  private let storage: any Storage

  /// The ending of a file that is not complete; no other program's files have it.
  static let unfinished = ".mynah.part"
  /// What is left free beside a file, for the file system's own notes.
  private static let margin = 64 << 10
  /// So many names of an unfinished file that are in the way, and somebody wants it so.
  private static let mostInTheWay = 9

  init(_ storage: any Storage) { self.storage = storage }

  /// Makes the folder, if it is not there.
  func make() throws(LibraryError) {
    try perform(ExportPlan.folder) { () throws(StorageError) in
      // Where a stick was pulled out, nothing is to be written into the empty place that it leaves.
      try storage.checkPlace()
      try storage.makeDirectory(ExportPlan.folder)
    }
  }

  func entry(_ name: String) throws(LibraryError) -> StorageEntry? {
    try perform(name) { () throws(StorageError) in
      do throws(StorageError) { return try storage.entry(path(name)) } catch {
        guard error.kind == .notFound else { throw error }
        try storage.checkPlace()
        return nil
      }
    }
  }

  func open(_ name: String) throws(LibraryError) -> any StoredFile {
    try perform(name) { () throws(StorageError) in try storage.open(path(name), writable: false) }
  }

  /// A new unfinished file with room for so many bytes.
  func create(_ name: String, bytes: Int) throws(LibraryError) -> (name: String, file: any StoredFile) {
    let free = try perform(name) { () throws(StorageError) in
      let free = try storage.space().free
      try storage.checkPlace()
      return free
    }
    guard free - Self.margin >= bytes else {
      throw .stick(.full(file: name, bytes: bytes, free: max(0, free - Self.margin)))
    }
    for number in 1...Self.mostInTheWay {
      let part = StickName.numbered(name, number) + Self.unfinished
      if let old = try entry(part) {
        guard old.isRegular else { continue }
        try remove(part)
      }
      let file = try perform(name, bytes) { () throws(StorageError) in try storage.create(path(part)) }
      return (part, file)
    }
    throw .stick(.blocked(name + Self.unfinished))
  }

  /// Gives a complete file its name, which nothing has had; durable on return.
  ///
  /// - Returns: false if something has it.
  func finish(_ part: String, as name: String) throws(LibraryError) -> Bool {
    try perform(name) { () throws(StorageError) in
      do throws(StorageError) {
        try storage.rename(path(part), to: path(name))
        return true
      } catch {
        guard error.kind == .alreadyExists else { throw error }
        return false
      }
    }
  }

  func remove(_ name: String) throws(LibraryError) {
    try perform(name) { () throws(StorageError) in try storage.remove(path(name)) }
  }

  /// For the decoder, which opens files by name.
  func absolutePath(_ name: String) -> String { storage.absolutePath(path(name)) }

  /// Does something to the stick, and tells what a failure of it means.
  ///
  /// - Parameter bytes: how long the file is that is being copied.
  func perform<Result>(
    _ name: String, _ bytes: Int = 0, _ body: () throws(StorageError) -> Result
  ) throws(LibraryError) -> Result {
    do throws(StorageError) { return try body() } catch {
      guard let meaning = StickError(error, file: name, bytes: bytes) else { throw .storage(error) }
      throw .stick(meaning)
    }
  }

  private func path(_ name: String) -> String { "\(ExportPlan.folder)/\(name)" }
}
