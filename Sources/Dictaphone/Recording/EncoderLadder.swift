internal import Media
internal import Recording

/// What an open take is encoded with: as the settings and the board have it while the processor keeps up, and with less work
/// the nearer what waits comes to being lost. Pure; frames are those of the capture.
///
/// Each rung has its share of the history's slack, so that each has time to be enough; the last costs next to nothing. Sound
/// that waits for the card is no reason, and nothing is changed while what waits becomes less: a long pre-record is a lot of
/// sound at once. After a while without anything waiting it is tried a rung higher, a longer while after each fall.
struct EncoderLadder {
  enum Rung: Hashable {
    /// As the settings have it, where that has no other coder.
    case asSet
    case coder(AACCoder)
    /// WAV, in a file that goes on where the one before ended. From here nothing leads back: each way would be a file more.
    case plain
  }

  let rungs: [Rung]
  private(set) var place = 0
  /// How often it has gone to a cheaper rung, and to a dearer one.
  private(set) var falls = 0
  private(set) var climbs = 0

  private let sampleRate: Int
  /// Frames that had been heard when it was looked at last, and what room there was then.
  private var looked: (heard: Int, room: Int)?
  /// Frames that had been heard when something waited last.
  private var calmSince = 0
  /// Frames without anything waiting before it is tried a rung higher.
  private var patience: Int

  /// Room for so many seconds is what each rung begins with, at least.
  private static let share = 0.75
  /// Looked at so often in a second of sound, at most.
  private static let looks = 8
  /// Less than this part of a second waits for the next step, and not for the processor.
  private static let calm = 2
  private static let firstPatience = 30
  private static let longestPatience = 960

  init(_ encoding: TakeEncoding, coder: AACCoder, sampleRate: Int) {
    let below: [Rung] =
      switch encoding {
      case .aac: AACCoder.allCases.drop { $0 != coder }.map { Rung.coder($0) } + [.plain]
      case .flac, .alac, .opus: [.asSet, .plain]
      case .wav, .alaw, .mulaw: [.asSet]
      }
    rungs = below
    self.sampleRate = sampleRate
    patience = Self.firstPatience * sampleRate
  }

  var rung: Rung { rungs[place] }

  /// Looks at what waits.
  ///
  /// - Parameters:
  ///   - waiting: frames that have been heard and not encoded.
  ///   - room: frames that may be heard before the first of those is lost.
  ///   - heard: frames heard so far.
  ///   - isHeldUp: the card takes no more, whatever it is encoded with.
  /// - Returns: the rung to go to, if it is another one.
  mutating func step(waiting: Int, room: Int, heard: Int, isHeldUp: Bool) -> Rung? {
    if waiting > sampleRate / Self.calm || isHeldUp { calmSince = heard }
    guard !isHeldUp else {
      looked = nil
      return nil
    }
    guard let last = looked else {
      looked = (heard, room)
      return nil
    }
    guard heard - last.heard >= sampleRate / Self.looks else { return nil }
    looked = (heard, room)
    let left = rungs.count - 1 - place
    if left > 0, room <= last.room, Double(room) < Double(left) * Self.share * Double(sampleRate) {
      return fall(heard)
    }
    return mayClimb(heard) ? climb(heard) : nil
  }

  private mutating func fall(_ heard: Int) -> Rung {
    if climbs > 0 { patience = min(2 * patience, Self.longestPatience * sampleRate) }
    place += 1
    falls += 1
    calmSince = heard
    return rung
  }

  private func mayClimb(_ heard: Int) -> Bool { place > 0 && rung != .plain && heard - calmSince >= patience }

  private mutating func climb(_ heard: Int) -> Rung {
    place -= 1
    climbs += 1
    calmSince = heard
    return rung
  }
}
