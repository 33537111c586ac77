internal import Hardware

/// An MP3 file that grows: what is known of the recording, then the sound, then, over the first frame, how long it is.
/// Storage lane only.
struct MP3File {
  private var file: AppendedFile
  private let encoder: MP3Encoder
  private let head: [UInt8]
  private var isEnded = false

  init(_ file: any StoredFile, _ encoder: MP3Encoder, _ tag: ID3Tag) {
    (self.file, self.encoder) = (AppendedFile(file), encoder)
    head = tag.bytes
    self.file.append(head)
  }

  mutating func append(_ samples: UnsafePointer<Float>, frames: Int) throws(MediaError) {
    var bytes: [UInt8] = []
    try encoder.encode(samples, frames: frames) { bytes.append(contentsOf: $0) }
    file.append(bytes)
  }

  /// No more is appended.
  mutating func end() throws(MediaError) {
    guard !isEnded else { return }
    var bytes: [UInt8] = []
    try encoder.finish { bytes.append(contentsOf: $0) }
    file.append(bytes)
    isEnded = true
  }

  var bufferedBytes: Int { file.bufferedBytes }

  /// After a failure call again.
  mutating func flush() throws(StorageError) { try file.flush() }

  /// Makes it whole; who has the file syncs it. After a failure call again.
  mutating func finish() throws(StorageError) {
    try flush()
    let frame = encoder.lengthFrame
    if file.written >= head.count + frame.count { try file.file.write(frame, at: head.count) }
  }
}
