internal import Hardware
internal import Recording

/// Where the spool is: the copy of the ring that the storage has, if the setting asks for one.
///
/// It is a clip that nobody has triggered, in pieces that join without a seam; the storage keeps the piece being written
/// and the one before it, and recovery makes clips of them if the power fails. A slow card ends it: clips go first.
struct Spool {
  /// Until then nothing is spooled, for the storage has refused to.
  var pausedUntil = Instant.zero
  /// Whether the storage may have something of it.
  var isKept = false

  /// Least length of a piece: each is a file to be made and completed.
  static let shortestPiece = Duration.seconds(10)
  static let pause = Duration.seconds(10)
  /// Share of the way to the storage beyond which the spool makes room for clips.
  static let largestBacklog = 0.125
}

extension ClipRecorder {
  /// Begins and ends the spool, as the setting, the camera and the storage have it.
  func keepSpool(now: Instant) {
    // The microphone's rate can change between clips only.
    let isInTune = !world.sound.isRunning || world.sound.format.sampleRate == clock.rate
    let isWanted = isSpoolWanted && status.hasCamera && isInTune
    let isCrowded = Double(pipe.queuedBytes) > Double(pipe.capacity) * Spool.largestBacklog
    if clips.contains(where: { $0.cut.isSpool && $0.cut.end == .distantFuture }) {
      if isWanted, !isCrowded { return }
      return isCrowded ? pauseSpool(at: now) : endSpool(at: now)
    }
    guard isWanted, !isCrowded, now >= spool.pausedUntil, !clips.contains(where: \.cut.isSpool) else { return }
    begin(spool: CutPlanner.Cut(number: planner.reserveNumber(), start: now, end: .distantFuture, triggers: []))
  }

  private var isSpoolWanted: Bool { status.isArmed && settings.ringStore == .disk }

  /// Lets the storage forget what nobody needs any more: the mode is left, or the setting has changed.
  func clearSpool() {
    guard spool.isKept, !isSpoolWanted, !clips.contains(where: \.cut.isSpool) else { return }
    spool.isKept = false
    pipe.append(.task(.clearSpool))
  }

  private func begin(spool cut: CutPlanner.Cut) {
    var cut = cut
    cut.isSpool = true
    spool.isKept = true
    clips.append(OpenClip(cut, bitrateKbps: settings.soundBitrateKbps, world: world))
  }

  /// Ends a piece at a keyframe and begins the next one there.
  func splitSpool(_ piece: OpenClip, at time: Instant) {
    piece.cut.end = time
    piece.cut.isSplitAway = true
    begin(
      spool: CutPlanner.Cut(
        number: planner.reserveNumber(), start: time, end: .distantFuture, triggers: [], continues: piece.number,
        isSplit: true))
  }

  /// Where an open clip has to be split.
  func split(of clip: OpenClip) -> Instant? {
    guard clip.cut.isSpool else { return planner.split(of: clip.cut) }
    guard clip.cut.end == .distantFuture else { return nil }
    return clip.cut.start + max(Spool.shortestPiece, .seconds(settings.preRollSeconds))
  }

  /// Ends the spool, which is not asked for any more.
  func endSpool(at instant: Instant) {
    for clip in clips where clip.cut.isSpool && clip.cut.end > instant { clip.cut.end = instant }
  }

  /// Ends the spool for a while: the storage does not take it, or clips need the way.
  func pauseSpool(at instant: Instant) {
    endSpool(at: instant)
    spool.pausedUntil = instant + Spool.pause
  }
}
