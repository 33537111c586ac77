/// Gives pictures that come in the order of decoding their turns in the order of being seen, as a decoder does it that holds
/// as few as it can (H.264, C.4.5.3). Pure.
///
/// Pictures are numbered as they come; turns have the same numbers. Where a stream does not say how far its pictures may
/// be out of order, that is learned from the first one that comes too late.
public struct PictureOrder: Sendable {
  private var waiting: [(number: Int, order: Int)] = []
  private var nextTurn = 0
  private var lastOrder = Int.min
  /// Pictures that are held until one of them is seen.
  public private(set) var depth = 0

  private static let deepest = 16

  public init() {}

  /// Takes in the next picture.
  ///
  /// - Parameter settle: told of every picture whose turn is known now.
  public mutating func add(
    _ number: Int, _ place: H264Stream.Place, settle: (_ number: Int, _ turn: Int) -> Void
  ) {
    if place.isInstant { flush(settle) }
    // Numbers begin anew with every ring.
    if waiting.isEmpty { nextTurn = number }
    if let told = place.reorderDepth { depth = min(Self.deepest, told) }
    if place.reorderDepth == nil, place.order < lastOrder { depth = min(Self.deepest, depth + 1) }
    waiting.append((number, place.order))
    while waiting.count > depth { settleFirst(settle) }
  }

  /// Nothing more comes that has to do with what was.
  public mutating func flush(_ settle: (_ number: Int, _ turn: Int) -> Void) {
    while !waiting.isEmpty { settleFirst(settle) }
    lastOrder = .min
  }

  private mutating func settleFirst(_ settle: (Int, Int) -> Void) {
    guard let index = waiting.indices.min(by: { waiting[$0].order < waiting[$1].order }) else { return }
    let (number, order) = waiting.remove(at: index)
    lastOrder = max(lastOrder, order)
    settle(number, nextTurn)
    nextTurn += 1
  }
}
