internal import Hardware
internal import Recording

/// The clock of every clip: frames of sound, counted on through losses of the microphone.
///
/// While sound runs, an instant's frame is the one that was at the converter then: sound and pictures cannot part,
/// whatever the converter's crystal does. Without sound it goes on at the rate last measured (or nominal), on
/// CLOCK_MONOTONIC, and sound that comes back takes its place on it. Media lane only.
struct ClipClock {
  /// Frames a second.
  private(set) var rate = 48_000
  /// Whether sound of the microphone is on this clock now.
  private(set) var isHearing = false
  /// What a frame of the capture has to be moved by to be one of this clock.
  private(set) var offset = 0

  private var generation: Int?
  private var anchorTime = Instant.zero
  private var anchorFrame = 0
  private var nanosecondsPerFrame = 1e9 / 48_000

  /// Takes in where the sound is now.
  ///
  /// - Parameter isFree: no clip is open, so that the rate may change.
  mutating func follow(_ sound: CaptureInput, now: Instant, isFree: Bool) {
    guard sound.isRunning, !sound.isUntimed else {
      isHearing = false
      return
    }
    if sound.format.sampleRate != rate {
      guard isFree else {
        isHearing = false
        return
      }
      self = ClipClock()
      rate = sound.format.sampleRate
      nanosecondsPerFrame = 1e9 / Double(rate)
    }
    if generation != sound.generation, let start = sound.instant(ofFrame: sound.firstFrameOfOpening) {
      offset = counted(at: start) - sound.firstFrameOfOpening
      generation = sound.generation
    }
    isHearing = true
    anchorTime = now
    anchorFrame = sound.frame(at: now) + offset
    nanosecondsPerFrame = 1e9 / Double(rate) / (1 + sound.driftPPM * 1e-6)
  }

  /// Whether frames of the capture's history are on this clock: also after the microphone has gone, until it is back.
  func holds(_ sound: CaptureInput) -> Bool { generation == sound.generation && rate == sound.format.sampleRate }

  /// How much longer a time is on this clock than on the kernel's.
  var stretch: Double { 1e9 / Double(rate) / nanosecondsPerFrame }

  /// The frame of an instant.
  func frame(at instant: Instant, _ sound: CaptureInput) -> Int {
    isHearing ? sound.frame(at: instant) + offset : counted(at: instant)
  }

  private func counted(at instant: Instant) -> Int {
    anchorFrame + Int((Double((instant - anchorTime).nanoseconds) / nanosecondsPerFrame).rounded())
  }
}

/// Puts pictures on the ticks of a clip's track: where the sound's clock says, in even steps.
///
/// A picture of an even rhythm comes a whole number of even steps after the one before, and one tick (11 µs) sooner or
/// later where that is needed to stay within `tolerance` of its own time. A pure value.
struct PresentationRun {
  static let timescale = 90_000
  /// Most that an even step may be away from a picture's own time before the time itself counts: 1 ms.
  private static let tolerance = 90.0
  /// From here on steps are a tick longer or shorter.
  private static let correction = 45.0

  let rate: Int
  /// The frame of the first picture, which is at tick 0.
  let firstFrame: Int
  private var last: Int?
  /// Largest distance between a picture's tick and its own time, in seconds.
  private(set) var largestSkew = 0.0

  init(rate: Int, firstFrame: Int) {
    self.rate = rate
    self.firstFrame = firstFrame
  }

  /// The tick of the next picture.
  ///
  /// - Parameters:
  ///   - frame: when it was taken, on the clip's clock.
  ///   - period: the rhythm at it, in nanoseconds of that clock.
  mutating func tick(frame: Int, period: Double) -> Int {
    let ideal = Double(frame - firstFrame) * Double(Self.timescale) / Double(rate)
    guard let last else {
      self.last = Int(ideal.rounded())
      return Int(ideal.rounded())
    }
    let step = max(1, (period * Double(Self.timescale) / 1e9).rounded())
    let turns = max(1, ((ideal - Double(last)) / step).rounded())
    var tick = last + Int(turns * step)
    let error = ideal - Double(tick)
    if abs(error) > Self.tolerance {
      tick = Int(ideal.rounded())
    } else if abs(error) > Self.correction {
      tick += Int(min(turns, (abs(error) - Self.correction).rounded(.up))) * (error > 0 ? 1 : -1)
    }
    tick = max(tick, last + 1)
    largestSkew = max(largestSkew, abs(ideal - Double(tick)) / Double(Self.timescale))
    self.last = tick
    return tick
  }

  /// The tick of a frame, whatever the rhythm.
  func ideal(frame: Int) -> Int {
    Int((Double(frame - firstFrame) * Double(Self.timescale) / Double(rate)).rounded())
  }

  /// The frame of a tick.
  func frame(ofTick tick: Int) -> Int {
    firstFrame + Int((Double(tick) * Double(rate) / Double(Self.timescale)).rounded())
  }
}
