internal import Hardware

/// A new file that only grows, and what is to be appended to it next. Storage lane only.
struct AppendedFile {
  let file: any StoredFile
  private var buffer: [UInt8] = []
  /// Bytes of the file.
  private(set) var written = 0

  init(_ file: any StoredFile) { self.file = file }

  mutating func append(_ bytes: [UInt8]) { buffer += bytes }

  /// Bytes that are not in the file yet.
  var bufferedBytes: Int { buffer.count }

  /// After a failure call again.
  mutating func flush() throws(StorageError) {
    guard !buffer.isEmpty else { return }
    try file.write(buffer, at: written)
    written += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }
}
