internal import Hardware
internal import Media

/// What has come of a segment that broke off, and whether the rest of it is to be asked for. HTTP does not tell an end from a
/// connection that broke, where it was not told a length; what came may. Some servers promise more than they have.
/// Pure.
struct BrokenSegment {
  /// What is made of bytes that came without a mistake.
  enum Finding: Equatable {
    /// There is nothing to say that more should come.
    case whole
    /// It ends in the middle; or it may, for it has few bytes.
    case broken(isCut: Bool, mayComeWhole: Bool)
  }

  /// How many bytes have come, each time that it was not all, of what has to be asked for whole: an initialisation section,
  /// a segment that comes compressed, whose rest nobody could ask for.
  private var cuts: [Int] = []
  /// What has come of a segment without its end, and how often its rest has been asked for.
  private var part: (sequence: Int, bytes: [UInt8], tries: Int)?
  /// There was no more of the last one: the server has it so.
  private var isCutThere = false
  /// Nothing more came of one with few bytes, of a server that knows no parts: its segments differ that much.
  private var isUneven = false
  /// Bytes a second of the last one that is no mere remainder.
  private var usual = 0.0

  /// How often the rest of a segment is asked for.
  private static let mostTries = 4
  /// The same of one that ends where it may end, and has few bytes only.
  private static let mostDoubts = 2
  /// Where so much comes each time, all of it comes.
  private static let step = 16 << 10
  /// What has fewer than this part of the usual bytes a second may not have come whole.
  private static let doubtful = 0.8

  var heldBytes: Int { part?.bytes.count ?? 0 }

  /// What has come before of a segment.
  func bytes(of segment: MediaSegment) -> [UInt8]? {
    part.flatMap { $0.sequence == segment.sequence ? $0.bytes : nil }
  }

  /// The playlist has gone on without it.
  mutating func forget() { (part, cuts) = (nil, []) }

  /// The next one is looked for.
  mutating func forgetCuts() { cuts = [] }

  /// All of a segment is there, or no more of it comes.
  mutating func delivered(_ segment: MediaSegment, _ bytes: [UInt8]) {
    part = nil
    // In very short ones there is more beside the sound.
    if segment.duration >= .seconds(1) { usual = Double(bytes.count) / segment.duration.inSeconds }
  }

  /// What was asked for does not come.
  ///
  /// - Parameter come: what has come before of the segment, if its rest was asked for.
  /// - Returns: whether that is to be taken for all of it, and whether it may have been.
  mutating func failed(
    _ segment: MediaSegment, _ error: NetworkError, come: [UInt8]?
  ) -> (isAll: Bool, isDoubtful: Bool) {
    let tries = part?.tries ?? 0
    part?.tries += 1
    guard let come else { return (false, false) }
    // It broke off, or was never more.
    let isDoubtful = error.kind == .interrupted && !Self.endsInTheMiddle(come, segment.range, segment.key)
    return (!error.isWorthRetrying || tries >= (isDoubtful ? Self.mostDoubts : Self.mostTries), isDoubtful)
  }

  /// There is no more of it.
  mutating func endsThere(isDoubtful: Bool) { (isCutThere, isUneven) = (true, isDoubtful) }

  /// The rest of a segment has come, behind what had come before.
  ///
  /// - Returns: whether there was none.
  mutating func restCame(_ rest: [UInt8]) -> Bool {
    isCutThere = rest.isEmpty
    return isCutThere
  }

  /// Looks whether bytes are all of a segment.
  mutating func look(at bytes: [UInt8], of segment: MediaSegment, _ response: HTTPResponse, most: Int) -> Finding {
    let isCut = response.isBroken || Self.endsInTheMiddle(bytes, segment.range, segment.key)
    if isCut { isUneven = false }
    let isShort =
      (!response.hasLength || response.isBroken) && !isUneven
      && Double(bytes.count) < Self.doubtful * usual * segment.duration.inSeconds
    guard isCut || isShort else {
      isCutThere = false
      return .whole
    }
    let isAsBefore = response.isCompressed && cuts.contains(bytes.count)
    if isAsBefore { (isCutThere, isUneven) = (isCut, !isCut) }
    let tries = response.isCompressed ? cuts.count : tries(of: segment)
    let hasTries = tries < Self.mostTries || !response.isCompressed && comesOn(bytes, of: segment)
    return .broken(
      isCut: isCut,
      mayComeWhole: !isAsBefore && (isShort || !isCutThere) && hasTries && bytes.count < most)
  }

  /// More of it is asked for.
  mutating func keep(_ bytes: [UInt8], of segment: MediaSegment, _ response: HTTPResponse) {
    guard !response.isCompressed else { return cuts.append(bytes.count) }
    part = (segment.sequence, bytes, comesOn(bytes, of: segment) ? 1 : tries(of: segment) + 1)
  }

  private func tries(of segment: MediaSegment) -> Int {
    part.map { $0.sequence == segment.sequence ? $0.tries : 0 } ?? 0
  }

  /// Whether more of a segment has come than the last time, by which it is worth asking for what is left.
  func comesOn(_ bytes: [UInt8], of segment: MediaSegment) -> Bool {
    part.map { $0.sequence == segment.sequence && bytes.count - $0.bytes.count >= Self.step } ?? false
  }

  /// The same of what stands before all segments: it is kept, and half of it would cost all of them. If it ends at the same
  /// place again, the server has it so.
  ///
  /// - Returns: whether it is to be asked for anew.
  func isHalf(_ bytes: [UInt8], of map: SegmentMap) -> Bool {
    (bytes.isEmpty || Self.endsInTheMiddle(bytes, map.range, map.key)) && !cuts.contains(bytes.count)
      && cuts.count < Self.mostTries
  }

  mutating func noteHalf(_ bytes: [UInt8]) { cuts.append(bytes.count) }

  static func endsInTheMiddle(_ bytes: [UInt8], _ range: Range<Int>?, _ key: SegmentKey?) -> Bool {
    if let range, bytes.count < range.count { return true }
    return key == nil ? SegmentEnd.isCut(bytes) : bytes.count % 16 != 0
  }
}
