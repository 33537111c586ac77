internal import CEBUR128
public import Hardware

/// How loud sound is just now: momentary (400 ms) and short-term (3 s) loudness of EBU Tech 3341, by libebur128.
///
/// One worker thread.
public final class BedLoudness {
  private let state: UnsafeMutablePointer<ebur128_state>?

  /// - Parameter format: 8000…192000 Hz, 1 or 2 channels.
  public init(format: PCMFormat) {
    state = ebur128_init(
      UInt32(format.channels == 1 ? 1 : 2), UInt(max(8000, format.sampleRate)), Int32(EBUR128_MODE_S.rawValue))
  }

  deinit {
    var state = state
    if state != nil { ebur128_destroy(&state) }
  }

  /// Takes in interleaved frames.
  public func add(_ interleaved: UnsafePointer<Float>, frames: Int) {
    guard let state, frames > 0 else { return }
    _ = ebur128_add_frames_float(state, interleaved, frames)
  }

  /// LUFS over the last 3 s, silence of what is missing included; `nil` below −70.
  public var shortTermLUFS: Double? { value(ebur128_loudness_shortterm) }

  /// LUFS over the last 400 ms; `nil` below −70.
  public var momentaryLUFS: Double? { value(ebur128_loudness_momentary) }

  private func value(_ read: (UnsafeMutablePointer<ebur128_state>?, UnsafeMutablePointer<Double>?) -> Int32) -> Double?
  {
    var value = 0.0
    guard let state, read(state, &value) == Int32(EBUR128_SUCCESS.rawValue), value > -70 else { return nil }
    return value
  }

  /// Loudness of a voice as a whole when both sides of a stereo pair play it, LUFS, without its pauses (gated, ITU-R BS.1770-4); `nil` for silence or less than
  /// 400 ms, which cannot be measured.
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
