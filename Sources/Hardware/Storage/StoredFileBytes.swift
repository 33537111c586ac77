extension StoredFile {
  /// Writes an array at `offset`.
  public func write(_ bytes: [UInt8], at offset: Int) throws(StorageError) {
    try write(bytes, bytes.indices, at: offset)
  }

  /// Writes a part of an array at `offset`.
  public func write(_ bytes: [UInt8], _ part: Range<Int>, at offset: Int) throws(StorageError) {
    let outcome: Result<Void, StorageError> = bytes.withUnsafeBytes { raw in
      do throws(StorageError) {
        try write(UnsafeRawBufferPointer(rebasing: raw[part]), at: offset)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try outcome.get()
  }

  /// Reads up to `count` bytes at `offset`; fewer only at the end of the file, none past it.
  public func bytes(at offset: Int, count: Int) throws(StorageError) -> [UInt8] {
    guard count > 0, offset >= 0, offset < size else { return [] }
    let wanted = min(count, size - offset)
    var outcome: Result<Int, StorageError> = .success(0)
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      do throws(StorageError) {
        let got = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
        filled = min(max(got, 0), wanted)
      } catch {
        outcome = .failure(error)
      }
    }
    _ = try outcome.get()
    return bytes
  }
}
