internal import Hardware
public import JSON

/// Reads a receipt a piece at a time, for it may be a stranger's, or that of a clip to which much has happened.
///
/// Storage worker only. After a stall the same step is made again.
public final class ReceiptReading {
  private let disk: Disk
  private let path: String
  private var file: (any StoredFile)?
  private var bytes: [UInt8] = []
  private var reader: JSONReader?

  /// Bytes of a step: a millisecond or two of a small board's processor.
  private static let piece = 32 << 10
  /// Those of the longest clips, with a thousand gaps and as many triggers, are a quarter of it.
  static let largest = 1 << 20
  /// A value takes up to a hundred and fifty bytes of memory.
  static let mostValues = 50_000

  init(_ disk: Disk, _ path: String) {
    self.disk = disk
    self.path = path
  }

  deinit { file?.close() }

  /// - Returns: the receipt, when it has been read to its end; not to be called again then.
  public func step() throws(LibraryError) -> JSONValue? {
    guard reader != nil else {
      if try readPiece() {
        try parse { () throws(JSONError) in
          reader = try JSONReader(
            bytes, limits: JSONLimits(bytes: Self.largest, depth: 32, values: Self.mostValues))
        }
        bytes = []
      }
      return nil
    }
    return try parse { () throws(JSONError) in try reader?.step(bytes: Self.piece) }
  }

  /// - Returns: whether all is read.
  private func readPiece() throws(LibraryError) -> Bool {
    let file: any StoredFile
    if let open = self.file { file = open } else { file = try disk.open(path, writable: false) }
    self.file = file
    guard file.size <= Self.largest else {
      throw .unreadable(path: path, reason: "it has \(file.size) bytes, and no receipt is longer than \(Self.largest)")
    }
    var piece = [UInt8](repeating: 0, count: min(Self.piece, max(0, file.size - bytes.count)))
    let count = piece.isEmpty ? 0 : try disk.read(into: &piece, from: file, at: bytes.count)
    bytes += piece.prefix(count)
    guard count == 0 || bytes.count >= file.size else { return false }
    file.close()
    self.file = nil
    return true
  }

  private func parse<Result>(_ body: () throws(JSONError) -> Result) throws(LibraryError) -> Result {
    do throws(JSONError) {
      return try body()
    } catch {
      throw .unreadable(path: path, reason: "\(error)")
    }
  }
}
