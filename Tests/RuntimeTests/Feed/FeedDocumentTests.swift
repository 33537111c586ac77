import Appliance
import Testing

@testable import Runtime

/// Pages of feeds as other people's servers write them: what is wrong in one item is that item's matter.
@Suite struct FeedDocumentTests {
  private static let place = "http://host/feeds/feed.json"

  private func item(_ id: String, _ more: String = "") -> String {
    "{\"id\":\"\(id)\",\"title\":\"\(id)\",\"url\":\"\(id).mp4\"\(more)}"
  }

  private func document(_ items: [String], _ more: String = ",\"next\":\"2.json\"") -> [UInt8] {
    Array("{\"version\":1,\"items\":[\(items.joined(separator: ","))]\(more)}".utf8)
  }

  private func page(_ bytes: [UInt8]) throws -> FeedPage { try FeedDocument.page(bytes, at: Self.place) }

  @Test(arguments: [
    #","id":"b""#, #","note":"\ud83d""#, #","note":"\udc00x""#, #","note":"\x""#, ",\"note\":\"a\tb\"", #","n":1e400"#,
    #","n":tru"#, #","n":[1,]"#, #","durationSeconds":"x""#,
  ])
  func `What is wrong in an item costs that item and no other`(wrong: String) throws {
    let page = try page(document([item("a"), item("b", wrong), item("c")]))
    #expect(page.items.map(\.id) == ["a", "c"])
    #expect(page.passedOver == 1 && page.next == "http://host/feeds/2.json")
  }

  @Test func `Bytes that are no UTF-8 cost the item that they are in`() throws {
    var bytes = document([item("a"), item("b"), item("c")])
    let place = try #require(bytes.lastIndex(of: UInt8(ascii: "b")))
    bytes[place] = 0xE9
    #expect(try page(bytes).items.map(\.id) == ["a", "c"])
  }

  @Test func `A byte order mark costs nothing`() throws {
    let page = try page([0xEF, 0xBB, 0xBF] + document([item("a")]))
    #expect(page.items.map(\.id) == ["a"] && page.passedOver == 0)
  }

  @Test func `What nobody asked for may be anything, and of what is given twice the last counts`() throws {
    let more = #","by":{"name":"\ud83d","name":[1e400]},"next":"2.json","next":"3.json","items":["#
    let page = try page(document([item("a")], "\(more)\(item("z"))],\"\":\"}]\\\"\""))
    #expect(page.items.map(\.id) == ["z"] && page.next == "http://host/feeds/3.json")
  }

  @Test func `A page with more values than anybody holds has the items that are read`() throws {
    let many = (0..<4000).map { item("i\($0)", ",\"tags\":[1,2,3]") }
    let all = try page(document(many))
    #expect(all.items.map(\.id) == (0..<FeedDocument.mostItems).map { "i\($0)" })
    #expect(all.passedOver == 4000 - FeedDocument.mostItems && all.next != nil)
    // One that is nothing but values costs itself.
    let heavy = item("heavy", ",\"tags\":[" + String(repeating: "[],", count: 200_000) + "0]")
    #expect(try page(document([item("a"), heavy, item("c")])).items.map(\.id) == ["a", "c"])
  }

  @Test func `What is deep, long or without an end is answered`() throws {
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    #expect(try page(document([item("a", ",\"x\":\(deep)"), item("b")], ",\"x\":\(deep)")).items.map(\.id) == ["b"])
    let whole = document([item("a", ",\"x\":\"\\\"]}\""), item("b")])
    #expect(try page(whole).items.count == 2)
    for count in whole.indices { #expect(throws: FeedDocumentError.self) { try page(Array(whole.prefix(count))) } }
    #expect(throws: FeedDocumentError.self) { try page(whole + [0x7D]) }
  }

  @Test func `Addresses as long as signed ones are taken, and longer ones cost their item`() throws {
    let items = [4096, 4097].map { count in
      let address = "https://host/a.mp4?signature="
      return "{\"id\":\"\(count)\",\"title\":\"a\",\"url\":\"\(address)"
        + String(repeating: "s", count: count - address.utf8.count) + "\"}"
    }
    let page = try page(document(items))
    #expect(page.items.map(\.id) == ["4096"] && page.items.first?.address.utf8.count == 4096)
  }

  @Test(arguments: ["\"data:image/png;base64,iVBORw0KGgo=\"", "\"\"", "7", "[]", "\"ftp://host/x\""])
  func `A thumbnail costs nothing, whatever it is`(thumbnail: String) throws {
    let page = try page(document([item("a", ",\"thumbnail\":\(thumbnail)"), item("b")]))
    #expect(page.items.map(\.id) == ["a", "b"])
  }

  @Test(arguments: [
    ("[]", "it is an array, not an object"), ("{}", "its version is missing, not 1"),
    (#"{"version":2,"items":[]}"#, "its version is 2, not 1"),
    (#"{"version":1,"items":{}}"#, "it has no list of items"),
    (#"{"version":1,"items":[],"items":7}"#, "it has no list of items"),
    (#"{"version":1,"items":[1 2]}"#, "it is no JSON: line 1, column 25: expected ',' or ']'"),
    ("<html>", "it is no JSON: line 1, column 1: expected a value"),
  ])
  func `What is no page says why`(text: String, reason: String) {
    let error = #expect(throws: FeedDocumentError.self) { try page(Array(text.utf8)) }
    #expect(error?.reason == reason)
  }
}
