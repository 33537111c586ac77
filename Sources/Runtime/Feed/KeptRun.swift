internal import Appliance
internal import Dubbing

/// What plays of the files that are kept. One of which nothing can be heard is good for nothing, whatever its sum says: it
/// goes, and what is at its address plays in its place. Dubbing lane only.
final class KeptRun: @unchecked Sendable {
  struct Play: Hashable {
    var item: FeedItem
    var feed: String
    var language: String
    var run: Int
    var isPaused = false
  }

  private var play: Play?
  private var spoilt: (play: Play, reason: String)?

  /// Faults that lie in the file, and not in the speaker or the program.
  private static let faults = ["damaged", "unsupported", "no-sound", "encrypted", "malformed", "not-found"]

  /// - Parameter play: `nil`: it is not from a file that is kept.
  func begin(_ play: Play?) { (self.play, spoilt) = (play, nil) }

  /// What is ordered before anything is heard counts for what plays in its place, too.
  func follow(_ order: DubPlayerOrder) {
    switch order {
    case .pause: play?.isPaused = true
    case .resume: play?.isPaused = false
    case .language(let language): play?.language = language
    default: break
    }
  }

  /// - Returns: whether a report of the player is for the machine; not that of a failure that is made good.
  func passes(_ report: DubReport, run: Int) -> Bool {
    guard let play, play.run == run else { return true }
    switch report {
    case .playing: self.play = nil
    case .failed(let code, let text) where Self.faults.contains(code):
      (self.play, spoilt) = (nil, (play, text))
      return false
    default: break
    }
    return true
  }

  /// What is to be played in another way, and why; once.
  func takeSpoilt() -> (play: Play, reason: String)? {
    defer { spoilt = nil }
    return spoilt
  }
}
