import Foundation
import Hardware
import Streaming

/// A programme whose samples tell their place: the sample at frame n is a function of n alone.
///
/// It decodes at most a block a step, like a real one, and can be told to stall, to jump and to end.
final class TonedProgramme: Programme {
  static let blockFrames = 4800
  /// Ticks of 90 kHz at frame 0.
  static let origin: Int64 = 10_000_000

  var length: Int?
  /// All is silent before this frame: it takes no time to make.
  var firstSound = 0
  var isLive = false
  var titles: [ProgrammeTitle] = []
  var cues: [SubtitleCue] = []
  /// Frames at which a new epoch begins.
  var discontinuities: [Int] = []
  /// No block from this frame on is there before that time.
  var stalls: [(frame: Int, until: Instant)] = []
  /// It does not say that it stalls.
  var isQuiet = false
  var soundLanguages: [String] = []
  var subtitleLanguages: [String] = []
  var subtitleProblem: String?
  var behind: Int?
  /// As a live stream: where something was left out, and how many frames.
  var leftOut: (place: Int, frames: Int)?
  /// As a live stream: how far its edge is ahead of the clock, in frames; nothing is there beyond it.
  var edge: Int?
  var renditions: [String: TonedProgramme] = [:]
  /// As a rendition: how long it takes until there is any of it, and whether it lies in a file beside the main one.
  var loading = Duration.zero
  var isBeside = false
  /// As a rendition: another one may be had where it fails.
  var hasOther = false
  /// As a rendition: nothing of these frames ever comes, which is known as soon as it has been read.
  var hole: (frames: Range<Int>, reason: String)?
  /// How often its renditions have been asked for.
  private(set) var asked: [String: Int] = [:]
  /// A subtitle is known so many frames before its sound is decoded.
  var cueLead = Int.max / 2
  private(set) var isLowPower = false
  private var loaded: Instant?
  var failure: String?
  private(set) var isClosed = false
  private var next = 0
  private var now = Instant.zero
  private var ready: [SoundBlock] = []
  private var seeks = 0
  private var nextIndex = 0
  private let wave: (Int) -> Float

  init(wave: @escaping (Int) -> Float) { self.wave = wave }

  /// A quiet tone whose phase belongs to the frame: another at every frame within a second.
  static func coded(_ frame: Int, hertz: Double, level: Double) -> Float {
    Float(level * sin(2 * .pi * hertz * Double(frame % 48_000) / 48_000))
  }

  func step(now: Instant) -> Instant? {
    self.now = now
    loaded = loaded ?? now + loading
    while ready.count < 20, let block = make() { ready.append(block) }
    return now + .milliseconds(20)
  }

  private func make() -> SoundBlock? {
    guard !isOver, !isClosed, now >= loaded ?? .zero, next + Self.blockFrames <= liveEdge ?? .max else { return nil }
    if let hole, hole.frames.contains(next) { next = hole.frames.upperBound }
    if let stall = stalls.first(where: { $0.frame <= next && now < $0.until }) {
      _ = stall
      return nil
    }
    var frames = min(Self.blockFrames, (length ?? .max) - next)
    if let cut = discontinuities.first(where: { $0 > next }) { frames = min(frames, cut - next) }
    let epoch = discontinuities.count { $0 <= next } + seeks
    let samples = next + frames <= firstSound ? [Float](repeating: 0, count: 2 * frames) : sound(frames)
    defer { next += frames }
    return SoundBlock(epoch: epoch, start: next, samples: samples, sourceTime: Self.origin + Int64(next) * 15 / 8)
  }

  private func sound(_ frames: Int) -> [Float] {
    [Float](unsafeUninitializedCapacity: 2 * frames) { buffer, count in
      for place in 0..<frames {
        buffer[2 * place] = wave(next + place)
        buffer[2 * place + 1] = buffer[2 * place]
      }
      count = 2 * frames
    }
  }

  private var liveEdge: Int? { edge.map { $0 + Int(now.seconds * 48_000) } }
  private var isOver: Bool { length.map { next >= $0 } ?? false }

  var status: ProgrammeStatus {
    var status = ProgrammeStatus()
    status.isLive = isLive
    status.titles = titles
    status.length = length
    status.soundLanguages = soundLanguages
    status.subtitleLanguages = subtitleLanguages
    status.subtitleProblem = subtitleProblem
    status.decodedFrames = ready.reduce(0) { $0 + $1.frames }
    status.behindLive = liveEdge.map { $0 - next } ?? behind
    if let leftOut { (status.leftOutAt, status.leftOut) = (leftOut.place, leftOut.frames) }
    status.isBeside = isBeside
    status.hasOther = hasOther
    if let hole, next > hole.frames.upperBound {
      (status.missed, status.missedUntil) = (StreamFault("http-404", hole.reason), hole.frames.upperBound)
    }
    let isStalled = !isQuiet && stalls.contains { $0.frame <= next && now < $0.until }
    status.phase =
      failure.map { .failed(StreamFault("http-404", $0)) }
      ?? (isOver && ready.isEmpty ? .ended : isStalled ? .stalled("the link is down") : .running)
    return status
  }

  func nextSound() -> SoundBlock? { ready.isEmpty ? nil : ready.removeFirst() }
  func nextCue() -> SubtitleCue? {
    guard nextIndex < cues.count, cues[nextIndex].start < next + cueLead else { return nil }
    defer { nextIndex += 1 }
    var cue = cues[nextIndex]
    cue.epoch += seeks
    return cue
  }
  func nextPicture() -> ProgrammePicture? { nil }
  func setLowPower(_ isLow: Bool) { isLowPower = isLow }

  /// Like a real one, it begins with the segment of the frame.
  func rendition(language: String, from frame: Int) -> (any Programme)? {
    guard let rendition = renditions[language] else { return nil }
    asked[language, default: 0] += 1
    rendition.isClosed = false
    rendition.loaded = nil
    rendition.ready = []
    rendition.next = max(0, frame - 30_000)
    return rendition
  }

  func seek(to frame: Int) {
    next = min(frame, length ?? frame)
    ready = []
    seeks += 1
    nextIndex = cues.firstIndex { $0.start >= next } ?? cues.count
    for rendition in renditions.values { rendition.seek(to: frame) }
  }

  func close() { isClosed = true }
}
