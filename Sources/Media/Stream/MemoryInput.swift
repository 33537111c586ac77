internal import CFFmpeg

/// Bytes in memory as an input of libavformat: what comes before a segment, and the segment, as if they were one file.
final class MemoryInput {
  private let head: [UInt8]
  private let body: [UInt8]
  /// Bytes of `body` that are left out at its beginning.
  private let skipped: Int
  private var place = 0
  private(set) var context: UnsafeMutablePointer<AVIOContext>?
  private static let bufferBytes = 16 << 10

  init?(head: [UInt8], body: [UInt8], skipping skipped: Int = 0) {
    self.head = head
    self.body = body
    self.skipped = skipped
    guard let buffer = av_malloc(Self.bufferBytes) else { return nil }
    // The context never outlives this object, so it may point at it without holding it.
    context = avio_alloc_context(
      buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferBytes), 0, Unmanaged.passUnretained(self).toOpaque(),
      { opaque, target, count in
        guard let opaque, let target else { return ffmpeg_error_eof() }
        return Unmanaged<MemoryInput>.fromOpaque(opaque).takeUnretainedValue().read(target, Int(count))
      }, nil,
      { opaque, offset, origin in
        guard let opaque else { return -1 }
        return Unmanaged<MemoryInput>.fromOpaque(opaque).takeUnretainedValue().seek(offset, origin)
      })
    if context == nil { av_free(buffer) }
  }

  deinit {
    guard let opened = context else { return }
    // libavformat may have put another buffer in.
    av_free(opened.pointee.buffer)
    avio_context_free(&context)
  }

  /// Whether a transport stream has packets with this identifier behind a place of it.
  func holds(transportID id: Int32, behind place: Int64) -> Bool {
    var start = max(0, Int(max(0, min(place, Int64(size)))) - head.count) + skipped
    while start + 3 * 204 < body.count {
      let size = [188, 192, 204].first { size in (0..<3).allSatisfy { body[start + $0 * size] == 0x47 } }
      if let size {
        return stride(from: start, to: body.count - 2, by: size).contains {
          Int32(body[$0 + 1] & 0x1F) << 8 | Int32(body[$0 + 2]) == id
        }
      }
      start += 1
    }
    return false
  }

  private var size: Int { head.count + body.count - skipped }

  private func read(_ target: UnsafeMutablePointer<UInt8>, _ most: Int) -> Int32 {
    let isHead = place < head.count
    let offset = isHead ? place : place - head.count + skipped
    let count = min(most, (isHead ? head.count : body.count) - offset)
    guard count > 0 else { return ffmpeg_error_eof() }
    (isHead ? head : body).withUnsafeBufferPointer { source in
      if let start = source.baseAddress { target.update(from: start + offset, count: count) }
    }
    place += count
    return Int32(count)
  }

  private func seek(_ offset: Int64, _ origin: Int32) -> Int64 {
    if origin & AVSEEK_SIZE != 0 { return Int64(size) }
    let base: Int64
    switch origin & 3 {
    case SEEK_SET: base = 0
    case SEEK_CUR: base = Int64(place)
    default: base = Int64(size)
    }
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, target >= 0 else { return -1 }
    // Behind the end is the end: damaged boxes point anywhere.
    place = Int(min(target, Int64(size)))
    return target
  }
}
