internal import Hardware

/// Something that can be played with a dub.
public struct DubSource: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case stream
    case clip
    case take
  }

  /// A stream's address; a clip's or take's file name.
  public var id: String
  /// Name for people.
  public var name: String
  public var kind: Kind

  public init(id: String, name: String, kind: Kind) {
    self.id = id
    self.name = name
    self.kind = kind
  }
}

// Addresses of streams, as people write and see them.
extension DubSource {
  /// The id without a user's name and password, and without values of parameters: what may be shown to anybody.
  public var publicID: String { kind == .stream ? HiddenAddress.text(id, marksUser: false) : id }

  /// What people are shown of an address that nobody has named: its host and last part, without user and password.
  public static func shortName(of address: String) -> String {
    let path = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
    let parts = path.split(separator: "/").dropFirst()
    guard let authority = parts.first else { return "stream" }
    let host = authority.split(separator: "@").last.map(String.init) ?? "stream"
    guard parts.count > 1, let last = parts.last else { return host }
    return "\(host) \(last)"
  }

  /// Streams out of a text: `Name=address` or addresses alone, with blanks between them. Underscores in names stand
  /// for blanks.
  ///
  /// - Returns: `nil` if something in it is no address.
  public static func streams(in text: String) -> [DubSource]? {
    var sources: [DubSource] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      var address = String(word)
      var name = ""
      if let equals = word.firstIndex(of: "="), !word[..<equals].contains("/") {
        name = word[..<equals].map { $0 == "_" ? " " : String($0) }.joined()
        address = String(word[word.index(after: equals)...])
      }
      guard AddressSyntax.isAbsolute(address, schemes: ["http", "https"]) else { return nil }
      sources.append(DubSource(id: address, name: name.isEmpty ? shortName(of: address) : name, kind: .stream))
    }
    return sources
  }
}
