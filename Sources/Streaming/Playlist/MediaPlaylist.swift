internal import Hardware

/// A media playlist (RFC 8216 sections 4.3.2 and 4.3.3).
///
/// Its bytes are kept, and of its segments only a window of `windowLength`, which moves to where somebody looks: ten
/// thousand entries cost what their text does.
struct MediaPlaylist: Hashable, Sendable {
  enum Kind: Hashable, Sendable { case vod, event }

  static let windowLength = 64

  let url: String
  /// As the list says it, else of its longest segment; at least a second.
  let targetDuration: Duration
  /// Of the first segment.
  let mediaSequence: Int
  /// EXT-X-ENDLIST: nothing is added any more (4.3.3.4).
  let isEnded: Bool
  let kind: Kind?
  /// Nothing is in it, and nothing will be: it is at its end, or it lists variants.
  let isVoid: Bool
  /// Of all segments: how many, and how long together.
  let count: Int
  let duration: Duration
  /// What was passed over in it, for the log.
  let remarks: [String]
  private let bytes: [UInt8]
  private let imported: PlaylistVariables
  private let limits: PlaylistLimits
  private var window: [MediaSegment] = []

  /// Reads the whole once.
  ///
  /// - Parameters:
  ///   - imported: variables of the multivariant playlist.
  ///   - follows: it takes the place of one that is being played: then what is protected may be all that is left in it.
  init(
    _ bytes: [UInt8], url: String, imported: PlaylistVariables = PlaylistVariables(),
    limits: PlaylistLimits = PlaylistLimits(), follows: Bool = false
  ) throws(PlaylistError) {
    var scan = try MediaPlaylistScan(bytes, url: url, imported: imported, limits: limits)
    // The first ones are wanted most often.
    var first = try scan.run(keep: Self.windowLength, readsAll: true) { _ in true }
    if let late = scan.lateSequence {
      scan = try MediaPlaylistScan(bytes, url: url, imported: imported, limits: limits, sequence: late)
      first = try scan.run(keep: Self.windowLength, readsAll: true) { _ in true }
    }
    if !follows, let refusal = scan.refusal { throw refusal }
    window = first
    self.url = url
    self.bytes = bytes
    self.imported = imported
    self.limits = limits
    var remarks = scan.remarks
    if scan.targetDuration == nil { remarks.add(0, "EXT-X-TARGETDURATION is missing") }
    self.remarks = remarks.all
    targetDuration = scan.targetDuration ?? max(.seconds(1), scan.longest)
    mediaSequence = scan.mediaSequence
    // A list of that type does not change any more (4.3.3.5), whether its end is marked or not.
    isEnded = scan.isEnded || scan.kind == .vod || !scan.hasTags
    kind = scan.kind
    count = scan.count
    isVoid = scan.count == 0 && (isEnded || scan.hasVariants)
    duration = scan.time
  }

  /// The number behind the last segment's.
  var endSequence: Int { mediaSequence + count }

  /// Whether segments may vanish from its beginning (section 6.2.2).
  var isSliding: Bool { !isEnded && kind == nil }

  /// What is held in memory because of it.
  var heldBytes: Int { bytes.count }

  /// A segment by its number; `nil` outside the playlist.
  mutating func segment(_ sequence: Int) -> MediaSegment? {
    guard sequence >= mediaSequence, sequence < endSequence else { return nil }
    if let first = window.first?.sequence, sequence >= first, sequence - first < window.count {
      return window[sequence - first]
    }
    move { $0.sequence >= sequence }
    return window.first.flatMap { $0.sequence == sequence ? $0 : nil }
  }

  /// The segment in which a time of the playlist lies; the first or last where it lies outside.
  mutating func segment(at time: Duration) -> MediaSegment? {
    guard count > 0 else { return nil }
    if time >= duration { return segment(endSequence - 1) }
    move { $0.end > time }
    return window.first
  }

  /// Where to begin at the live edge: the last segment that begins at least three target durations before the end
  /// (section 6.3.3).
  mutating func liveStart() -> MediaSegment? { segment(at: max(.zero, duration - targetDuration * 3)) }

  /// Fills the window with segments from the first that `isWanted`.
  private mutating func move(_ isWanted: (MediaPlaylistScan.Entry) -> Bool) {
    // What was read once is read again without an error.
    guard
      var scan = try? MediaPlaylistScan(
        bytes, url: url, imported: imported, limits: limits, sequence: mediaSequence),
      let found = try? scan.run(keep: Self.windowLength, readsAll: false, isWanted)
    else { return }
    window = found
  }
}
