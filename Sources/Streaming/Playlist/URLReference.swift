/// Addresses that are given relative to others, by RFC 3986. Pure; any thread.
public enum URLReference {
  /// The parts of a reference (RFC 3986 section 3, split as in appendix B); fragments are left out.
  private struct Parts {
    var scheme: Substring?
    var authority: Substring?
    var path: Substring
    var query: Substring?

    init(_ text: String) {
      var rest = text.prefix { $0 != "#" }
      if let colon = rest.firstIndex(where: { ":/?".contains($0) }), rest[colon] == ":",
        let first = rest.first, first.isASCII, first.isLetter,
        rest[..<colon].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
      {
        scheme = rest[..<colon]
        rest = rest[rest.index(after: colon)...]
      }
      if rest.hasPrefix("//") {
        let content = rest.dropFirst(2)
        let end = content.firstIndex { "/?".contains($0) } ?? content.endIndex
        authority = content[..<end]
        rest = content[end...]
      }
      if let mark = rest.firstIndex(of: "?") {
        query = rest[rest.index(after: mark)...]
        rest = rest[..<mark]
      }
      path = rest
    }
  }

  /// Bytes of an address; servers take half of it. What is longer stays as it is, for nothing answers there: a list may
  /// have very many.
  private static let mostBytes = 16 << 10

  /// The absolute address that `reference` means in a document found at `base` (RFC 3986 section 5.2).
  public static func resolve(_ reference: String, against base: String) -> String {
    // What it holds is no path (RFC 2397).
    if reference.prefix(5).lowercased() == "data:" || reference.utf8.count > mostBytes { return reference }
    let relative = Parts(reference)
    let context = Parts(base)
    if let scheme = relative.scheme {
      return compose(scheme, relative.authority, withoutDots(relative.path), relative.query)
    }
    if let authority = relative.authority {
      return compose(context.scheme, authority, withoutDots(relative.path), relative.query)
    }
    if relative.path.isEmpty {
      return compose(context.scheme, context.authority, String(context.path), relative.query ?? context.query)
    }
    let path: String
    if relative.path.hasPrefix("/") {
      path = String(relative.path)
    } else if context.authority != nil, context.path.isEmpty {
      path = "/" + relative.path
    } else {
      // Merge: all but what follows the last slash (5.2.3).
      let folder = context.path.lastIndex(of: "/").map { context.path[...$0] } ?? context.path.prefix(0)
      path = String(folder + relative.path)
    }
    return compose(context.scheme, context.authority, withoutDots(path[...]), relative.query)
  }

  /// Whether it is of a scheme that has places: `rtsp://host`.
  static func isAbsolute(_ address: String) -> Bool {
    let parts = Parts(address)
    return parts.scheme != nil && parts.authority != nil
  }

  /// Whether something can be fetched there by HTTP.
  static func isFetchable(_ address: String) -> Bool {
    let parts = Parts(address)
    guard let scheme = parts.scheme?.lowercased(), let authority = parts.authority else { return false }
    return (scheme == "http" || scheme == "https") && !authority.isEmpty
  }

  /// The value of a parameter of the address's query, with its `%` escapes resolved, as other players have it.
  static func queryValue(_ name: String, of address: String) -> String? {
    for pair in Parts(address).query?.split(separator: "&") ?? [] {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.first.map(String.init) == name else { continue }
      let value = sides.count > 1 ? String(sides[1]) : ""
      let plain = DataAddress.unescaped(Array(value.utf8)[...]).flatMap { String(validating: $0, as: UTF8.self) }
      return plain ?? value
    }
    return nil
  }

  private static func compose(
    _ scheme: Substring?, _ authority: Substring?, _ path: String, _ query: Substring?
  ) -> String {
    (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path + (query.map { "?" + $0 } ?? "")
  }

  /// RFC 3986 section 5.2.4.
  private static func withoutDots(_ path: Substring) -> String {
    guard path.contains(".") else { return String(path) }
    let isAbsolute = path.hasPrefix("/")
    var kept: [Substring] = []
    let steps = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(isAbsolute ? 1 : 0)
    for (index, step) in steps.enumerated() {
      let isLast = index == steps.count - 1
      switch step {
      case ".": if isLast { kept.append("") }
      case "..":
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(step)
      }
    }
    return (isAbsolute ? "/" : "") + kept.joined(separator: "/")
  }
}
