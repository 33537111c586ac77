public import Hardware

/// The running picture of the last seconds: the peak of each of 128 columns, as wide as the display.
///
/// A plain value of half a kilobyte, so that a snapshot can be handed to another thread. One thread at a time.
public struct WaveformStrip: Sendable {
  /// Columns kept.
  public static let columns = 128

  private let channels: Int
  private let columnFrames: Int
  private var peaks = InlineArray<128, Float>(repeating: 0)
  private var next = 0
  private var partialFrames = 0
  private var partialPeak: Float = 0

  /// Columns completed since the start; tells how far the picture has moved.
  public private(set) var completedColumns = 0

  /// Sound a column, if nothing else is said: the strip is 5.1 s long, and moves on 25 times a second.
  public static let columnLength = Duration.milliseconds(40)

  /// - Parameter columnLength: sound a column.
  public init(format: PCMFormat, columnLength: Duration = Self.columnLength) {
    channels = format.channels
    columnFrames = max(1, format.frames(in: columnLength))
  }

  /// Takes in interleaved frames.
  @_noLocks @_noAllocation
  public mutating func add(_ interleaved: UnsafePointer<Float>, frames: Int) {
    var done = 0
    while done < frames {
      let count = min(frames - done, columnFrames - partialFrames)
      let peak = SamplePeak.of(interleaved + done * channels, count: count * channels)
      partialPeak = peak > partialPeak ? peak : partialPeak
      partialFrames += count
      done += count
      if partialFrames == columnFrames { completeColumn() }
    }
  }

  /// The peak (0…1) of a completed column; 0 is the newest, 127 the oldest. Outside it is 0.
  public func peak(age: Int) -> Float {
    guard age >= 0, age < Self.columns, age < completedColumns else { return 0 }
    return peaks.span[(next + Self.columns - 1 - age) % Self.columns]
  }

  /// The peaks from the oldest to the newest.
  public var all: [Float] { (0..<Self.columns).map { peak(age: Self.columns - 1 - $0) } }

  /// Clears the picture.
  public mutating func reset() {
    peaks = InlineArray<128, Float>(repeating: 0)
    (next, partialFrames, completedColumns) = (0, 0, 0)
    partialPeak = 0
  }

  @_noLocks @_noAllocation
  private mutating func completeColumn() {
    peaks[next] = partialPeak
    next = next + 1 == Self.columns ? 0 : next + 1
    completedColumns += 1
    partialPeak = 0
    partialFrames = 0
  }
}
