internal import Hardware
internal import Media

/// The file of a clip being written: its container, and when that is due to be flushed and synced.
struct StoredClip {
  let id: String
  var receipt: ClipReceipt
  private let file: any StoredFile
  private var container: FragmentedClip
  private let soundRate: Int
  private let isSlow: Bool
  /// Ticks in fragments that are not synced yet.
  private var unsyncedTicks = 0
  private(set) var isRefused = false

  /// Least media in a fragment, in ticks: a bit less than half a second, for pictures have lengths of their own.
  private static let fragmentTicks = PictureTrack.timescale * 9 / 20
  /// Most that is written without a sync while there is more in the pipe.
  private static let backlogTicks = PictureTrack.timescale / 2
  /// Most that is buffered, bytes: what comes in a burst is written in pieces.
  private static let bufferBytes = 1 << 20

  init(id: String, file: any StoredFile, opening: ClipOpening) {
    self.id = id
    self.file = file
    receipt = opening.receipt
    receipt.id = id
    var description = opening.description
    description.title = id
    soundRate = description.sound?.pcm.sampleRate ?? 0
    isSlow = opening.isSlow
    container = FragmentedClip(file: file, description: description)
  }

  var bytes: Int { file.size }

  mutating func begin() throws(StorageError) {
    try container.begin()
    try file.sync()
  }

  mutating func appendPicture(_ bytes: UnsafeRawBufferPointer, tick: Int, isKeyframe: Bool) {
    container.appendPicture(bytes, time: tick, isKeyframe: isKeyframe)
  }

  mutating func appendSound(_ bytes: UnsafeRawBufferPointer) { container.appendSound(bytes) }

  /// Writes a fragment if there is enough for one, and makes what was written durable.
  ///
  /// - Parameter hasMore: whether more waits in the pipe: then one sync serves several fragments.
  mutating func flushIfDue(hasMore: Bool) throws(StorageError) {
    let sound = soundRate > 0 ? container.bufferedFrames * PictureTrack.timescale / soundRate : 0
    let buffered = max(container.bufferedTicks, sound)
    if buffered >= (isSlow ? 1 : Self.fragmentTicks) || container.bufferedBytes >= Self.bufferBytes {
      try container.flush()
      unsyncedTicks += buffered
    }
    if unsyncedTicks > 0, !hasMore || unsyncedTicks >= Self.backlogTicks {
      try file.sync()
      unsyncedTicks = 0
    }
  }

  /// The clip after the storage refused to hold more: it ends with what was flushed.
  mutating func refuse() {
    isRefused = true
    container.dropBuffered()
  }

  /// Whether anything can be shown of it.
  var isEmpty: Bool { container.storedPictures == 0 && container.bufferedBytes == 0 }

  /// Completes and closes the file, with the reserve if need be; can be repeated until it succeeds.
  ///
  /// - Parameter reason: why it was refused, if it was.
  mutating func finish(_ ending: ClipEnding, reason: String?) throws(StorageError) {
    file.usesReserve = true
    receipt = ending.receipt
    receipt.id = id
    var endTick = ending.endTick
    var frames = ending.frames
    if isRefused {
      let skipped = container.description.skippedTicks
      endTick = min(endTick, container.storedTicks)
      if soundRate > 0 {
        frames = min(
          frames, container.storedFrames, max(0, endTick - skipped) * soundRate / PictureTrack.timescale)
        endTick = min(endTick, skipped + frames * PictureTrack.timescale / soundRate)
        receipt.sound.frames = frames
      }
      receipt.duration = Double(max(0, endTick - skipped)) / Double(PictureTrack.timescale)
      receipt.end = receipt.start + .nanoseconds(Int64(receipt.duration * 1e9))
      receipt.stopReason = reason ?? receipt.stopReason
    }
    if receipt.stopReason != "post-roll" { container.description.comment = "stopped: \(receipt.stopReason)" }
    try container.finish(endTime: endTick, frames: frames)
    receipt.fileBytes = file.size
    file.close()
  }

  /// Gives the file back, as it is.
  func close() { file.close() }
}
