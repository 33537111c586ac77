public import Hardware

/// Which takes the list shows, and in which order.
public struct ListView: Hashable, Sendable {
  public enum Order: String, Hashable, Sendable, CaseIterable {
    case newest, oldest, name, longest, largest
  }

  public var order = Order.newest
  public var favouritesOnly = false
  /// Only takes with this tag.
  public var tag: String?
  /// Words in names, tags and titles of marks.
  public var query = ""

  public init() {}

  public var showsAll: Bool { !favouritesOnly && tag == nil && query.isEmpty }

  /// All takes, in the same order.
  var ofAll: ListView {
    var view = ListView()
    view.order = order
    return view
  }

  /// The next or the previous choice of takes: all, favourites, then each tag; `nil` at the end.
  func stepped(by direction: Int, tags: [String]) -> ListView? {
    let place = tag.map { tag in tags.firstIndex(of: tag).map { $0 + 2 } ?? 1 } ?? (favouritesOnly ? 1 : 0)
    guard (0..<tags.count + 2).contains(place + direction) else { return nil }
    var next = self
    next.favouritesOnly = place + direction == 1
    next.tag = place + direction > 1 ? tags[place + direction - 2] : nil
    return next
  }
}

/// What is known of a take, for the screen that tells it.
public struct TakeFacts: Hashable, Sendable {
  public var id: String
  public var createdAt: WallTime
  /// AAC, WAV, …, in small letters.
  public var format: String
  public var bitrateKbps: Int?
  /// Hertz.
  public var sampleRate: Int
  public var channels: Int
  public var bytes: Int
  public var gaps: Int
  public var marks: Int
  public var tags: [String]
  /// Files that it is in.
  public var parts: Int
  public var stopReason: String?
  /// The microphone.
  public var source: String?

  public init(
    id: String, createdAt: WallTime, format: String, bitrateKbps: Int?, sampleRate: Int, channels: Int, bytes: Int,
    gaps: Int, marks: Int, tags: [String], parts: Int, stopReason: String?, source: String?
  ) {
    self.id = id
    self.createdAt = createdAt
    self.format = format
    self.bitrateKbps = bitrateKbps
    self.sampleRate = sampleRate
    self.channels = channels
    self.bytes = bytes
    self.gaps = gaps
    self.marks = marks
    self.tags = tags
    self.parts = parts
    self.stopReason = stopReason
    self.source = source
  }
}
