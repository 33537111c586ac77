public import Hardware

/// A recording as linear PCM in Broadcast Wave, RF64 from 4 GiB on. One sound track.
///
/// Every flush writes the sound first and the sizes after it, so the header never claims more than is there.
public struct WaveWriter: MediaWriter {
  public let description: FileDescription
  public var summary = FileSummary() {
    didSet { head = [] }
  }

  private let file: any StoredFile
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

  public init(file: any StoredFile, scratch: (any StoredFile)?, description: FileDescription) {
    self.file = file
    self.description = description
    frameBytes = WaveHeader(description: description, summary: FileSummary()).frameBytes
  }

  public func amount(of track: Int) -> TrackAmount {
    var amount = TrackAmount()
    // What the header does not claim is not heard: it does not count as written.
    amount.end = (dataBytes - unclaimed) / max(1, frameBytes)
    amount.samples = amount.end
    amount.keyframes = amount.end
    amount.buffered = buffer.count / max(1, frameBytes)
    amount.bufferedBytes = buffer.count
    return amount
  }

  public var fileBytes: Int { isFinished ? file.size : headerBytes + dataBytes }

  public var changing: [Range<Int>] { header.changing }

  public var finishBytes: Int { header.tail().count + 1 + buffer.count }

  private var header: WaveHeader { WaveHeader(description: description, summary: summary) }

  public mutating func begin() throws(StorageError) {
    guard headerBytes == 0 else { return }
    try claim(0)
    headerBytes = head.count
  }

  public mutating func append(
    _ sample: UnsafeRawBufferPointer, to track: Int, at time: Int, delay: Int, isKeyframe: Bool
  ) {
    guard !isFinished, track == 0 else { return }
    buffer.append(contentsOf: sample)
  }

  public mutating func flushStep() throws(StorageError) -> Bool {
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
    guard unclaimed > 0 else { return false }
    try claim(dataBytes)
    unclaimed = 0
    return false
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

  public mutating func finishStep(at ends: [Int]) throws(StorageError) -> Bool {
    guard !isFinished else { return false }
    try flush()
    let header = header
    let kept = min(max(0, ends.first ?? .max), dataBytes / max(1, frameBytes)) * frameBytes
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
    return false
  }

  public mutating func dropBuffered() { buffer.removeAll() }
}
