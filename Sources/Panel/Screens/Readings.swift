public import Appliance

/// The level of one channel, as the meter gives it, in dB below full scale (0 is the loudest, −∞ is silence).
public struct LevelReading: Hashable, Sendable {
  /// Average over the meter's integration time; a full-scale sine reads −3.0.
  public var rmsDB: Double
  /// Highest sample since the last reading.
  public var peakDB: Double
  /// Highest peak of the hold time.
  public var holdDB: Double
  /// Clipped runs of samples since the take (or the microphone) started.
  public var clipCount: Int

  public init(
    rmsDB: Double = -.infinity, peakDB: Double = -.infinity, holdDB: Double = -.infinity, clipCount: Int = 0
  ) {
    self.rmsDB = rmsDB
    self.peakDB = peakDB
    self.holdDB = holdDB
    self.clipCount = clipCount
  }
}

/// A row of the options, guide or information: a title and its value, both for people.
public struct MenuRow: Hashable, Sendable {
  public var title: String
  public var value: String

  public init(_ title: String, _ value: String) {
    self.title = title
    self.value = value
  }

  /// A row of the options, as it is set.
  public init(_ row: OptionsRow, _ state: State) {
    let language = state.settings.language
    self.init(row.title.text(in: language), state.words(of: row).text(in: language))
  }

  /// What a key does.
  public init(_ line: KeyGuideLine, in language: Language) {
    self.init(line.gesture(in: language), line.words.text(in: language))
  }
}

/// How much of a format still fits.
public struct FormatTime: Hashable, Sendable {
  public var format: String
  public var seconds: Double

  public init(_ format: String, seconds: Double) {
    self.format = format
    self.seconds = seconds
  }
}

/// What changes without the machine's doing, as the runtime reads it for each picture.
///
/// Any value is drawn somehow: numbers that are not finite or out of range are clamped.
public struct Readings: Hashable, Sendable {
  // MARK: The take that is open

  /// Length of the open take so far in seconds, the pre-recorded part included and pauses left out.
  public var takeSeconds = 0.0
  /// Name for people of the open take, or of the one in the player.
  public var fileName = ""
  /// Bytes on the storage of that take.
  public var sizeBytes: Int64 = 0
  /// Format and bit rate: `AAC 192k`, `WAV 24bit`; nine characters are shown.
  public var formatText = ""
  /// Frames a second of the microphone, whatever is in the player; 0 if not known.
  public var sampleRate = 0
  /// One or two channels, left first; empty if nothing is being measured.
  public var levels: [LevelReading] = []
  /// Seconds of sound from before now that a REC press would keep, and how many are kept at most.
  public var preRecordSeconds = 0.0
  public var preRecordLimitSeconds = 0.0

  // MARK: The take in the player

  /// Position and length in seconds.
  public var positionSeconds = 0.0
  public var durationSeconds = 0.0
  /// A and B of what is repeated; A alone while B is to come.
  public var loopSeconds: [Double] = []

  // MARK: Both

  /// Marks of the take.
  public var markCount = 0
  /// Where they are, in seconds from the start of the take; drawn on the progress bar and on the live waveform.
  public var markSeconds: [Double] = []
  /// Peaks, 0…1, one a column, 128 columns at most are of use. While recording the last one is the newest; in the player
  /// they are the beginning of 128 columns that cover `waveformSpan`. Empty: no waveform is drawn.
  public var waveform: [Float] = []
  /// In the player: first and last second of the take that the columns stand for; nil: all of it.
  public var waveformSpan: ClosedRange<Double>?
  /// Seconds that a column of the live waveform stands for; 0: neither ticks of time nor marks are drawn on it.
  public var waveformSecondsPerColumn = 0.0

  /// What clip mode shows.
  public var clips = ClipReadings()
  /// What dubbed playback shows.
  public var dub = DubReadings()

  // MARK: The appliance

  /// Seconds of recording that still fit at the present format; `nil`: not known.
  public var timeLeftSeconds: Double?
  /// Bytes free for takes; `nil`: not known.
  public var freeBytes: Int64?
  /// The card, for the page that tells of it: its size, takes, seconds of them, clips, and seconds that fit in each format.
  public var totalBytes: Int64?
  public var takeCount = 0
  public var takesSeconds = 0.0
  public var clipCount = 0
  public var formatTimes: [FormatTime] = []
  /// Charge of the battery from which the device runs, 0…100; `nil`: it runs from the mains.
  public var batteryPercent: Int?
  /// Heat or a weak supply makes the board slower than it is.
  public var isThrottled = false
  /// The wall clock as `21:54`; empty if the clock is not to be trusted.
  public var clockText = ""
  /// When the device records by itself next, `Mon 06:30`; empty if nothing is planned.
  public var nextScheduleText = ""
  /// Rows of the options screen, in the order of `OptionsMenu.selected`.
  public var options: [MenuRow] = []
  /// What the keys do now: key (`hold CENTRE`) and action (`options`).
  public var guide: [MenuRow] = []
  /// Shown under the key guide: version, microphone, free space, the key that signs. Ten rows at most are of use.
  public var information: [MenuRow] = []
  /// The first line of the guide on the screen.
  public var guideTop = 0

  public init() {}
}
