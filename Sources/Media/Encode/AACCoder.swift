/// How libavcodec's AAC encoder looks for the quantisers of an access unit. Any may follow any other within a stream.
public enum AACCoder: String, CaseIterable, Hashable, Sendable {
  /// `twoloop`, the library's own choice: two to three times the cost, for a little less noise in what is rich in noise.
  case thorough
  case fast
  /// The least that there is: nothing above 12 kHz, every channel by itself, noise coded as it is.
  case narrow

  /// The encoder's private options. Intensity stereo would give up where sounds come from to save bits that the rates in
  /// use have; temporal noise shaping costs more than it is heard to bring (Tests/Benchmarks, "Sound of AAC").
  var options: [(name: String, value: String)] {
    let coder = self == .thorough ? "twoloop" : "fast"
    let common = [("aac_coder", coder), ("aac_is", "0"), ("aac_tns", "0")]
    return self == .narrow ? common + [("aac_ms", "0"), ("aac_pns", "0")] : common
  }

  /// Highest frequency that is coded, Hz; `nil`: by the bit rate.
  var cutoff: Int32? { self == .narrow ? 12_000 : nil }
}
