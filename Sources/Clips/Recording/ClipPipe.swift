public import Hardware
internal import Threads

/// The way of clips from the media lane to the storage lane: samples of any number of open clips and orders, in one
/// sequence.
///
/// One arena of fixed size: it is what a slow card is survived with. One writer, one reader.
public final class ClipPipe: @unchecked Sendable {
  let ring: UnsafeMutablePointer<ByteRing>

  /// - Parameter bytes: size of the arena: 10 s of pictures and sound.
  public init(bytes: Int) {
    ring = .allocate(capacity: 1)
    ring.initialize(to: ByteRing(minimumCapacity: bytes))
  }

  deinit {
    ring.deinitialize(count: 1)
    ring.deallocate()
  }

  public var capacity: Int { ring.pointee.capacity }
  /// Bytes waiting for the storage. Any thread.
  public var queuedBytes: Int { ring.pointee.readableCount }
  /// Orders ever sent. Writing thread only.
  public private(set) var ordersSent = 0
}
