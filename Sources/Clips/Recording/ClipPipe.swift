internal import Hardware
internal import Media
internal import Threads

/// How a clip begins: everything the storage lane needs to make its file.
struct ClipOpening: Sendable {
  var clip: Int
  var description: ClipFileDescription
  /// What is known so far.
  var receipt: ClipReceipt
  /// Pictures come so seldom that each is written at once.
  var isSlow = false
  /// A piece of the spool.
  var isSpool = false
}

/// How a clip ends.
struct ClipEnding: Sendable {
  var clip: Int
  /// Ticks from the first picture in the file at which the last one ends.
  var endTick: Int
  /// Frames of sound.
  var frames: Int
  var receipt: ClipReceipt
}

/// Pictures of which the last is to be kept as a JPEG.
struct SnapshotOrder: Sendable {
  /// Pictures from the keyframe on that the wanted one is decoded from.
  var pictures: [[UInt8]]
  var codec: VideoCodec
  var takenAt: WallTime
}

/// What travels through the pipe beside samples.
enum ClipOrder: Sendable {
  case begin(ClipOpening)
  case end(ClipEnding)
  case snapshot(SnapshotOrder)
  /// The spool is not needed any more.
  case clearSpool
}

/// The way of clips from the media lane to the storage lane: samples of any number of open clips and orders, in one
/// sequence.
///
/// One arena of fixed size: it is what a slow card is survived with, together with the ring. Pictures leave room in it
/// for the sound of a stall, for sound is not held anywhere else for long. One writer, one reader.
public final class ClipPipe: @unchecked Sendable {
  /// What the storage lane takes out.
  enum Item {
    case order(ClipOrder)
    /// A sample, now in `sample`.
    case picture(clip: Int, tick: Int, isKeyframe: Bool)
    case sound(clip: Int)
  }

  private enum Kind: UInt8 {
    case order
    case picture
    case keyframe
    case sound
  }

  private struct Header {
    var kind: UInt8 = 0
    var clip: Int32 = 0
    var count: Int32 = 0
    var tick: Int64 = 0
  }

  private let ring: UnsafeMutablePointer<ByteRing>
  private let orders = Mailbox<ClipOrder>()
  /// Orders that found no room. Writing thread only.
  private var backlog: [ClipOrder] = []
  /// Orders taken from the mailbox and not handed out yet. Reading thread only.
  private var waiting: [ClipOrder] = []
  private var scratch: UnsafeMutableRawBufferPointer
  /// The sample that `next` found last; valid until it is called again. Reading thread only.
  private(set) var sample = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Orders ever sent. Writing thread only.
  public private(set) var ordersSent = 0

  private var hasMemory = false

  private static let headerBytes = MemoryLayout<Header>.size
  private static let orderRoom = 4096
  private static let minimumBytes = 256 << 10
  /// What pictures leave for sound: 10 s at 192 kbit/s, or a quarter of a small arena.
  private let soundReserve: Int

  /// - Parameter bytes: size of the arena: 10 s of pictures and sound. Rounded up to a power of two.
  public init(bytes: Int) {
    ring = .allocate(capacity: 1)
    ring.initialize(to: ByteRing(reservingCapacity: max(bytes, Self.minimumBytes)))
    soundReserve = min(ring.pointee.capacity / 4, 320 << 10)
    scratch = .allocate(byteCount: 64 << 10, alignment: 16)
  }

  deinit {
    ring.deinitialize(count: 1)
    ring.deallocate()
    scratch.deallocate()
  }

  /// Has the arena's memory before clips are made, so that none waits for it later. Writing thread only; takes some ms.
  func occupy() {
    ring.pointee.occupy()
    hasMemory = true
  }

  /// Gives the arena's memory back once everything in it is stored. Writing thread only.
  func vacate() {
    guard hasMemory, queuedBytes == 0 else { return }
    ring.pointee.vacate()
    hasMemory = false
  }

  public var capacity: Int { ring.pointee.capacity }
  /// Bytes waiting for the storage. Any thread.
  public var queuedBytes: Int { ring.pointee.readableCount }

