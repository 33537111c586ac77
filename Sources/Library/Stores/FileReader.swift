internal import Hardware

/// A piece of a file.
public struct FilePiece: Hashable, Sendable {
  public var data: [UInt8]
  /// Bytes in the file now.
  public var total: Int
  /// SHA-256 of the piece, in hexadecimal digits; empty where no sums were asked for.
  public var sha256: String
  /// The same of the whole file, with its last piece, when all pieces have been read from the beginning in their order.
  public var fileSHA256: String?
}

/// Reads files piece by piece, and sums up the one that is read from its beginning. Storage worker only.
final class FileReader {
  private let disk: Disk
  /// The file that was read last, where its next piece begins, how large it was, and the sum up to there.
  private var last: (path: String, end: Int, total: Int, sum: SHA256)?

  init(_ disk: Disk) { self.disk = disk }

  /// - Parameters:
  ///   - isOpen: it still grows: there is no sum of the whole.
  ///   - isSummed: without sums, it is no part of the reading in order that somebody else may be at.
  func read(
    _ path: String, offset: Int, bytes: Int, isOpen: Bool, isSummed: Bool
  ) throws(LibraryError) -> FilePiece {
    let file = try disk.open(path, writable: false)
    defer { file.close() }
    let total = file.size
    var data = [UInt8](repeating: 0, count: max(0, min(bytes, total - offset)))
    let count = data.isEmpty ? 0 : try disk.read(into: &data, from: file, at: offset)
    data.removeLast(data.count - count)
    guard isSummed else { return FilePiece(data: data, total: total, sha256: "") }
    var piece = FilePiece(data: data, total: total, sha256: SHA256.text(of: data))
    var sum: SHA256?
    if offset == 0 {
      sum = SHA256()
    } else if let last, last.path == path, last.end == offset, last.total == total {
      sum = last.sum
    }
    last = nil
    if var sum, !isOpen {
      sum.add(data)
      let end = offset + count
      if end >= total { piece.fileSHA256 = sum.text } else { last = (path, end, total, sum) }
    }
    return piece
  }
}
