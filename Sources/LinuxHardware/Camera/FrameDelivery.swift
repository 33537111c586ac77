internal import Hardware

/// How a device lays a picture out, and what of it goes into the queue.
struct PictureShape: Hashable, Sendable {
  var codec: VideoCodec
  var width: Int
  var height: Int
  /// Bytes from one line to the next, of raw pictures.
  var stride: Int
  /// Longest time without a picture (ns) before the camera is taken for lost.
  var patience: Int64

  /// A second, or for a slow camera the time of two and a half pictures.
  static func patience(framesPerSecond: Int) -> Int64 {
    max(1_000_000_000, 2_500_000_000 / Int64(max(1, framesPerSecond)))
  }
}

/// What a camera's thread does with each picture that it got, however it got it: check, strip, number, hand over.
///
/// Plain pointers in memory of its own; real time. What the device marked as broken, or shows to be, is counted and left
/// out. Times always grow.
struct FrameDelivery {
  private let gauges: UnsafeMutablePointer<CameraGauges>
  private let writer: FrameWriter
  private let shape: PictureShape
  /// Parameter sets that came in a buffer of their own: they go in front of the next picture.
  private let head: UnsafeMutableRawPointer
  private var headBytes = 0
  /// Absent pictures that the next record has to tell of.
  private var missed = 0
  private var lastTime: Int64
  /// When the last good picture came.
  private(set) var lastSign: Int64

  static var headCapacity: Int {
    @_noLocks @_noAllocation get { 1024 }
  }

  /// - Parameters:
  ///   - head: room for `headCapacity` bytes.
  ///   - grace: ns that the first picture may take beyond the shape's patience.
  @_noLocks @_noAllocation
  init(
    gauges: UnsafeMutablePointer<CameraGauges>, writer: FrameWriter, shape: PictureShape,
    head: UnsafeMutableRawPointer, now: Int64, grace: Int64 = 0
  ) {
    self.gauges = gauges
    self.writer = writer
    self.shape = shape
    self.head = head
    lastTime = now &- 10_000_000_000
    lastSign = now &+ grace
  }

  /// Whether nothing good came for too long.
  @_noLocks @_noAllocation
  func isSilent(now: Int64) -> Bool { now &- lastSign >= shape.patience }

  /// Pictures that the device itself left out.
  @_noLocks @_noAllocation
  mutating func skip(_ count: Int) {
    gauges.pointee.count(missed: count)
    missed = missed &+ count
  }

  /// A picture that is broken.
  @_noLocks @_noAllocation
  mutating func discard() {
    gauges.pointee.countBroken()
    missed = missed &+ 1
  }

  /// Hands a picture over.
  ///
  /// - Parameters:
  ///   - time: when it was taken, or below zero if the device does not say.
  ///   - now: when it came.
  @_noLocks @_noAllocation
  mutating func deliver(_ bytes: UnsafeRawBufferPointer, time: Int64, now: Int64) {
    // A clock that is not ours after all, or a driver that guesses wildly, is not believed.
    let isCredible = time >= now &- 5_000_000_000 && time <= now &+ 1_000_000
    let taken = max(lastTime &+ 1, isCredible ? time : now)
    switch shape.codec {
    case .h264: deliverH264(bytes, taken, now)
    case .mjpeg:
      let length = JPEGScan.length(in: bytes)
      guard length > 0, let base = bytes.baseAddress else { return discard() }
      guard let target = writer.reserve(length) else { return overflow(now) }
      target.copyMemory(from: base, byteCount: length)
      commit(length, isKeyframe: true, taken, now)
    case .yuyv: deliverRaw(bytes, lines: shape.height, lineBytes: shape.width * 2, taken, now)
    case .nv12: deliverRaw(bytes, lines: shape.height + shape.height / 2, lineBytes: shape.width, taken, now)
    }
  }

  @_noLocks @_noAllocation
  private mutating func deliverH264(_ bytes: UnsafeRawBufferPointer, _ taken: Int64, _ now: Int64) {
    guard let base = bytes.baseAddress else { return discard() }
    let slice = NALScan.firstSlice(in: bytes)
    if slice == 0 {
      // No picture: parameter sets, or garbage.
      guard NALScan.startCode(in: bytes, from: 0) >= 0, headBytes + bytes.count <= Self.headCapacity else {
        return discard()
      }
      (head + headBytes).copyMemory(from: base, byteCount: bytes.count)
      headBytes += bytes.count
      return
    }
    guard let target = writer.reserve(headBytes + bytes.count) else { return overflow(now) }
    if headBytes > 0 { target.copyMemory(from: head, byteCount: headBytes) }
    (target + headBytes).copyMemory(from: base, byteCount: bytes.count)
    commit(headBytes + bytes.count, isKeyframe: slice == 5, taken, now)
    headBytes = 0
  }

  /// Copies a raw picture without the padding at the ends of its lines.
  @_noLocks @_noAllocation
  private mutating func deliverRaw(
    _ bytes: UnsafeRawBufferPointer, lines: Int, lineBytes: Int, _ taken: Int64, _ now: Int64
  ) {
    let stride = max(shape.stride, lineBytes)
    // The last line may come without its padding.
    guard let base = bytes.baseAddress, bytes.count >= stride * (lines - 1) + lineBytes else { return discard() }
    guard let target = writer.reserve(lines * lineBytes) else { return overflow(now) }
    if stride == lineBytes {
      target.copyMemory(from: base, byteCount: lines * lineBytes)
    } else {
      var line = 0
      while line < lines {
        (target + line * lineBytes).copyMemory(from: base + line * stride, byteCount: lineBytes)
        line += 1
      }
    }
    commit(lines * lineBytes, isKeyframe: true, taken, now)
  }

  @_noLocks @_noAllocation
  private mutating func overflow(_ now: Int64) {
    gauges.pointee.countOverflow()
    missed = missed &+ 1
    // The camera is well: it is the worker that is late.
    lastSign = now
  }

  @_noLocks @_noAllocation
  private mutating func commit(_ count: Int, isKeyframe: Bool, _ taken: Int64, _ now: Int64) {
    let record = FrameRecord(
      .picture, isKeyframe: isKeyframe, bytes: count, missedBefore: missed, time: Instant(nanoseconds: taken))
    guard writer.commit(record) else { return overflow(now) }
    gauges.pointee.countFrame()
    missed = 0
    lastTime = taken
    lastSign = now
  }

  /// Makes the loss known.
  ///
  /// - Returns: false if there is no room for it yet.
  @_noLocks @_noAllocation
  func lose(_ code: Int32, now: Int64) -> Bool {
    writer.write(FrameRecord(.lost, code: code, missedBefore: missed, time: Instant(nanoseconds: now)), nil)
  }
}
