/// By what count a decoder orders the pictures that it is given. Pure.
///
/// The stream says only the last bits of each picture's count (H.264, 8.2.1.1). Behind a hole that is longer than half of their
/// range a decoder has lost it: it leaves out what seems to come too late, and mixes the rest with pictures of before the hole.
public struct DecodedOrder: Sendable {
  /// What the order of a picture depends on: see `H264Stream.Place`.
  public struct Picture: Sendable {
    let order: Int
    let orderBits: Int
    let isReferred: Bool
    let mostReferred: Int
    let isInstant: Bool
    let depth: Int

    public init(order: Int, orderBits: Int, isReferred: Bool, mostReferred: Int, isInstant: Bool, depth: Int) {
      self.order = order
      self.orderBits = orderBits
      self.isReferred = isReferred
      self.mostReferred = mostReferred
      self.isInstant = isInstant
      self.depth = depth
    }

    init(_ place: H264Stream.Place) {
      self.init(
        order: place.order, orderBits: place.orderBits, isReferred: place.isReferred, mostReferred: place.mostReferred,
        isInstant: place.isInstant, depth: place.reorderDepth ?? 0)
    }
  }

  /// Of the last picture that others refer to, and of the one that is seen last.
  private var (last, highest) = (0, Int.min)

  public init() {}

  /// Whether a decoder that is to begin anew with a picture takes it for one of before.
  public func mistakes(_ picture: Picture) -> Bool {
    guard !picture.isInstant, highest > .min else { return false }
    // Where the count follows from the numbers (type 1), these may have come round in the hole: decoders do not agree on it.
    guard picture.orderBits > 0 else { return picture.depth > 0 }
    let range = 1 << picture.orderBits
    var step = (picture.order - last) % range
    if step > range / 2 { step -= range }
    if step <= -range / 2 { step += range }
    // For numbers that are missing it has made up as many pictures as can be referred to, a frame apart.
    return last + step <= max(highest, last + 2 * picture.mostReferred)
  }

  /// A picture goes to the decoder.
  ///
  /// - Parameter isFirst: decoding begins anew with it.
  public mutating func add(_ picture: Picture, isFirst: Bool) {
    let order = picture.order
    highest = isFirst || picture.isInstant ? order : max(highest, order)
    if picture.isReferred { last = order }
  }
}
