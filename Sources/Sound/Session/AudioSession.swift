public import Hardware

/// A strategy for the rate of a sound device between those who ask for different ones. Pure: what it says is carried out by
/// `SessionSpeaker`, and for microphones by whoever has them open.
public protocol AudioSession: Sendable {
  /// Its name in settings, board files and answers.
  var name: SessionStrategy { get }
  /// What it does, in a sentence for people.
  var description: String { get }

  /// What a device is opened with before anybody asks; `nil`: it is left alone until somebody does.
  func prepare(_ board: SoundRequest) -> SoundRequest?

  /// What is asked of the device for somebody who wants `asked`, best first; each is a rung that is taken if the device
  /// refuses the one before. Empty: the device stays as it is.
  ///
  /// - Parameters:
  ///   - held: what the device has granted; `nil` while it is closed.
  ///   - board: what the board file says of the device.
  func requests(for asked: SoundRequest, held: SoundGrant?, board: SoundRequest) -> [SoundRequest]

  /// Whether who asks gets what was asked for, converted, and not what the device grants.
  var converts: Bool { get }

  /// Whether the device stays open when nobody wants it any more, and is only given back when the strategy is left.
  var keepsDevice: Bool { get }
}

extension AudioSession {
  /// The state of a device under it, for the log: what was asked for, granted, delivered.
  public func logState(of device: String, _ state: SessionState) -> String { "\(device), \(name.rawValue): \(state)" }

  /// Whether another is this strategy, with the same rate.
  public func isSame(as other: any AudioSession) -> Bool { name == other.name && description == other.description }

  /// What is heard, or played, by who asked for `asked`.
  public func delivered(for asked: PCMFormat, granted: PCMFormat) -> PCMFormat {
    guard converts else { return granted }
    guard RateFilter.canConvert(from: granted.sampleRate, to: asked.sampleRate),
      RateFilter.canConvert(from: asked.sampleRate, to: granted.sampleRate)
    else { return granted }
    return PCMFormat(sampleRate: asked.sampleRate, channels: asked.channels, bits: granted.bits)
  }
}

/// All strategies.
public enum AudioSessions {
  /// The strategy of a name.
  ///
  /// - Parameter forcedRate: what `forced-rate` runs devices at, Hz.
  public static func session(_ name: SessionStrategy, forcedRate: Int) -> any AudioSession {
    switch name {
    case .baseline: BaselineSession()
    case .preInitialised: PreInitialisedSession()
    case .forcedRate: ForcedRateSession(rate: forcedRate)
    case .locked: LockedSession()
    }
  }
}

/// Takes what the hardware grants.
public struct BaselineSession: AudioSession {
  public init() {}
  public var name: SessionStrategy { .baseline }
  public var description: String { "takes what the hardware grants, each time that somebody asks" }
  public var converts: Bool { false }
  public var keepsDevice: Bool { false }
  public func prepare(_ board: SoundRequest) -> SoundRequest? { nil }

  public func requests(for asked: SoundRequest, held: SoundGrant?, board: SoundRequest) -> [SoundRequest] {
    asked.rungs(before: board)
  }
}

/// Opens and pins the device before anyone asks.
public struct PreInitialisedSession: AudioSession {
  public init() {}
  public var name: SessionStrategy { .preInitialised }
  public var description: String {
    "opens the device at the board's rate before anyone asks, and pins it anew for another"
  }
  public var converts: Bool { false }
  public var keepsDevice: Bool { true }
  public func prepare(_ board: SoundRequest) -> SoundRequest? { board }

  public func requests(for asked: SoundRequest, held: SoundGrant?, board: SoundRequest) -> [SoundRequest] {
    if let held, held.format.sampleRate == asked.format.sampleRate, held.format.channels == asked.format.channels {
      return []
    }
    return asked.rungs(before: board)
  }
}

/// The device runs at one rate, and what is asked for is made of that.
public struct ForcedRateSession: AudioSession {
  private let rate: Int

  /// - Parameter rate: Hz.
  public init(rate: Int) { self.rate = rate }

  public var name: SessionStrategy { .forcedRate }
  public var description: String { "runs the device at \(rate) Hz, whoever asks for whatever, and converts" }
  public var converts: Bool { true }
  public var keepsDevice: Bool { false }
  public func prepare(_ board: SoundRequest) -> SoundRequest? { nil }

  public func requests(for asked: SoundRequest, held: SoundGrant?, board: SoundRequest) -> [SoundRequest] {
    held?.format.sampleRate == rate ? [] : [board.at(rate), board, asked.at(asked.format.sampleRate)]
  }
}

/// Held for the life of the process; whatever is asked for later is made of what it runs at.
public struct LockedSession: AudioSession {
  public init() {}
  public var name: SessionStrategy { .locked }
  public var description: String { "opens the device once at the board's rate, holds it, and converts" }
  public var converts: Bool { true }
  public var keepsDevice: Bool { true }
  public func prepare(_ board: SoundRequest) -> SoundRequest? { board }

  public func requests(for asked: SoundRequest, held: SoundGrant?, board: SoundRequest) -> [SoundRequest] {
    held == nil ? [board, asked] : []
  }
}

extension SoundRequest {
  /// This one, then the board's if that is another rate.
  fileprivate func rungs(before board: SoundRequest) -> [SoundRequest] {
    board.format.sampleRate == format.sampleRate ? [self] : [self, board]
  }

  /// The same, in time, at another rate.
  public func at(_ rate: Int) -> SoundRequest {
    let own = max(1, format.sampleRate)
    var other = self
    other.format.sampleRate = rate
    other.periodFrames = max(16, periodFrames * rate / own)
    other.bufferFrames = max(2 * other.periodFrames, bufferFrames * rate / own)
    return other
  }
}
