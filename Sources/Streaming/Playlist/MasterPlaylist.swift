/// A multivariant playlist (RFC 8216 section 4.3.4): the same programme at several rates, and its renditions.
struct MasterPlaylist: Hashable, Sendable {
  /// One EXT-X-STREAM-INF (4.3.4.2).
  struct Variant: Hashable, Sendable {
    /// Absolute address of its media playlist.
    var url: String
    /// Peak rate in bits a second.
    var bandwidth: Int
    var codecs: [String]
    /// Pixels across and down.
    var width: Int?
    var height: Int?
    /// Group of its sound, if that has playlists of its own.
    var audioGroup: String?
    var subtitleGroup: String?

    /// Whether it is known to have no pictures.
    var isSoundOnly: Bool {
      width == nil && !codecs.isEmpty
        && codecs.allSatisfy { codec in
          ["mp4a", "ac-3", "ec-3", "opus", "Opus", "flac", "fLaC"].contains { codec.hasPrefix($0) }
        }
    }
  }

  /// One EXT-X-MEDIA (4.3.4.1).
  struct Rendition: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case audio, subtitles }

    var kind: Kind
    var group: String
    var name: String
    /// RFC 5646, such as `es` or `es-MX`; empty if it is not said.
    var language: String
    /// Absolute address; `nil`: in the variant's own segments.
    var url: String?
    var isDefault: Bool
    var isForced: Bool
  }

  let url: String
  private(set) var variants: [Variant] = []
  private(set) var renditions: [Rendition] = []
  private(set) var variables = PlaylistVariables()

  init(_ bytes: [UInt8], url: String, limits: PlaylistLimits = PlaylistLimits()) throws(PlaylistError) {
    self.url = url
    var lines = try PlaylistLines(bytes, subject: url, limits: limits)
    var pending: (attributes: AttributeList, bandwidth: Int)?
    while let line = try lines.next() {
      if PlaylistLines.isAddress(line) {
        guard let (attributes, bandwidth) = pending else { continue }
        pending = nil
        let address = try variables.expand(try lines.text(line), in: lines)
        variants.append(Self.variant(attributes, bandwidth, URLReference.resolve(address, against: url)))
        guard variants.count <= limits.descriptions else { throw lines.error(.tooLarge, "too many variants") }
        continue
      }
      guard let tag = PlaylistLines.tag(line) else { continue }
      switch tag.name {
      case "EXT-X-STREAM-INF":
        guard pending == nil else { throw lines.error(.malformed, "no address behind the EXT-X-STREAM-INF before") }
        let attributes = try AttributeList(tag.value, in: lines, variables: variables)
        guard let bandwidth = try attributes.integer("BANDWIDTH", in: lines) else {
          throw lines.error(.malformed, "BANDWIDTH is missing")
        }
        pending = (attributes, bandwidth)
      case "EXT-X-MEDIA":
        let attributes = try AttributeList(tag.value, in: lines, variables: variables)
        if let found = try Self.rendition(attributes, in: lines, url: url) { renditions.append(found) }
        guard renditions.count <= limits.descriptions else { throw lines.error(.tooLarge, "too many renditions") }
      case "EXT-X-DEFINE":
        try variables.define(tag.value, in: lines, imported: PlaylistVariables(), limits: limits)
      case "EXTINF", "EXT-X-TARGETDURATION":
        throw lines.error(.malformed, "\(tag.name) in a multivariant playlist (RFC 8216 section 4.1)")
      default: break
      }
    }
    guard !variants.isEmpty else { throw lines.error(.malformed, "no variant in it") }
  }

  // MARK: What belongs to a variant

  /// Where a variant's sound is: in a playlist of its own if its group has a default one, else in the variant.
  func soundAddress(of variant: Variant) -> String {
    let group = audioRenditions(of: variant)
    return (group.first(where: \.isDefault) ?? group.first)?.url ?? variant.url
  }

  func audioRenditions(of variant: Variant) -> [Rendition] {
    guard let group = variant.audioGroup else { return [] }
    return renditions.filter { $0.kind == .audio && $0.group == group }
  }

  func subtitleRenditions(of variant: Variant) -> [Rendition] {
    guard let group = variant.subtitleGroup else { return [] }
    return renditions.filter { $0.kind == .subtitles && $0.group == group && !$0.isForced }
  }

  /// The languages of all renditions of a kind, each once, in the playlist's order.
  func languages(_ kind: Rendition.Kind) -> [String] {
    var found: [String] = []
    for rendition in renditions where rendition.kind == kind && !rendition.language.isEmpty {
      if !found.contains(rendition.language) { found.append(rendition.language) }
    }
    return found
  }

  // MARK: Reading

  private static func variant(_ attributes: AttributeList, _ bandwidth: Int, _ url: String) -> Variant {
    let size = (attributes["RESOLUTION"] ?? "").split(separator: "x").map { PlaylistNumbers.integer($0.utf8) }
    return Variant(
      url: url, bandwidth: bandwidth,
      codecs: (attributes["CODECS"] ?? "").split(separator: ",").map { String($0.drop { $0 == " " }) },
      width: size.count == 2 ? size[0] : nil, height: size.count == 2 ? size[1] : nil,
      audioGroup: attributes["AUDIO"], subtitleGroup: attributes["SUBTITLES"])
  }

  private static func rendition(
    _ attributes: AttributeList, in lines: PlaylistLines, url: String
  ) throws(PlaylistError) -> Rendition? {
    let kind: Rendition.Kind
    switch try attributes.required("TYPE", in: lines) {
    case "AUDIO": kind = .audio
    case "SUBTITLES": kind = .subtitles
    default: return nil
    }
    let address = attributes["URI"].map { URLReference.resolve($0, against: url) }
    guard kind == .audio || address != nil else { throw lines.error(.malformed, "subtitles without a URI") }
    return Rendition(
      kind: kind, group: try attributes.required("GROUP-ID", in: lines),
      name: try attributes.required("NAME", in: lines), language: attributes["LANGUAGE"] ?? "", url: address,
      isDefault: attributes.isYes("DEFAULT"), isForced: attributes.isYes("FORCED"))
  }
}

/// A playlist of either kind.
enum Playlist {
  case master(MasterPlaylist)
  case media(MediaPlaylist)

  /// Tells the kinds apart by their tags (RFC 8216 section 4.1).
  init(
    _ bytes: [UInt8], url: String, limits: PlaylistLimits = PlaylistLimits()
  ) throws(PlaylistError) {
    var lines = try PlaylistLines(bytes, subject: url, limits: limits)
    while let line = try lines.next() {
      switch PlaylistLines.tag(line)?.name {
      case "EXT-X-STREAM-INF", "EXT-X-MEDIA":
        self = .master(try MasterPlaylist(bytes, url: url, limits: limits))
        return
      case "EXTINF", "EXT-X-TARGETDURATION":
        self = .media(try MediaPlaylist(bytes, url: url, limits: limits))
        return
      default: break
      }
    }
    throw PlaylistError(.malformed, subject: url, line: 0, reason: "neither variants nor segments in it")
  }
}