  // MARK: The media lane's end

  /// Whether a picture of so many bytes can ever go through.
  func canCarry(picture bytes: Int) -> Bool { bytes + Self.headerBytes + soundReserve <= capacity }

  func hasRoom(picture bytes: Int) -> Bool {
    sendBacklog()
    return backlog.isEmpty && ring.pointee.writableCount >= bytes + Self.headerBytes + soundReserve
  }

  func hasRoom(soundUnits units: Int, largest: Int) -> Bool {
    sendBacklog()
    return backlog.isEmpty && ring.pointee.writableCount >= units * (largest + Self.headerBytes) + Self.orderRoom
  }

  /// Appends a picture as it is to be in the file: H.264 with lengths for start codes. The caller has asked `hasRoom`.
  func append(picture: UnsafeRawBufferPointer, codec: VideoCodec, clip: Int, tick: Int, isKeyframe: Bool, bytes: Int) {
    var header = Header(
      kind: (isKeyframe ? Kind.keyframe : .picture).rawValue, clip: Int32(truncatingIfNeeded: clip),
      count: Int32(truncatingIfNeeded: bytes), tick: Int64(tick))
    _ = ring.pointee.write(&header, count: Self.headerBytes)
    guard codec == .h264 else {
      if let base = picture.baseAddress { _ = ring.pointee.write(base, count: bytes) }
      return
    }
    // In pieces: the reader waits for the whole record by looking at the count.
    AnnexB.forEachUnit(in: picture) { kind, unit in
      guard AnnexB.isKept(kind), let base = unit.baseAddress else { return }
      var length = UInt32(truncatingIfNeeded: unit.count).bigEndian
      _ = ring.pointee.write(&length, count: 4)
      _ = ring.pointee.write(base, count: unit.count)
    }
  }

  func append(sound unit: UnsafeRawBufferPointer, clip: Int) {
    guard let base = unit.baseAddress else { return }
    var header = Header(
      kind: Kind.sound.rawValue, clip: Int32(truncatingIfNeeded: clip), count: Int32(truncatingIfNeeded: unit.count))
    _ = ring.pointee.write(&header, count: Self.headerBytes)
    _ = ring.pointee.write(base, count: unit.count)
  }

  /// Appends an order. What a stuck storage lets pile up waits outside of the arena.
  func append(_ order: ClipOrder) {
    backlog.append(order)
    sendBacklog()
  }

  /// Sends the orders that found no room, as far as there is some now.
  func sendBacklog() {
    while !backlog.isEmpty, ring.pointee.writableCount >= Self.headerBytes {
      orders.post(backlog.removeFirst())
      ordersSent += 1
      var header = Header(kind: Kind.order.rawValue)
      _ = ring.pointee.write(&header, count: Self.headerBytes)
    }
  }

  // MARK: The storage lane's end

  /// Takes the next item out, if a whole one is there.
  func next() -> Item? {
    var header = Header()
    guard ring.pointee.peek(into: &header, count: Self.headerBytes) == Self.headerBytes else { return nil }
    let count = Int(header.count)
    guard ring.pointee.readableCount >= Self.headerBytes + count else { return nil }
    _ = ring.pointee.read(into: &header, count: Self.headerBytes)
    guard let kind = Kind(rawValue: header.kind), kind != .order else {
      if waiting.isEmpty { waiting = orders.drain() }
      return waiting.isEmpty ? nil : .order(waiting.removeFirst())
    }
    if scratch.count < count {
      scratch.deallocate()
      scratch = .allocate(byteCount: count * 2, alignment: 16)
    }
    if let base = scratch.baseAddress, count > 0 { _ = ring.pointee.read(into: base, count: count) }
    sample = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(scratch)[..<count])
    let clip = Int(header.clip)
    if kind == .sound { return .sound(clip: clip) }
    return .picture(clip: clip, tick: Int(header.tick), isKeyframe: kind == .keyframe)
  }
}
