internal import Hardware
public import Media
internal import Threads

/// The way of recordings from the media lane to the storage lane: samples of any number of open recordings and orders, in
/// one sequence.
///
/// One arena of fixed size, records inline: it is what a slow card is survived with, sized for the longest stall at the
/// highest data rate. Pictures leave room in it for the sound of a stall, for sound is not held anywhere else for long.
/// One writer, one reader.
public final class RecordingPipe: @unchecked Sendable {
  /// What the storage lane takes out.
  public enum Item {
    case order(RecordingOrder)
    /// A picture, now in `sample`.
    case picture(recording: Int, tick: Int, delay: Int, isKeyframe: Bool)
    /// Sound of `frames` frames, now in `sample`.
    case sound(recording: Int, frames: Int)
  }

  private enum Kind: UInt8 {
    case order
    case picture
    case keyframe
    case sound
  }

  private struct Header {
    var kind: UInt8 = 0
    var recording: Int32 = 0
    var count: Int32 = 0
    var delay: Int32 = 0
    /// Of a picture its tick, of sound its frames.
    var time: Int64 = 0
  }

  private let ring: UnsafeMutablePointer<ByteRing>
  private let orders = Mailbox<RecordingOrder>()
  /// Orders that found no room. Writing thread only.
  private var backlog: [RecordingOrder] = []
  /// Orders ever put into the ring. Writing thread only.
  public private(set) var ordersSent = 0
  /// Orders taken from the mailbox and not handed out yet. Reading thread only.
  private var waiting: [RecordingOrder] = []
  /// For samples that lie across the arena's end. Reading thread only.
  private var scratch: UnsafeMutableRawBufferPointer
  /// Bytes of the last sample, which is still in the arena. Reading thread only.
  private var lent = 0
  /// The sample that `next` found last; valid until it is called again. Reading thread only.
  public private(set) var sample = UnsafeRawBufferPointer(start: nil, count: 0)
  /// What pictures leave for sound: 10 s at 192 kbit/s, or a quarter of a small arena.
  private let soundReserve: Int
  private var hasMemory = false

  private static let headerBytes = MemoryLayout<Header>.size
  /// Room that samples leave for orders.
  private static let orderRoom = 4096
  /// Smaller than these, one chunk of the largest encoding and the room for orders would not fit.
  private static let minimumBytes = 32 << 10
  private static let minimumPictureBytes = 256 << 10

  /// - Parameters:
  ///   - bytes: size of the arena; rounded up to a power of two, and to what one chunk needs.
  ///   - carriesPictures: whether there is to be room for these, too.
  public init(bytes: Int, carriesPictures: Bool = false) {
    let least = carriesPictures ? Self.minimumPictureBytes : Self.minimumBytes
    ring = .allocate(capacity: 1)
    // Modes in which nothing is recorded have no use for the memory.
    ring.initialize(to: ByteRing(reservingCapacity: max(bytes, least)))
    soundReserve = min(ring.pointee.capacity / 4, 320 << 10)
    scratch = .allocate(byteCount: 64 << 10, alignment: 16)
  }

  deinit {
    ring.deinitialize(count: 1)
    ring.deallocate()
    scratch.deallocate()
  }

  /// Bytes that the arena holds.
  public var capacity: Int { ring.pointee.capacity }

  /// Bytes waiting for the storage. Any thread.
  public var queuedBytes: Int { ring.pointee.readableCount }

  // MARK: The media lane's end

  /// Has the arena's memory before recordings are made, so that none waits for it later. Takes some ms.
  public func occupy() {
    ring.pointee.occupy()
    hasMemory = true
  }

  /// Gives the arena's memory back once everything in it is stored.
  public func vacate() {
    guard hasMemory, queuedBytes == 0 else { return }
    ring.pointee.vacate()
    hasMemory = false
  }

  /// Whether a picture of so many bytes can ever go through.
  public func canCarry(picture bytes: Int) -> Bool { bytes + Self.headerBytes + soundReserve <= capacity }

  /// Whether a picture of so many bytes fits now.
  public func hasRoom(picture bytes: Int) -> Bool {
    sendBacklog()
    return backlog.isEmpty && ring.pointee.writableCount >= bytes + Self.headerBytes + soundReserve
  }

  /// Whether packets of sound of `bytes` bytes in all, `packets` at most, fit now.
  public func hasRoom(bytes: Int, packets: Int) -> Bool {
    sendBacklog()
    return backlog.isEmpty && ring.pointee.writableCount >= bytes + packets * Self.headerBytes + Self.orderRoom
  }

