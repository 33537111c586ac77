internal import Hardware
internal import JSON
internal import Operators

/// The audit log on the storage: `log/audit.log`, the three before it, and `log/audit.head`, which says how far it had got.
/// Storage lane only.
final class AuditFiles {
  static let path = "log/audit.log"
  private static let head = "log/audit.head"
  /// Bytes of a file.
  static let limit = 96 * 1024
  /// Files beside the newest.
  static let older = 3

  private let storage: any Storage
  private var chain: AuditChain?

  init(_ storage: any Storage) { self.storage = storage }

  static func path(_ number: Int) -> String { number == 0 ? path : "log/audit.\(number).log" }

  /// Adds entries; durable on return. On an error it may be called again with the same ones.
  func append(_ entries: [JSONValue]) throws(StorageError) {
    var file = try open()
    var next: AuditChain
    do throws(StorageError) { if let chain { next = chain } else { next = try mend(file) } } catch {
      file.close()
      throw error
    }
    chain = next
    let bytes = entries.flatMap { Array((next.line($0) + "\n").utf8) }
    if file.size > 0, file.size + bytes.count > Self.limit {
      file.close()
      try rotate()
      file = try open()
    }
    defer { file.close() }
    let end = file.size
    do throws(StorageError) {
      try Self.write(bytes, to: file, at: end)
      try file.sync()
    } catch {
      // No line stands there twice.
      try? file.truncate(to: end)
      throw error
    }
    chain = next
    // Behind by a power cut it is still a line of the log.
    try? storage.replace(Self.head, with: Array((next.head.text + "\n").utf8), isSecret: true)
  }

  private static func write(_ bytes: [UInt8], to file: any StoredFile, at end: Int) throws(StorageError) {
    var failure: StorageError?
    bytes.withUnsafeBytes { bytes in
      do throws(StorageError) { try file.write(bytes, at: end) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func open() throws(StorageError) -> any StoredFile {
    do throws(StorageError) { return try storage.open(Self.path, writable: true) } catch {
      guard error.kind == .notFound else { throw error }
    }
    try storage.makeDirectory("log")
    return try storage.create(Self.path)
  }

  /// Where the chain is, at the first line of a run. What a power cut has left of a line goes: it was never acknowledged.
  private func mend(_ file: any StoredFile) throws(StorageError) -> AuditChain {
    let bytes = try storage.read(Self.path, limit: 2 * Self.limit)
    let end = bytes.lastIndex(of: 10)
    let whole = end.map { $0 + 1 } ?? 0
    if whole < file.size { try file.truncate(to: whole) }
    let last = bytes[..<(end ?? 0)].split(separator: 10).last.map { String(decoding: $0, as: UTF8.self) }
    let chain = last.flatMap { AuditChain(at: $0) }
    // A log that ends before what was written, or with another line, shows that for good: what comes goes on behind the
    // line that is missing. The head may be behind by a power cut, and never before the log.
    guard let written = writtenHead, written != chain?.head, written.count >= chain?.head.count ?? 0 else {
      return chain ?? AuditChain()
    }
    return AuditChain(after: written)
  }

  private var writtenHead: AuditChain.Head? {
    guard let bytes = try? storage.read(Self.head, limit: 256) else { return nil }
    return AuditChain.Head(String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self))
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

  // MARK: Looking at it

  /// Reads the whole log, a file a step.
  final class Reading {
    private let storage: any Storage
    private var number = AuditFiles.older
    private(set) var check: AuditCheck
    /// The latest lines, oldest first.
    private(set) var latest: [JSONValue] = []
    private let most: Int

    /// - Parameter most: lines that are kept.
    init(_ storage: any Storage, most: Int) {
      self.storage = storage
      self.most = most
      check = AuditCheck(head: AuditFiles(storage).writtenHead)
    }

    /// - Returns: whether that was the last step.
    func step() -> Bool {
      guard number >= 0 else { return true }
      let bytes = (try? storage.read(AuditFiles.path(number), limit: 2 * AuditFiles.limit)) ?? []
      number -= 1
      // What has no line feed was never acknowledged.
      let whole = bytes.lastIndex(of: 10).map { bytes[..<$0] } ?? []
      for line in whole.split(separator: 10) {
        let text = String(decoding: line, as: UTF8.self)
        check.add(text)
        if let fields = AuditChain.fields(of: text) { latest.append(fields) }
      }
      latest.removeFirst(max(0, latest.count - most))
      if number < 0 { check.finish() }
      return number < 0
    }
  }
}
