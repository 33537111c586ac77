public import Hardware

/// A take as AAC in MP4: a standard fragmented file while it grows, an ordinary one when it is finished.
///
/// `finish` appends the sample tables and then overwrites 16 bytes in the first sector, which makes everything
/// written so far the content of one `mdat`: nothing is copied, however long the take.
public struct FragmentedM4A: TakeContainer {
  public var summary = TakeSummary()

  private let file: any StoredFile
  private let description: TakeFileDescription
  private var ledger: OldTakeLedger
  private var payload: [UInt8] = []
  private var sizes: [UInt32] = []
  private var fragment = ByteWriter()
  private var sequence = 0
  /// End of the last complete fragment.
  private var end = 0
  private var isFinished = false

  public init(file: any StoredFile, scratch: any StoredFile, description: TakeFileDescription) {
    self.file = file
    self.description = description
    ledger = OldTakeLedger(scratch: scratch)
  }

  public var bufferedFrames: Int { sizes.count * OldTakeLedger.frameSize }

  public var fileBytes: Int { end }

  public var finishBytes: Int {
    // Headers and metadata, a size for every access unit, an offset and a run for every fragment.
    4096 + 4 * (ledger.sampleCount + sizes.count) + 20 * (ledger.chunkCount + 1) + payload.count
      + summary.marks.reduce(0) { $0 + 9 + min(255, $1.label.utf8.count) }
  }

  public mutating func begin() throws(StorageError) {
    guard end == 0 else { return }
    let head = OldTakeBoxes(description, summary: summary).initialSegment()
    try file.write(head, at: 0)
    end = head.count
  }

  public mutating func append(_ packet: UnsafeRawBufferPointer, frames: Int) {
    guard !isFinished, !packet.isEmpty else { return }
    payload.append(contentsOf: packet)
    sizes.append(UInt32(packet.count))
  }

  public mutating func flush() throws(StorageError) {
    try begin()
    while !sizes.isEmpty {
      let listed = sizes.prefix(OldTakeBoxes.samplesPerFragment)
      let bytes = listed.reduce(0) { $0 + Int($1) }
      let baseTime = ledger.endTime
      fragment.bytes.removeAll(keepingCapacity: true)
      let padding = OldTakeBoxes.padding(at: end, samples: listed.count)
      if padding > 0 { fragment.box("free") { $0.zeros(padding - 8) } }
      OldTakeBoxes.fragmentHead(sequence: sequence + 1, baseTime: baseTime, sizes: listed, into: &fragment)
      let headBytes = fragment.count
      fragment.bytes.append(contentsOf: payload.prefix(bytes))
      try file.write(fragment.bytes, at: end)
      ledger.add(offset: end + headBytes, baseTime: baseTime, sizes: Array(listed))
      sequence += 1
      end += fragment.count
      sizes.removeFirst(listed.count)
      payload.removeFirst(bytes)
    }
    try ledger.spill()
  }

  public mutating func finish(totalFrames: Int) throws(StorageError) {
    guard !isFinished else { return }
    try flush()
    try close(totalFrames: min(max(0, totalFrames), max(0, ledger.endTime - description.primingFrames)))
  }

  public mutating func dropBuffered() {
    payload.removeAll()
    sizes.removeAll()
  }

  /// Appends the final `moov`, syncs, turns the reserve into the `mdat` header, syncs.
  private mutating func close(totalFrames: Int) throws(StorageError) {
    var boxes = OldTakeBoxes(description, summary: summary)
    let seconds = Double(ledger.endTime) / Double(description.pcm.sampleRate)
    if seconds > 0 { boxes.averageBitrate = Int(Double(ledger.payloadBytes) * 8 / seconds) }
    try Self.finalise(file, boxes: boxes, ledger: ledger, end: end, totalFrames: totalFrames)
    end = file.size
    isFinished = true
  }

  /// The last step of a take, also of one that repair has put together.
  static func finalise(
    _ file: any StoredFile, boxes: OldTakeBoxes, ledger: OldTakeLedger, end: Int, totalFrames: Int
  ) throws(StorageError) {
    let tables = try OldTakeTables(ledger, endTime: boxes.primingFrames + totalFrames)
    let (head, foot) = boxes.finalMovie(totalFrames: totalFrames, tables: tables)
    var stream = TableStream(file: file, offset: end)
    try stream.bytes(head)
    try tables.write(to: &stream)
    try stream.drain()
    try stream.bytes(foot)
    // A longer write may have been torn here before.
    if file.size > stream.offset { try file.truncate(to: stream.offset) }
    try file.sync()
    try file.write(OldTakeBoxes.mediaDataHeader(end: end), at: OldTakeBoxes.reserveOffset)
    try file.sync()
  }
}
