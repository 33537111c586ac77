internal import Hardware

/// The records of a proof, one after the other, in bounded memory.
struct LineReader {
  private let file: any StoredFile
  /// Where the next line begins.
  private(set) var place: Int
  private var buffer: [UInt8] = []
  private var used = 0

  private static let windowBytes = 64 << 10

  init(_ file: any StoredFile, at place: Int = 0) {
    self.file = file
    self.place = place
  }

  /// - Returns: the next line without its end; nil behind the last whole one.
  mutating func next() throws(StorageError) -> [UInt8]? {
    var searched = used
    while true {
      if let end = buffer[searched...].firstIndex(of: ProofLine.end) {
        defer {
          place += end + 1 - used
          used = end + 1
        }
        return Array(buffer[used..<end])
      }
      guard buffer.count - used <= ProofLine.mostBytes else { return nil }
      buffer.removeFirst(used)
      used = 0
      searched = buffer.count
      let piece = try file.bytes(at: place + buffer.count, count: Self.windowBytes)
      guard !piece.isEmpty else { return nil }
      buffer += piece
    }
  }
}
