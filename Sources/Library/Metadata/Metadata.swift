internal import Hardware
internal import JSON

/// What is known of takes beyond what the index keeps: from the recorder's hands to the file beside the sound.
///
/// The newest word on a take is what is being recorded, then what could not be written yet, then the file, then its
/// backup. Storage worker only.
final class Metadata {
  private let disk: Disk
  private let notices: Notices
  /// Takes that receive sound.
  private var open: [String: FileMeta] = [:]
  /// Of complete takes, what could not be written (storage full).
  private var unsaved: [String: FileMeta] = [:]
  /// Takes of this run that have ended, and whose files could not be completed then.
  private(set) var unfinished: Set<String> = []

  /// Marks of a very long take are some megabytes; more is damage, or another program's.
  static let largest = 4 << 20

  init(_ disk: Disk, notices: Notices) {
    self.disk = disk
    self.notices = notices
  }

  // MARK: Takes that are being recorded

  var isRecording: Bool { !open.isEmpty }
  func isOpen(_ id: String) -> Bool { open[id] != nil }
  /// Takes whose file somebody has removed meanwhile: what comes is written to where nobody finds it.
  func removedWhileOpen() throws(LibraryError) -> [String] {
    var removed: [String] = []
    for id in open.keys.sorted() where try disk.entry(TakePath.sound(id)) == nil { removed.append(id) }
    return removed
  }
  func ofOpen(_ id: String) -> FileMeta? { open[id] }
  func setOpen(_ id: String, _ meta: FileMeta) { open[id] = meta }
  func close(_ id: String) { open[id] = nil }

  // MARK: What waits for room

  /// A take whose metadata waits to be written, and is none of those.
  func waiting(but others: Set<String>) -> String? { unsaved.keys.filter { !others.contains($0) }.min() }
  func ofWaiting(_ id: String) -> FileMeta? { unsaved[id] }
  func keepWaiting(_ id: String, _ meta: FileMeta) { unsaved[id] = meta }
  func stopWaiting(_ id: String) { unsaved[id] = nil }

  func keepUnfinished(_ id: String) { unfinished.insert(id) }
  func setFinished(_ id: String) { unfinished.remove(id) }

  // MARK: Files

  /// The newest word on a take.
  func read(_ id: String) throws(LibraryError) -> FileMeta {
    if let meta = open[id] ?? unsaved[id] { return meta }
    let first = try file(TakePath.sidecar(id))
    if case .good(let meta) = first { return meta }
    if case .good(let meta) = try file(TakePath.backup(id)) { return meta }
    if case .damaged(let reason) = first {
      throw .unreadable(path: TakePath.sidecar(id), reason: "\(reason); run repair to make it anew from the sound")
    }
    throw .notFound(TakePath.sidecar(id))
  }

  /// What people have said on the device of a file from elsewhere; nil if nothing. A stranger's JSON beside it is none.
  func ofStranger(_ id: String) throws(LibraryError) -> FileMeta? {
    for path in [TakePath.sidecar(id), TakePath.backup(id)] {
      if let meta = try file(path).meta, meta.id == id { return meta }
    }
    return nil
  }

  /// Reads one metadata file; damage is a value, not an error.
  func file(_ path: String) throws(LibraryError) -> MetadataFile { try measured(path).file }

  /// The same, and how many bytes it has.
  func measured(_ path: String) throws(LibraryError) -> (file: MetadataFile, bytes: Int) {
    let bytes: [UInt8]
    do {
      guard try disk.entry(path) != nil else { return (.absent, 0) }
      bytes = try disk.read(path, limit: Self.largest)
    } catch {
      if error.stalledUntil != nil { throw error }
      return (.damaged(error.description), 0)
    }
    do {
      return (.good(try FileMeta(json: bytes, path: path)), bytes.count)
    } catch {
      return (.damaged(error.description), bytes.count)
    }
  }

  /// Writes the metadata file, and its backup after it.
  ///
  /// - Parameter withBackup: false for what may be lost with a damaged file (the last position).
  /// - Returns: size and time of the metadata file; nil without a backup, as nobody asks then.
  @discardableResult
  func write(_ meta: FileMeta, id: String, withBackup: Bool) throws(LibraryError) -> StorageEntry? {
    let value = meta.value
    let bytes = value.document()
    try Self.check(value, bytes: bytes.count, path: TakePath.sidecar(id))
    if meta.isForeign || !TakeName.isOurs(id), try ofStranger(id) == nil {
      for path in [TakePath.sidecar(id), TakePath.backup(id)] where try disk.entry(path) != nil {
        throw .badArgument("\(path) is not the device's, and is left as it is; rename it on a computer to go on")
      }
      // With a take of the same name they may come back.
      for name in [Sidecar.name(id), Sidecar.backup(id)] where try disk.entry(Trash.path(name)) != nil {
        throw .badArgument("\(name) lies in the trash; undelete what it belongs to, or try again in some seconds")
      }
    }
    try disk.replace(TakePath.sidecar(id), with: bytes)
    guard withBackup else { return nil }
    try notices.attempt("The backup of \(id)'s metadata could not be written") { () throws(LibraryError) in
      try disk.replace(TakePath.backup(id), with: bytes)
    }
    return try disk.entry(TakePath.sidecar(id))
  }
}

extension Metadata {
  /// What could not be read again is not written over what can.
  private static func check(_ value: JSONValue, bytes: Int, path: String) throws(LibraryError) {
    guard bytes <= largest, value.weight <= JSONValue.mostValues else {
      throw .badArgument("\(path) would be too long to be read again; take marks or notes out of it first")
    }
    do throws(MetadataError) { _ = try FileMeta(value, path: path) } catch { throw .badArgument("\(error)") }
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
