public import Hardware

/// A file in memory. Writes can be made to fail after a budget of bytes, tearing the one that exceeds it.
public final class MemoryFile: StoredFile, @unchecked Sendable {
  public let path: String
  public var bytes: [UInt8]
  /// Bytes that may still be written before the card is full; `nil` is no limit.
  public var budget: Int?
  /// Calls that answer "stalled" before the medium answers again.
  public var stalls = 0
  public var writes: [(offset: Int, count: Int)] = []
  public var syncs = 0
  public private(set) var bytesRead = 0
  public var bytesWritten: Int { writes.reduce(0) { $0 + $1.count } }

  public init(_ bytes: [UInt8] = [], path: String = "take") {
    self.bytes = bytes
    self.path = path
  }

  public var size: Int { bytes.count }

  private func answer(_ operation: String) throws(StorageError) {
    guard stalls > 0 else { return }
    stalls -= 1
    throw StorageError(.stalled(until: .zero), operation: operation, path: path)
  }

  public func write(_ source: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    try answer("write")
    let allowed = min(source.count, budget ?? .max)
    let end = offset + allowed
    if end > bytes.count { bytes.append(contentsOf: repeatElement(0, count: end - bytes.count)) }
    bytes.withUnsafeMutableBytes { target in
      UnsafeMutableRawBufferPointer(rebasing: target[offset..<end]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: source.prefix(allowed)))
    }
    if let left = budget { budget = left - allowed }
    writes.append((offset, allowed))
    guard allowed == source.count else { throw StorageError(.full, operation: "write", path: path, code: 28) }
  }

  public func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    try answer("read")
    guard offset < bytes.count else { return 0 }
    let count = min(target.count, bytes.count - offset)
    bytesRead += count
    bytes.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count])) }
    return count
  }

  public func truncate(to size: Int) throws(StorageError) {
    try answer("truncate")
    if size < bytes.count {
      bytes.removeLast(bytes.count - size)
    } else {
      bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
    }
  }

  public func sync() throws(StorageError) {
    try answer("sync")
    syncs += 1
  }

  public func close() {}
}
