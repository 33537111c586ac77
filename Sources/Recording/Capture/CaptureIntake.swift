internal import Hardware
internal import Sound

/// Moves what a microphone has delivered into the history and the meters, and knows when there should be more of it. Media
/// lane only.
final class CaptureIntake {
  private let past: CaptureHistory
  private let meters: CaptureMeters
  private let scratch: UnsafeMutablePointer<Float>
  /// When the end of the last block was at the converter; zero while the microphone is closed.
  private(set) var heardUntil = Instant.zero
  /// When the block after the last one should be there.
  private var expected = Instant.zero
  /// One behind much missing sound, of which the first is there: it comes with the next step.
  private var waiting: CaptureBlock?

  /// From the end of a period at the converter to its block in the ring: the driver's thread has to wake first.
  private static let deliveryTime = Duration.milliseconds(1)

  init(_ past: CaptureHistory, _ meters: CaptureMeters) {
    (self.past, self.meters) = (past, meters)
    scratch = .allocate(capacity: CaptureInput.chunkFrames * 2)
    scratch.initialize(repeating: 0, count: CaptureInput.chunkFrames * 2)
  }

  deinit { scratch.deallocate() }

  /// The microphone is closed.
  func stop() { (heardUntil, waiting) = (.zero, nil) }

  /// When to look for the next block: right after it is due; a late one less and less often. The driver's thread must not
  /// wake anybody (that takes a lock), so this is timed by the blocks' own clock.
  func nextArrival(from grant: SoundGrant, now: Instant) -> Instant {
    let period = grant.format.duration(ofFrames: grant.periodFrames)
    if now < expected { return min(expected, now + period + period) }
    return now + min(period, max(Self.deliveryTime, .nanoseconds((now - expected).nanoseconds / 2)))
  }

  /// Moves everything that has arrived.
  ///
  /// - Returns: the errno with which the microphone went away; `nil`: it is there.
  func receive(from line: MicrophoneLine) -> Int32? {
    while var block = waiting ?? line.next() {
      if waiting == nil, past.bridge(to: block) {
        waiting = block
        break
      }
      waiting = nil
      let overlap = past.overlap(of: block)
      block.frames -= Int32(truncatingIfNeeded: overlap)
      skip(overlap, of: line)
      past.add(block)
      switch block.kind {
      case .sound:
        push(Int(block.frames), of: line)
        heardUntil = block.end
        expected = block.end + past.ring.format.duration(ofFrames: Int(block.frames)) + Self.deliveryTime
      case .discontinuity: break
      case .lost: return block.code
      }
    }
    past.forgetPast()
    return nil
  }

  private func skip(_ frames: Int, of line: MicrophoneLine) {
    var rest = frames
    while rest > 0 {
      let skipped = line.read(into: scratch, frames: min(rest, CaptureInput.chunkFrames))
      guard skipped > 0 else { return }
      rest -= skipped
    }
  }

  private func push(_ frames: Int, of line: MicrophoneLine) {
    var rest = frames
    while rest > 0 {
      let got = line.read(into: scratch, frames: min(rest, CaptureInput.chunkFrames))
      guard got > 0 else { return }
      let frame = past.ring.endFrame
      past.ring.push(scratch, frames: got)
      meters.add(scratch, frames: got, at: frame)
      rest -= got
    }
  }
}
