internal import Hardware
internal import Recording

/// What is known of an instant of a take: both clocks, what the microphone has counted, what its device runs at. Media lane
/// only.
struct TakeMoments {
  let input: CaptureInput
  let clock: any DeviceClock

  /// What the clocks show now.
  var anchor: Receipt.Anchor { Receipt.Anchor(instant: clock.now, wall: clock.wallNow) }

  /// When a frame of the capture was at the converter; one that nothing is known of has come just now.
  func instant(ofFrame frame: Int) -> Instant { input.instant(ofFrame: frame) ?? clock.now }

  /// What is known of the first frame of a file, which was at the converter at `first`.
  func beginning(at first: Instant, pressed: Instant, preRecordedFrames: Int) -> TakeFiles.Beginning {
    let wall = clock.wallNow.nanosecondsSince1970 - (clock.now - first).nanoseconds
    return TakeFiles.Beginning(
      instant: first, wall: WallTime(nanosecondsSince1970: wall), pressed: pressed,
      preRecordedFrames: preRecordedFrames, counters: input.counters,
      granted: input.grant?.format.sampleRate ?? 0, anchor: anchor)
  }
}
