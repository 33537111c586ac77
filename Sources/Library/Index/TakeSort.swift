/// Which takes a list has.
public struct TakeFilter: Hashable, Sendable {
  /// Words, each of which must occur in the name, a tag or the title of a mark, without regard to case; empty: all takes.
  public var query: String
  public var favouritesOnly: Bool
  /// Only those with this tag, in whatever case.
  public var tag: String?
  /// Only those with marks.
  public var markedOnly: Bool

  public init(query: String = "", favouritesOnly: Bool = false, tag: String? = nil, markedOnly: Bool = false) {
    self.query = query
    self.favouritesOnly = favouritesOnly
    self.tag = tag
    self.markedOnly = markedOnly
  }
}

/// How a list of takes is sorted.
public struct TakeSort: Hashable, Sendable {
  public enum Key: String, Hashable, Sendable, CaseIterable {
    /// Newest first. The session number decides, not the wall clock, which may have been wrong that day; files that
    /// came from elsewhere follow, by their date.
    case date
    /// A to Z, without regard to case.
    case name
    /// Longest first.
    case duration
    /// Largest first.
    case size
  }

  public var key: Key
  /// Turns the key's own direction round.
  public var isReversed: Bool

  public init(_ key: Key = .date, reversed: Bool = false) {
    self.key = key
    isReversed = reversed
  }

  /// Reads the console's `sort`: `date`, `name`, `duration`, `size`; with `-` in front in the other direction.
  public init?(_ text: String) {
    let isReversed = text.hasPrefix("-")
    guard let key = Key(rawValue: String(isReversed ? text.dropFirst() : text[...])) else { return nil }
    self.init(key, reversed: isReversed)
  }
}
