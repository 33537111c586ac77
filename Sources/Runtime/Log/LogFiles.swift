internal import Console
internal import Hardware

/// The log on the storage: `log/mynah.log`, and the three before it. Storage lane only.
final class LogFiles {
  private let storage: any Storage
  /// A power cut may have left half a line.
  private var isWhole = false

  static let path = "log/mynah.log"
  /// Bytes of a file: with five crash reports all of `log/` stays below 2 MB.
  static let limit = 384 * 1024
  /// Files beside the newest.
  static let older = 3
  /// Bytes that are read of what earlier runs have left.
  private static let tailBytes = 16 * 1024

  init(_ storage: any Storage) { self.storage = storage }

  private static func files(_ storage: any Storage) -> RotatedFiles {
    RotatedFiles(storage: storage, name: "mynah", limit: limit, older: older)
  }

  /// Adds lines that end with a line feed; durable on return. On an error it may be called again with the same lines.
  func append(_ lines: [UInt8]) throws(StorageError) {
    try Self.files(storage).append(lines, endsLine: !isWhole)
    isWhole = true
  }

  /// All lines that are kept, oldest first.
  static func lines(on storage: any Storage) -> [LogLine] {
    (0...older).reversed().flatMap { number in
      ((try? storage.read(files(storage).path(number), limit: 2 * limit)) ?? []).split(separator: 10)
        .compactMap { LogLine(stamped: String(decoding: $0, as: UTF8.self)) }
    }
  }

  /// The last lines of earlier runs.
  func tail() -> [LogLine] {
    guard let file = try? storage.open(Self.path, writable: false) else { return [] }
    defer { file.close() }
    var bytes = [UInt8](repeating: 0, count: Self.tailBytes)
    let start = max(0, file.size - bytes.count)
    let count = bytes.withUnsafeMutableBytes { (try? file.read(into: $0, at: start)) ?? 0 }
    // The first may be cut.
    return bytes.prefix(count).split(separator: 10).dropFirst(start > 0 ? 1 : 0)
      .compactMap { LogLine(stamped: String(decoding: $0, as: UTF8.self)) }
  }
}
