/// By what count a decoder orders the pictures that it is given. Pure.
///
/// The stream says only the last bits of each picture's count (H.264, 8.2.1.1). Behind a hole that is longer than half of their
/// range a decoder has lost it: it leaves out what seems to come too late, and mixes the rest with pictures of before the hole.
struct DecodedOrder {
  /// Of the last picture that others refer to, and of the one that is seen last.
  private var (last, highest) = (0, Int.min)

  /// Whether a decoder that is to begin anew with a picture takes it for one of before.
  func mistakes(_ picture: FrameRing.Entry) -> Bool {
    guard !picture.isInstant, highest > .min else { return false }
    // Where the count follows from the numbers (type 1), these may have come round in the hole: decoders do not agree on it.
    guard picture.orderBits > 0 else { return picture.depth > 0 }
    let range = 1 << Int(picture.orderBits)
    var step = (Int(picture.order) - last) % range
    if step > range / 2 { step -= range }
    if step <= -range / 2 { step += range }
    // For numbers that are missing it has made up as many pictures as can be referred to, a frame apart.
    return last + step <= max(highest, last + 2 * Int(picture.mostReferred))
  }

  /// A picture goes to the decoder.
  ///
  /// - Parameter isFirst: decoding begins anew with it.
  mutating func add(_ picture: FrameRing.Entry, isFirst: Bool) {
    let order = Int(picture.order)
    highest = isFirst || picture.isInstant ? order : max(highest, order)
    if picture.isReferred { last = order }
  }
}
