internal import Hardware
internal import Sound
internal import Streaming

/// Applies drift control and live-edge control to what is played. Dubbing lane.
final class LiveControl {
  private(set) var drift = DriftControl()
  private var edge = LiveEdge()
  private var initial: Double?
  private var nextLook = Instant.zero
  private var nextMeasurement = Instant.zero
  private var lastStep: Instant?
  private var lastJump: Instant?
  private var steering = 0.0
  private var interruptions = 0

  /// Between two jumps: a stream that does not get there by jumping is left alone.
  private static let jumpPause = Duration.seconds(30)
  /// What the dub needs on top of its round trip: a segment of a usual stream.
  private static let segment = 4.0

  func restart() {
    drift.restart()
    edge.restart()
    steering = 0
    nextLook = .zero
  }

  /// Seconds from what is mixed next to the live edge.
  func distance(of run: DubRun) -> Double? {
    let status = run.programme.status
    guard status.isLive, let behind = status.behindLive else { return nil }
    return Double(behind + status.decodedFrames + run.mixer.original.count + run.feed.pendingFrames) / 48_000
  }

  func step(now: Instant, run: DubRun) {
    // A file has no other clock than the speaker's.
    guard run.programme.status.isLive else { return }
    let elapsed = lastStep.map { now - $0 } ?? .zero
    lastStep = now
    drift.steer(ppm: steering, elapsed: elapsed)
    if now >= nextMeasurement, let distance = distance(of: run) {
      nextMeasurement = now + .milliseconds(100)
      edge.measured(distance)
    }
    if now >= nextLook {
      nextLook = now + .seconds(1)
      look(now, run)
    }
    if run.feed.interruptions != interruptions {
      interruptions = run.feed.interruptions
      // What was missed is not made up for by the clock; the distance to the live edge is kept by other means.
      drift.restart()
    }
    guard run.feed.clock.isLocked, let heard = run.feed.heard(at: now) else { return }
    // A stretch is steering that the resampler need not follow.
    let followed = abs(steering) <= 500 ? steering : 0
    run.feed.set(
      ppm: drift.correction(frame: heard, at: now, speakerPPM: run.feed.clock.ppm, steering: followed))
  }

  private func look(_ now: Instant, _ run: DubRun) {
    guard let measured = edge.distance else { return }
    let first = initial ?? measured
    initial = first
    let wanted = LiveEdge.wantedDistance(
      roundTrip: run.sources.link?.session.roundTrip?.inSeconds, segment: Self.segment, initial: first)
    var speed = 1.0
    let before = steering
    steering = 0
    switch edge.correction(wanted: wanted) {
    case .none: break
    case .resample(let ppm): steering = ppm
    case .stretch(let factor):
      speed = factor
      steering = (factor - 1) * 1e6
    case .jump(let frames):
      if let last = lastJump, now - last < Self.jumpPause { break }
      if run.jump(by: frames) { lastJump = now }
    }
    run.feed.set(speed: speed)
    if let heard = run.feed.heard(at: now) {
      drift.delay(change: steering - before, by: Double(run.mixer.position) - heard)
    }
  }
}
