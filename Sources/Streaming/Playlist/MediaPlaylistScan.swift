internal import Hardware

/// One pass over a media playlist's lines.
struct MediaPlaylistScan {
  /// What is known of a segment before its tags are looked at.
  struct Entry {
    var sequence: Int
    var end: Duration
  }

  private var lines: PlaylistLines
  private let url: String
  private let imported: PlaylistVariables
  private let limits: PlaylistLimits
  private var variables = PlaylistVariables()

  private(set) var targetDuration: Duration?
  private(set) var mediaSequence = 0
  private(set) var isEnded = false
  private(set) var kind: MediaPlaylist.Kind?
  private(set) var count = 0
  /// End of the last segment so far.
  private(set) var time = Duration.zero

  private var discontinuity = 0
  private var keys: [String: SegmentKey] = [:]
  private var map: SegmentMap?
  private var date: WallTime?
  // Said of the next segment only.
  private var duration: Duration?
  private var isGap = false
  private var range: (count: Int, offset: Int?)?
  /// Where the last byte range ended, and of what (4.3.2.2).
  private var lastRange: (url: String, end: Int)?

  init(
    _ bytes: [UInt8], url: String, imported: PlaylistVariables, limits: PlaylistLimits
  ) throws(PlaylistError) {
    lines = try PlaylistLines(bytes, subject: url, limits: limits)
    self.url = url
    self.imported = imported
    self.limits = limits
  }

  /// - Parameters:
  ///   - keep: how many segments are returned at most, from the first wanted one on.
  ///   - readsAll: goes on to the end after that.
  mutating func run(
    keep: Int, readsAll: Bool, _ isWanted: (Entry) -> Bool
  ) throws(PlaylistError) -> [MediaSegment] {
    var kept: [MediaSegment] = []
    while readsAll || kept.count < keep, let line = try lines.next() {
      if PlaylistLines.isAddress(line) {
        guard let duration else {
          throw lines.error(.malformed, "a segment without EXTINF (RFC 8216 section 4.3.2.1)")
        }
        let wanted =
          kept.count < keep
          && (!kept.isEmpty || isWanted(Entry(sequence: mediaSequence + count, end: time + duration)))
        let segment = try segment(line, duration: duration)
        if wanted { kept.append(segment) }
        finish(duration)
        guard count <= limits.entries else {
          throw lines.error(.tooLarge, "more than \(limits.entries) segments")
        }
      } else if let tag = PlaylistLines.tag(line) {
        try read(tag.name, tag.value)
      }
    }
    return kept
  }

  private mutating func segment(
    _ line: ArraySlice<UInt8>, duration: Duration
  ) throws(PlaylistError) -> MediaSegment {
    let address = URLReference.resolve(try variables.expand(try lines.text(line), in: lines), against: url)
    var bytes: Range<Int>?
    if let range {
      guard let start = range.offset ?? (lastRange?.url == address ? lastRange?.end : nil) else {
        throw lines.error(.malformed, "a byte range without offset behind no range of the same resource")
      }
      bytes = start..<(start + range.count)
      lastRange = (address, start + range.count)
    } else {
      lastRange = nil
    }
    return MediaSegment(
      sequence: mediaSequence + count, discontinuity: discontinuity, url: address, duration: duration, time: time,
      range: bytes, isGap: isGap, key: keys["identity"], map: map, date: date)
  }

  private mutating func finish(_ duration: Duration) {
    count += 1
    time += duration
    date = date.map { WallTime(nanosecondsSince1970: $0.nanosecondsSince1970 &+ duration.nanoseconds) }
    self.duration = nil
    isGap = false
    range = nil
  }

