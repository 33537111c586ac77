import Hardware
import TestSupport

@testable import Appliance
@testable import Runtime

extension FuzzTarget {
  /// A page of a feed: what is read of it can be shown, and leads nowhere but to HTTP.
  static let feed = FuzzTarget(
    "feed",
    .text([
      "{\"version\":1,\"items\":[", "{\"id\":\"a\",\"title\":\"A\",\"url\":\"a.mp4\"}", "\"next\":\"p2.json\"",
      "\"url\":\"file:///etc/passwd\"", "\"url\":\"//h/x\"", "\"durationSeconds\":1e308", "\"language\":\"es\"",
      "\"thumbnail\":\"data:,x\"", "\"title\":\"\u{202E}\"", "\"version\":2", "]}", "null", "\"next\":\"../..\"",
      "\u{FEFF}", "\"id\":\"b\",\"id\":\"c\"", "\\ud83d", "1e400", "{[", "\"items\":[",
    ]),
    make: { dice in
      let items = (0..<dice.below(5)).map {
        "{\"id\":\"\($0)\",\"title\":\"T\",\"url\":\"\($0).mp4\",\"durationSeconds\":\(dice.below(99))}"
      }
      let next = dice.chance(2) ? "null" : "\"p\(dice.below(9)).json\""
      return Array("{\"version\":1,\"items\":[\(items.joined(separator: ","))],\"next\":\(next)}".utf8)
    }
  ) { bytes in
    guard let page = try? FeedDocument.page(bytes, at: "http://h/f/feed.json?x=y") else { return nil }
    guard page.items.count <= FeedDocument.mostItems, page.passedOver >= 0 else { return "\(page.items.count) items" }
    guard Set(page.items.map(\.id)).count == page.items.count else { return "an item twice" }
    for item in page.items {
      guard item.title.shown == item.title, item.id.shown == item.id else { return "a title that steers a terminal" }
      guard item.address.lowercased().hasPrefix("http"), !(item.seconds ?? 0).isNaN else { return "\(item)" }
    }
    if let next = page.next, !next.lowercased().hasPrefix("http") { return "a page at \(next)" }
    return nil
  }
}
