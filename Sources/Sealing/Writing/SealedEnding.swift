internal import CSodium
public import Hardware

/// What stands at the very end of a file while its first chunk gets its place: how long it will be, and a sum of that chunk as
/// it will be, whose copy is before it. With it a file that the power cut off right then can be completed by anybody.
public struct SealedEnding: Hashable {
  private static let mark = Array("mynahEND".utf8)
  static let byteCount = mark.count + 8 + 8 + 8 + 32

  /// Bytes of the finished file, and where its first chunk goes.
  var size: Int
  var start: Int
  var headBytes: Int
  private var sum: [UInt8]

  init(size: Int, start: Int, head: [UInt8]) {
    self.size = size
    self.start = start
    headBytes = head.count
    sum = []
    sum = Self.sum(summed + head)
  }

  private var summed: [UInt8] { Self.mark + [size, start, headBytes].flatMap { SealKeys.big64(UInt64($0)) } }
  var bytes: [UInt8] { summed + sum }

  private static func sum(_ bytes: [UInt8]) -> [UInt8] {
    var sum = [UInt8](repeating: 0, count: 32)
    crypto_hash_sha256(&sum, bytes, UInt64(bytes.count))
    return sum
  }

  /// What stands at the end of a file, and the first chunk; nil if there is none, or the chunk is not that of the sum.
  static func find(in file: any StoredFile) throws(StorageError) -> (ending: SealedEnding, head: [UInt8])? {
    let bytes = try file.bytes(at: file.size - byteCount, count: byteCount)
    guard file.size > byteCount, bytes.count == byteCount, bytes.starts(with: mark) else { return nil }
    func number(_ place: Int) -> Int? { Int(exactly: SealLog.number(bytes[...], at: place, 8)) }
    guard let size = number(8), let start = number(16), let count = number(24),
      (SealKeys.tagBytes...SealKeys.slotBytes).contains(count), size <= file.size - byteCount - count,
      start <= size - count
    else { return nil }
    let head = try file.bytes(at: file.size - byteCount - count, count: count)
    let ending = SealedEnding(size: size, start: start, head: head)
    return ending.bytes == bytes ? (ending, head) : nil
  }

  /// Completes a file whose text was written to its end, without knowing it. Storage lane only; after an error or stall call
  /// again.
  ///
  /// - Returns: whether the file is an ordinary age file now because of it; false: nothing of the kind is at its end.
  public static func complete(_ file: any StoredFile) throws(StorageError) -> Bool {
    guard let (ending, head) = try find(in: file) else { return false }
    try file.write(head, at: ending.start)
    try file.sync()
    try file.truncate(to: ending.size)
    try file.sync()
    return true
  }
}
