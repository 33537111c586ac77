internal import Hardware

/// What a power cut leaves of changes that were not synced.
public enum PowerCutOutcome: Hashable, Sendable {
  /// Nothing of them reached the medium.
  case nothingKept
  /// Some of them did, as the seed decides: whole writes, or the first sectors of one, in any combination, as a disk
  /// that reorders its cache may leave them.
  case someKept(seed: UInt64)
}

/// The changes of one file since it was last synced, with what is needed to take them back.
struct UnsyncedChanges {
  private struct Change {
    var offset: Int
    /// New content from `offset` on, or `nil` for a change of size to `offset`.
    var written: [UInt8]?
    /// Content from `offset` on before the change.
    var previous: [UInt8]
    var previousSize: Int
  }

  /// A medium is written in sectors of this many bytes.
  private static let sector = 512
  /// With more than this kept back, the oldest changes count as written: the kernel writes back by itself.
  private static let writeBackLimit = 32 << 20

  private var changes: [Change] = []
  private var bytes = 0

  var isEmpty: Bool { changes.isEmpty }

  /// Notes a write that is about to happen.
  mutating func noteWrite(of written: [UInt8], at offset: Int, in file: any StoredFile) throws(StorageError) {
    let overlap = max(0, min(written.count, file.size - offset))
    let previous = try Self.content(of: file, at: offset, count: overlap)
    append(Change(offset: offset, written: written, previous: previous, previousSize: file.size))
  }

  /// Notes a truncation or extension that is about to happen.
  mutating func noteResize(to size: Int, of file: any StoredFile) throws(StorageError) {
    let previous = try Self.content(of: file, at: size, count: max(0, file.size - size))
    append(Change(offset: size, written: nil, previous: previous, previousSize: file.size))
  }

  /// Forgets the last change, which did not happen after all.
  mutating func dropLast() {
    if let last = changes.popLast() { bytes -= Self.cost(last) }
  }

  /// Everything is durable.
  mutating func clear() {
    changes = []
    bytes = 0
  }

  /// Takes the changes back, except those that `outcome` keeps, and syncs the file.
  mutating func rollBack(_ file: any StoredFile, _ outcome: PowerCutOutcome) throws(StorageError) {
    for change in changes.reversed() {
      try file.put(change.previous, at: change.offset)
      try file.truncate(to: change.previousSize)
    }
    if case .someKept(let seed) = outcome {
      var random = SeededGenerator(seed: seed)
      for change in changes {
        let choice = random.next() % 4
        guard choice > 1 else { continue }
        guard let written = change.written else {
          try file.truncate(to: change.offset)
          continue
        }
        let sectors = (written.count + Self.sector - 1) / Self.sector
        let kept = choice == 2 ? sectors : Int(random.next() % UInt64(sectors + 1))
        try file.put(Array(written.prefix(kept * Self.sector)), at: change.offset)
      }
    }
    try file.sync()
    clear()
  }

  private mutating func append(_ change: Change) {
    changes.append(change)
    bytes += Self.cost(change)
    while bytes > Self.writeBackLimit, changes.count > 1 { bytes -= Self.cost(changes.removeFirst()) }
  }

  private static func cost(_ change: Change) -> Int { change.previous.count + (change.written?.count ?? 0) + 64 }

  private static func content(
    of file: any StoredFile, at offset: Int, count: Int
  ) throws(StorageError) -> [UInt8] {
    guard count > 0 else { return [] }
    var content = [UInt8](repeating: 0, count: count)
    let got = try content.withUnsafeMutableBufferPointer { buffer throws(StorageError) in
      try file.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
    }
    content.removeLast(count - got)
    return content
  }
}

extension StoredFile {
  /// Writes an array; an empty one changes nothing.
  func put(_ bytes: [UInt8], at offset: Int) throws(StorageError) {
    guard !bytes.isEmpty else { return }
    try bytes.withUnsafeBufferPointer { buffer throws(StorageError) in
      try write(UnsafeRawBufferPointer(buffer), at: offset)
    }
  }
}
