internal import Sound

/// Makes a voice fit its slot.
///
/// Silence at its ends is taken off. If it is then longer than its utterance it may use the pause behind, up to 1.5 s of it;
/// then it is spoken faster, up to 1.25× (beyond that listening becomes hard); then it may use the whole pause; then up
/// to 1.4×; and what is still too long is faded away. It is never slowed down: what is too short is followed by silence.
public enum SlotFitter {
  public static let comfortable = 1.25
  public static let fastest = 1.4
  /// Of the pause behind an utterance that is used before anything is spoken faster.
  public static let borrowFrames = 72_000
  /// Left free before the next utterance.
  public static let breathFrames = 48_000 / 25
  /// Silence that stays at both ends: no consonant is cut.
  private static let marginFrames = 480
  private static let tailFade = 48_000 * 80 / 1000
  /// −50 dB below the voice's peak is silence.
  private static let threshold: Float = 0.003

  /// How a voice is made to fit: pure numbers.
  public struct Plan: Hashable, Sendable {
    /// 1…1.4.
    public var speed: Double
    /// Frames that it takes in the end.
    public var frames: Int
    /// Whether its end is lost.
    public var isCut: Bool
  }

  /// - Parameters:
  ///   - voice: frames of the voice without silence at its ends.
  ///   - own: frames of the utterance.
  ///   - slot: frames until the next utterance begins.
  public static func plan(voice: Int, own: Int, slot: Int) -> Plan {
    let all = max(1, slot - breathFrames)
    let first = min(all, max(1, own) + borrowFrames)
    if voice <= first { return Plan(speed: 1, frames: voice, isCut: false) }
    // As much of the pause as it needs at the comfortable speed, if there is so much.
    let room = max(first, Int((Double(voice) / comfortable).rounded(.up)))
    if room <= all { return Plan(speed: Double(voice) / Double(room), frames: room, isCut: false) }
    if Double(voice) <= Double(all) * fastest {
      return Plan(speed: Double(voice) / Double(all), frames: all, isCut: false)
    }
    return Plan(speed: fastest, frames: all, isCut: true)
  }

  /// One channel at 48 kHz, fitted; with its plan.
  public static func fit(_ mono: [Float], own: Int, slot: Int) -> (samples: [Float], plan: Plan) {
    let range = audible(mono)
    let plan = plan(voice: range.count, own: own, slot: slot)
    var samples = Array(mono[range])
    if plan.isCut {
      // What would be faded away need not be stretched.
      let needed = min(samples.count, Int((Double(plan.frames) * fastest).rounded(.up)))
      samples = Array(samples[0..<needed])
    }
    samples = TimeStretch.stretch(samples, channels: 1, sampleRate: 48_000, toFrames: plan.frames)
    let fade = min(samples.count, plan.isCut ? tailFade : marginFrames / 2)
    for index in 0..<fade { samples[samples.count - 1 - index] *= Float(index) / Float(fade) }
    let rise = min(samples.count, marginFrames / 2)
    for index in 0..<rise { samples[index] *= Float(index) / Float(rise) }
    return (samples, plan)
  }

  /// The part that can be heard, with a little around it; empty for silence.
  static func audible(_ mono: [Float]) -> Range<Int> {
    var peak: Float = 0
    for sample in mono where sample.isFinite { peak = max(peak, abs(sample)) }
    guard peak > 1e-4 else { return 0..<0 }
    let level = peak * threshold
    let first = mono.firstIndex { abs($0) > level } ?? 0
    let last = mono.lastIndex { abs($0) > level } ?? mono.count - 1
    return max(0, first - marginFrames)..<min(mono.count, last + 1 + marginFrames)
  }
}
