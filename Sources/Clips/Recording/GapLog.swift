internal import Recording

/// What is missing of a clip being made, for its receipt. Media lane only.
final class GapLog {
  private(set) var gaps: [Receipt.Gap] = []

  /// A receipt is no log: what goes on limping is told in numbers.
  private static let most = 1000

  /// - Parameter start: seconds from the clip's start.
  func note(_ track: String, from start: Double, seconds: Double, reason: String) {
    let begin = max(0, start)
    let length = seconds - (begin - start)
    guard length > 0 else { return }
    if let index = gaps.lastIndex(where: { $0.track == track }), gaps[index].reason == reason,
      abs(gaps[index].start + gaps[index].seconds - begin) < 1e-6
    {
      gaps[index].seconds += length
    } else if gaps.count < Self.most {
      gaps.append(Receipt.Gap(track: track, start: begin, seconds: length, reason: reason))
    }
  }
}
