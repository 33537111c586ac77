internal import Hardware

/// What comes to one file on a stick, a piece at a time. Storage lane only.
protocol ExportStage: AnyObject {
  /// Bytes of the source, and how many of them are done.
  var size: Int { get }
  var done: Int { get }
  /// What it is called there, once it is whole.
  var nameOnStick: String { get }
  /// Does the next piece. After a stall call again.
  func step() throws(LibraryError) -> FileExport.Outcome?
  /// Leaves nothing of a file that is not complete.
  func giveUp()
}

/// One file on its way to a stick, a piece at a time. Storage lane only.
///
/// It is written under another name, made durable, read back from the medium and compared with its source, and only then
/// gets its name: whenever the stick is pulled out, what bears its name is whole. A file of the same content that is there
/// already is left as it is; one of other content keeps its name, and the new one gets a number.
final class FileExport: ExportStage {
  enum Outcome {
    case copied
    /// The same was on the stick.
    case there
  }

  private enum Stage {
    /// Looks for a name.
    case naming
    case comparing(any StoredFile)
    case writing(any StoredFile)
    case verifying(any StoredFile)
    case renaming
  }

  private let file: ExportFile
  private let disk: Disk
  private let folder: StickFolder
  private let pieces: ExportPieces
  /// The source as it was at the beginning.
  private let before: StorageEntry
  private let source: any StoredFile
  private var stage = Stage.naming
  /// Bytes of the source that the stage has done.
  private var place = 0
  private var name: NameOnStick
  private var part: String?

  /// As much goes to the stick at a time, and as much at most is waited for in a step: one sync of a gigabyte would keep
  /// whatever else the lane does waiting, and one after every piece would keep the stick waiting.
  private static let pushed = 1 << 20

  /// - Returns: nil if the source is not there, or is no file.
  init?(_ file: ExportFile, disk: Disk, folder: StickFolder, pieces: ExportPieces) throws(LibraryError) {
    guard let before = try disk.entry(file.source), before.isRegular else { return nil }
    (self.file, self.disk, self.folder, self.pieces, self.before) = (file, disk, folder, pieces, before)
    name = NameOnStick(file.name, in: folder)
    source = try disk.open(file.source, writable: false)
  }

  deinit { close() }

  var size: Int { before.size }
  var nameOnStick: String { name.tried }

  /// Bytes that are done; reading back is half of the work.
  var done: Int {
    switch stage {
    case .naming: 0
    case .comparing: place
    case .writing: place / 2
    case .verifying: (size + place) / 2
    case .renaming: size
    }
  }

  /// Does the next piece. After a stall call again.
  func step() throws(LibraryError) -> Outcome? {
    switch stage {
    case .naming: try findName()
    case .comparing(let other):
      guard place < size else { return .there }
      guard try isSame(as: other) else {
        other.close()
        name.next()
        enter(.naming)
        return nil
      }
    case .writing(let target): try write(to: target)
    case .verifying(let target):
      if place < size {
        guard try isSame(as: target) else { throw .stick(.unfaithful(file: file.name)) }
        return nil
      }
      // Somebody has changed what was being read.
      if let now = try disk.entry(file.source), now != before { throw changed }
      target.close()
      enter(.renaming)
    case .renaming:
      guard let part else { return .copied }
      guard try folder.finish(part, as: name.tried) else {
        name.next()
        return nil
      }
      self.part = nil
      return .copied
    }
    return nil
  }

  func giveUp() {
    close()
    if let part { try? folder.remove(part) }
    part = nil
  }

  private func findName() throws(LibraryError) {
    switch try name.look(for: size) {
    case nil: break
    case .alike(let other): enter(.comparing(other))
    case .free:
      let (part, target) = try folder.create(file.name, bytes: size)
      self.part = part
      enter(.writing(target))
    }
  }

  private func write(to target: any StoredFile) throws(LibraryError) {
    guard place < size else {
      try folder.perform(file.name, size) { () throws(StorageError) in try target.sync() }
      target.forgetCached()
      return enter(.verifying(target))
    }
    let piece = try readSource()
    try folder.perform(file.name, size) { () throws(StorageError) in
      try target.write(UnsafeRawBufferPointer(piece), at: place)
      if (place + piece.count) % Self.pushed == 0 { try target.pushOut(upTo: place + piece.count) }
    }
    place += piece.count
  }

  /// Compares the next piece of the source with what is on the stick.
  private func isSame(as other: any StoredFile) throws(LibraryError) -> Bool {
    let piece = try readSource()
    let read = UnsafeMutableRawBufferPointer(rebasing: pieces.second[..<piece.count])
    let count = try folder.perform(file.name, size) { () throws(StorageError) in try other.read(into: read, at: place) }
    guard count == piece.count, ExportPieces.areEqual(piece, read) else { return false }
    place += count
    return true
  }

  private func readSource() throws(LibraryError) -> UnsafeMutableRawBufferPointer {
    let piece = UnsafeMutableRawBufferPointer(rebasing: pieces.first[..<min(pieces.first.count, size - place)])
    let count: Int
    do throws(StorageError) { count = try source.read(into: piece, at: place) } catch { throw .storage(error) }
    guard count == piece.count else { throw changed }
    return piece
  }

  private var changed: LibraryError {
    .cancelled("\(file.source) has been changed while it was copied to the stick; copy it again")
  }

  private func enter(_ next: Stage) {
    stage = next
    place = 0
  }

  private func close() {
    source.close()
    switch stage {
    case .comparing(let other), .writing(let other), .verifying(let other): other.close()
    case .naming, .renaming: break
    }
  }
}

/// Two pieces of memory that an export reads into.
final class ExportPieces {
  let first = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
  let second = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)

  /// Bytes of a step.
  private static let size = 256 << 10

  deinit {
    first.deallocate()
    second.deallocate()
  }

  /// Whether two pieces of the same length have the same bytes.
  static func areEqual(_ left: UnsafeMutableRawBufferPointer, _ right: UnsafeMutableRawBufferPointer) -> Bool {
    let words = left.count / 8
    for word in 0..<words
    where left.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)
      != right.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)
    {
      return false
    }
    for place in words * 8..<left.count where left[place] != right[place] { return false }
    return true
  }
}
