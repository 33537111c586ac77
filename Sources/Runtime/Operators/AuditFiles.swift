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
  private let files: RotatedFiles
  private var chain: AuditChain?

  init(_ storage: any Storage) {
    self.storage = storage
    files = RotatedFiles(storage: storage, name: "audit", limit: Self.limit, older: Self.older)
  }

  /// Adds entries; durable on return. On an error it may be called again with the same ones.
  func append(_ entries: [JSONValue]) throws(StorageError) {
    var next: AuditChain
    if let chain { next = chain } else { next = try mend() }
    chain = next
    try files.append(entries.flatMap { Array((next.line($0) + "\n").utf8) })
    chain = next
    // Behind by a power cut it is still a line of the log.
    try? storage.replace(Self.head, with: Array((next.head.text + "\n").utf8), isSecret: true)
  }

  /// Where the chain is, at the first line of a run. What a power cut has left of a line goes: it was never acknowledged.
  private func mend() throws(StorageError) -> AuditChain {
    let file = try files.open()
    defer { file.close() }
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

  // MARK: Looking at it

  /// Reads the whole log, a file a step.
  final class Reading {
    private let log: AuditFiles
    private var number = AuditFiles.older
    private(set) var check = AuditCheck(head: nil)
    /// The latest lines, oldest first.
    private(set) var latest: [JSONValue] = []
    private let most: Int

    /// - Parameter most: lines that are kept.
    init(_ storage: any Storage, most: Int) {
      log = AuditFiles(storage)
      self.most = most
    }

    /// - Returns: whether that was the last step.
    func step() -> Bool {
      guard number >= 0 else { return true }
      if number == AuditFiles.older { check = AuditCheck(head: log.writtenHead) }
      let bytes = (try? log.storage.read(log.files.path(number), limit: 2 * AuditFiles.limit)) ?? []
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
