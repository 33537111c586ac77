public import Hardware

/// A programme that begins anew at its end, without a hole and to the sample: its timeline goes on, and its first frame
/// follows its last one. What has no end, or cannot be gone back in, is played as it is.
///
/// One lane, as the programme in it.
public final class LoopedProgramme: Programme {
  private let inner: any Programme
  /// Takes it back when it is closed, to play it again later.
  private let giveBack: (LoopedProgramme) -> Bool
  /// Where the inner frame 0 lies on the timeline.
  private var base = 0
  /// Where the sound that was taken ends on the timeline.
  private var end = 0
  /// Counts where one has gone; going round is none of it.
  private var epoch = 0
  /// The next block is the first one since it went round or elsewhere.
  private var isTurning = false
  /// Sound has come since it went round last: what has none is not gone round in for ever.
  private var hasSound = false
  /// A rendition keeps time with the inner programme, so going round is not for it.
  private var hasRendition = false
  private var remarks = Remarks()
  // What was still waiting when it went round.
  private var pictures: [ProgrammePicture] = []
  private var cues: [SubtitleCue] = []
  private static let mostWaiting = 512

  /// - Parameter giveBack: called by `close`; true: it has been kept, and is not closed.
  public init(_ inner: any Programme, giveBack: @escaping (LoopedProgramme) -> Bool = { _ in false }) {
    self.inner = inner
    self.giveBack = giveBack
  }

  public func step(now: Instant) -> Instant? { inner.step(now: now) }

  public var status: ProgrammeStatus {
    var status = inner.status
    if case .ended = status.phase, turns { status.phase = .running }
    return status
  }

  private var turns: Bool {
    let status = inner.status
    return hasSound && !hasRendition && !status.isLive && status.canSeek
  }

  public func nextSound() -> SoundBlock? {
    if let block = inner.nextSound() { return place(block) }
    guard case .ended = inner.status.phase, turns else { return nil }
    turn()
    return inner.nextSound().map { place($0) }
  }

  private func place(_ block: SoundBlock) -> SoundBlock {
    var block = block
    if isTurning { base = end - block.start }
    isTurning = false
    hasSound = hasSound || block.frames > 0
    block.start += base
    block.epoch = epoch
    end = block.start + block.frames
    return block
  }

  private func turn() {
    if let fault = inner.status.breaksOff { remarks.add(fault.text) }
    while pictures.count < Self.mostWaiting, let picture = inner.nextPicture() { pictures.append(place(picture)) }
    while cues.count < Self.mostWaiting, let cue = inner.nextCue() { cues.append(place(cue)) }
    inner.seek(to: 0)
    (isTurning, hasSound) = (true, false)
    // What comes before the first sound belongs where that will be.
    base = end
  }

  private func place(_ picture: ProgrammePicture) -> ProgrammePicture {
    var picture = picture
    picture.start += base
    picture.epoch = epoch
    return picture
  }

  private func place(_ cue: SubtitleCue) -> SubtitleCue {
    var cue = cue
    cue.start += base
    cue.end += base
    cue.epoch = epoch
    return cue
  }

  public func nextPicture() -> ProgrammePicture? {
    pictures.isEmpty ? inner.nextPicture().map { place($0) } : pictures.removeFirst()
  }

  public func nextCue() -> SubtitleCue? { cues.isEmpty ? inner.nextCue().map { place($0) } : cues.removeFirst() }

  public func rendition(language: String, from frame: Int) -> (any Programme)? {
    // Once round, the two no longer count alike.
    guard base == 0, let rendition = inner.rendition(language: language, from: frame) else { return nil }
    hasRendition = true
    return rendition
  }

  /// Goes elsewhere; beyond the end is in the next round.
  public func seek(to frame: Int) {
    let length = inner.status.length ?? 0
    let wanted = max(0, frame) - base
    let target = length > 0 ? ((wanted % length) + length) % length : max(0, wanted)
    (pictures, cues) = ([], [])
    inner.seek(to: target)
    epoch += 1
    base = max(0, frame) - target
    (end, isTurning) = (max(0, frame), false)
  }

  /// Back to the beginning, as if it had just been opened.
  ///
  /// - Returns: false if that cannot be done: it has to be opened anew.
  public func rewind() -> Bool {
    let status = inner.status
    guard !hasRendition, !status.isLive, status.canSeek else { return false }
    switch status.phase {
    case .running, .ended: break
    case .opening, .stalled, .failed: return false
    }
    (pictures, cues) = ([], [])
    inner.seek(to: 0)
    (base, end, isTurning, hasSound) = (0, 0, false, false)
    epoch += 1
    return true
  }

  public func selectSubtitles(language: String, from frame: Int) -> Bool {
    inner.selectSubtitles(language: language, from: max(0, frame - base))
  }

  public func setLowPower(_ isLow: Bool) { inner.setLowPower(isLow) }
  public func nextRemark() -> String? { remarks.next() ?? inner.nextRemark() }

  public func close() {
    if !giveBack(self) { inner.close() }
  }

  /// Ends it for good.
  public func discard() { inner.close() }
}
