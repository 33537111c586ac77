internal import Hardware

/// An MP3 file that grows: what is known of the recording, then the sound, then, over the first frame, how long it is.
/// Storage lane only.
struct MP3File {
  private let file: any StoredFile
  private let encoder: MP3Encoder
  private let head: [UInt8]
  private var buffer: [UInt8] = []
  /// Bytes of the file.
  private var written = 0
  private var isEnded = false

  init(_ file: any StoredFile, _ encoder: MP3Encoder, _ tag: ID3Tag) {
    (self.file, self.encoder) = (file, encoder)
    head = tag.bytes
    buffer = head
  }

  mutating func append(_ samples: UnsafePointer<Float>, frames: Int) throws(MediaError) {
    var bytes: [UInt8] = []
    try encoder.encode(samples, frames: frames) { bytes.append(contentsOf: $0) }
    buffer += bytes
  }

  /// No more is appended.
  mutating func end() throws(MediaError) {
    guard !isEnded else { return }
    var bytes: [UInt8] = []
    try encoder.finish { bytes.append(contentsOf: $0) }
    buffer += bytes
    isEnded = true
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
    let frame = encoder.lengthFrame
    if written >= head.count + frame.count { try file.write(frame, at: head.count) }
    try file.sync()
  }
}
