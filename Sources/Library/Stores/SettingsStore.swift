public import Hardware
public import JSON

/// `settings.json`: flat dotted keys (`recording.format`) to JSON values, and `secrets.json` for those of them that let
/// somebody in.
///
/// Keys that this version does not know are kept and written back. Meaning and range of a key are the machine's affair, not
/// the store's; so is what of it is secret. In `settings.json` stands `{"secret": 4, "shown": …}` for a secret value, and
/// under its number the value is in `secrets.json`: a changed one gets another number, so that what `settings.json` says is
/// one change whatever the power does. Storage worker only; a call that throws a stall is made again.
public final class SettingsStore {
  /// What of a value may be shown; nil: all of it, it is no secret.
  public typealias Hide = (_ key: String, _ value: JSONValue) -> JSONValue?

  private let document: GuardedDocument
  private let secrets: GuardedDocument
  private let clock: any DeviceClock
  private let hide: Hide
  /// What `settings.json` says, and `secrets.json`.
  private var written: [String: JSONValue] = [:]
  private var kept: [String: JSONValue] = [:]
  /// All settings as read or saved.
  public private(set) var values: [String: JSONValue] = [:]
  /// What the backup of `settings.json` said when it was read.
  public private(set) var spare: [String: JSONValue] = [:]

  public init(storage: any Storage, clock: any DeviceClock, hide: @escaping Hide = { _, _ in nil }) {
    document = GuardedDocument("settings.json", on: storage)
    secrets = GuardedDocument("secrets.json", on: storage)
    self.clock = clock
    self.hide = hide
  }

  /// Reads the files; a damaged one falls back to its backup, then to no values at all (the built-in defaults). Secrets that
  /// older firmware has left in `settings.json` are taken out of it.
  ///
  /// - Returns: sentences about what had to be done, none when all was well.
  public func load() throws(LibraryError) -> [String] {
    written = try document.load(at: clock.wallNow) ?? [:]
    kept = try secrets.load(at: clock.wallNow) ?? [:]
    var sentences = document.sentences + secrets.sentences
    values = [:]
    for (key, value) in written {
      guard let number = Self.number(value) else {
        values[key] = value
        continue
      }
      values[key] = kept[number]
      if kept[number] == nil { sentences.append("\(key) is not in secrets.json any more; set it again.") }
    }
    spare = document.spare.compactMapValues { value in Self.number(value).map { kept[$0] } ?? value }
    if written.contains(where: { Self.number($0.value) == nil && hide($0.key, $0.value) != nil }) { try save([:]) }
    return sentences
  }

  /// Whether a key has no value because of a wrong byte: that of a secret is not where it should be, or there is a key that
  /// is called the same but for one byte, and that the backup has not.
  public func isLost(_ key: String) -> Bool {
    guard values[key] == nil else { return false }
    guard written[key] == nil else { return true }
    return written.keys.contains { document.spare[$0] == nil && Self.isMisspelt($0, key) }
  }

  private static func isMisspelt(_ word: String, _ key: String) -> Bool {
    word.utf8.count == key.utf8.count && zip(word.utf8, key.utf8).filter { $0.0 != $0.1 }.count == 1
  }

  /// Takes the value that the backup had; it is written with the next change.
  public func restore(_ key: String) {
    if let value = spare[key] { values[key] = value }
  }

  /// Sets these keys and makes them durable, in the file and in its backup, as one change: after a power cut all of
  /// them are found, or none. Writes nothing if nothing changed. After an error, none of them is kept.
  public func save(_ new: [String: JSONValue]) throws(LibraryError) {
    let changed = values.merging(new) { $1 }
    var next = written.filter { Self.number($0.value) != nil && changed[$0.key] == nil }
    var numbered = kept
    for (key, value) in changed { next[key] = place(of: key, value, in: &numbered) }
    if numbered != kept {
      try secrets.save(numbered)
      kept = numbered
    }
    do throws(LibraryError) { try document.save(next) } catch {
      // Without its backup it is kept all the same; that is written with the next change.
      guard error.stalledUntil == nil, document.holds(next) else { throw error }
    }
    written = next
    values = changed
    // What nobody asks for any more does not stay on the card; if it cannot go now, it goes with the next change.
    let used = Set(next.values.compactMap(Self.number))
    let left = kept.filter { used.contains($0.key) }
    guard left != kept else { return }
    do throws(LibraryError) { try secrets.save(left) } catch {
      guard error.stalledUntil == nil else { throw error }
      return
    }
    kept = left
  }

  /// What stands for a value in `settings.json`; a secret that has no number yet gets one.
  private func place(of key: String, _ value: JSONValue, in numbered: inout [String: JSONValue]) -> JSONValue {
    guard let shown = hide(key, value) else { return value }
    if let before = written[key], let number = Self.number(before), numbered[number] == value { return before }
    // A number that is not ours is not counted on from.
    let number = (numbered.keys.compactMap { Int($0) }.filter { $0 < Self.mostNumbers }.max() ?? 0) + 1
    numbered[String(number)] = value
    return ["secret": .integer(number), "shown": shown]
  }

  private static let mostNumbers = 1 << 40

  private static func number(_ value: JSONValue) -> String? {
    value["secret"]?.integerValue.flatMap { (1...mostNumbers).contains($0) ? String($0) : nil }
  }
}
