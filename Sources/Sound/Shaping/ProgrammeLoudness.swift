internal import CEBUR128
public import Hardware

/// How loud sound has been of late: the short-term loudness of EBU Tech 3341, by libebur128.
///
/// It is the mean of eight momentary ones, 400 ms each and one after the other: the last 3.2 s, moving on in steps of
/// 400 ms. libebur128's own short-term loudness keeps 3 s of filtered sound, 2.3 MB in stereo, and goes through all of it
/// at every look.
///
/// One worker thread.
public final class ProgrammeLoudness {
  private let state: UnsafeMutablePointer<ebur128_state>?
  private let channels: Int
  /// 400 ms.
  private let windowFrames: Int
  /// Frames of the window that is not full yet.
  private var pending = 0
  /// Powers of the last windows, a ring.
  private var powers = [Double](repeating: 0, count: 8)
  private var place = 0

  /// - Parameter format: 8000…192000 Hz, 1 or 2 channels.
  public init(format: PCMFormat) {
    channels = format.channels == 1 ? 1 : 2
    let rate = max(8000, format.sampleRate)
    windowFrames = rate * 2 / 5
    state = ebur128_init(UInt32(channels), UInt(rate), Int32(EBUR128_MODE_M.rawValue))
  }

  deinit {
    var state = state
    if state != nil { ebur128_destroy(&state) }
  }

  /// Takes in interleaved frames.
  public func add(_ interleaved: UnsafePointer<Float>, frames: Int) {
    guard let state else { return }
    var done = 0
    while done < frames {
      let count = min(frames - done, windowFrames - pending)
      _ = ebur128_add_frames_float(state, interleaved + done * channels, count)
      done += count
      pending += count
      guard pending == windowFrames else { continue }
      pending = 0
      var value = 0.0
      let isMeasured = ebur128_loudness_momentary(state, &value) == Int32(EBUR128_SUCCESS.rawValue) && value > -70
      powers[place] = isMeasured ? Decibels.power(value) : 0
      place = (place + 1) % powers.count
    }
  }

  /// LUFS over the last 3.2 s, silence of what is missing included; `nil` below −70.
  public var shortTermLUFS: Double? {
    let value = Decibels.ofPower(powers.reduce(0, +) / Double(powers.count))
    return value > -70 ? value : nil
  }

  /// Loudness of a voice as a whole when both sides of a stereo pair play it, LUFS, without its pauses (gated, ITU-R
  /// BS.1770-4); `nil` for silence or less than 400 ms, which cannot be measured.
  public static func ofVoice(_ mono: [Float], sampleRate: Int = 48_000) -> Double? {
    guard let state = ebur128_init(1, UInt(sampleRate), Int32(EBUR128_MODE_I.rawValue)) else { return nil }
    var owned: UnsafeMutablePointer<ebur128_state>? = state
    defer { ebur128_destroy(&owned) }
    _ = mono.withUnsafeBufferPointer { ebur128_add_frames_float(state, $0.baseAddress, $0.count) }
    var value = 0.0
    guard ebur128_loudness_global(state, &value) == Int32(EBUR128_SUCCESS.rawValue), value > -70 else { return nil }
    // BS.1770-4 adds the channels' powers.
    return value + 3.01
  }
}
