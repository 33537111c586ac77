internal import Glibc

/// A short tick in what is played: 12 ms of 2 kHz, for which the sound steps back, so that both together clip nothing.
public struct Tick: Sendable {
  private let sampleRate: Int
  private var frame = 0

  private static let seconds = 0.012
  /// Of full scale; as much as the sound steps back by.
  private static let height = 0.4

  /// - Parameter sampleRate: of what it is mixed into.
  public init(sampleRate: Int) { self.sampleRate = max(1, sampleRate) }

  /// Frames of it.
  public static func frames(at sampleRate: Int) -> Int { Int(seconds * Double(max(1, sampleRate))) }

  /// Mixes as much of it as there is room for into interleaved frames.
  ///
  /// - Returns: whether more of it is to come.
  public mutating func mix(into samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int) -> Bool {
    let length = Self.frames(at: sampleRate)
    let count = min(frames, length - frame)
    for index in 0..<max(0, count) {
      let place = Double(frame + index)
      // From nothing and back to nothing: no edge of it clicks.
      let shape = Self.height * sin(.pi * place / Double(length))
      let tone = Float(shape * sin(2 * .pi * 2000 * place / Double(sampleRate)))
      for sample in index * channels..<(index + 1) * channels {
        samples[sample] = samples[sample] * Float(1 - shape) + tone
      }
    }
    frame += max(0, count)
    return frame < length
  }
}
