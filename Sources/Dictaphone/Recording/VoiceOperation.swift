internal import Hardware
internal import Sound

/// What becomes of the silence in a take.
public enum SilenceRule: Hashable, Sendable {
  /// It is left out: a take that waits goes on a little before the next voice.
  case cut
  /// It stays, and each voice after it gets a mark.
  case mark
}

/// Voice operation: when a silence has been long enough, and when a voice ends it. Pure.
struct VoiceOperation {
  /// What is to be done to the take.
  enum Step: Equatable {
    case pause(at: Int)
    case resume(at: Int)
    case mark(at: Int)
  }

  private let rule: SilenceRule
  private let holdFrames: Int
  private let preRollFrames: Int
  /// A silence is counted from here at the earliest: the press, or the voice that the take went on with.
  private var from: Int
  private var isSilent = false

  /// - Parameter from: the frame of the press.
  init?(_ settings: RecordingSettings, sampleRate: Int, from: Int) {
    guard let rule = settings.silence else { return nil }
    self.rule = rule
    holdFrames = settings.voiceHoldSeconds * sampleRate
    preRollFrames = settings.voicePreRollSeconds * sampleRate
    self.from = from
  }

  /// Somebody has had the take go on.
  mutating func resumed(at frame: Int) {
    from = frame
    isSilent = false
  }

  /// - Parameter end: frames that have been heard.
  mutating func step(_ voice: VoiceDetector, end: Int) -> Step? {
    let quietFrom = max(from, voice.end)
    if !isSilent {
      guard !voice.isVoice, end - quietFrom >= holdFrames else { return nil }
      isSilent = true
      return rule == .cut ? .pause(at: quietFrom + holdFrames) : nil
    }
    guard voice.isVoice, voice.onset >= from else { return nil }
    isSilent = false
    from = voice.onset
    return rule == .cut ? .resume(at: voice.onset - preRollFrames) : .mark(at: voice.onset)
  }
}
