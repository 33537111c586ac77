internal import Board
internal import Budget
internal import Dubbing

/// What dubs take of a board's memory, and what its pictures may have of what nobody else has. A plain value.
struct DubMemory {
  private let plan: BudgetPlan
  private let board: BoardDescription
  private let hasScreen: Bool

  /// Ten seconds of stereo and of a voice.
  private static let soundBytes = 10 * 48_000 * 12
  /// Six seconds at 2 Mbit/s.
  private static let segmentBytes = 1_500_000
  /// The smallest size that most streams have; a preview has 48.
  static let previewLines = 360
  /// Compressed pictures: in the programme, which is read some seconds ahead, and in each of two places behind it.
  private static let leastProgramme = 5 << 19
  private static let leastWaiting = 1 << 19

  /// - Parameter hasScreen: beside the display, whose previews are small.
  init(_ plan: BudgetPlan, _ board: BoardDescription, hasScreen: Bool) {
    (self.plan, self.board, self.hasScreen) = (plan, board, hasScreen)
  }

  /// More lines of a picture than these are not asked for.
  var mostLines: Int { hasScreen ? max(Self.previewLines, board.screen.lines) : Self.previewLines }

  /// What is allocated from the start, by its name in the board's ledger.
  ///
  /// - Parameter hasPictures: somebody may see them.
  func parts(hasPictures: Bool) -> [(name: String, bytes: Int)] {
    var parts = [("sound and dubs", Self.soundBytes), ("segments", board.dub.segments * Self.segmentBytes)]
    if hasPictures { parts.append(("pictures", decodedBytes + Self.leastProgramme + 2 * Self.leastWaiting)) }
    return parts
  }

  /// Enters them into the board's ledger.
  ///
  /// - Throws: which of them the line has no room for.
  func register(_ ledger: BudgetLedger, hasPictures: Bool) throws(BudgetRefusal) {
    for part in parts(hasPictures: hasPictures) { try ledger.register(.dubbing, part.name, bytes: part.bytes) }
  }

  /// Eight pictures of 4:2:0 in 16:9, in the decoder and on their way to be seen.
  private var decodedBytes: Int { mostLines * mostLines * 16 / 9 * 12 }
  /// Memory that nobody has while dubs play. A film from elsewhere may be larger than the streams that are asked for: its
  /// pictures have it.
  private var spareBytes: Int { plan.spareMemoryKB(during: .dubbing) * 1024 }
  /// Of compressed pictures that a programme may hold.
  var programmeBytes: Int { Self.leastProgramme + spareBytes / 8 }

  /// - Parameter left: bytes of the line for dubs that nobody has; any thread.
  func pictureRoom(left: @escaping @Sendable () -> Int) -> PictureRoom {
    let decoded = decodedBytes + spareBytes * 3 / 4
    return PictureRoom(waiting: Self.leastWaiting + spareBytes / 16) { decoded + left() }
  }
}
