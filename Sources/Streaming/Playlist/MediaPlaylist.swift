internal import Hardware

/// A media playlist (RFC 8216 sections 4.3.2 and 4.3.3).
///
/// Its bytes are kept, and of its segments only a window of `windowLength`, which moves to where somebody looks: ten
/// thousand entries cost what their text does.
struct MediaPlaylist: Hashable, Sendable {
  enum Kind: Hashable, Sendable { case vod, event }

  static let windowLength = 64

  let url: String
  private(set) var targetDuration: Duration
  /// Of the first segment.
  private(set) var mediaSequence: Int
  /// EXT-X-ENDLIST: nothing is added any more (4.3.3.4).
  private(set) var isEnded: Bool
  private(set) var kind: Kind?
  /// Of all segments: how many, and how long together.
  private(set) var count: Int
  private(set) var duration: Duration
  private let bytes: [UInt8]
  private let imported: PlaylistVariables
  private let limits: PlaylistLimits
  private var window: [MediaSegment] = []

  /// Reads the whole once.
  ///
  /// - Parameter imported: variables of the multivariant playlist.
  init(
    _ bytes: [UInt8], url: String, imported: PlaylistVariables = PlaylistVariables(),
    limits: PlaylistLimits = PlaylistLimits()
  ) throws(PlaylistError) {
    var scan = try MediaPlaylistScan(bytes, url: url, imported: imported, limits: limits)
    // The first ones are wanted most often.
    window = try scan.run(keep: Self.windowLength, readsAll: true) { _ in true }
    guard let target = scan.targetDuration else {
      throw PlaylistError(.malformed, subject: url, line: 0, reason: "EXT-X-TARGETDURATION is missing")
    }
    self.url = url
    self.bytes = bytes
    self.imported = imported
    self.limits = limits
    targetDuration = target
    mediaSequence = scan.mediaSequence
    isEnded = scan.isEnded
    kind = scan.kind
    count = scan.count
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
    guard var scan = try? MediaPlaylistScan(bytes, url: url, imported: imported, limits: limits),
      let found = try? scan.run(keep: Self.windowLength, readsAll: false, isWanted)
    else { return }
    window = found
  }
}
