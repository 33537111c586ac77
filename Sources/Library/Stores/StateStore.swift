public import Hardware
internal import JSON

/// Where the device is, as far as it comes back there.
public struct LastState: Hashable, Sendable {
  /// As in `panel.state`.
  public var mode: String?
  /// Id of the take in the player.
  public var take: String?
  /// Seconds into it.
  public var position: Double?
  /// What the feed shows, by its id, and what somebody likes of feeds.
  public var feedItem: String?
  public var favourites: [String] = []
  /// Wrong PINs on the panel since the last right one.
  public var pinMistakes = 0

  public init(mode: String? = nil, take: String? = nil, position: Double? = nil) {
    (self.mode, self.take, self.position) = (mode, take, position)
  }

  /// This, and what only an older one tells.
  func over(_ older: LastState) -> LastState {
    var both = self
    both.mode = mode ?? older.mode
    if take == nil { (both.take, both.position) = (older.take, older.position) }
    both.feedItem = feedItem ?? older.feedItem
    both.favourites += older.favourites.filter { !favourites.contains($0) }
    both.pinMistakes = max(pinMistakes, older.pinMistakes)
    return both
  }
}

/// `state.json`: where the device was, so that it comes back there after a crash or power loss.
///
/// Changes are in memory until `save()`. Storage worker only; a call that throws a stall is made again.
public final class StateStore {
  /// Version of the data directory's layout that this program writes.
  public static let formatVersion = 1

  private let document: GuardedDocument
  private let clock: any DeviceClock
  private var unknown: [String: JSONValue] = [:]
  /// A start after several that died has not read the file, and does not write over what it has not read.
  private var isUnread = false
  /// What that start has taken in later, and those who keep `last` do not know.
  private var unseen: LastState?

  /// Highest session number ever given to a take or clip. Only grows.
  public private(set) var session = 0
  /// Version of the layout that wrote the file; higher than ours after a downgrade.
  public private(set) var foundVersion = StateStore.formatVersion
  public var last = LastState()

  public init(storage: any Storage, clock: any DeviceClock) {
    document = GuardedDocument("state.json", on: storage)
    self.clock = clock
  }

  /// Reads the file; a damaged one falls back to its backup, then to nothing: session numbers are then found from
  /// the files themselves.
  ///
  /// - Returns: sentences about what had to be done, none when all was well.
  public func load() throws(LibraryError) -> [String] {
    var sentences: [String] = []
    if let fields = try document.load(at: clock.wallNow) { sentences = adopt(fields) }
    return document.sentences + sentences
  }

  /// Leaves the file as it is, neither read nor written, until `takeIn`.
  func leaveUnread() { isUnread = true }

  /// Reads what was left unread, as far as nothing newer is known, and writes both.
  ///
  /// - Returns: as `load`.
  func takeIn() throws(LibraryError) -> [String] {
    guard isUnread else { return [] }
    let now = last
    let sentences = try load()
    isUnread = false
    (unseen, last) = (last, now)
    try save()
    return sentences
  }

  /// Notes that a number has been given.
  public func note(session number: Int) { session = max(session, number) }

  /// Makes the state durable, in the file and in its backup; writes nothing if nothing changed.
  public func save() throws(LibraryError) {
    guard !isUnread else { return }
    let last = unseen.map(last.over) ?? last
    var fields = unknown
    fields["formatVersion"] = .integer(max(foundVersion, Self.formatVersion))
    fields["session"] = .integer(session)
    fields["lastMode"] = last.mode.map(JSONValue.string)
    fields["loadedTake"] = last.take.map(JSONValue.string)
    fields["position"] = last.position.map(JSONValue.number)
    fields["feedItem"] = last.feedItem.map(JSONValue.string)
    fields["feedFavourites"] = last.favourites.isEmpty ? nil : .array(last.favourites.map(JSONValue.string))
    fields["pinMistakes"] = last.pinMistakes == 0 ? nil : .integer(last.pinMistakes)
    try document.save(fields)
  }

  /// Takes each field that is what it should be; a wrong one costs only itself.
  private func adopt(_ fields: [String: JSONValue]) -> [String] {
    var sentences: [String] = []
    func field<Value>(
      _ key: String, _ read: (inout FieldReader) throws(MetadataError) -> Value?
    ) -> Value? {
      do {
        var reader = try FieldReader(.object(fields), path: document.path)
        return try read(&reader)
      } catch {
        sentences.append("\(error); the field was ignored.")
        return nil
      }
    }
    let ours = [
      "formatVersion", "session", "lastMode", "loadedTake", "position", "feedItem", "feedFavourites", "pinMistakes",
    ]
    unknown = fields.filter { !ours.contains($0.key) }
    let version = field("formatVersion") { fields throws(MetadataError) in
      try fields.integer("formatVersion", in: 1...1_000_000)
    }
    foundVersion = version ?? Self.formatVersion
    let number = field("session") { fields throws(MetadataError) in
      try fields.integer("session", in: 0...Names.highestBelieved)
    }
    session = max(session, number ?? 0)
    last.mode = field("lastMode") { fields throws(MetadataError) in try fields.text("lastMode") }
    last.feedItem = field("feedItem") { fields throws(MetadataError) in try fields.text("feedItem") }
    // Those of them that are texts: it is a list of what was liked, no more.
    last.favourites = (fields["feedFavourites"]?.arrayValue ?? []).prefix(256).compactMap(\.stringValue)
    last.take = field("loadedTake") { fields throws(MetadataError) in try fields.text("loadedTake") }
    last.position = field("position") { fields throws(MetadataError) in
      try fields.number("position", in: 0...FileMeta.longestSeconds)
    }
    let mistakes = field("pinMistakes") { fields throws(MetadataError) in
      try fields.integer("pinMistakes", in: 0...1000)
    }
    last.pinMistakes = mistakes ?? 0
    return sentences
  }
}
