/// Where a segment ends. Pure.
public enum SegmentEnd {
  private static let boxes = ["styp", "ftyp", "moof", "sidx", "emsg", "prft", "moov", "mdat"]

  /// Whether it ends in the middle of a packet of MPEG-TS, or of a box of MP4: not all of it has come.
  public static func isCut(_ bytes: [UInt8]) -> Bool {
    for (size, start) in [(188, 0), (192, 4), (204, 0)]
    where bytes.count > 2 * size
      && stride(from: start, to: 3 * size, by: size).allSatisfy({ place in
        place >= bytes.count || bytes[place] == 0x47
      })
    {
      return bytes.count % size != 0
    }
    var reader = ByteReader(bytes)
    var isFirst = true
    while reader.remaining > 0 {
      guard let short = reader.big32(), let type = reader.fourCC() else { return !isFirst }
      if isFirst, !boxes.contains(type) { return false }
      isFirst = false
      var rest = Int(short) - 8  // bounded: 32 bits
      if short == 0 { return false }
      if short == 1 {
        guard let long = reader.big64() else { return true }
        rest = Int(clamping: long) - 16  // bounded: not less than none before
      }
      guard rest >= 0 else { return false }
      guard reader.skip(rest) else { return true }
    }
    return false
  }
}
