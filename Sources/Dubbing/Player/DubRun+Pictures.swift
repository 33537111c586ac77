internal import Hardware
internal import Streaming

// Pictures: on their way to whoever shows them, with the clock that they follow.
extension DubRun {
  /// How long before it is due a picture is handed on: decoders hold some back until they know the order.
  private static let pictureLead = 48_000

  /// Hands pictures on some time before their sound is heard, and tells what is heard.
  func pullPictures(_ now: Instant) {
    guard let pictures, !isLowPower, pictures.isWanted else {
      picture = nil
      while programme.nextPicture() != nil {}
      return
    }
    guard let heard = feed.heard(at: now)?.timeline else { return }
    let limit = Int(heard) + Self.pictureLead
    var isEmpty = true
    while let next = picture ?? programme.nextPicture() {
      picture = next.start < limit ? nil : next
      isEmpty = picture == nil
      guard isEmpty else { break }
      pictures.take(next)
    }
    pictures.follow(HeardClock(frame: heard, at: now, isRunning: isMoving, isEnding: isEmpty && isAtEnd))
  }

  private var isMoving: Bool {
    guard case .playing = phase else { return false }
    return !isPaused
  }
}
