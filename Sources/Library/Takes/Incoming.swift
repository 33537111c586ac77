internal import Hardware

/// A file that somebody sends, a piece at a time. It grows in `cache/`, and only whole has it a name of its own: a sound
/// in `recordings/`, where it is a stranger's like all that was not made here, an update in `cache/`. Nothing that is there
/// is overwritten. Storage worker only.
///
/// One unfinished file is kept, over a restart too: who sends it again goes on where the last synced piece ended.
public final class Incoming: @unchecked Sendable {
  /// A piece of a file.
  public struct Piece: Hashable, Sendable {
    /// What the file is called, without a folder.
    public var name: String
    /// Bytes of the whole file.
    public var total: Int
    public var offset: Int
    /// None: it is only asked how many are there.
    public var bytes: [UInt8]

    public init(name: String, total: Int, offset: Int = 0, bytes: [UInt8] = []) {
      (self.name, self.total, self.offset, self.bytes) = (name, total, offset, bytes)
    }
  }

  /// How far a file is.
  public struct Progress: Hashable, Sendable {
    /// Bytes that are there; the next piece begins here.
    public var bytes: Int
    /// Once all are: the sound's name, or the update's whole path.
    public var id: String?
  }

  private let root: String
  private let disk: Disk
  private let index: Index
  private let queue: RecoveryQueue
  private var open: (path: String, file: any StoredFile, bytes: Int)?
  /// The name that the whole file is being given.
  private var given: String?

  private static let folder = "cache"
  private static let partSuffix = ".part"
  static let updateSuffix = ".raucb"
  private static let synced = 1 << 20
  /// What has to be left beside the file.
  private static let margin = 1 << 20
  private static let largest = 1 << 40
  private static let mostNumbers = 999

  init(root: String, disk: Disk, index: Index, queue: RecoveryQueue) {
    (self.root, self.disk, self.index, self.queue) = (root, disk, index, queue)
  }

  deinit { open?.file.close() }

  /// Takes a piece if it goes on where the file is; after a stall call again.
  public func take(_ piece: Piece) throws(LibraryError) -> Progress {
    let name = try Self.name(piece.name)
    guard 1...Self.largest ~= piece.total else {
      throw .badArgument("\(name) cannot be taken: its length has to be 1 to \(Self.largest) bytes")
    }
    let path = "\(Self.folder)/\(piece.total) \(name)\(Self.partSuffix)"
    if open?.path != path { try begin(path, piece.total, name) }
    guard let part = open else { return Progress(bytes: 0) }
    if part.bytes < piece.total {
      guard piece.offset == part.bytes, !piece.bytes.isEmpty else { return Progress(bytes: part.bytes) }
      let end = min(part.bytes + piece.bytes.count, piece.total)
      try disk.write(Array(piece.bytes.prefix(end - part.bytes)), to: part.file, at: part.bytes)
      if end / Self.synced > part.bytes / Self.synced { try disk.sync(part.file) }
      open?.bytes = end
      guard end == piece.total else { return Progress(bytes: end) }
    }
    return Progress(bytes: piece.total, id: try finish(part.file, path, name))
  }

  /// The name that it gets here: without a folder, and never one that the device gives itself.
  private static func name(_ sent: String) throws(LibraryError) -> String {
    let last = sent.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
    let (stem, ending) = TakeName.split(last)
    let suffix = StickName.suffix(ending)
    var name = StickName.stem(stem) + suffix
    if TakeName.isOurs(name) || name == FetchedUpdate.name { name = "Sent " + name }
    guard suffix.lowercased() == updateSuffix || TakePath.isSound(name) else {
      throw .badArgument("\(last.shown) is no sound and no update by its name; give it the suffix of what is in it")
    }
    return name
  }

  private func begin(_ path: String, _ total: Int, _ name: String) throws(LibraryError) {
    open?.file.close()
    (open, given) = (nil, nil)
    for entry in try disk.files(Self.folder) where entry.name.hasSuffix(Self.partSuffix) {
      let other = "\(Self.folder)/\(entry.name)"
      // A bundle for support that is being written ends so, too.
      if other != path, entry.name.first?.isNumber == true { try disk.removeIfPresent(other) }
    }
    // What was not synced may be no more than a length: what lies behind the last megabyte, and that one where the end
    // came before its sync.
    let there = try disk.entry(path)?.size
    let bytes = max(0, min(there ?? 0, total - 1) / Self.synced - 1) * Self.synced
    let free = try disk.space().free
    guard free - Self.margin >= total - bytes else {
      throw .storage(
        StorageError(
          .full, operation: "be taken: \(total - bytes) bytes are to come and \(max(0, free)) are free", path: name))
    }
    open = (path, there == nil ? try disk.create(path) : try disk.open(path, writable: true), bytes)
  }

  private func finish(_ file: any StoredFile, _ path: String, _ name: String) throws(LibraryError) -> String {
    let isUpdate = name.lowercased().hasSuffix(Self.updateSuffix)
    let folder = isUpdate ? Self.folder : TakePath.recordings
    let given: String
    if let known = self.given { given = known } else { given = try free(name, in: folder) }
    try disk.sync(file)
    self.given = given
    // It has been moved before a stall, or somebody has removed it.
    if try !disk.moveIfPresent(path, to: "\(folder)/\(given)"), try disk.entry("\(folder)/\(given)") == nil {
      file.close()
      (open, self.given) = (nil, nil)
      throw .cancelled("\(name) was removed while it came; send it again")
    }
    try disk.syncDirectory(folder)
    file.close()
    (open, self.given) = (nil, nil)
    guard !isUpdate else { return "\(root)/\(folder)/\(given)" }
    if let entry = try disk.entry(TakePath.sound(given)) {
      index.show(TakeRecord(unseen: entry))
      queue.add(.look(TakePath.sound(given)))
    }
    return given
  }

  private func free(_ name: String, in folder: String) throws(LibraryError) -> String {
    for number in 1...Self.mostNumbers {
      let name = StickName.numbered(name, number)
      // What has been deleted may come back.
      if try disk.entry("\(folder)/\(name)") == nil, try disk.entry(Trash.path(name)) == nil { return name }
    }
    throw .badArgument("\(name) is there \(Self.mostNumbers) times; delete some of them")
  }
}
