/// Time stamps of MPEG-TS: 90 kHz, folded at 2³³, which is every 26.5 hours. Pure.
public enum StreamTime {
  public static func folded(_ time: Int64) -> Int64 { time & ((1 << 33) - 1) }

  /// The shorter way from one time to another, −2³²…2³² − 1.
  public static func distance(from start: Int64, to end: Int64) -> Int64 {
    let difference = (end &- start) & ((1 << 33) - 1)
    return difference >= 1 << 32 ? difference - (1 << 33) : difference
  }
}
