internal import Hardware

/// The storage with the library's own error type, and the few compound moves that every part of it needs.
///
/// Storage worker only; every call blocks. A stall leaves things so that the same call can be made again.
struct Disk {
  let storage: any Storage

  init(_ storage: any Storage) { self.storage = storage }

  /// For the decoder, which opens files by name.
  func absolutePath(_ path: String) -> String { storage.absolutePath(path) }

  func create(_ path: String) throws(LibraryError) -> any StoredFile {
    do { return try storage.create(path) } catch { throw .storage(error) }
  }

  func open(_ path: String, writable: Bool) throws(LibraryError) -> any StoredFile {
    do { return try storage.open(path, writable: writable) } catch { throw .storage(error) }
  }

  func read(_ path: String, limit: Int) throws(LibraryError) -> [UInt8] {
    do { return try storage.read(path, limit: limit) } catch { throw .storage(error) }
  }

  func replace(_ path: String, with bytes: [UInt8], isSecret: Bool = false) throws(LibraryError) {
    do { try storage.replace(path, with: bytes, isSecret: isSecret) } catch { throw .storage(error) }
  }

  func syncDirectory(_ path: String) throws(LibraryError) {
    do { try storage.syncDirectory(path) } catch { throw .storage(error) }
  }

  func makeDirectory(_ path: String) throws(LibraryError) {
    do { try storage.makeDirectory(path) } catch { throw .storage(error) }
  }

  func space() throws(LibraryError) -> (free: Int, total: Int) {
    do { return try storage.space() } catch { throw .storage(error) }
  }

  /// Whether a file of so many bytes cannot be there: one with a hole of terabytes would be searched without end.
  func cannotHold(_ bytes: Int) throws(LibraryError) -> Bool {
    let total = try space().total
    return total > 0 && bytes > total
  }

  func write(_ bytes: [UInt8], to file: any StoredFile, at offset: Int) throws(LibraryError) {
    var failure: StorageError?
    bytes.withUnsafeBytes { buffer in
      do throws(StorageError) { try file.write(buffer, at: offset) } catch { failure = error }
    }
    if let failure { throw .storage(failure) }
  }

  /// Reads into all of `bytes`; less only at the end of the file.
  func read(into bytes: inout [UInt8], from file: any StoredFile, at offset: Int) throws(LibraryError) -> Int {
    var outcome: Result<Int, StorageError> = .success(0)
    bytes.withUnsafeMutableBytes { buffer in
      do throws(StorageError) { outcome = .success(try file.read(into: buffer, at: offset)) } catch {
        outcome = .failure(error)
      }
    }
    do { return try outcome.get() } catch { throw .storage(error) }
  }

  func sync(_ file: any StoredFile) throws(LibraryError) {
    do { try file.sync() } catch { throw .storage(error) }
  }

  /// Size and times of an entry; `nil` if there is none.
  func entry(_ path: String) throws(LibraryError) -> StorageEntry? {
    do {
      return try storage.entry(path)
    } catch {
      if error.kind == .notFound { return nil }
      throw .storage(error)
    }
  }

  /// Why nothing at all is found: the data directory is not in its place; `nil` if it is.
  var absence: StorageError? {
    do throws(StorageError) { try storage.checkPlace() } catch {
      // It can be written to without its lock.
      guard error.path == storage.root else { return nil }
      return StorageError(.failed, operation: error.operation, path: error.path)
    }
    return nil
  }

  /// The ordinary files of a directory, no links, pipes or directories; none if the directory is not there.
  func files(_ path: String) throws(LibraryError) -> [StorageEntry] {
    do {
      return try storage.list(path).filter(\.isRegular)
    } catch {
      if error.kind == .notFound { return [] }
      throw .storage(error)
    }
  }

  /// Renames; an absent source means that an earlier attempt has done it already.
  ///
  /// - Returns: false if there was nothing to rename.
  @discardableResult
  func moveIfPresent(_ path: String, to target: String) throws(LibraryError) -> Bool {
    do {
      try storage.rename(path, to: target)
      return true
    } catch {
      // What is still there has nowhere to go: the target's directory is gone.
      if error.kind == .notFound, try entry(path) == nil { return false }
      throw .storage(error)
    }
  }

  /// Gives something else that bears a name of ours a free one; it stays what it is.
  ///
  /// - Returns: that name; nil if it is gone.
  func setAside(_ path: String) throws(LibraryError) -> String? {
    var count = 1
    while try entry("\(path).\(count)") != nil { count += 1 }
    return try moveIfPresent(path, to: "\(path).\(count)") ? "\(path).\(count)" : nil
  }

  /// Removes; an absent file means that an earlier attempt has done it already.
  func removeIfPresent(_ path: String) throws(LibraryError) {
    do {
      try storage.remove(path)
    } catch {
      if error.kind != .notFound { throw .storage(error) }
    }
  }
}
