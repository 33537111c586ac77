internal import Hardware
internal import Media

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
    /// Its place in the playlist, and that of the first one with its address: what is compared in place of addresses, which
    /// may be long.
    var number = 0
    var addressNumber = 0

    /// Whether it is known to have no pictures.
    var isSoundOnly: Bool {
      width == nil && !codecs.isEmpty && codecs.allSatisfy(StreamCodecs.isSound)
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
    /// It tells what is seen, or heard beside the words, to those who do not see or hear it (CHARACTERISTICS).
    var isDescribed: Bool
  }

  private struct Sound: Hashable, Sendable {
    var address: String
    var number: Int
  }

  let url: String
  private(set) var variants: [Variant] = []
  private(set) var renditions: [Rendition] = []
  private(set) var variables = PlaylistVariables()
  /// Of all renditions, each once, in the playlist's order.
  private(set) var soundLanguages: [String] = []
  private(set) var subtitleLanguages: [String] = []
  /// Of each variant, by its number: its renditions of sound, and which of `soundNumbers` it plays.
  private var choices: [[Rendition]] = []
  private var sounds: [Sound] = []
  private var soundNumbers: [String: Int] = [:]
  /// Addresses of sound that cannot be had.
  private var gone: Set<String> = []
  /// Each costs a look at all variants.
  private static let mostGone = 8

  /// What was passed over in it, for the log.
  var remarks: [String] { notes.all }
  private var notes = PlaylistRemarks()

  /// - Throws: if it is no playlist, too large, or has nothing in it. A line that cannot be read costs what it says only.
  init(_ bytes: [UInt8], url: String, limits: PlaylistLimits = PlaylistLimits()) throws(PlaylistError) {
    self.url = url
    var lines = try PlaylistLines(bytes, subject: url, limits: limits)
    var pending: (attributes: AttributeList, line: Int)?
    while let line = lines.next() {
      if PlaylistLines.isAddress(line) {
        guard let (attributes, number) = pending else { continue }
        pending = nil
        guard let address = lines.address(line, variables, &notes) else { continue }
        variants.append(variant(attributes, URLReference.resolve(address, against: url), at: number))
        guard variants.count <= limits.descriptions else { throw lines.error(.tooLarge, "too many variants") }
        continue
      }
      guard let tag = PlaylistLines.tag(line) else { continue }
      switch tag.name {
      case "EXT-X-STREAM-INF":
        if pending != nil { notes.add(lines.number, "no address behind the EXT-X-STREAM-INF before") }
        pending = (attributes(tag.value, lines), lines.number)
      case "EXT-X-MEDIA":
        if let found = rendition(attributes(tag.value, lines), at: lines.number) { renditions.append(found) }
        guard renditions.count <= limits.descriptions else { throw lines.error(.tooLarge, "too many renditions") }
      case "EXT-X-DEFINE":
        variables.define(tag.value, in: lines, imported: PlaylistVariables(), limits: limits, remarks: &notes)
      case "EXTINF", "EXT-X-TARGETDURATION":
        notes.add(lines.number, "\(tag.name) in a multivariant playlist (RFC 8216 section 4.1)")
      default: break
      }
    }
    // Some radio has renditions of sound and nothing else.
    if variants.isEmpty, let only = renditions.first(where: { $0.kind == .audio && $0.url != nil }) {
      variants = [
        Variant(url: only.url ?? url, bandwidth: 0, codecs: [], width: nil, height: nil, audioGroup: only.group)
      ]
    }
    guard !variants.isEmpty else { throw lines.error(.malformed, "no variant in it") }
    number()
    soundLanguages = languages(.audio)
    subtitleLanguages = languages(.subtitles)
  }

  // MARK: What belongs to a variant

  /// Where a variant's sound is: in its group's default playlist, else in another one of the group, else in the variant;
  /// in the first of them that can be had.
  func soundAddress(of variant: Variant) -> String { sounds[variant.number].address }

  /// The number of a variant's sound: variants whose sound is at the same address have the same one.
  func sound(of variant: Variant) -> Int { sounds[variant.number].number }

  /// The number of the sound at an address; `nil` if no variant has it.
  func sound(at address: String) -> Int? { soundNumbers[address] }

  /// The most welcome first.
  func audioRenditions(of variant: Variant) -> [Rendition] { choices[variant.number] }

  /// Passes over an address from now on, wherever there is sound to play in its place.
  ///
  /// - Returns: whether there is for this variant; if not, all is as before.
  mutating func leaveOut(_ address: String, of variant: Variant) -> Bool {
    guard gone.count < Self.mostGone, gone.insert(address).inserted else { return false }
    guard firstAddress(of: variant) != address else {
      gone.remove(address)
      return false
    }
    numberSounds()
    return true
  }

  private func firstAddress(of variant: Variant) -> String {
    let group = choices[variant.number]
    let isThere = { (rendition: Rendition) in !gone.contains(rendition.url ?? variant.url) }
    let found = group.first { $0.isDefault && isThere($0) } ?? group.first(where: isThere)
    return found?.url ?? variant.url
  }

  /// Looks once at what would else be looked at again and again: which variants have which sound.
  private mutating func number() {
    var groups: [String: [Rendition]] = [:]
    for rendition in renditions where rendition.kind == .audio {
      groups[rendition.group, default: []].append(rendition)
    }
    groups = groups.mapValues(Self.ordered)
    var addresses: [String: Int] = [:]
    for index in variants.indices {
      choices.append(variants[index].audioGroup.flatMap { groups[$0] } ?? [])
      variants[index].number = index
      variants[index].addressNumber = addresses[variants[index].url] ?? index
      addresses[variants[index].url] = variants[index].addressNumber
    }
    numberSounds()
  }

  private mutating func numberSounds() {
    (sounds, soundNumbers) = ([], [:])
    for variant in variants {
      let address = firstAddress(of: variant)
      let number = soundNumbers[address] ?? soundNumbers.count
      soundNumbers[address] = number
      sounds.append(Sound(address: address, number: number))
    }
  }

  func subtitleRenditions(of variant: Variant) -> [Rendition] {
    guard let group = variant.subtitleGroup else { return [] }
    return Self.ordered(renditions.filter { $0.kind == .subtitles && $0.group == group && !$0.isForced })
  }

  /// Those that describe nothing first, of them and of the others the default, else as the playlist has them.
  private static func ordered(_ renditions: [Rendition]) -> [Rendition] {
    [false, true].flatMap { isDescribed in
      [true, false].flatMap { isDefault in
        renditions.filter { $0.isDescribed == isDescribed && $0.isDefault == isDefault }
      }
    }
  }

  private func languages(_ kind: Rendition.Kind) -> [String] {
    var known: Set<String> = []
    return renditions.compactMap { rendition in
      guard rendition.kind == kind, !rendition.language.isEmpty else { return nil }
      return known.insert(rendition.language).inserted ? rendition.language : nil
    }
  }

  // MARK: Reading

  private mutating func attributes(_ value: ArraySlice<UInt8>, _ lines: PlaylistLines) -> AttributeList {
    AttributeList(value, in: lines, variables: variables, remarks: &notes)
  }

  private mutating func variant(_ attributes: AttributeList, _ url: String, at line: Int) -> Variant {
    let rates = ["BANDWIDTH", "AVERAGE-BANDWIDTH"].lazy.compactMap { attributes[$0] }
    let bandwidth = rates.compactMap { PlaylistNumbers.leadingInteger($0.utf8) }.first
    if bandwidth == nil { notes.add(line, "BANDWIDTH is missing, or no number") }
    let size = (attributes["RESOLUTION"] ?? "").split { $0 == "x" || $0 == "X" }
      .map { PlaylistNumbers.leadingInteger($0.utf8, most: 1 << 20) }
    return Variant(
      url: url, bandwidth: bandwidth ?? 0,
      codecs: (attributes["CODECS"] ?? "").split(separator: ",").map { String($0.drop { $0 == " " }) },
      width: size.count == 2 ? size[0] : nil, height: size.count == 2 ? size[1] : nil,
      audioGroup: attributes["AUDIO"], subtitleGroup: attributes["SUBTITLES"])
  }

  /// The language that a rendition's name begins with, if that is one.
  private func named(_ name: String?) -> String? {
    name.flatMap { $0.utf8.count > 3 ? Languages.tag(of: $0) : nil }
  }

  private mutating func rendition(_ attributes: AttributeList, at line: Int) -> Rendition? {
    let kind: Rendition.Kind
    switch attributes["TYPE"] {
    case "AUDIO": kind = .audio
    case "SUBTITLES": kind = .subtitles
    case nil:
      notes.add(line, "EXT-X-MEDIA without TYPE; left out")
      return nil
    default: return nil
    }
    guard let group = attributes["GROUP-ID"] else {
      notes.add(line, "EXT-X-MEDIA without GROUP-ID; left out")
      return nil
    }
    let address = attributes["URI"].map { URLReference.resolve($0, against: url) }
    guard kind == .audio || address != nil else {
      notes.add(line, "subtitles without a URI; left out")
      return nil
    }
    // Some write the name of a language for its tag, or only call the rendition by it.
    let language = attributes["LANGUAGE"].map { Languages.tag(of: $0) ?? $0 } ?? named(attributes["NAME"]) ?? ""
    if attributes["NAME"] == nil { notes.add(line, "EXT-X-MEDIA without NAME") }
    return Rendition(
      kind: kind, group: group, name: attributes["NAME"] ?? language, language: language, url: address,
      isDefault: attributes.isYes("DEFAULT"), isForced: attributes.isYes("FORCED"),
      isDescribed: attributes["CHARACTERISTICS"]?.holds("public.accessibility.describes-") == true)
  }
}

