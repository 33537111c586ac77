internal import Hardware

/// The file of an update that the device fetches: one, which grows in `cache/` and has its name only whole. Both names are
/// the device's, and nobody else can give them. Storage worker only; after a stall make the same call again.
public final class FetchedUpdate: @unchecked Sendable {
  private let root: String
  private let disk: Disk
  private var file: (any StoredFile)?

  static let name = "fetched.raucb"
  private static let path = "cache/\(name)"
  private static let part = "\(path).tmp"
  private static let synced = 1 << 20
  /// What has to be left beside the file.
  private static let margin = 1 << 20

  init(root: String, disk: Disk) { (self.root, self.disk) = (root, disk) }

  deinit { file?.close() }

  /// Bytes for which there is room beside the reserve.
  public func room() throws(LibraryError) -> Int { max(0, try disk.space().free - Self.margin) }

  /// Adds bytes at its end; at 0 it begins anew. Each megabyte is synced, so that a take never waits for more.
  public func append(_ bytes: [UInt8], at offset: Int) throws(LibraryError) {
    if offset == 0 { try removePart() }
    let file: any StoredFile
    if let open = self.file { file = open } else { file = try disk.create(Self.part) }
    self.file = file
    try disk.write(bytes, to: file, at: offset)
    if (offset + bytes.count) / Self.synced > offset / Self.synced { try disk.sync(file) }
  }

  /// All of it has come.
  ///
  /// - Returns: its whole path.
  public func finish() throws(LibraryError) -> String {
    if let file { try disk.sync(file) }
    try disk.moveIfPresent(Self.part, to: Self.path)
    try disk.syncDirectory("cache")
    file?.close()
    file = nil
    return "\(root)/\(Self.path)"
  }

  /// Nothing of it is wanted any more, whole or not.
  public func discard() throws(LibraryError) {
    try removePart()
    try disk.removeIfPresent(Self.path)
  }

  /// What was cut off goes; what is whole may be in use.
  public func removePart() throws(LibraryError) {
    file?.close()
    file = nil
    try disk.removeIfPresent(Self.part)
  }
}