  private mutating func read(_ name: String, _ value: ArraySlice<UInt8>) throws(PlaylistError) {
    switch name {
    case "EXTINF":
      guard let nanoseconds = PlaylistNumbers.nanoseconds(value.prefix { $0 != 0x2C }.filter { $0 != 0x20 }) else {
        throw lines.error(.malformed, "EXTINF is no duration in seconds")
      }
      // No segment lasts a day; sums of all entries stay far from overflow.
      guard nanoseconds <= 86_400_000_000_000 else { throw lines.error(.malformed, "EXTINF is more than a day") }
      duration = .nanoseconds(nanoseconds)
    case "EXT-X-BYTERANGE": range = try byteRange(value, of: name)
    case "EXT-X-DISCONTINUITY":
      discontinuity += 1
      date = nil
    case "EXT-X-GAP": isGap = true
    case "EXT-X-KEY": try readKey(AttributeList(value, in: lines, variables: variables))
    case "EXT-X-MAP": try readMap(AttributeList(value, in: lines, variables: variables))
    case "EXT-X-PROGRAM-DATE-TIME": date = PlaylistDate.wallTime(value)
    case "EXT-X-TARGETDURATION":
      let seconds = try lines.integer(value.prefix { $0 != 0x2E }, of: name)
      guard (1...86_400).contains(max(1, seconds)) else {
        throw lines.error(.malformed, "EXT-X-TARGETDURATION is not between a second and a day")
      }
      targetDuration = .seconds(max(1, seconds))
    case "EXT-X-MEDIA-SEQUENCE":
      try mustComeFirst(name)
      mediaSequence = try lines.integer(value, of: name)
    case "EXT-X-DISCONTINUITY-SEQUENCE":
      try mustComeFirst(name)
      discontinuity = try lines.integer(value, of: name)
    case "EXT-X-ENDLIST": isEnded = true
    case "EXT-X-PLAYLIST-TYPE":
      kind = value.elementsEqual("VOD".utf8) ? .vod : value.elementsEqual("EVENT".utf8) ? .event : nil
    case "EXT-X-I-FRAMES-ONLY": throw lines.error(.unsupported, "pictures only, for fast forward")
    case "EXT-X-DEFINE": try variables.define(value, in: lines, imported: imported, limits: limits)
    case "EXT-X-STREAM-INF", "EXT-X-MEDIA":
      throw lines.error(.malformed, "\(name) in a media playlist (RFC 8216 section 4.1)")
    default: break
    }
  }

  private func mustComeFirst(_ name: String) throws(PlaylistError) {
    guard count == 0 else { throw lines.error(.malformed, "\(name) behind a segment") }
  }

  /// `n[@o]` (4.3.2.2).
  private func byteRange(
    _ value: some Collection<UInt8>, of name: String
  ) throws(PlaylistError) -> (count: Int, offset: Int?) {
    let parts = value.split(separator: 0x40, maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first else { throw lines.error(.malformed, "\(name) is empty") }
    let count = try lines.integer(first, of: name)
    guard count > 0 else { throw lines.error(.malformed, "\(name) of no bytes") }
    return (count, parts.count > 1 ? try lines.integer(parts[1], of: name) : nil)
  }

  /// EXT-X-KEY (4.3.2.4). Several hold at once if their formats differ.
  private mutating func readKey(_ attributes: AttributeList) throws(PlaylistError) {
    let format = attributes["KEYFORMAT"] ?? "identity"
    switch try attributes.required("METHOD", in: lines) {
    case "NONE": keys = [:]
    case "AES-128" where format == "identity":
      var vector: [UInt8]?
      if let text = attributes["IV"] {
        guard let bytes = PlaylistNumbers.bytes16(text) else {
          throw lines.error(.malformed, "IV is not a number of 128 bits in hexadecimal")
        }
        vector = bytes
      }
      let address = URLReference.resolve(try attributes.required("URI", in: lines), against: url)
      keys[format] = SegmentKey(url: address, vector: vector)
    case let method:
      // Another format beside a plain key is for other players.
      guard keys["identity"] != nil, format != "identity" else {
        throw lines.error(
          .unsupported,
          "protected by \(method) (\(format)); this device decrypts AES-128 with a plain key only, so ask for a stream "
            + "without that protection")
      }
    }
  }

  /// EXT-X-MAP (4.3.2.5).
  private mutating func readMap(_ attributes: AttributeList) throws(PlaylistError) {
    let address = URLReference.resolve(try attributes.required("URI", in: lines), against: url)
    var range: Range<Int>?
    if let text = attributes["BYTERANGE"] {
      let (count, offset) = try byteRange(Array(text.utf8), of: "BYTERANGE")
      range = (offset ?? 0)..<((offset ?? 0) + count)
    }
    let key = keys["identity"]
    guard key == nil || key?.vector != nil else {
      throw lines.error(.malformed, "an encrypted EXT-X-MAP needs an IV in EXT-X-KEY")
    }
    map = SegmentMap(url: address, range: range, key: key)
  }
}
