public import Hardware
internal import JSON

/// The copy of the ring on the storage, `cache/ring-*.mp4`: the piece being written, and those before it, as long
/// as the ring together, each with its receipt beside it.
///
/// Storage lane only; every call may block, and may throw a stall: make the same call again then. In good order nothing of
/// it is left; of what a power cut leaves the next start makes clips.
public final class ClipSpool: @unchecked Sendable {
  static let directory = "cache"
  private static let prefix = "ring-"
  private static let suffix = ".mp4"
  /// Completed pieces, however short: a camera that comes and goes without end fills no card.
  private static let mostKept = 32

  private let disk: Disk
  private var lastNumber = 0
  /// Pieces that are being written.
  private var open: Set<String> = []
  /// Completed pieces and their seconds, oldest first.
  private var kept: [(id: String, seconds: Double)] = []
  /// Seconds that completed pieces hold together at least: the ring's.
  public var seconds = 0.0
  /// A piece between the creation of its file and that of its receipt.
  private var pending: (id: String, file: any StoredFile)?

  public init(storage: any Storage) { disk = Disk(storage) }

  static func path(_ id: String) -> String { "\(directory)/\(id)" }
  static func receipt(_ id: String) -> String { "\(directory)/\(TakeName.split(id).stem).json" }

  /// The place of a piece among those of its run; `nil` if the file is none.
  static func number(of name: String) -> Int? {
    let open = name.hasSuffix(TakeName.sealedSuffix) ? name.dropLast(TakeName.sealedSuffix.utf8.count) : name[...]
    guard open.hasPrefix(prefix), open.hasSuffix(suffix),
      let number = Int(open.dropFirst(prefix.count).dropLast(suffix.count)), self.name(number) == open
    else { return nil }
    return number > 0 ? number : nil
  }

  static func isSealed(_ id: String) -> Bool { number(of: id) != nil && id.hasSuffix(TakeName.sealedSuffix) }

  /// - Parameter isSealed: what is written into it can be read by nobody here.
  public func begin(
    createdAt: WallTime, receipt: [UInt8], isSealed: Bool = false
  ) throws(StorageError) -> (id: String, file: any StoredFile) {
    try ClipLibrary.stored { () throws(LibraryError) in
      if pending == nil {
        lastNumber += 1
        // Pieces that recovery has not come to yet are left alone.
        while try isTaken(lastNumber) { lastNumber += 1 }
        let id = Self.name(lastNumber) + (isSealed ? TakeName.sealedSuffix : "")
        pending = (id, try disk.create(Self.path(id)))
      }
      guard let new = pending else { throw .notFound("the new piece of the ring") }
      try disk.replace(Self.receipt(new.id), with: receipt)
      open.insert(new.id)
      pending = nil
      return new
    }
  }

  private static func name(_ number: Int) -> String { "\(prefix)\(number)\(suffix)" }

  private func isTaken(_ number: Int) throws(LibraryError) -> Bool {
    for end in ["", TakeName.sealedSuffix] where try disk.entry(Self.path(Self.name(number) + end)) != nil {
      return true
    }
    return false
  }

  /// Keeps a piece, and lets those before it go that the ring does not reach back to. A camera that goes, or changes its
  /// pictures, ends a piece early.
  public func complete(_ id: String, receipt: [UInt8], seconds length: Double) throws(StorageError) {
    try ClipLibrary.stored { () throws(LibraryError) in
      try disk.replace(Self.receipt(id), with: receipt)
      keep(id, length)
      // Rounding makes no piece too short.
      while kept.count > 1,
        kept.count > Self.mostKept || kept.dropFirst().reduce(0.1, { $0 + $1.seconds }) >= seconds
      {
        try remove(kept[0].id)
        kept.removeFirst()
      }
    }
  }

  public func abandon(_ id: String) { keep(id, 0) }

  private func keep(_ id: String, _ length: Double) {
    open.remove(id)
    if !kept.contains(where: { $0.id == id }) { kept.append((id, length)) }
  }

  public func discard(_ id: String) throws(StorageError) {
    try ClipLibrary.stored { () throws(LibraryError) in try remove(id) }
    open.remove(id)
  }

  /// Removes every piece of this run, the one that is being written too.
  public func clear() throws(StorageError) {
    try ClipLibrary.stored { () throws(LibraryError) in
      if let (id, file) = pending {
        file.close()
        try remove(id)
        pending = nil
      }
      while let id = kept.first?.id ?? open.first {
        try remove(id)
        kept.removeAll { $0.id == id }
        open.remove(id)
      }
    }
  }

  private func remove(_ id: String) throws(LibraryError) {
    try disk.removeIfPresent(Self.path(id))
    try disk.removeIfPresent(Self.receipt(id))
  }
}
