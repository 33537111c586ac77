internal import Hardware

extension TakeLibrary {
  /// Marks of a very long take are some megabytes; more is damage.
  static let largestMetadata = 16 << 20

  /// Writes metadata, and its backup after it.
  ///
  /// - Returns: size and time of the metadata file.
  @discardableResult
  func write(_ meta: FileMeta, id: String, withBackup: Bool) throws(LibraryError) -> StorageEntry? {
    let bytes = meta.json()
    try disk.replace(TakePath.sidecar(id), with: bytes)
    guard withBackup else { return nil }
    try attempt("The backup of \(id)'s metadata could not be written") { () throws(LibraryError) in
      try disk.replace(TakePath.backup(id), with: bytes)
    }
    return try disk.entry(TakePath.sidecar(id))
  }

  /// Reads one metadata file; damage is a value, not an error.
  func readMetadata(_ path: String) throws(LibraryError) -> MetadataFile {
    let bytes: [UInt8]
    do {
      guard try disk.entry(path) != nil else { return .absent }
      bytes = try disk.read(path, limit: Self.largestMetadata)
    } catch {
      if error.stalledUntil != nil { throw error }
      return .damaged(error.description)
    }
    do {
      return .good(try FileMeta(json: bytes, path: path))
    } catch {
      return .damaged(error.description)
    }
  }

  /// The metadata of a take: what is being written, else the file, else its backup.
  func metadata(of id: String) throws(LibraryError) -> FileMeta {
    if let meta = active[id] ?? unsaved[id] { return meta }
    let first = try readMetadata(TakePath.sidecar(id))
    if case .good(let meta) = first { return meta }
    if case .good(let meta) = try readMetadata(TakePath.backup(id)) { return meta }
    if case .damaged(let reason) = first {
      throw .unreadable(path: TakePath.sidecar(id), reason: "\(reason); run repair to make it anew from the sound")
    }
    throw .notFound(TakePath.sidecar(id))
  }

  /// Changes a take's metadata.
  ///
  /// - Parameter withBackup: false for what may be lost with a damaged file (the last position).
  @discardableResult
  func edit(
    _ id: String, withBackup: Bool = true, _ change: (inout FileMeta) throws(LibraryError) -> Void
  ) throws(LibraryError) -> FileMeta {
    guard let record = index[id] else { throw .notFound(id) }
    var meta = try metadata(of: id)
    try change(&meta)
    if active[id] != nil {
      active[id] = meta
      index.put(TakeRecord(meta, id: id, sound: nil, sidecar: nil, verified: false))
      try write(meta, id: id, withBackup: false)
      return meta
    }
    var sidecar = try write(meta, id: id, withBackup: withBackup)
    if sidecar == nil { sidecar = try disk.entry(TakePath.sidecar(id)) }
    unsaved[id] = nil
    var changed = TakeRecord(meta, id: id, sound: nil, sidecar: sidecar, verified: record.verified)
    changed.size = record.size
    changed.modified = record.modified
    try enter(changed)
    return meta
  }
}

/// What a metadata file turned out to be.
enum MetadataFile {
  case absent
  case good(FileMeta)
  case damaged(String)

  var meta: FileMeta? {
    if case .good(let meta) = self { return meta }
    return nil
  }
}
