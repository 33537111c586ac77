internal import Hardware

/// Looks into the keyframes of a film for how long they take until pictures are whole: where a camera refreshes them bit by
/// bit (H.264, D.2.8), those after one that decoding begins anew with are only in the file for others to be decoded with.
///
/// Of a film whose first keyframes are whole the others are not looked into. Storage lane only.
struct RefreshHeads {
  private let depth: Int
  /// Keyframes still to be looked into, if none of them begins a refresh.
  private var left: Int

  private static let most = 16
  /// More than what stands before a keyframe's first slice takes, as a rule.
  private static let window = 1024

  init(_ track: PictureTrack?) {
    left = track?.codec == .h264 ? Self.most : 0
    let sets = track.map { AnnexB.units(ofConfiguration: $0.configuration) } ?? []
    let sequence = sets.first { $0.first.map { $0 & 31 } == AnnexB.Kind.sequenceParameters }
    depth = sequence.flatMap { SequenceParameters($0)?.reorderDepth } ?? 0
  }

  var isLooking: Bool { left > 0 }

  /// - Returns: how many pictures from a keyframe on, as they are seen, are not whole; 0 if that cannot be read.
  mutating func recovery(ofKeyframeAt place: Int, bytes: Int, in file: any StoredFile) throws(StorageError) -> Int {
    guard isLooking else { return 0 }
    let found = Self.recovery(in: try Self.head(ofSampleAt: place, bytes: bytes, in: file))
    // A camera that refreshes bit by bit has a keyframe in the file only behind a loss.
    if found > 0 { left = .max } else if left < .max { left -= 1 }
    return found * (1 + depth)
  }

  /// The first bytes of a sample, down to its first slice as a rule; none if they cannot be read.
  static func head(ofSampleAt place: Int, bytes: Int, in file: any StoredFile) throws(StorageError) -> [UInt8] {
    do throws(StorageError) { return try file.bytes(at: place, count: min(bytes, window)) } catch {
      // What is damaged is told of elsewhere.
      if case .stalled = error.kind { throw error }
      return []
    }
  }

  /// The recovery point in front of a sample's first slice, unless that is an IDR picture's.
  static func recovery(in sample: [UInt8]) -> Int {
    sample.withUnsafeBytes { bytes in
      var (place, found) = (0, 0)
      while place + 5 <= bytes.count {
        let size = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        let kind = bytes[place + 4] & 31
        guard size > 0, kind != AnnexB.Kind.keyframeSlice else { return 0 }
        guard kind != AnnexB.Kind.slice else { break }
        let unit = bytes[(place + 4)..<min(bytes.count, place + 4 + size)]
        if kind == AnnexB.Kind.enhancement { found = AccessUnitHead.recovery(in: .init(rebasing: unit)) ?? found }
        place += 4 + size
      }
      return found
    }
  }
}
