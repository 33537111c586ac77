public import Hardware

/// A take as linear PCM in Broadcast Wave, RF64 from 4 GiB on.
///
/// Every flush writes the sound first and the sizes after it, so the header never claims more than is there.
public struct BroadcastWave: TakeContainer {
  public var summary = TakeSummary() {
    didSet { head = [] }
  }

  private let file: any StoredFile
  private let description: TakeFileDescription
  private let frameBytes: Int
  private var headerBytes = 0
  /// The header as it was written last, to be written again with other sizes; empty if it says something else by now.
  private var head: [UInt8] = []
  /// Bytes of sound in the file.
  private var dataBytes = 0
  private var buffer: [UInt8] = []
  /// Bytes of sound that the header on the medium does not claim yet.
  private var unclaimed = 0
  private var isFinished = false

  public init(file: any StoredFile, scratch: any StoredFile, description: TakeFileDescription) {
    self.file = file
    self.description = description
    frameBytes = WaveHeader(description: description.file, summary: TakeSummary()).frameBytes
  }

  public var bufferedFrames: Int { buffer.count / max(1, frameBytes) }

  public var fileBytes: Int { isFinished ? file.size : headerBytes + dataBytes }

  public var finishBytes: Int { header.tail().count + 1 + buffer.count }

  private var header: WaveHeader { WaveHeader(description: description.file, summary: summary) }

  public mutating func begin() throws(StorageError) {
    guard headerBytes == 0 else { return }
    try claim(0)
    headerBytes = head.count
  }

  public mutating func append(_ packet: UnsafeRawBufferPointer, frames: Int) {
    guard !isFinished else { return }
    buffer.append(contentsOf: packet)
  }

  public mutating func flush() throws(StorageError) {
    try begin()
    if !buffer.isEmpty {
      // The pad byte of an odd size goes along, and the next flush overwrites it.
      let isOdd = (dataBytes + buffer.count) & 1 == 1
      if isOdd { buffer.append(0) }
      defer { if isOdd, !buffer.isEmpty { buffer.removeLast() } }
      try file.write(buffer, at: headerBytes + dataBytes)
      let count = buffer.count - (isOdd ? 1 : 0)
      dataBytes += count
      unclaimed += count
      buffer.removeAll(keepingCapacity: true)
    }
    guard unclaimed > 0 else { return }
    try claim(dataBytes)
    unclaimed = 0
  }

  /// Writes the header that says that there are `dataBytes` of sound and nothing behind them.
  private mutating func claim(_ dataBytes: Int) throws(StorageError) {
    if head.isEmpty {
      head = header.bytes(dataBytes: dataBytes, tailBytes: 0)
    } else {
      header.patch(&head, dataBytes: dataBytes, tailBytes: 0)
    }
    try file.write(head, at: 0)
  }

  public mutating func finish(totalFrames: Int) throws(StorageError) {
    guard !isFinished else { return }
    try flush()
    let header = header
    let kept = min(max(0, totalFrames) * frameBytes, dataBytes - dataBytes % max(1, frameBytes))
    // Behind the sound: its pad byte, then the chunks.
    let tail = header.tail()
    let end = headerBytes + kept
    if kept < dataBytes {
      // The header first, so that it never claims what is being overwritten.
      try claim(kept)
    }
    try file.write((kept & 1 == 1 ? [0] : []) + tail, at: end)
    let size = end + kept & 1 + tail.count
    if file.size > size { try file.truncate(to: size) }
    try file.sync()
    try file.write(header.bytes(dataBytes: kept, tailBytes: tail.count), at: 0)
    try file.sync()
    dataBytes = kept
    isFinished = true
  }

  public mutating func dropBuffered() { buffer.removeAll() }
}
