internal import Hardware

/// One segment of a media playlist, with everything that tags before it said.
struct MediaSegment: Hashable, Sendable {
  /// Media sequence number (RFC 8216 section 4.3.3.2).
  var sequence: Int
  /// Discontinuity sequence number (4.3.3.3): segments with the same one share a clock.
  var discontinuity: Int
  /// Absolute address.
  var url: String
  /// From EXTINF, and where it begins in the playlist by their sum.
  var duration: Duration
  var time: Duration
  var range: Range<Int>?
  /// Nothing is there, and nothing is to be fetched (draft-pantos-hls-rfc8216bis section 4.4.4.7).
  var isGap: Bool
  var key: SegmentKey?
  var map: SegmentMap?
  /// Wall clock of its beginning (4.3.2.6), said or counted on from a segment before.
  var date: WallTime?
  /// Why it cannot be decrypted, if it is protected in a way that this device cannot undo.
  var refusal: String?

  var end: Duration { time + duration }
}

/// How a segment is encrypted: AES-128 in CBC mode (RFC 8216 section 4.3.2.4).
struct SegmentKey: Hashable, Sendable {
  var url: String
  /// `nil`: the media sequence number (section 5.2).
  var vector: [UInt8]?

  /// The initialisation vector for a segment.
  func vector(sequence: Int) -> [UInt8] {
    vector ?? [UInt8](repeating: 0, count: 8) + (0..<8).map { UInt8(truncatingIfNeeded: sequence >> (56 - 8 * $0)) }
  }
}

/// Where what must be read before a segment is (RFC 8216 section 4.3.2.5).
struct SegmentMap: Hashable, Sendable {
  var url: String
  var range: Range<Int>?
  var key: SegmentKey?
}
