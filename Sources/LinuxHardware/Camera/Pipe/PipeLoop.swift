internal import CLinux
internal import Glibc
internal import Hardware

/// What the pipe camera's real-time thread does: read, cut into pictures, deliver, and keep what the command says.
struct PipeLoop: ~Copyable {
  private let output: Int32
  private var errors: Int32
  private let gauges: UnsafeMutablePointer<CameraGauges>
  private var delivery: FrameDelivery
  private var splitter: AccessUnitSplitter
  /// From when a picture is taken to when it comes out of the command, ns.
  private let latency: Int64
  private var oversized = 0
  /// errno of the loss that ended the run, or 0. For others only when the thread has ended.
  private(set) var lossCode: Int32 = 0
  private let words: UnsafeMutablePointer<LastWords>

  /// Longest encoded picture, in bytes.
  private static let largest = 2 << 20

  init(
    output: Int32, errors: Int32, gauges: UnsafeMutablePointer<CameraGauges>, delivery: FrameDelivery, latency: Int64,
    words: UnsafeMutablePointer<LastWords>
  ) {
    self.output = output
    self.errors = errors
    self.gauges = gauges
    self.delivery = delivery
    self.latency = latency
    self.words = words
    splitter = AccessUnitSplitter(capacity: Self.largest)
  }

  /// Delivers until the stop flag or a loss.
  @_noLocks @_noAllocation
  mutating func run() {
    while lossCode == 0, !gauges.pointee.isStopping { lossCode = turn() }
    guard lossCode != 0 else { return }
    listen()
    while !gauges.pointee.isStopping, !delivery.lose(lossCode, now: mynah_now()) { mynah_nap(10_000_000) }
  }

  /// - Returns: 0, or the errno with which the camera is lost: EPIPE if the command has ended.
  @_noLocks @_noAllocation
  private mutating func turn() -> Int32 {
    let ready = mynah_wait_for_two(output, errors, 50)
    if ready < 0, ready != -EINTR { return -ready }
    if ready > 0, ready & 2 != 0 { listen() }
    if ready > 0, ready & 1 != 0 {
      let room = splitter.room()
      // All that is there at once, so that a picture's time is that of its first byte.
      let count = mynah_read(output, room.baseAddress, room.count)
      if count == 0 { return EPIPE }
      if count < 0, count != -Int(EAGAIN), count != -Int(EINTR) { return Int32(truncatingIfNeeded: -count) }
      let now = mynah_now()
      if count > 0 { splitter.append(count, at: Instant(nanoseconds: now)) }
      while let unit = splitter.next() {
        delivery.deliver(unit.bytes, time: unit.time.nanoseconds &- latency, now: now)
      }
      while oversized < splitter.oversized {
        oversized += 1
        delivery.discard()
      }
    }
    return delivery.isSilent(now: mynah_now()) ? ETIMEDOUT : 0
  }

  /// Takes what the command says on its standard error.
  @_noLocks @_noAllocation
  private mutating func listen() {
    guard errors >= 0 else { return }
    while true {
      let count = words.pointee.read(from: errors)
      if count == 0 { errors = -1 }
      if count <= 0 { return }
    }
  }
}

/// The last line of a text that goes by, in memory of its own.
struct LastWords: ~Copyable {
  private static var capacity: Int {
    @_noLocks @_noAllocation get { 256 }
  }

  private let chunk: UnsafeMutablePointer<UInt8>
  private let line: UnsafeMutablePointer<UInt8>
  private var count = 0
  /// Whether the next byte begins a line.
  private var isOver = true

  init() {
    chunk = .allocate(capacity: Self.capacity)
    chunk.initialize(repeating: 0, count: Self.capacity)
    line = .allocate(capacity: Self.capacity)
    line.initialize(repeating: 0, count: Self.capacity)
  }

  deinit {
    chunk.deallocate()
    line.deallocate()
  }

  /// Reads once; what read(2) says.
  @_noLocks @_noAllocation
  mutating func read(from descriptor: Int32) -> Int {
    let got = mynah_read(descriptor, chunk, Self.capacity)
    var index = 0
    while index < got {
      let byte = chunk[index]
      index += 1
      if byte == 10 || byte == 13 {
        isOver = true
        continue
      }
      // A line is only forgotten for another one, not for an empty one.
      if isOver { count = 0 }
      isOver = false
      if count < Self.capacity {
        line[count] = byte
        count += 1
      }
    }
    return got
  }

  /// The line, without what no terminal should get.
  var text: String {
    let bytes = UnsafeBufferPointer(start: line, count: count)
    return String(decoding: bytes.map { $0 < 32 || $0 == 127 ? 32 : $0 }, as: UTF8.self)
  }
}
