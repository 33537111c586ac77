internal import Glibc
internal import Hardware
internal import Synchronization

/// One handle of a `MemoryStorage`.
final class MemoryFile: StoredFile {
  let path: String
  private let node: MemoryStorage.Node
  private let clock: any DeviceClock
  private let isWritable: Bool

  init(path: String, node: MemoryStorage.Node, clock: any DeviceClock, isWritable: Bool) {
    self.path = path
    self.node = node
    self.clock = clock
    self.isWritable = isWritable
  }

  var size: Int { node.core.withLock { $0.bytes.count } }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    try checkWritable(offset, "write")
    guard !bytes.isEmpty else { return }
    let content = [UInt8](bytes)
    let now = clock.wallNow
    node.core.withLock { core in
      if offset == core.bytes.count {
        core.bytes += content
      } else {
        let end = offset + content.count
        if core.bytes.count < end { core.bytes += Array(repeating: 0, count: end - core.bytes.count) }
        core.bytes.replaceSubrange(offset..<end, with: content)
      }
      core.modified = now
    }
  }

  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    guard offset >= 0 else { throw StorageError(.failed, operation: "read", path: path, code: EINVAL) }
    var count = 0
    let destination = Destination(target)
    count = node.core.withLock { core in
      let count = max(0, min(destination.buffer.count, core.bytes.count - offset))
      if count > 0 {
        core.bytes.withUnsafeBytes { bytes in
          destination.buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)]))
        }
      }
      return count
    }
    return count
  }

  func truncate(to size: Int) throws(StorageError) {
    try checkWritable(size, "truncate")
    let now = clock.wallNow
    node.core.withLock { core in
      if size < core.bytes.count {
        core.bytes.removeLast(core.bytes.count - size)
      } else {
        core.bytes += Array(repeating: 0, count: size - core.bytes.count)
      }
      core.modified = now
    }
  }

  func sync() throws(StorageError) {}

  func close() {}

  private func checkWritable(_ offset: Int, _ operation: String) throws(StorageError) {
    guard isWritable else { throw StorageError(.denied, operation: operation, path: path, code: EBADF) }
    guard offset >= 0 else { throw StorageError(.failed, operation: operation, path: path, code: EINVAL) }
  }

  /// Lets a caller's buffer into the lock; it is used only during the call.
  private struct Destination: @unchecked Sendable {
    let buffer: UnsafeMutableRawBufferPointer

    init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }
  }
}
