internal import CSodium
public import Hardware

/// A file for tables that would outgrow memory, of which nothing can be read once it is closed: its key is never written. What
/// is written twice at a place has to be the same. Storage lane only.
public final class VeiledScratch: StoredFile, @unchecked Sendable {
  private let file: any StoredFile
  private let key = Secret.random(32)
  private static let nonce = [UInt8](repeating: 0, count: 8)
  private static let block = 64

  public init(_ file: any StoredFile) { self.file = file }

  public var path: String { file.path }
  public var size: Int { file.size }
  public var usesReserve: Bool {
    get { file.usesReserve }
    set { file.usesReserve = newValue }
  }

  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    try file.write(veiled(bytes, at: offset), at: offset)
  }

  public func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    let count = try file.read(into: target, at: offset)
    guard count > 0 else { return count }
    let text = veiled(UnsafeRawBufferPointer(rebasing: target[..<count]), at: offset)
    target.copyBytes(from: text)
    return count
  }

  private func veiled(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> [UInt8] {
    let skipped = offset % Self.block
    var text = [UInt8](repeating: 0, count: skipped) + bytes
    crypto_stream_chacha20_xor_ic(
      &text, text, UInt64(text.count), Self.nonce, UInt64(offset / Self.block), key.bytes)
    return Array(text.dropFirst(skipped))
  }

  public func truncate(to size: Int) throws(StorageError) { try file.truncate(to: size) }
  public func sync() throws(StorageError) { try file.sync() }
  public func forgetCached() { file.forgetCached() }
  public func close() { file.close() }
}
