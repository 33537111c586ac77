internal import Hardware
internal import JSON

/// A small JSON file with a backup beside it: `x.json` and `x.json.bak`.
///
/// Both are replaced atomically, one after the other, so that at every instant at least one of them is whole and
/// damage to one sector never costs both. What is in them is the device's own affair, and may be secret: nobody else reads
/// them. A damaged file goes to `_Corrupted/`. Storage worker only; a stalled call
/// is made again and goes on.
final class GuardedDocument {
  /// Settings and state are a few kilobytes; anything much larger is not ours.
  private static let largest = 1 << 20

  let path: String
  private let disk: Disk
  private let quarantine: Quarantine
  private var primary: [UInt8]?
  private var backup: [UInt8]?
  /// What happened while loading, for people.
  private(set) var sentences: [String] = []
  /// What the backup said when it was loaded.
  private(set) var spare: [String: JSONValue] = [:]

  init(_ path: String, on storage: any Storage) {
    self.path = path
    disk = Disk(storage)
    quarantine = Quarantine(disk: disk)
  }

  /// The fields of the newest readable copy; `nil` if there is none.
  func load(at time: WallTime) throws(LibraryError) -> [String: JSONValue]? {
    for name in [path, "\(path).bak"] {
      try makeWay(for: name) { !$0.isRegular }
      // What is written there first, and removed: but a folder cannot be.
      try makeWay(for: "\(name).tmp", \.isDirectory)
    }
    let first = try read(path, at: time)
    let second = try read("\(path).bak", at: time)
    primary = first?.bytes
    backup = second?.bytes
    spare = second?.fields ?? [:]
    if let first { return first.fields }
    guard let second else {
      if !sentences.isEmpty { say("\(path) could not be read and starts afresh with the built-in values.") }
      return nil
    }
    say("\(path) was missing or damaged; its backup was used.")
    return second.fields
  }

  /// Writes what differs from what is on the storage; does nothing when nothing differs.
  func save(_ fields: [String: JSONValue]) throws(LibraryError) {
    let bytes = JSONValue.object(fields).document()
    if bytes != primary {
      try disk.replace(path, with: bytes, isSecret: true)
      primary = bytes
    }
    if bytes != backup {
      try disk.replace("\(path).bak", with: bytes, isSecret: true)
      backup = bytes
    }
  }

  /// Whether the file itself says this, whatever its backup says.
  func holds(_ fields: [String: JSONValue]) -> Bool { primary == JSONValue.object(fields).document() }

  private func read(
    _ path: String, at time: WallTime
  ) throws(LibraryError) -> (bytes: [UInt8], fields: [String: JSONValue])? {
    let reason: String
    do {
      guard try disk.entry(path) != nil else { return nil }
      let bytes = try disk.read(path, limit: Self.largest)
      do {
        return (bytes, try FieldReader(JSONValue.parse(bytes, path: path), path: path).rest)
      } catch {
        reason = error.reason
      }
    } catch {
      if error.stalledUntil != nil { throw error }
      reason = error.description
    }
    say("\(path) could not be read (\(reason)).")
    do {
      try quarantine.take(path, reason: reason, advice: RescueAdvice.metadata, at: time)
    } catch {
      if error.stalledUntil != nil { throw error }
      say("\(path) could not be moved to \(Quarantine.directory)/ (\(error)).")
    }
    return nil
  }

  /// What is no file would keep everything from being written.
  private func makeWay(for name: String, _ isInTheWay: (StorageEntry) -> Bool) throws(LibraryError) {
    do throws(LibraryError) {
      guard let entry = try disk.entry(name), isInTheWay(entry), let other = try disk.setAside(name) else { return }
      say("\(name) was not a file; it was set aside, as it was, as \(other).")
    } catch {
      if error.stalledUntil != nil { throw error }
      say("\(name) is not a file, and could not be set aside (\(error)).")
    }
  }

  private func say(_ sentence: String) {
    if !sentences.contains(sentence) { sentences.append(sentence) }
  }
}
