internal import CZlib

/// Files of a ustar archive (POSIX.1-1988, pax section "ustar Interchange Format") that gzip has packed (RFC 1952). Pure.
struct SpeechArchive {
  struct File: Hashable {
    /// Relative, without `.` and `..`.
    var path: String
    var range: Range<Int>
  }

  private static let block = 512
  /// More than any archive of voices unpacks to.
  private static let limit = 16 << 20

  /// The archive, unpacked; empty where `packed` is not a whole gzip file of at most 16 MiB.
  let bytes: [UInt8]
  let files: [File]

  init(packed: UnsafeRawBufferPointer) {
    bytes = Self.unpacked(packed)
    files = bytes.withUnsafeBytes(Self.files(in:))
  }

  private static func unpacked(_ packed: UnsafeRawBufferPointer) -> [UInt8] {
    // The last four bytes are the length of what is packed.
    guard packed.count > 18, packed.count <= limit else { return [] }
    let size = Int(UInt32(littleEndian: packed.loadUnaligned(fromByteOffset: packed.count - 4, as: UInt32.self)))
    var stream = z_stream()
    // 15: the largest window; 16: a head and a checksum of gzip's.
    guard size <= limit, inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return [] }
    defer { inflateEnd(&stream) }
    return [UInt8](unsafeUninitializedCapacity: size) { room, count in
      stream.next_in = UnsafeMutablePointer(mutating: packed.assumingMemoryBound(to: UInt8.self).baseAddress)
      stream.avail_in = UInt32(packed.count)
      stream.next_out = room.baseAddress
      stream.avail_out = UInt32(size)
      count = inflate(&stream, Z_FINISH) == Z_STREAM_END ? size - Int(stream.avail_out) : 0
    }
  }

  /// The regular files within `bytes`; directories follow from their paths. What is no archive has none.
  static func files(in bytes: UnsafeRawBufferPointer) -> [File] {
    var files: [File] = []
    var offset = 0
    while offset + block <= bytes.count {
      let header = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + block)])
      guard header[0] != 0, hasSum(header), let size = octal(header, 124, 12) else { break }
      let body = offset + block
      guard size <= bytes.count - body else { break }
      let kind = header[156]
      if kind == 0 || kind == 0x30, let path = path(header) {
        files.append(File(path: path, range: body..<(body + size)))
      }
      offset = body + (size + block - 1) / block * block
    }
    return files
  }

  private static func path(_ header: UnsafeRawBufferPointer) -> String? {
    let prefix = text(header, 345, 155)
    let name = text(header, 0, 100)
    let joined = prefix.isEmpty ? name : prefix + "/" + name
    let parts = joined.split(separator: "/").filter { $0 != "." }
    // Nothing may be written outside the folder.
    guard !parts.isEmpty, !joined.hasPrefix("/"), !parts.contains("..") else { return nil }
    return parts.joined(separator: "/")
  }

  private static func text(_ header: UnsafeRawBufferPointer, _ offset: Int, _ size: Int) -> String {
    String(decoding: header[offset..<(offset + size)].prefix { $0 != 0 }, as: UTF8.self)
  }

  private static func octal(_ header: UnsafeRawBufferPointer, _ offset: Int, _ size: Int) -> Int? {
    var value = 0
    var hasDigit = false
    for byte in header[offset..<(offset + size)] {
      if (0x30...0x37).contains(byte) {
        hasDigit = true
        value = value << 3 | Int(byte - 0x30)
      } else if byte != 0x20 && byte != 0 {
        return nil
      } else if hasDigit {
        break
      }
    }
    return hasDigit ? value : nil
  }

  /// The header's sum is that of its bytes with the sum's own field taken as spaces.
  private static func hasSum(_ header: UnsafeRawBufferPointer) -> Bool {
    guard let stored = octal(header, 148, 8) else { return false }
    var sum = 0
    for index in 0..<block { sum += (148..<156).contains(index) ? 0x20 : Int(header[index]) }
    return sum == stored
  }
}
