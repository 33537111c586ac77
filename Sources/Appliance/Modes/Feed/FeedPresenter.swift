/// Which item of a feed is shown, which players are wanted for it, and which page is asked for: the feed without any view,
/// player or network.
///
/// It holds a window of pages around the item that is shown, however far the feed goes: of what lies before only the
/// addresses of pages are kept, and of these a bounded number. Answers carry the number of the question; what was asked
/// before the feed was opened anew, or closed, changes nothing.
public struct FeedPresenter: Hashable, Sendable {
  /// A page that is asked for.
  public struct Request: Hashable, Sendable {
    public var number: Int
    /// `nil`: the first one.
    public var page: String?
    var place: Place
  }

  enum Place: Hashable, Sendable {
    case first
    case behind
    case before
  }

  private struct Loaded: Hashable, Sendable {
    var address: String?
    /// Counts the pages of the feed from its beginning.
    var ordinal: Int
    var items: [FeedItem]
    var next: String?
  }

  private var pages: [Loaded] = []
  /// Addresses of the pages before the window, the last one next to it.
  private var earlier: [String?] = []
  private var visited = VisitedPages()
  /// Counted from the window's beginning.
  private var index = 0
  /// What is waited for.
  public private(set) var request: Request?
  private var requests = 0
  /// Pages without an item in a row.
  private var emptyPages = 0
  public private(set) var isOpen = false
  public private(set) var isOffline = false
  /// Why the first page, or the next one, cannot be had.
  public private(set) var fault: FeedFault?
  /// Where to begin, if it is there.
  private var wanted: String?
  private var source: String?

  /// Players at a time, the one that is heard included.
  public static let players = 3
  /// Pages that are held even if they are not near.
  private static let heldPages = 3
  private static let mostEarlier = 64
  private static let mostEmptyPages = 5
  /// The next page is asked for when so many items or fewer follow.
  private static let margin = 2

  public init() {}

  // MARK: What is shown

  /// The items of the window.
  var items: [FeedItem] { pages.flatMap(\.items) }
  private var count: Int { pages.reduce(0) { $0 + $1.items.count } }
  /// Pages that are held: bounded.
  var pageCount: Int { pages.count }
  /// Addresses that are remembered of pages before: bounded.
  var earlierCount: Int { earlier.count }

  /// The item that is shown.
  public var item: FeedItem? { item(at: index) }
  /// Its place, counted from 1, as far as pages before are known.
  public var place: Int { (pages.first?.ordinal ?? 0) == 0 ? index + 1 : 0 }
  /// It is open, its first page was asked for, and nothing can be shown yet.
  public var isLoading: Bool { isOpen && item == nil && request != nil }
  /// It has no items.
  public var isEmpty: Bool { isOpen && item == nil && request == nil && fault == nil }
  /// There is nothing before the item that is shown.
  public var isAtBeginning: Bool { index == 0 && earlier.isEmpty }

  /// The item that is shown and its neighbours, the most urgent first: at the beginning the first three, further on those
  /// before and behind.
  public var neighbourhood: [FeedItem] {
    var found: [FeedItem] = []
    let order = index == 0 ? [0, 1, 2] : [0, 1, -1, 2]
    for offset in order where found.count < Self.players {
      guard let item = item(at: index + offset), !found.contains(where: { $0.source == item.source }) else { continue }
      found.append(item)
    }
    return found
  }

  private func item(at place: Int) -> FeedItem? {
    var rest = place
    guard rest >= 0 else { return nil }
    for page in pages {
      if rest < page.items.count { return page.items[rest] }
      rest -= page.items.count
    }
    return nil
  }

  // MARK: What is asked

  /// Opens a feed from its first page.
  ///
  /// - Parameters:
  ///   - wanted: id of the item to begin with, if the first page has it.
  ///   - source: address of the first page: a page that leads there leads back.
  public mutating func open(at wanted: String?, from source: String? = nil) {
    close()
    isOpen = true
    self.source = source
    self.wanted = wanted
    ask(nil, .first)
  }

  /// Loads the first page anew. What is shown stays until it is there.
  public mutating func refresh() {
    guard isOpen else { return }
    wanted = nil
    emptyPages = 0
    ask(nil, .first)
  }

  /// Forgets all; the number of requests goes on, so that late answers are known.
  public mutating func close() {
    let asked = requests
    self = FeedPresenter()
    requests = asked
  }

  /// Goes to the item before (−1) or behind (+1).
  ///
  /// - Returns: whether there is one.
  public mutating func step(_ direction: Int) -> Bool {
    guard item(at: index + direction) != nil else {
      // At the end the next page is tried again, if it failed.
      fault = nil
      askAround()
      return false
    }
    index += direction
    trim()
    askAround()
    return true
  }

