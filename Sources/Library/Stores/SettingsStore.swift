public import Hardware
public import JSON

/// `settings.json`: flat dotted keys (`recording.format`) to JSON values.
///
/// Keys that this version does not know are kept and written back. Meaning and range of a key are the machine's
/// affair, not the store's. Storage worker only; a call that throws a stall is made again.
public final class SettingsStore {
  private let document: GuardedDocument
  private let clock: any DeviceClock
  /// All settings as read or saved.
  public private(set) var values: [String: JSONValue] = [:]

  public init(storage: any Storage, clock: any DeviceClock) {
    document = GuardedDocument("settings.json", on: storage)
    self.clock = clock
  }

  /// Reads the file; a damaged one falls back to its backup, then to no values at all (the built-in defaults).
  ///
  /// - Returns: sentences about what had to be done, none when all was well.
  public func load() throws(LibraryError) -> [String] {
    values = try document.load(at: clock.wallNow) ?? [:]
    return document.sentences
  }

  /// Sets these keys and makes them durable, in the file and in its backup, as one change: after a power cut all of
  /// them are found, or none. Writes nothing if nothing changed. After an error, none of them is kept.
  public func save(_ new: [String: JSONValue]) throws(LibraryError) {
    let changed = values.merging(new) { $1 }
    do throws(LibraryError) { try document.save(changed) } catch {
      // Without its backup it is kept all the same; that is written with the next change.
      guard error.stalledUntil == nil, document.holds(changed) else { throw error }
    }
    values = changed
  }
}