  /// Appends a picture as it is to be in the file: H.264 with lengths for start codes. The caller has asked `hasRoom`.
  ///
  /// - Parameters:
  ///   - filter: of H.264; `nil`: the picture goes as it is.
  ///   - delay: ticks from its tick to when it is seen.
  ///   - bytes: of it, as it is to be in the file.
  public func append(
    picture: UnsafeRawBufferPointer, by filter: SampleFilter?, to recording: Int, tick: Int, delay: Int = 0,
    isKeyframe: Bool, bytes: Int
  ) {
    put(isKeyframe ? .keyframe : .picture, recording: recording, count: bytes, time: tick, delay: delay)
    guard let filter else {
      if let base = picture.baseAddress { _ = ring.pointee.write(base, count: bytes) }
      return
    }
    // In pieces: the reader waits for the whole record by looking at the count.
    filter.forEachUnit(in: picture) { unit in
      guard let base = unit.baseAddress else { return }
      var length = UInt32(truncatingIfNeeded: unit.count).bigEndian
      _ = ring.pointee.write(&length, count: 4)
      _ = ring.pointee.write(base, count: unit.count)
    }
  }

  /// Appends a packet of sound. The caller has asked `hasRoom`.
  public func append(sound packet: UnsafeRawBufferPointer, to recording: Int, frames: Int) {
    guard let base = packet.baseAddress else { return }
    put(.sound, recording: recording, count: packet.count, time: frames)
    _ = ring.pointee.write(base, count: packet.count)
  }

  /// Appends an order. Samples leave room for hundreds; what a stuck storage still lets pile up waits outside of the arena.
  public func append(_ order: RecordingOrder) {
    backlog.append(order)
    sendBacklog()
  }

  /// Sends the orders that found no room, as far as there is some now.
  public func sendBacklog() {
    while !backlog.isEmpty, ring.pointee.writableCount >= Self.headerBytes {
      orders.post(backlog.removeFirst())
      ordersSent += 1
      put(.order, recording: 0, count: 0, time: 0)
    }
  }

  private func put(_ kind: Kind, recording: Int, count: Int, time: Int, delay: Int = 0) {
    var header = Header(
      kind: kind.rawValue, recording: Int32(truncatingIfNeeded: recording), count: Int32(truncatingIfNeeded: count),
      delay: Int32(clamping: delay), time: Int64(time))
    _ = ring.pointee.write(&header, count: Self.headerBytes)
  }

  // MARK: The storage lane's end

  /// Whether more waits behind the sample that `next` found last.
  public var hasMore: Bool { ring.pointee.readableCount > lent }

  /// Takes the next item out, if a whole one is there.
  public func next() -> Item? {
    giveBack()
    var header = Header()
    guard ring.pointee.peek(into: &header, count: Self.headerBytes) == Self.headerBytes else { return nil }
    let count = Int(header.count)
    guard ring.pointee.readableCount >= Self.headerBytes + count else { return nil }
    _ = ring.pointee.read(into: &header, count: Self.headerBytes)
    guard let kind = Kind(rawValue: header.kind), kind != .order else {
      if waiting.isEmpty { waiting = orders.drain() }
      return waiting.isEmpty ? nil : .order(waiting.removeFirst())
    }
    lend(count)
    let recording = Int(header.recording)
    if kind == .sound { return .sound(recording: recording, frames: Int(header.time)) }
    return .picture(
      recording: recording, tick: Int(header.time), delay: Int(header.delay), isKeyframe: kind == .keyframe)
  }

  /// Shows a sample where it is; only one that lies across the arena's end is copied together.
  private func lend(_ count: Int) {
    if let bytes = ring.pointee.front(count: count) {
      sample = bytes
      lent = count
      return
    }
    if scratch.count < count {
      scratch.deallocate()
      scratch = .allocate(byteCount: count * 2, alignment: 16)
    }
    if let base = scratch.baseAddress, count > 0 { _ = ring.pointee.read(into: base, count: count) }
    sample = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(scratch)[..<count])
  }

  private func giveBack() {
    sample = UnsafeRawBufferPointer(start: nil, count: 0)
    guard lent > 0 else { return }
    ring.pointee.skip(to: ring.pointee.takenCount + lent)
    lent = 0
  }
}
