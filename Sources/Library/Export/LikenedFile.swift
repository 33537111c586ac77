internal import Hardware

/// Stands in for a file that is to be written, beside one that may be the same already: what is written is compared with
/// that, and only what differs is kept, as heads do until they are completed. Takes no room anywhere. Storage lane only.
final class LikenedFile: StoredFile, @unchecked Sendable {
  let path: String
  private(set) var size = 0
  private let other: any StoredFile
  /// Pages that are not as in the other file.
  private var differing: [Int: [UInt8]] = [:]

  private static let pageBytes = 4096
  /// What differs by more than a megabyte is another file.
  private static let mostPages = 256

  init(_ other: any StoredFile) { (self.other, path) = (other, other.path) }

  /// Whether all that was written is what the other file has.
  var isSame: Bool { differing.isEmpty && size == other.size }

  /// - Throws: `failed` once it is known that the files are not the same.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    guard offset + bytes.count <= other.size else { throw isOther }
    var done = 0
    while done < bytes.count {
      let (page, start) = (offset + done).quotientAndRemainder(dividingBy: Self.pageBytes)
      let count = min(bytes.count - done, Self.pageBytes - start)
      let theirs = try theirs(page)
      var ours = differing[page] ?? theirs
      ours.replaceSubrange(start..<start + count, with: bytes[done..<done + count])
      differing[page] = ours == theirs ? nil : ours
      done += count
    }
    guard differing.count <= Self.mostPages else { throw isOther }
    size = max(size, offset + bytes.count)
  }

  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    let wanted = max(0, min(target.count, size - offset))
    var done = 0
    while done < wanted {
      let (page, start) = (offset + done).quotientAndRemainder(dividingBy: Self.pageBytes)
      let count = min(wanted - done, Self.pageBytes - start)
      let ours = if let own = differing[page] { own } else { try theirs(page) }
      UnsafeMutableRawBufferPointer(rebasing: target[done..<done + count]).copyBytes(from: ours[start..<start + count])
      done += count
    }
    return wanted
  }

  func truncate(to size: Int) throws(StorageError) {
    guard size <= self.size else { throw isOther }
    self.size = size
  }

  func sync() {}
  func close() {}

  /// A page of the other file, with zeros behind its end.
  private func theirs(_ page: Int) throws(StorageError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pageBytes, alignment: 8)
    defer { buffer.deallocate() }
    let count = try other.read(into: buffer, at: page * Self.pageBytes)
    return Array(buffer[..<count]) + [UInt8](repeating: 0, count: Self.pageBytes - count)
  }

  private var isOther: StorageError { StorageError(.failed, operation: "compare", path: path) }
}
