internal import Hardware
internal import Media

/// Where the clocks of a stream lie on the programme's timeline. What leads (the sound that is played) begins epochs;
/// renditions, subtitles and pictures are placed by them. One thread.
final class EpochMap {
  struct Epoch: Hashable, Sendable {
    var number: Int
    /// Discontinuity sequence number of its segments.
    var discontinuity: Int
    /// Frame of the timeline at which it begins, and the source's time there in 90 kHz ticks.
    var start: Int
    var source: Int64
    /// Frame at which the next one begins; `nil` for the last.
    var end: Int?
    /// So many hours lie between its beginning and where it is heard: 33 bits tell 13 hours each way.
    fileprivate(set) var hours = 0

    /// The frame of a time of the source; the one that is nearest to what is heard.
    func frame(of time: Int64) -> Int {
      let near = StreamTime.folded(source &+ Int64(hours) * 3600 * 90_000)
      return start + hours * 3600 * 48_000 + EpochMap.frames(StreamTime.distance(from: near, to: time))
    }
  }

  /// The segment that the leader is at.
  struct Place: Hashable, Sendable {
    var sequence: Int
    /// Of its beginning, in its playlist.
    var time: Duration
    /// The same, counted from where the stream was begun: times of a sliding window begin anew with every load.
    var fromOrigin: Duration
    /// Of its beginning, on the timeline.
    var frame: Int
    var date: WallTime?
  }

  enum Found: Hashable, Sendable {
    /// In this epoch, at this frame, which may lie before its start.
    case at(Epoch, frame: Int)
    /// The leader has not come there yet.
    case ahead
    /// Not on the timeline: it was left out.
    case never
  }

  private static let most = 32
  /// Number of the first one.
  private let firstNumber: Int
  private(set) var epochs: [Epoch] = []
  private(set) var place: Place?
  /// Where sound of the source was left out last, on the timeline, and how many frames of it.
  private(set) var leftOut: (frame: Int, frames: Int)?
  /// What is shorter is rounding.
  private static let leastLeftOut = 24_000

  init(firstNumber: Int = 0) { self.firstNumber = firstNumber }

  var last: Epoch? { epochs.last }

  /// The leader comes to a segment.
  ///
  /// - Parameter follows: the one before it on the timeline is the one that was played before; else it was gone to.
  /// - Returns: frames of the source that are left out before it.
  func come(to new: Place, follows: Bool) -> Int {
    let before = place
    place = new
    guard follows, let before else {
      leftOut = nil
      return 0
    }
    let elapsed = (new.fromOrigin - before.fromOrigin).inSeconds * 48_000
    let frames = Int(elapsed.rounded()) - (new.frame - before.frame)
    guard frames >= Self.leastLeftOut else { return 0 }
    // One after the other without sound between them.
    leftOut = (new.frame, frames + (leftOut?.frame == new.frame ? leftOut?.frames ?? 0 : 0))
    return frames
  }

  /// The leader has come to a frame of the last epoch.
  func reach(_ frame: Int) {
    guard let last = epochs.indices.last else { return }
    epochs[last].hours = max(epochs[last].hours, (frame - epochs[last].start) / (3600 * 48_000))
  }

  /// The source's time where the list begins that was begun with, by the first sound and the lengths before it.
  private(set) var zero: Int64?
  /// Of a list, in seconds: clocks go round in 26.5 hours.
  private static let longest = 1e9

  /// The first sound lies at a time of its list.
  func note(source: Int64, at time: Duration) {
    guard zero == nil else { return }
    zero = StreamTime.folded(source &- Int64(min(max(0, time.inSeconds), Self.longest) * 90_000))
  }

  /// The segment that the leader is at begins at this frame.
  func placeBegins(at frame: Int) { place?.frame = frame }

  /// Begins an epoch; the one before ends where the leader is.
  func begin(discontinuity: Int, start: Int, source: Int64, end: Int) {
    if let last = epochs.indices.last { epochs[last].end = max(end, epochs[last].start) }
    let number = epochs.last.map { $0.number + 1 } ?? firstNumber
    epochs.append(Epoch(number: number, discontinuity: discontinuity, start: start, source: source))
    if epochs.count > Self.most { epochs.removeFirst() }
  }

  /// Where a time of a segment with this discontinuity sequence number is.
  ///
  /// - Parameters:
  ///   - time: 90 kHz; only its lower 33 bits count.
  ///   - least: epochs before this one are over; it may be still to come.
  func find(_ time: Int64, discontinuity: Int, from least: Int) -> Found {
    guard let last = epochs.last, last.number >= least else { return .ahead }
    // Clocks may begin anew without a tag: what holds the time goes before what it would lie in front of.
    for epoch in epochs where epoch.number >= least && epoch.discontinuity == discontinuity && epoch.end != nil {
      let frame = epoch.frame(of: time)
      if frame >= epoch.start, frame < epoch.end ?? .max { return .at(epoch, frame: frame) }
    }
    if last.discontinuity == discontinuity {
      let frame = last.frame(of: time)
      if frame >= last.start { return .at(last, frame: frame) }
    }
    for epoch in epochs where epoch.number >= least && epoch.discontinuity == discontinuity {
      let frame = epoch.frame(of: time)
      if let end = epoch.end, frame >= end { continue }
      return .at(epoch, frame: frame)
    }
    return discontinuity > last.discontinuity ? .ahead : .never
  }

  /// Number of the epoch that is heard at a frame: who has gone back was there in others before.
  func number(ofFrame frame: Int) -> Int {
    let found = epochs.last { $0.start <= frame && frame < ($0.end ?? .max) }
    return found?.number ?? epochs.first?.number ?? 0
  }

  /// The source's time at a frame, in an epoch that holds it.
  func source(ofFrame frame: Int, discontinuity: Int) -> Int64? {
    let found = epochs.last {
      $0.discontinuity == discontinuity && $0.start <= frame && frame < ($0.end ?? .max)
    }
    return found.map { $0.source + Int64(frame - $0.start) * 15 / 8 }
  }

  /// 90 kHz ticks as frames, rounded to the nearest.
  static func frames(_ ticks: Int64) -> Int {
    let scaled = Int(ticks) * 8
    return scaled >= 0 ? (scaled + 7) / 15 : -((-scaled + 7) / 15)
  }
}
