public import Hardware

/// A segment that a dubbing service is asked for: one utterance.
public struct ServiceRequest: Hashable, Sendable {
  /// Grows by one a request for the life of the player.
  public var sequence: Int
  /// When the utterance begins, and how long until the next one, in ticks of 90 kHz on the source's clock.
  public var pts: Int64
  public var duration: Int
  public var language: String
  /// The subtitle, or empty.
  public var text: String
  public var textLanguage: String
  /// The original, one channel at 16 kHz as 16-bit PCM, or empty.
  public var sound: [UInt8]
  /// When the answer is worth nothing any more.
  public var deadline: Instant

  /// Rate of `sound`.
  public static let soundRate = 16_000

  public init(
    sequence: Int, pts: Int64, duration: Int, language: String, text: String, textLanguage: String, sound: [UInt8],
    deadline: Instant
  ) {
    self.sequence = sequence
    self.pts = pts
    self.duration = duration
    self.language = language
    self.text = text
    self.textLanguage = textLanguage
    self.sound = sound
    self.deadline = deadline
  }

  /// The original's sound as a message.
  var soundMessage: [UInt8] {
    let frames = sound.count / 2
    return ServiceSound(
      codec: .pcm16, channels: 1, sequence: sequence, sampleRate: Self.soundRate, pts: pts,
      duration: frames * 90_000 / Self.soundRate, language: language, payload: sound
    ).bytes
  }
}
