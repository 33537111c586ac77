public import Appliance
internal import Hardware
internal import JSON
internal import Streaming

/// A page of a feed as a server sends it: JSON whose schema is in the manual (docs/manual/feed.md). Pure.
///
/// What is not as the schema says costs the item that it is in, and no more; a page that is no such document is an error.
public enum FeedDocument {
  /// The longest page in bytes, and items of it that are read.
  public static let mostBytes = 1 << 20
  public static let mostItems = 200
  private static let longestTitle = 200
  private static let longestID = 200

  /// What may be in a page that is read whole, and in each item.
  private static let limits = JSONLimits(bytes: mostBytes, depth: 16, values: 20_000)

  /// Reads a page that was found at `address`: what is relative in it refers to that.
  public static func page(_ bytes: [UInt8], at address: String) throws(FeedDocumentError) -> FeedPage {
    guard bytes.count <= mostBytes else { throw FeedDocumentError("it has more than \(mostBytes) bytes") }
    // A byte order mark costs nothing.
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    guard let outline = FeedOutline(content, mostItems: mostItems) else { throw refusal(of: content) }
    let version = value(outline.version)
    guard version?.integerValue == 1 else {
      throw FeedDocumentError("its version is \(version.map(\.text)?.prefix(20).shown ?? "missing"), not 1")
    }
    guard let items = outline.items else { throw FeedDocumentError("it has no list of items") }
    var page = FeedPage(items: [])
    var ids = Set<String>()
    for written in items {
      guard let value = value(written), let item = item(value, at: address), ids.insert(item.id).inserted else {
        continue
      }
      page.items.append(item)
    }
    page.passedOver = outline.count - page.items.count
    // What leads nowhere costs what lies behind it, and not what is here.
    page.next = value(outline.next)?.stringValue.flatMap { fetchable($0, at: address) }
    return page
  }

  /// What is written there; `nil` if it is no JSON.
  private static func value(_ written: ArraySlice<UInt8>?) -> JSONValue? {
    written.flatMap { try? JSONValue(parsing: Array($0), limits: limits) }
  }

  /// Why it is no page at all.
  private static func refusal(of bytes: [UInt8]) -> FeedDocumentError {
    do throws(JSONError) {
      let document = try JSONValue(parsing: bytes, limits: limits)
      return FeedDocumentError("it is \(document.kindName), not an object")
    } catch {
      return FeedDocumentError("it is no JSON: \(error)")
    }
  }

  private static func item(_ value: JSONValue, at base: String) -> FeedItem? {
    guard let id = text(value["id"], most: longestID), let title = text(value["title"], most: longestTitle),
      let address = value["url"]?.stringValue.flatMap({ fetchable($0, at: base) })
    else { return nil }
    var item = FeedItem(id: id, title: title, kind: .remote, address: address)
    if let seconds = value["durationSeconds"], !seconds.isNull {
      guard let seconds = seconds.numberValue, seconds.isFinite, (0...1e6).contains(seconds) else { return nil }
      item.seconds = seconds
    }
    if let language = value["language"], !language.isNull {
      guard let tag = language.stringValue, tag.utf8.count <= 35 else { return nil }
      item.language = tag.shown
    }
    // Its thumbnail is not fetched: nothing shows it, whatever it is.
    return item
  }

  private static func text(_ value: JSONValue?, most: Int) -> String? {
    guard let text = value?.stringValue, !text.isEmpty else { return nil }
    // Of characters, one alone may be of any length.
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(most))).shown
  }

  private static func fetchable(_ reference: String, at base: String) -> String? {
    guard !reference.isEmpty, reference.utf8.count <= AddressSyntax.mostBytes else { return nil }
    let address = URLReference.resolve(reference, against: base)
    return AddressSyntax.isAbsolute(address, schemes: ["http", "https"]) ? address : nil
  }
}

/// Why what came is no page of a feed: words that follow the address.
public struct FeedDocumentError: Error, Hashable, Sendable {
  public let reason: String

  init(_ reason: String) { self.reason = reason }
}
