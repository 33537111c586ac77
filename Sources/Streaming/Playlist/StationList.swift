/// A plain list of addresses: .m3u, .pls, and .m3u8 that say nothing of HLS. Pure.
struct StationList: Hashable, Sendable {
  /// Absolute, in the list's order.
  private(set) var addresses: [String] = []
  /// The first address in it by which nothing can be fetched here: `rtsp://…`.
  private(set) var foreign: String?

  private static let most = 1000
  private static let longestLine = 4096
  /// Pieces of one programme, which are put together rather than played by themselves.
  private static let segmentNames = [".ts", ".m2ts", ".mts", ".m4s"]

  /// A .pls: `[playlist]`, then `File1=…`; `nil` if it is none.
  init?(_ bytes: [UInt8], url: String) {
    let lines = Self.lines(bytes).filter { $0.first != ";" && $0.first != "#" }
    guard lines.first?.lowercased() == "[playlist]" else { return nil }
    var found: [(number: Int, address: String)] = []
    for line in lines.dropFirst() where line.prefix(4).lowercased() == "file" {
      guard let equals = line.firstIndex(of: "=") else { continue }
      let number = PlaylistNumbers.leadingInteger(line[..<equals].dropFirst(4).utf8, most: 1 << 20) ?? 0
      let value = line[line.index(after: equals)...].drop { $0 == " " }
      let isQuoted = value.count > 1 && value.first == "\"" && value.last == "\""
      found.append((number, String(isQuoted ? value.dropFirst().dropLast() : value)))
    }
    keep(found.sorted { $0.number < $1.number }.map(\.address), url)
    guard !addresses.isEmpty || foreign != nil else { return nil }
  }

  /// A .m3u: an address a line, words about it behind `#`. `nil` if nothing in it is one, or if it lists segments.
  init?(lines bytes: [UInt8], url: String) {
    let lines = Self.lines(bytes)
    let words = lines.filter { $0.first != "#" }
    // Without its first line, only what can be nothing else, or is called one and is no page, is taken for a list.
    let isCalledOne =
      url.prefix { $0 != "?" && $0 != "#" }.lowercased().hasSuffix(".m3u")
      && !words.contains { $0.first == "<" || $0.first == "{" }
    let isOne = lines.first?.uppercased().hasPrefix("#EXTM3U") == true || isCalledOne
    guard isOne || words.allSatisfy(URLReference.isAbsolute) else { return nil }
    keep(words, url)
    guard !addresses.isEmpty else {
      if foreign == nil { return nil }
      return
    }
    let isTimed = lines.allSatisfy {
      !$0.hasPrefix("#EXTINF:") || PlaylistNumbers.duration(Array($0.utf8)[8...]) ?? 0 > 0
    }
    let isSegments = addresses.allSatisfy { address in
      let path = address.prefix { $0 != "?" }.lowercased()
      return Self.segmentNames.contains { path.hasSuffix($0) }
    }
    guard !(isSegments && isTimed && lines.contains { $0.hasPrefix("#EXTINF:") }) else { return nil }
  }

  private mutating func keep(_ found: [String], _ url: String) {
    var known: Set<String> = []
    for text in found.map(Self.withoutOptions) where addresses.count < Self.most && known.insert(text).inserted {
      // Stations of Icecast and SHOUTcast, which answer to HTTP.
      let isICY = text.prefix(6).lowercased() == "icy://"
      let address = URLReference.resolve(isICY ? "http" + text.dropFirst(3) : text, against: url)
      guard URLReference.isFetchable(address) else {
        if foreign == nil, URLReference.isAbsolute(address) { foreign = address }
        continue
      }
      if known.insert(address).inserted || address == text { addresses.append(address) }
    }
  }

  /// Kodi has options of its own behind an address: `|User-Agent=x&Referer=y`.
  private static func withoutOptions(_ text: String) -> String {
    guard let bar = text.firstIndex(of: "|") else { return text }
    let name = text[text.index(after: bar)...].prefix {
      $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0))
    }
    return !name.isEmpty && text[name.endIndex...].first == "=" ? String(text[..<bar]) : text
  }

  private static func lines(_ bytes: [UInt8]) -> [String] {
    let bytes = TextBytes.utf8(bytes)
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    return content.split { $0 == 0x0A || $0 == 0x0D || $0 == 0 }.compactMap { line in
      let kept = line.drop { $0 == 0x20 || $0 == 0x09 }
      guard kept.count <= longestLine, !kept.contains(where: { $0 < 0x20 && $0 != 0x09 }) else { return nil }
      var text = PlaylistLines.text(kept)
      while text.last == " " || text.last == "\t" { text.removeLast() }
      return text.isEmpty ? nil : text
    }
  }
}
