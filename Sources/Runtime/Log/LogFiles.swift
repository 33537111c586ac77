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

  private static func path(_ number: Int) -> String { number == 0 ? path : "log/mynah.\(number).log" }

  /// Adds lines that end with a line feed; durable on return. On an error it may be called again with the same lines.
  func append(_ lines: [UInt8]) throws(StorageError) {
    var file = try current()
    if file.size > 0, file.size + lines.count > Self.limit {
      file.close()
      try rotate()
      file = try current()
    }
    defer { file.close() }
    var bytes = lines
    if !isWhole, file.size > 0 { bytes.insert(10, at: 0) }
    let end = file.size
    do throws(StorageError) {
      var failure: StorageError?
      bytes.withUnsafeBytes { bytes in
        do throws(StorageError) { try file.write(bytes, at: end) } catch { failure = error }
      }
      if let failure { throw failure }
      try file.sync()
    } catch {
      // No line stands there twice.
      try? file.truncate(to: end)
      throw error
    }
    isWhole = true
  }

  private func current() throws(StorageError) -> any StoredFile {
    do throws(StorageError) { return try storage.open(Self.path, writable: true) } catch {
      guard error.kind == .notFound else { throw error }
    }
    try storage.makeDirectory("log")
    return try storage.create(Self.path)
  }

  private func rotate() throws(StorageError) {
    try ifThere { () throws(StorageError) in try storage.remove(Self.path(Self.older)) }
    for number in (0..<Self.older).reversed() {
      try ifThere { () throws(StorageError) in try storage.rename(Self.path(number), to: Self.path(number + 1)) }
    }
  }

  private func ifThere(_ work: () throws(StorageError) -> Void) throws(StorageError) {
    do throws(StorageError) { try work() } catch { if error.kind != .notFound { throw error } }
  }

  /// All lines that are kept, oldest first.
  static func lines(on storage: any Storage) -> [LogLine] {
    (0...older).reversed().flatMap { number in
      ((try? storage.read(path(number), limit: 2 * limit)) ?? []).split(separator: 10)
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
