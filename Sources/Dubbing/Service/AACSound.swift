internal import Media

/// AAC of the service: ADTS frames, decoded as a segment of packed audio is (RFC 8216 section 3.4).
enum AACSound {
  /// More than a segment may last.
  private static let mostFrames = 31 * 48_000

  /// One channel at 48 kHz; `nil` if it cannot be decoded.
  static func decode(_ bytes: [UInt8]) -> [Float]? {
    do throws(MediaError) {
      let decoder = try StreamDecoder(pictures: false)
      try decoder.begin(bytes, initialization: [], name: "dub")
      var mono: [Float] = []
      func take(_ sound: StreamSound) {
        for frame in 0..<sound.frames { mono.append((sound.samples[2 * frame] + sound.samples[2 * frame + 1]) / 2) }
      }
      while mono.count < mostFrames, let piece = try decoder.next() {
        if case .sound(let sound) = piece { take(sound) }
      }
      if let tail = try decoder.finishRun() { take(tail) }
      return mono.count < mostFrames ? mono : nil
    } catch {
      return nil
    }
  }
}
