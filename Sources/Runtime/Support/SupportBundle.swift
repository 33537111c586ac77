internal import Console
internal import Hardware
internal import Library

/// Gathers what lies on the storage behind what is known already, and writes all of it as one file, a piece at a time.
/// Storage lane only, once it is made.
final class SupportBundle: @unchecked Sendable {
  /// A document of the bundle.
  struct Document: Sendable {
    let name: String
    let lines: [String]
  }

  /// What is done in a step at most, in bytes that are read, looked through or written.
  private static let piece = 32 * 1024
  private static let longestReport = 128 * 1024
  private static let mostReports = 5
  /// The newest of the log's files, and the one before it.
  private static let logs = ["log/mynah.1.log", LogFiles.path]

  private let storage: any Storage
  private let privacy: SupportPrivacy
  private let documents: [Document]
  private var archive: TarArchive
  private var reports: [Int]?
  private var logs = SupportBundle.logs[...]
  /// The log's file that is being read: what has been made of it, and how far it is read.
  private var log: [UInt8] = []
  private var offset = 0
  private var isComplete = false
  private var file: (any StoredFile)?
  private var written = 0

  /// - Parameter time: by the wall clock, for the files' dates.
  init(_ documents: [Document], _ privacy: SupportPrivacy, storage: any Storage, time: WallTime) {
    self.documents = documents
    self.privacy = privacy
    self.storage = storage
    archive = TarArchive(time: time)
  }

  /// Does the next piece.
  ///
  /// - Returns: the bytes of the file and their sum, once it is there; nil while there is more to do.
  func step() throws(StorageError) -> (bytes: Int, sha256: String)? {
    if reports == nil {
      for document in documents { add(document.name, document.lines) }
      let names = (try? storage.list(CrashReportName.folder)) ?? []
      reports = names.compactMap { CrashReportName.number(of: $0.name) }.sorted().suffix(Self.mostReports)
    } else if let number = reports?.popLast() {
      addReport(number)
    } else if let path = logs.first {
      readLog(path)
    } else if !isComplete {
      archive.end()
      isComplete = true
    } else {
      return try write()
    }
    return nil
  }

  private func add(_ name: String, _ lines: [String]) {
    archive.add("mynah-support/\(name)", Array(lines.map { $0 + "\n" }.joined().utf8))
  }

  private func addReport(_ number: Int) {
    guard let bytes = try? storage.read(CrashReportName.path(number), limit: Self.longestReport) else { return }
    add("crash-\(number).txt", stripped(bytes))
  }

  private func readLog(_ path: String) {
    var bytes = [UInt8](repeating: 0, count: Self.piece)
    var count = 0
    if let file = try? storage.open(path, writable: false) {
      count = bytes.withUnsafeMutableBytes { (try? file.read(into: $0, at: offset)) ?? 0 }
      file.close()
    }
    // A piece ends with a line, unless it is the file's last or has none.
    let whole = count < Self.piece ? count : (bytes[..<count].lastIndex(of: 10).map { $0 + 1 } ?? count)
    log += stripped(Array(bytes[..<whole])).flatMap { Array($0.utf8) + [10] }
    offset += whole
    // A log of ours is never longer; a stranger's may have gigabytes.
    guard count < Self.piece || offset >= 2 * LogFiles.limit else { return }
    archive.add("mynah-support/\(path)", log)
    log = []
    offset = 0
    logs = logs.dropFirst()
  }

  private func stripped(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: 10).map { privacy.logged(String(decoding: $0, as: UTF8.self)).shown }
  }

  private func write() throws(StorageError) -> (bytes: Int, sha256: String)? {
    let part = SupportFile.path + ".part"
    do throws(StorageError) {
      if file == nil { file = try begin(part) }
      guard let file else { return nil }
      let end = min(written + Self.piece, archive.bytes.count)
      var failure: StorageError?
      archive.bytes[written..<end].withUnsafeBytes { bytes in
        do throws(StorageError) { try file.write(bytes, at: written) } catch { failure = error }
      }
      if let failure { throw failure }
      written = end
      guard end == archive.bytes.count else { return nil }
      try file.sync()
      file.close()
      self.file = nil
      try storage.rename(part, to: SupportFile.path)
      return (written, SHA256.text(of: archive.bytes))
    } catch {
      file?.close()
      file = nil
      try? storage.remove(part)
      throw error
    }
  }

  private func begin(_ part: String) throws(StorageError) -> any StoredFile {
    try storage.makeDirectory(SupportFile.folder)
    try? storage.remove(part)
    try? storage.remove(SupportFile.path)
    return try storage.create(part)
  }
}