  private mutating func ask(_ page: String?, _ place: Place) {
    requests &+= 1
    fault = nil
    request = Request(number: requests, page: page, place: place)
  }

  /// Asks for the page behind or before, if the window's end is near.
  private mutating func askAround() {
    guard isOpen, request == nil, fault == nil else { return }
    if index + Self.margin >= count, let next = pages.last?.next {
      ask(next, .behind)
    } else if index < Self.margin, let before = earlier.last {
      ask(before, .before)
    }
  }

  // MARK: Answers

  /// Takes a page.
  ///
  /// - Returns: whether it was waited for.
  public mutating func receive(_ page: FeedPage, of number: Int) -> Bool {
    guard let asked = request, asked.number == number else { return false }
    request = nil
    switch asked.place {
    case .first: begin(page)
    case .behind: append(page, from: asked.page)
    case .before: prepend(page, from: asked.page)
    }
    askAround()
    return true
  }

  /// A page cannot be had.
  ///
  /// - Returns: whether it was waited for.
  public mutating func fail(_ fault: FeedFault, of number: Int) -> Bool {
    guard request?.number == number else { return false }
    request = nil
    self.fault = fault
    return true
  }

  private mutating func begin(_ page: FeedPage) {
    let shown = item
    pages = []
    earlier = []
    visited = VisitedPages()
    emptyPages = 0
    index = 0
    isOffline = page.isOffline
    append(page, from: nil)
    let target = wanted ?? shown?.id
    if let target, let place = items.firstIndex(where: { $0.id == target }) { index = place }
    wanted = nil
  }

  private mutating func append(_ page: FeedPage, from address: String?) {
    let ordinal = (pages.last?.ordinal ?? -1) + 1
    visited.note(address ?? source, ordinal: ordinal)
    var next = page.next
    var trouble: FeedFault?
    if let following = next, visited.leadsBack(following, from: ordinal) { (next, trouble) = (nil, .circle) }
    emptyPages = page.items.isEmpty ? emptyPages + 1 : 0
    if next != nil, emptyPages >= Self.mostEmptyPages { (next, trouble) = (nil, .endless) }
    if page.items.isEmpty, !pages.isEmpty {
      // Only where it leads to is of use.
      pages[pages.count - 1].next = next
      pages[pages.count - 1].ordinal = ordinal
    } else {
      pages.append(Loaded(address: address, ordinal: ordinal, items: page.items, next: next))
    }
    fault = trouble
    trim()
  }

  private mutating func prepend(_ page: FeedPage, from address: String?) {
    if !earlier.isEmpty { earlier.removeLast() }
    guard !page.items.isEmpty else { return }
    let ordinal = max(0, (pages.first?.ordinal ?? 1) - 1)
    pages.insert(Loaded(address: address, ordinal: ordinal, items: page.items, next: nil), at: 0)
    index += page.items.count
    while pages.count > Self.heldPages, let last = pages.last, count - last.items.count > index + Self.margin {
      pages.removeLast()
      pages[pages.count - 1].next = last.address
    }
  }

  /// Gives pages away that lie far before what is shown.
  private mutating func trim() {
    while pages.count > Self.heldPages, let first = pages.first, index - first.items.count >= Self.margin {
      pages.removeFirst()
      index -= first.items.count
      earlier = earlier.suffix(Self.mostEarlier - 1) + [first.address]
    }
  }
}

/// Which pages of a feed have been there, and in what order: the newest of them.
private struct VisitedPages: Hashable, Sendable {
  private var pages: [(sum: UInt64, ordinal: Int)] = []
  private static let most = 512

  static func == (one: VisitedPages, other: VisitedPages) -> Bool {
    one.pages.elementsEqual(other.pages) { $0 == $1 }
  }

  func hash(into hasher: inout Hasher) { hasher.combine(pages.count) }

  mutating func note(_ address: String?, ordinal: Int) {
    let sum = Self.sum(address)
    guard !pages.contains(where: { $0 == (sum, ordinal) }) else { return }
    if pages.count >= Self.most { pages.removeFirst(Self.most / 2) }
    pages.append((sum, ordinal))
  }

  /// Whether an address is that of a page no later than this one.
  func leadsBack(_ address: String, from ordinal: Int) -> Bool {
    let sum = Self.sum(address)
    return pages.contains { $0.sum == sum && $0.ordinal <= ordinal }
  }

  /// FNV-1a, 64 bits (draft-eastlake-fnv): the same in every run.
  private static func sum(_ address: String?) -> UInt64 {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in (address ?? "").utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return sum
  }
}