/// A playlist of any kind.
enum Playlist {
  case master(MasterPlaylist)
  case media(MediaPlaylist)
  /// Addresses one after the other, each of which is played by itself, as web radio and television have them.
  case list([String])

  /// Tells the kinds apart by their tags (RFC 8216 section 4.1), as other players do: what has a variant is one of
  /// variants, and what has no tag of HLS is a plain list, unless it is one of segments.
  init(
    _ bytes: [UInt8], url: String, limits: PlaylistLimits = PlaylistLimits()
  ) throws(PlaylistError) {
    var lines: PlaylistLines
    do throws(PlaylistError) {
      lines = try PlaylistLines(bytes, subject: url, limits: limits)
    } catch {
      guard error.kind == .notPlaylist,
        let stations = StationList(bytes, url: url) ?? StationList(lines: bytes, url: url)
      else { throw error }
      self = try Self.listing(stations, url)
      return
    }
    var found: Set<String> = []
    var hasTags = false
    while let line = lines.next() {
      guard let tag = PlaylistLines.tag(line) else { continue }
      if tag.name == "EXT-X-STREAM-INF" {
        self = .master(try MasterPlaylist(bytes, url: url, limits: limits))
        return
      }
      hasTags = hasTags || tag.name.hasPrefix("EXT-X-")
      for name in ["EXTINF", "EXT-X-TARGETDURATION", "EXT-X-MEDIA-SEQUENCE", "EXT-X-MEDIA"] where tag.name == name {
        found.insert(name)
      }
    }
    if !hasTags, let stations = StationList(lines: bytes, url: url) {
      self = try Self.listing(stations, url)
    } else if found.subtracting(["EXT-X-MEDIA"]).isEmpty, !found.isEmpty {
      self = .master(try MasterPlaylist(bytes, url: url, limits: limits))
    } else if !found.isEmpty {
      self = .media(try MediaPlaylist(bytes, url: url, limits: limits))
    } else {
      throw PlaylistError(.malformed, subject: url, line: 0, reason: "neither variants nor segments in it")
    }
  }

  private static func listing(_ stations: StationList, _ url: String) throws(PlaylistError) -> Playlist {
    guard stations.addresses.isEmpty, let foreign = stations.foreign else { return .list(stations.addresses) }
    let reason = "\(HLSTrack.name(foreign)) is no address that begins with http:// or https://, and no other is in it"
    throw PlaylistError(.address, subject: url, line: 0, reason: reason)
  }
}
