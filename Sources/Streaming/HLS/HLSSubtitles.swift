internal import Hardware
internal import Media

/// A rendition of subtitles (RFC 8216 section 3.5), laid onto the main sound's timeline. Whatever happens to it, the
/// sound does not notice. One thread: that of the programme.
final class HLSSubtitles {
  let language: String
  private let track: HLSTrack
  private let epochs: EpochMap
  private var waiting: ArraySlice<SubtitleCue> = []
  /// Cues that may still be on the timeline, in the source's time.
  private var known: [Known] = []
  private var placed = 0
  /// Epochs before this one are over: who goes back was there before.
  private var least: Int
  private(set) var problem: String?
  /// A file of them has been read.
  private var hasRead = false
  /// Files before that which could not be had, or read.
  private var misses = 0

  private struct Known: Hashable {
    var discontinuity: Int
    var start: Int64
    var milliseconds: Int
    var text: String
    /// The last epoch in which it was given out.
    var epoch = -1

    struct Said: Hashable {
      var start: Int64
      var text: String
    }
    var said: Said { Said(start: start, text: text) }
  }

  /// How far ahead of the sound subtitles are read.
  private static let lookAhead = Duration.seconds(60)
  private static let mostCues = 10_000
  private static let mostBytes = 1 << 20
  /// After so many others are worth trying.
  private static let mostMisses = 3

  /// - Parameter epoch: of what is heard where they are to begin.
  init(language: String, track: HLSTrack, epochs: EpochMap, epoch: Int) {
    least = epoch
    self.language = language
    self.track = track
    self.epochs = epochs
  }

  var address: String { track.firstURL }

  /// Why there is nothing of them so far.
  var fault: String? { hasRead ? nil : problem ?? track.failure?.text ?? track.problem }

  /// Nothing has come of them, and hardly anything will.
  var isLost: Bool {
    !hasRead && (track.failure != nil || misses >= Self.mostMisses || misses > 0 && track.isOver)
  }

  var heldBytes: Int { track.heldBytes + known.reduce(0) { $0 + $1.text.utf8.count + 64 } }

  func next() -> SubtitleCue? { waiting.popFirst() }

  func close() { track.close() }

  /// - Parameter frame: how far the sound is decoded.
  func step(now: Instant, frame: Int) -> Instant? {
    let wake = track.step(now: now, room: isFarEnough ? 0 : 1)
    // Files without a map are counted from where the list of the sound begins.
    guard epochs.last != nil else { return wake }
    while let loaded = track.take() { read(loaded) }
    place(from: frame)
    return isFarEnough ? (track.failure == nil ? now + .seconds(1) : nil) : wake
  }

  func restart(at frame: Int, time: Duration) {
    waiting = []
    known = []
    least = (epochs.last?.number ?? -1) + 1
    track.seek(to: time)
  }

  /// Whether the next segment lies far behind what is heard.
  private var isFarEnough: Bool {
    guard let place = epochs.place, let playlist = track.plan.playlist, !playlist.isSliding else { return false }
    guard let segment = track.upcoming() else { return false }
    return segment.time > place.time + Self.lookAhead
  }

  private func read(_ loaded: LoadedSegment) {
    let bytes: [UInt8]
    switch loaded.content {
    case .bytes(let content, _): bytes = content
    case .missing(let fault):
      problem = fault.text
      misses += 1
      return
    }
    let file: WebVTT
    do throws(PlaylistError) {
      file = try WebVTT(bytes, subject: HLSTrack.name(loaded.segment.url))
    } catch {
      problem = "\(error)"
      // Of another format are all of them.
      misses += bytes.isEmpty ? 1 : Self.mostMisses
      return
    }
    hasRead = true
    // The same for each segment, and said once.
    problem = file.remark ?? problem
    var said = Set(known.map(\.said))
    for cue in file.cues {
      var found = Known(
        discontinuity: loaded.segment.discontinuity, start: 0, milliseconds: cue.end - cue.start, text: cue.text)
      if let map = file.map {
        found.start = StreamTime.folded(map.mpeg + Int64(cue.start - map.local) * 90)
      } else {
        // RFC 8216 section 3.5 takes MPEG time 0 for local time 0; where there is no map, files of a whole programme are
        // in fact counted from its beginning.
        let base = track.plan.playlist?.isSliding == true ? 0 : epochs.zero ?? epochs.epochs.first?.source ?? 0
        found.start = StreamTime.folded(base + Int64(cue.start) * 90)
      }
      // A cue that goes on into the next segment stands in both.
      if said.insert(found.said).inserted { known.append(found) }
    }
    forgetOldest()
    placed = -1
  }

  /// All are looked at with every file that comes.
  private func forgetOldest() {
    var (cues, bytes) = (0, 0)
    let kept = known.reversed().prefix { cue in
      cues += 1
      bytes += cue.text.utf8.count
      return cues <= Self.mostCues && bytes <= Self.mostBytes
    }
    if kept.count < known.count { known = kept.reversed() }
  }

  /// Gives out what can be placed; again in an epoch that began since.
  private func place(from frame: Int) {
    guard let last = epochs.last, placed != last.number else { return }
    placed = last.number
    for index in known.indices {
      let cue = known[index]
      guard
        case .at(let epoch, let start) = epochs.find(
          cue.start, discontinuity: cue.discontinuity, from: max(cue.epoch + 1, least))
      else { continue }
      let end = min(start + cue.milliseconds * 48, epoch.end ?? .max)
      guard end > max(epoch.start, 0) else { continue }
      known[index].epoch = epoch.number
      // What is over already helps nobody.
      guard end > frame - 20 * 48_000 else { continue }
      waiting.append(
        SubtitleCue(epoch: epoch.number, start: max(start, epoch.start), end: end, text: cue.text, language: language))
    }
    // What was left behind long ago is forgotten.
    known.removeAll { cue in
      guard cue.epoch >= 0, let epoch = epochs.epochs.first(where: { $0.number == cue.epoch }) else { return false }
      return epoch.frame(of: cue.start) + cue.milliseconds * 48 < frame - 30 * 48_000
    }
  }
}
