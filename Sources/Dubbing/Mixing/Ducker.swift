internal import Glibc
internal import Sound

/// How far the original goes down under a voice: by what the voice needs, no more, and before the voice begins.
///
/// Programme gain = min(0, L_dub − LD − L_programme), not below −24 dB; LD is 15 LU, over music 10 (Torcoli et al., JAES 67(12),
/// 2019: preferred differences of speech and background). The descent takes 150 ms and ends when the voice begins, which
/// is known beforehand; the gain is held 1 s after its end, so that it does not pump between sentences, and comes back
/// within 500 ms. Where the original is replaced, holding it down would be silence: it goes and comes within 25 ms, in
/// the voice's pauses as well.
struct Ducker: Sendable {
  /// A voice that is or will be heard.
  struct Voice: Hashable, Sendable {
    var start: Int
    var end: Int
    /// As it is heard, with its volume; LUFS.
    var loudness: Double
  }

  static let attackFrames = 48_000 * 150 / 1000
  static let holdFrames = 48_000
  static let releaseFrames = 48_000 / 2
  /// When there is no time for more: a fallback, or a voice that came at the last moment.
  static let quickFrames = 48_000 * 25 / 1000
  static let floor = -24.0
  /// What "silent" is on the way down and up.
  static let silent = -60.0
  /// Frames between two looks at what is wanted.
  static let controlFrames = 48

  /// Decibels now.
  private(set) var level = 0.0
  private var isQuick = false

  /// The gain that a voice asks for, in decibels.
  static func wanted(_ mode: DubSettings.Mode, voice: Double, programme: Double?, overMusic: Bool) -> Double {
    switch mode {
    case .mix: return 0
    case .replace: return silent
    case .duck:
      guard let programme else { return 0 }
      return max(floor, min(0, voice - (overMusic ? 10 : 15) - programme))
    }
  }

  /// What is playing ends at once: the original is to be back in 25 ms.
  mutating func returnAtOnce() { isQuick = true }

  /// The gain over the next `controlFrames` frames, as factors at their beginning and end.
  mutating func advance(
    at position: Int, voices: [Voice], programme: Double?, settings: DubSettings
  ) -> (from: Float, to: Float) {
    let from = level
    var wanted = 0.0
    var remaining = Self.releaseFrames
    let isReplaced = settings.mode == .replace
    let attack = isReplaced ? Self.quickFrames : Self.attackFrames
    let hold = isReplaced ? 0 : Self.holdFrames
    for voice in voices where voice.start - attack <= position && position < voice.end + hold {
      let gain = Self.wanted(settings.mode, voice: voice.loudness, programme: programme, overMusic: settings.overMusic)
      if gain < wanted {
        wanted = gain
        remaining = max(Self.controlFrames, voice.start - position)
      }
    }
    let full = isReplaced ? -Self.silent : -Self.floor
    let quickest = full * Double(Self.controlFrames) / Double(Self.quickFrames)
    if wanted < level {
      isQuick = false
      // A straight line that ends when the voice begins; a voice that came at the last moment has to wait for it.
      let step = (level - wanted) * Double(Self.controlFrames) / Double(remaining)
      level = max(wanted, level - min(step, quickest))
    } else if wanted > level {
      let slowest = full * Double(Self.controlFrames) / Double(Self.releaseFrames)
      level = min(wanted, level + (isQuick || isReplaced ? quickest : slowest))
    }
    if level == 0 { isQuick = false }
    return (Self.factor(from), Self.factor(level))
  }

  private static func factor(_ decibels: Double) -> Float {
    decibels >= 0 ? 1 : decibels <= silent ? 0 : Float(pow(10, decibels / 20))
  }
}
