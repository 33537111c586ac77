internal import Hardware

/// One pass over a media playlist's lines. A line that cannot be read costs what it says, and no more.
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

  /// As the list says it.
  private(set) var targetDuration: Duration?
  /// Of the longest segment.
  private(set) var longest = Duration.zero
  private(set) var mediaSequence = 0
  /// A media sequence number that stood behind a segment: the list is to be read again with it.
  private(set) var lateSequence: Int?
  private(set) var isEnded = false
  /// Something in it is of HLS; a list of segments that says nothing of it does not grow.
  private(set) var hasTags = false
  /// It is a list of variants.
  private(set) var hasVariants = false
  private(set) var kind: MediaPlaylist.Kind?
  private(set) var count = 0
  /// End of the last segment so far.
  private(set) var time = Duration.zero
  private(set) var remarks = PlaylistRemarks()
  /// Segments that cannot be decrypted, and why the first of them cannot.
  private var refused = 0
  private var firstRefusal: PlaylistError?

  private var discontinuity = 0
  // Their addresses are as the list writes them.
  private var key: SegmentKey?
  private var map: SegmentMap?
  /// Why what follows cannot be decrypted.
  private var protection: PlaylistError?
  private var date: WallTime?
  // Said of the next segment only.
  private var duration: Duration?
  private var isGap = false
  private var range: (count: Int, offset: Int?)?
  /// Where the last byte range ended, and of what (4.3.2.2).
  private var lastRange: (line: ArraySlice<UInt8>, end: Int)?

  /// Taken for a segment's length where nothing says it.
  private static let usualDuration = Duration.seconds(10)
  /// No segment lasts a day, and no list a year; sums of all entries stay far from overflow.
  private static let longestDuration = 86_400
  private static let longestList = Duration.seconds(365 * 86_400)

  /// - Parameter sequence: number of the first segment; `nil`: as the list says before it.
  init(
    _ bytes: [UInt8], url: String, imported: PlaylistVariables, limits: PlaylistLimits, sequence: Int? = nil
  ) throws(PlaylistError) {
    lines = try PlaylistLines(bytes, subject: url, limits: limits)
    self.url = url
    self.imported = imported
    self.limits = limits
    if let sequence { mediaSequence = sequence }
  }

  /// - Parameters:
  ///   - keep: how many segments are returned at most, from the first wanted one on.
  ///   - readsAll: goes on to the end after that.
  /// - Throws: if there are too many segments.
  mutating func run(
    keep: Int, readsAll: Bool, _ isWanted: (Entry) -> Bool
  ) throws(PlaylistError) -> [MediaSegment] {
    var kept: [MediaSegment] = []
    while readsAll || kept.count < keep, let line = lines.next() {
      if PlaylistLines.isAddress(line) {
        guard let duration else {
          remarks.add(lines.number, "an address without EXTINF (RFC 8216 section 4.3.2.1); left out")
          continue
        }
        if let protection { (refused, firstRefusal) = (refused + 1, firstRefusal ?? protection) }
        let range = settleRange(of: line)
        // Of the others the address is not even looked at: there may be a hundred thousand.
        if kept.count < keep, !kept.isEmpty || isWanted(Entry(sequence: mediaSequence + count, end: time + duration)) {
          kept.append(segment(line, range, duration: duration))
        }
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

  /// Why nothing of it can be decrypted; `nil` if one segment can be, as what stands in the clear before the rest.
  var refusal: PlaylistError? { refused == count ? firstRefusal ?? protection : nil }

  /// A segment whose address cannot be read is a gap: its length and number count.
  private mutating func segment(_ line: ArraySlice<UInt8>, _ bytes: Range<Int>?, duration: Duration) -> MediaSegment {
    let text = lines.address(line, variables, &remarks)
    let isWhole = text != nil && (range == nil || bytes != nil)
    let map = map.map {
      SegmentMap(url: URLReference.resolve($0.url, against: url), range: $0.range, key: absolute($0.key))
    }
    return MediaSegment(
      sequence: mediaSequence + count, discontinuity: discontinuity,
      url: URLReference.resolve(text ?? "", against: url), duration: duration, time: time, range: bytes,
      isGap: isGap || !isWhole, key: absolute(key), map: map, date: date, refusal: protection?.description)
  }

  private func absolute(_ key: SegmentKey?) -> SegmentKey? {
    key.map { SegmentKey(url: URLReference.resolve($0.url, against: url), vector: $0.vector) }
  }

  /// The bytes that the segment at this address is, if a part was named; without an offset they follow those before.
  private mutating func settleRange(of line: ArraySlice<UInt8>) -> Range<Int>? {
    guard let range else {
      lastRange = nil
      return nil
    }
    let known = range.offset ?? (lastRange?.line == line ? lastRange?.end : nil)
    if known == nil { remarks.add(lines.number, "a byte range without offset behind no range of the same resource") }
    let bytes = Self.bytes(range.count, from: known ?? 0)
    if bytes == nil { remarks.add(lines.number, "a byte range beyond 2^53; left out") }
    lastRange = bytes.map { (line, $0.upperBound) }
    return bytes
  }

  private static func bytes(_ count: Int, from start: Int) -> Range<Int>? {
    (ClaimedNumber(start) + ClaimedNumber(count)).within(0...PlaylistNumbers.mostBytes).map { start..<$0 }
  }

  private mutating func finish(_ duration: Duration) {
    count += 1
    time += duration
    longest = max(longest, duration)
    date = date.map { WallTime(nanosecondsSince1970: $0.nanosecondsSince1970 &+ duration.nanoseconds) }
    self.duration = nil
    isGap = false
    range = nil
  }

  private mutating func read(_ name: String, _ value: ArraySlice<UInt8>) throws(PlaylistError) {
    hasTags = hasTags || name.hasPrefix("EXT-X-")
    switch name {
    case "EXTINF": duration = readDuration(value)
    case "EXT-X-BYTERANGE": range = byteRange(value, of: name)
    case "EXT-X-DISCONTINUITY":
      discontinuity += 1
      date = nil
    case "EXT-X-GAP": isGap = true
    case "EXT-X-KEY": readKey(attributes(value))
    case "EXT-X-MAP": readMap(attributes(value))
    case "EXT-X-PROGRAM-DATE-TIME": date = PlaylistDate.wallTime(value)
    case "EXT-X-TARGETDURATION":
      guard let seconds = PlaylistNumbers.leadingInteger(value) else {
        return remarks.add(lines.number, "\(name) is no number of seconds")
      }
      targetDuration = .seconds(min(max(1, seconds), Self.longestDuration))
    case "EXT-X-MEDIA-SEQUENCE":
      guard let number = sequence(value, of: name) else { return }
      if count == 0 { mediaSequence = number } else { lateSequence = lateSequence ?? number }
    case "EXT-X-DISCONTINUITY-SEQUENCE":
      guard let number = sequence(value, of: name) else { return }
      if count == 0 { discontinuity = number } else { remarks.add(lines.number, "\(name) behind a segment") }
    case "EXT-X-ENDLIST": isEnded = true
    case "EXT-X-PLAYLIST-TYPE":
      kind = value.starts(with: "VOD".utf8) ? .vod : value.starts(with: "EVENT".utf8) ? .event : nil
    // ffmpeg's muxer writes it above whole segments, with their sound (`-hls_flags iframes_only`): they tell.
    case "EXT-X-I-FRAMES-ONLY": remarks.add(lines.number, "\(name): there may be no sound in it")
    case "EXT-X-DEFINE":
      variables.define(value, in: lines, imported: imported, limits: limits, remarks: &remarks)
    case "EXT-X-STREAM-INF", "EXT-X-MEDIA":
      hasVariants = hasVariants || name == "EXT-X-STREAM-INF"
      remarks.add(lines.number, "\(name) in a media playlist (RFC 8216 section 4.1)")
    default: break
    }
  }

  private mutating func attributes(_ value: ArraySlice<UInt8>) -> AttributeList {
    AttributeList(value, in: lines, variables: variables, remarks: &remarks)
  }

  private mutating func readDuration(_ value: ArraySlice<UInt8>) -> Duration {
    guard let nanoseconds = PlaylistNumbers.duration(value) else {
      remarks.add(lines.number, "EXTINF is no duration in seconds")
      return min(targetDuration ?? Self.usualDuration, Self.longestList - time)
    }
    return min(.nanoseconds(nanoseconds), .seconds(Self.longestDuration), Self.longestList - time)
  }

  private mutating func sequence(_ value: ArraySlice<UInt8>, of name: String) -> Int? {
    let number = PlaylistNumbers.leadingInteger(value, most: PlaylistNumbers.mostSequence)
    if number == nil { remarks.add(lines.number, "\(name) is no number of 0 to 2^62") }
    return number
  }

  /// `n[@o]` (4.3.2.2).
  private mutating func byteRange(
    _ value: some Collection<UInt8>, of name: String
  ) -> (count: Int, offset: Int?)? {
    let parts = value.split(separator: 0x40, maxSplits: 1, omittingEmptySubsequences: false)
    guard let count = parts.first.flatMap({ PlaylistNumbers.leadingInteger($0) }), count > 0 else {
      remarks.add(lines.number, "\(name) is no number of bytes")
      return nil
    }
    // What cannot be an offset must not become another one.
    return (count, parts.count > 1 ? PlaylistNumbers.leadingInteger(parts[1]) ?? .max : nil)
  }

  /// EXT-X-KEY (4.3.2.4). Several hold at once if their formats differ; the plain one is used.
  private mutating func readKey(_ attributes: AttributeList) {
    let format = attributes["KEYFORMAT"] ?? "identity"
    switch attributes["METHOD"] ?? "" {
    case "": remarks.add(lines.number, "METHOD is missing")
    case "NONE": (key, protection) = (nil, nil)
    case "AES-128" where format == "identity":
      guard let address = attributes["URI"] else { return refuse("EXT-X-KEY does not say where the key is") }
      guard !URLReference.isAbsolute(address) || URLReference.isFetchable(address) else {
        return refuse(
          "the key at \(address.prefix(80)) is for other players, so ask for a stream without that protection")
      }
      var vector: [UInt8]?
      if let text = attributes["IV"] {
        guard let bytes = PlaylistNumbers.bytes16(text) else {
          return refuse("IV is not a number of 128 bits in hexadecimal")
        }
        vector = bytes
      }
      key = SegmentKey(url: address, vector: vector)
      protection = nil
    case let method:
      // Another format beside a plain key is for other players.
      guard key == nil || format == "identity" else { return }
      refuse(
        "protected by \(method) (\(format)); this device decrypts AES-128 with a plain key only, so ask for a stream "
          + "without that protection")
    }
  }

  /// A plain key may still follow, before the next segment.
  private mutating func refuse(_ reason: String) {
    protection = lines.error(.encrypted, reason)
  }

  /// EXT-X-MAP (4.3.2.5).
  private mutating func readMap(_ attributes: AttributeList) {
    guard let address = attributes["URI"] else { return remarks.add(lines.number, "EXT-X-MAP without a URI") }
    var range: Range<Int>?
    if let text = attributes["BYTERANGE"], let (count, offset) = byteRange(Array(text.utf8), of: "BYTERANGE") {
      range = Self.bytes(count, from: offset ?? 0)
    }
    if let key, key.vector == nil { return refuse("an encrypted EXT-X-MAP needs an IV in EXT-X-KEY") }
    map = SegmentMap(url: address, range: range, key: key)
  }
}
