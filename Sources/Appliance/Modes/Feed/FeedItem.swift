/// Something that a feed offers.
public struct FeedItem: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// At an address.
    case remote
    case clip
    case take
  }

  /// What the feed knows it by; a clip's or take's file name.
  public var id: String
  public var title: String
  public var kind: Kind
  /// Where it is; empty for clips and takes.
  public var address: String
  /// How long it is, as the feed says; `nil` where it does not.
  public var seconds: Double?
  /// Language of its sound, as the feed says; empty where it does not.
  public var language: String

  public init(
    id: String, title: String, kind: Kind, address: String = "", seconds: Double? = nil, language: String = ""
  ) {
    self.id = id
    self.title = title
    self.kind = kind
    self.address = address
    self.seconds = seconds
    self.language = language
  }

  /// What tells one thing to play from another: two items of the same address are played alike.
  public var source: String { kind == .remote ? address : "\(kind.rawValue)/\(id)" }
}

/// One page of a feed, read and checked.
public struct FeedPage: Hashable, Sendable {
  public var items: [FeedItem]
  /// Where the next page is; `nil` at the end.
  public var next: String?
  /// Items that do not keep to the schema, and are left out.
  public var passedOver: Int
  /// There is no network: these are the items that are on the card.
  public var isOffline: Bool

  public init(items: [FeedItem], next: String? = nil, passedOver: Int = 0, isOffline: Bool = false) {
    self.items = items
    self.next = next
    self.passedOver = passedOver
    self.isOffline = isOffline
  }
}

/// Why something of a feed cannot be had: a code, and a sentence.
public struct FeedFault: Hashable, Sendable {
  public var code: String
  public var text: String

  public init(code: String, text: String) {
    self.code = code
    self.text = text
  }

  /// A feed that never gets to an item.
  static let endless = FeedFault(
    code: "feed-endless", text: "The feed sends one empty page after another: it is taken to be at its end.")
  /// Its next page is one that has been seen.
  static let circle = FeedFault(
    code: "feed-circle", text: "The feed leads back to a page that was there before: it is taken to be at its end.")
}
