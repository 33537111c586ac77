import Hardware
import JSON

/// How many messages one of the dubbing protocol brings back at least (Sources/Dubbing/PROTOCOL.md): what virtual time
/// waits for.
enum DubReplies {
  static func expected(to message: WebSocketMessage) -> Int {
    guard case .text(let text) = message, let type = (try? JSONValue(parsing: text))?["type"]?.stringValue else {
      return 0
    }
    // A greeting is welcomed, and each segment is answered once.
    return type == "hello" || type == "segment" ? 1 : 0
  }
}
