internal import Hardware
internal import Sound
internal import Streaming

/// Applies drift control and live-edge control to what is played. Dubbing lane.
final class LiveControl {
  private(set) var drift = DriftControl()
  private var edge = LiveEdge()
  private var initial: Double?
  /// Somebody has chosen how far behind it is.
  private var isChosen = false
  private var nextLook = Instant.zero
  private var nextMeasurement = Instant.zero
  private var lastJump: Instant?
  /// What the resampler does for the live edge, in ppm.
  private var steering = 0.0
  private var interruptions = 0

  /// Between two jumps: a stream that does not get there by jumping is left alone.
  private static let jumpPause = Duration.seconds(30)
  /// What the dub needs on top of its round trip: a segment of a usual stream.
  private static let segment = 4.0

  /// - Parameter isOrdered: somebody has paused it or gone elsewhere: it stays as far behind as it is then.
  func restart(isOrdered: Bool = false) {
    if isOrdered { (initial, isChosen) = (nil, true) }
    drift.restart()
    edge.restart()
    steering = 0
    nextLook = .zero
  }

  /// Seconds from what is mixed next to the live edge.
  static func distance(_ status: ProgrammeStatus, _ mixer: Mixer, _ feed: SpeakerFeed) -> Double? {
    guard status.isLive, let behind = status.behindLive else { return nil }
    return Double(behind + status.decodedFrames + mixer.original.count + feed.pendingFrames) / 48_000
  }

  /// Seconds from what is heard to the live edge: also where the stream goes on elsewhere before what is mixed next.
  static func heardDistance(_ status: ProgrammeStatus, _ mixer: Mixer, _ feed: SpeakerFeed) -> Double? {
    guard let distance = distance(status, mixer, feed) else { return nil }
    guard let place = status.leftOutAt, mixer.position - feed.pendingFrames < place else { return distance }
    return distance + Double(status.leftOut) / 48_000
  }

  /// - Parameters:
  ///   - roundTrip: of the dubbing service, in seconds; `nil`: not known.
  ///   - jump: goes by so many frames along the stream, and says whether it could.
  func step(
    now: Instant, status: ProgrammeStatus, mixer: Mixer, feed: SpeakerFeed, roundTrip: Double?, jump: (Int) -> Bool
  ) {
    // A file has no other clock than the speaker's.
    guard status.isLive else { return }
    if now >= nextMeasurement, let distance = Self.distance(status, mixer, feed) {
      nextMeasurement = now + .milliseconds(100)
      edge.measured(distance)
    }
    if now >= nextLook {
      nextLook = now + .seconds(1)
      look(now, feed, roundTrip, jump)
    }
    if feed.interruptions != interruptions {
      interruptions = feed.interruptions
      // What was missed is not made up for by the clock; the distance to the live edge is kept by other means.
      drift.restart()
    }
    guard feed.clock.isLocked, let heard = feed.heard(at: now) else { return }
    // What was steered is counted where it is heard: however late this step is, it is no error of the clock.
    let ppm = drift.correction(
      frame: heard.timeline - heard.steered, at: now, speakerPPM: feed.clock.ppm, steering: steering)
    feed.set(ppm: ppm, steering: steering)
  }

  private func look(_ now: Instant, _ feed: SpeakerFeed, _ roundTrip: Double?, _ jump: (Int) -> Bool) {
    guard let measured = edge.distance else { return }
    if isChosen, let initial, measured < initial - LiveEdge.jumpBeyond {
      // The stream has gone on without us: a way back leads to what it has no more, or to what was heard.
      (self.initial, isChosen, steering) = (nil, false, 0)
      edge.restart()
      return feed.set(speed: 1)
    }
    let first = initial ?? measured
    initial = first
    let wanted = LiveEdge.wantedDistance(
      roundTrip: roundTrip, segment: Self.segment, initial: first)
    var speed = 1.0
    steering = 0
    // A stream that is nearer to its edge than it was begun with had a hole: behind lies what was heard.
    let hadHole = measured < first - LiveEdge.jumpBeyond
    switch edge.correction(wanted: wanted, mayGoBack: !hadHole) {
    case .none: break
    case .resample(let ppm): steering = ppm
    case .stretch(let factor): speed = factor
    case .jump(let frames):
      if let last = lastJump, now - last < Self.jumpPause { break }
      if jump(frames) { lastJump = now }
    }
    feed.set(speed: speed)
  }
}
