internal import Hardware

/// What processes of ours say to each other: numbers of eight bytes, the lowest first, with sound and texts behind them. Of
/// what comes from a process that reads strangers' files nothing is believed.
public enum Words {
  public static func bytes(_ words: [Int]) -> [UInt8] {
    words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
  }

  /// - Returns: fewer if there are fewer.
  public static func read(_ bytes: ArraySlice<UInt8>, _ count: Int) -> [Int] {
    (0..<min(count, bytes.count / 8)).map { word in
      let start = bytes.startIndex + 8 * word
      return Int(bitPattern: bytes[start..<start + 8].reversed().reduce(UInt(0)) { $0 << 8 | UInt($1) })
    }
  }

  /// Numbers that are none, or louder than anything, would stay in filters for ever: they are silence.
  public static func floats(_ bytes: ArraySlice<UInt8>) -> [Float] {
    let count = bytes.count / 4
    return [Float](unsafeUninitializedCapacity: count) { floats, filled in
      UnsafeMutableRawBufferPointer(floats).copyBytes(from: bytes.prefix(count * 4))
      for index in 0..<count where !(abs(floats[index]) <= 64) { floats[index] = 0 }
      filled = count
    }
  }

  /// A text that steers no terminal, of so many characters at most.
  public static func text(_ bytes: ArraySlice<UInt8>, most: Int) -> String {
    String(String(decoding: bytes, as: UTF8.self).unicodeScalars.prefix(most)).shown
  }
}
