public import Hardware
internal import Threads

/// How a take begins: everything the storage worker needs to create its file.
public struct TakeOpening: Sendable {
  public var format: TakeEncoding
  public var pcm: PCMFormat
  /// kbit/s of a compressed take; 0 for PCM.
  public var bitrateKbps: Int
  /// MPEG-4 AudioSpecificConfig of a compressed take, else empty.
  public var decoderConfiguration: [UInt8]
  /// Frames that the encoder puts before the first of the take.
  public var primingFrames: Int
  /// Wall time of the first frame.
  public var firstFrameAt: WallTime
  /// The press on the monotonic clock.
  public var pressedInstant: Instant
  /// Wall time of the press.
  public var pressedAt: WallTime
  /// Frames from before the press.
  public var preRecordedFrames: Int
  /// Name of the microphone.
  public var source: String
}

/// How a take ends.
public struct TakeEnding: Sendable {
  /// Exact length in frames.
  public var frames: Int
  public var reason: TakeStopReason
  /// LUFS over the whole take, gated; `nil` when too short or silent.
  public var integratedLUFS: Double?
  /// dBTP; `nil` for silence.
  public var truePeakDBTP: Double?
}

/// The container and codec of a take.
public enum TakeEncoding: String, Sendable { case aac, wav }

/// Why a take ended; the raw value is the contract's word.
public enum TakeStopReason: String, Sendable {
  case user
  case storageFull = "storage-full"
  case deviceLost = "device-lost"
  case power
  case recovered
  case error
}

/// What travels through the pipe beside sound.
public enum TakeOrder: Sendable {
  case begin(TakeOpening)
  case mark(frame: Int, title: String?)
  case gap(frame: Int, frames: Int, reason: String)
  case end(TakeEnding)
}

/// The way of a take from the media worker to the storage worker: encoded packets and orders, in one sequence.
///
/// One arena of fixed size, records inline. It is what a slow card is survived with: sized for the longest stall
/// at the highest data rate. One writer, one reader.
public final class TakePipe: @unchecked Sendable {
  /// What the storage worker takes out.
  enum Item {
    case order(TakeOrder)
    /// A packet of `frames` frames, now in `packet`.
    case packet(frames: Int)
  }

  private struct Header {
    /// Payload bytes, or −1: the next order of the mailbox.
    var count: Int32
    var frames: Int32
  }

  private let ring: UnsafeMutablePointer<ByteRing>
  private let orders = Mailbox<TakeOrder>()
  /// Orders that found no room. Writing thread only.
  private var backlog: [TakeOrder] = []
  /// Orders ever put into the ring. Writing thread only.
  public private(set) var ordersSent = 0
  /// Orders taken from the mailbox and not handed out yet. Reading thread only.
  private var waiting: [TakeOrder] = []
  private let scratch: UnsafeMutableRawBufferPointer
  /// The packet that `next` found last; valid until it is called again. Reading thread only.
  private(set) var packet = UnsafeRawBufferPointer(start: nil, count: 0)

  /// Largest packet, bytes.
  static let packetLimit = 64 * 1024
  /// Room that packets leave for orders.
  private static let orderRoom = 4096

  /// Smaller than this, one chunk of the largest encoding and the room for orders would not fit.
  private static let minimumBytes = 32 * 1024

  /// - Parameter bytes: size of the arena; rounded up to a power of two, and to what one chunk needs.
  public init(bytes: Int) {
    ring = .allocate(capacity: 1)
    // The other jobs have no use for it.
    ring.initialize(to: ByteRing(reservingCapacity: max(bytes, Self.minimumBytes)))
    scratch = .allocate(byteCount: Self.packetLimit, alignment: 16)
  }

  deinit {
    ring.deinitialize(count: 1)
    ring.deallocate()
    scratch.deallocate()
  }

  /// Bytes the arena holds.
  public var capacity: Int { ring.pointee.capacity }

  /// Bytes waiting for the storage. Any thread.
  public var queuedBytes: Int { ring.pointee.readableCount }

  // MARK: The media worker's end

  /// Whether packets of `bytes` bytes in all, in at most `packets` packets, fit now.
  func hasRoom(bytes: Int, packets: Int) -> Bool {
    sendBacklog()
    return backlog.isEmpty
      && ring.pointee.writableCount >= bytes + packets * MemoryLayout<Header>.size + Self.orderRoom
  }

  /// Appends a packet. The caller has asked `hasRoom` before.
  func append(_ bytes: UnsafeRawBufferPointer, frames: Int) {
    guard let base = bytes.baseAddress, bytes.count <= Self.packetLimit else {
      preconditionFailure("a packet of \(bytes.count) bytes does not fit the pipe's scratch")
    }
    var header = Header(count: Int32(bytes.count), frames: Int32(frames))
    // Two writes: the reader waits for the whole record by looking at the count.
    _ = ring.pointee.write(&header, count: MemoryLayout<Header>.size)
    _ = ring.pointee.write(base, count: bytes.count)
  }

  /// Appends an order. Packets leave room for hundreds; what a stuck storage still lets pile up waits here.
  func append(_ order: TakeOrder) {
    backlog.append(order)
    sendBacklog()
  }

  /// Sends the orders that found no room, as far as there is some now.
  func sendBacklog() {
    while !backlog.isEmpty, ring.pointee.writableCount >= MemoryLayout<Header>.size {
      orders.post(backlog.removeFirst())
      ordersSent += 1
      var header = Header(count: -1, frames: 0)
      _ = ring.pointee.write(&header, count: MemoryLayout<Header>.size)
    }
  }

  // MARK: The storage worker's end

  /// Takes the next item out, if a whole one is there.
  func next() -> Item? {
    var header = Header(count: 0, frames: 0)
    let size = MemoryLayout<Header>.size
    guard ring.pointee.peek(into: &header, count: size) == size else { return nil }
    if header.count < 0 {
      _ = ring.pointee.read(into: &header, count: size)
      if waiting.isEmpty { waiting = orders.drain() }
      return .order(waiting.removeFirst())
    }
    let count = Int(header.count)
    guard ring.pointee.readableCount >= size + count, let base = scratch.baseAddress else { return nil }
    _ = ring.pointee.read(into: &header, count: size)
    _ = ring.pointee.read(into: base, count: count)
    packet = UnsafeRawBufferPointer(start: base, count: count)
    return .packet(frames: Int(header.frames))
  }
}
