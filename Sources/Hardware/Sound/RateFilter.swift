/// Converts interleaved sound from one rate to another, on real-time threads, too.
///
/// By libswresample, with a filter that is flat up to 0.9 of the lower Nyquist frequency and has no image above -100 dB.
/// Rates that are far apart meet at twice the lower one: between that and the higher one a short filter is enough, as
/// there is nothing near its edge. What it makes lies where the input lies: frame n is the input at `n · from / to`. All
/// memory is allocated when it is made. One thread.
public struct RateFilter: ~Copyable, @unchecked Sendable {
  /// Most phases that a table is made for, and how far the rates may be apart.
  private static let mostPhases = 1280
  private static let mostRatio = 24
  /// From this ratio on there are two steps.
  private static let farRatio = 4
  /// Frames that go from one step to the other at a time.
  private static var between: Int { 256 }

  private let channels: Int
  private let from: Int
  /// The rate between the steps.
  private let middle: Int
  private let first: UnsafeMutablePointer<RateStage>
  private let second: UnsafeMutablePointer<RateStage>?
  private let scratch: UnsafeMutablePointer<Float>

  /// Whether there is a filter between two rates; Hz.
  public static func canConvert(from: Int, to: Int) -> Bool {
    guard from > 0, to > 0, from <= 1 << 20, to <= 1 << 20 else { return false }
    let common = divisor(from, to)
    return to / common <= mostPhases && from <= mostRatio * to && to <= mostRatio * from
  }

  static func divisor(_ one: Int, _ other: Int) -> Int { other == 0 ? one : divisor(other, one % other) }

  /// `nil`: there is no filter between these rates.
  ///
  /// - Parameters:
  ///   - from: rate of what is written, Hz.
  ///   - to: rate of what is read, Hz.
  ///   - channels: interleaved, 1 or 2.
  ///   - frames: most that wait to be read.
  public init?(from: Int, to: Int, channels: Int, frames: Int) {
    guard Self.canConvert(from: from, to: to) else { return nil }
    let lower = min(from, to)
    let isFar = max(from, to) >= Self.farRatio * lower
    let middle = isFar ? 2 * lower : to
    let isSteepFirst = !isFar || from == lower
    let one = Self.stage(
      from, middle, channels, frames: frames, kernel: isSteepFirst ? .steep : .wide)
    let next =
      isFar
      ? Self.stage(
        middle, to, channels, frames: frames * middle / from + Self.between,
        kernel: isSteepFirst ? .wide : .steep)
      : nil
    guard let one, isFar == (next != nil) else {
      for stage in [one, next] { Self.drop(stage) }
      return nil
    }
    (first, second) = (one, next)
    scratch = .allocate(capacity: Self.between * channels)
    (self.channels, self.from, self.middle) = (channels, from, middle)
  }

  deinit {
    for stage in [first, second] { Self.drop(stage) }
    scratch.deallocate()
  }

  private static func stage(
    _ from: Int, _ to: Int, _ channels: Int, frames: Int, kernel: RateKernel
  ) -> UnsafeMutablePointer<RateStage>? {
    let memory = UnsafeMutablePointer<RateStage>.allocate(capacity: 1)
    memory.initialize(to: RateStage(from: from, to: to, channels: channels, frames: frames, kernel: kernel))
    if memory.pointee.begin() { return memory }
    drop(memory)
    return nil
  }

  private static func drop(_ stage: UnsafeMutablePointer<RateStage>?) {
    stage?.deinitialize(count: 1)
    stage?.deallocate()
  }

  /// Frames of the input that can be written now.
  public var room: Int {
    @_noLocks @_noAllocation get {
      guard let second else { return first.pointee.room }
      return max(0, min(first.pointee.room, (second.pointee.room - 2) * from / middle))
    }
  }

  /// Frames that were written and are not in the output yet.
  public var held: Double {
    first.pointee.held + (second.map { $0.pointee.held * Double(from) / Double(middle) } ?? 0)
  }

  /// The same, in whole frames.
  public var wholeHeld: Int {
    @_noLocks @_noAllocation get {
      guard let second else { return first.pointee.wholeHeld }
      return first.pointee.wholeHeld + second.pointee.wholeHeld * from / middle
    }
  }

  /// Frames of input without which `frames` more cannot be read.
  @_noLocks @_noAllocation
  public func missing(for frames: Int) -> Int {
    guard let second else { return first.pointee.missing(for: frames) }
    // The first step holds nothing that the second one could have.
    return first.pointee.missing(for: second.pointee.missing(for: frames))
  }

  /// Appends frames, at most `room`.
  @_noLocks @_noAllocation
  public mutating func write(_ samples: UnsafePointer<Float>, frames: Int) {
    first.pointee.write(samples, frames: frames)
    passOn()
  }

  @_noLocks @_noAllocation
  private func passOn() {
    guard let second else { return }
    while true {
      let count = first.pointee.read(into: scratch, frames: min(Self.between, second.pointee.room))
      guard count > 0 else { return }
      second.pointee.write(scratch, frames: count)
    }
  }

  /// Fills `target` with up to `frames` frames.
  ///
  /// - Returns: how many there were.
  @_noLocks @_noAllocation
  public mutating func read(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    guard let second else { return first.pointee.read(into: target, frames: frames) }
    var made = 0
    while made < frames {
      let count = second.pointee.read(into: target + made * channels, frames: frames - made)
      passOn()
      guard count > 0 else { break }
      made += count
    }
    return made
  }

  /// Forgets everything, for sound that does not continue.
  @_noLocks @_noAllocation
  public mutating func reset() {
    first.pointee.reset()
    second?.pointee.reset()
  }
}
