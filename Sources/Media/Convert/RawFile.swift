internal import Hardware

/// A file that is nothing but samples of a byte, as telephone systems take them. Storage lane only.
struct RawFile {
  private let file: any StoredFile
  private let law: G711
  private var buffer: [UInt8] = []
  /// Bytes of the file.
  private var written = 0

  init(_ file: any StoredFile, _ law: G711) { (self.file, self.law) = (file, law) }

  mutating func append(_ samples: UnsafePointer<Float>, frames: Int) {
    buffer += law.encoded(samples, count: frames)
  }

  var bufferedBytes: Int { buffer.count }

  /// After a failure call again.
  mutating func flush() throws(StorageError) {
    guard !buffer.isEmpty else { return }
    try file.write(buffer, at: written)
    written += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }

  /// After a failure call again.
  mutating func finish() throws(StorageError) {
    try flush()
    try file.sync()
  }
}
