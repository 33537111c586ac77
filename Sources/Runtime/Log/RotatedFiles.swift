internal import Hardware

/// A file of lines in `log/` that goes on in a new one when it is full, and some of those before it. Storage lane only.
struct RotatedFiles {
  let storage: any Storage
  /// Of the newest without its suffix; those before it have a number, too.
  let name: String
  /// Bytes of a file.
  let limit: Int
  /// Files beside the newest.
  let older: Int

  /// 0 is the newest.
  func path(_ number: Int) -> String { number == 0 ? "log/\(name).log" : "log/\(name).\(number).log" }

  /// Adds lines that end with a line feed; durable on return. On an error none of them is there.
  ///
  /// - Parameter endsLine: what is there may end in half a line.
  func append(_ lines: [UInt8], endsLine: Bool = false) throws(StorageError) {
    var file = try open()
    if file.size > 0, file.size + lines.count > limit {
      file.close()
      try rotate()
      file = try open()
    }
    defer { file.close() }
    let end = file.size
    let bytes = endsLine && end > 0 ? [10] + lines : lines
    do throws(StorageError) {
      try file.write(bytes, at: end)
      try file.sync()
    } catch {
      // No line stands there twice.
      try? file.truncate(to: end)
      throw error
    }
  }

  /// The newest, made if it is not there.
  func open() throws(StorageError) -> any StoredFile {
    do throws(StorageError) { return try storage.open(path(0), writable: true) } catch {
      guard error.kind == .notFound else { throw error }
    }
    try storage.makeDirectory("log")
    return try storage.create(path(0))
  }

  private func rotate() throws(StorageError) {
    try ifThere { () throws(StorageError) in try storage.remove(path(older)) }
    for number in (0..<older).reversed() {
      try ifThere { () throws(StorageError) in try storage.rename(path(number), to: path(number + 1)) }
    }
  }

  private func ifThere(_ work: () throws(StorageError) -> Void) throws(StorageError) {
    do throws(StorageError) { try work() } catch { if error.kind != .notFound { throw error } }
  }
}
