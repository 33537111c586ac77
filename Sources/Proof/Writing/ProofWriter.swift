public import Hardware
public import JSON

/// Signs a recording while it is written: pieces of its file that are durable and stay as they are, a record a second.
///
/// Storage lane only. It hears what is written through `tap`, and hashes what its owner says is settled. A record is
/// written behind what it is about: whatever the power does, what is signed is there. What cannot be written waits; a
/// recording never fails by its proof.
public final class ProofWriter {
  private let open: () throws(StorageError) -> any StoredFile
  private let name: () throws(StorageError) -> Void
  private var file: (any StoredFile)?
  private let key: DeviceKey
  private let header: ProofHeader
  private var holes: [Range<Int>] = []
  /// Bytes that were written behind `covered`, which may still change.
  private var pending: [UInt8] = []
  /// Up to here the file is in the pieces, or in the one that is being made.
  private var covered = 0
  private var isHearing = true
  private var tree = HashTree()
  /// The tree without the last piece, and that piece.
  private var treeBefore = HashTree()
  private var last: ProofPiece?
  private var before: ProofPiece?
  private var digest = MediaDigest()
  /// Where the piece that is being made begins.
  private var start = 0
  /// What has happened since the last record.
  private var news: [String: [JSONValue]] = [:]
  private var previous: [UInt8]?
  /// Lines that are not written yet.
  private var waiting: [UInt8] = []
  private var written = 0
  private var isSynced = true
  private var isNamed = false
  private var rest: Rest?
  private var restSum: [UInt8]?
  private var size = 0
  private var isEnded = false
  private var isClosed = false

  /// Seconds of media from one record to the next.
  private static let interval = 1.0
  /// Marks and gaps that a record names; more of them are in the notes, which the last one covers.
  private static let mostNews = 100
  /// Bytes of lines that wait for a medium that does not take them; beyond that no more pieces are signed.
  private static let mostWaiting = 1 << 20

  /// - Parameters:
  ///   - key: the device's.
  ///   - header: complete but for `holes`.
  ///   - open: makes the proof's file, when there is something to write; called again after an error.
  ///   - name: makes its name durable; called again after an error.
  public init(
    key: DeviceKey, header: ProofHeader, open: @escaping () throws(StorageError) -> any StoredFile,
    name: @escaping () throws(StorageError) -> Void = { () throws(StorageError) in }
  ) {
    self.key = key
    self.header = header
    self.open = open
    self.name = name
  }

  // MARK: Hearing

  /// The recording's file for whoever writes it.
  public func tap(_ media: any StoredFile) -> any StoredFile { TappedFile(media, self) }

  func hear(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    let end = offset + bytes.count
    // What is rewritten in front is a hole, or the piece would show it.
    guard isHearing, end > covered else { return }
    let skipped = max(0, covered - offset)
    let place = max(0, offset - covered)
    let piece = UnsafeRawBufferPointer(rebasing: bytes[skipped...])
    if place + piece.count > pending.count {
      pending.append(contentsOf: repeatElement(0, count: place + piece.count - pending.count))
    }
    pending.withUnsafeMutableBytes { target in
      UnsafeMutableRawBufferPointer(rebasing: target[place..<place + piece.count]).copyMemory(from: piece)
    }
  }

  // MARK: Signing

  /// The recording begins: its head is on the storage.
  ///
  /// - Parameter holes: ranges of its head that will be rewritten; ascending.
  public func begin(holes: [Range<Int>]) {
    guard previous == nil else { return }
    var header = header
    header.holes = holes
    self.holes = holes
    append(header.record(key: key.publicKey, nonce: DeviceKey.random(16)))
  }

  /// Something about the recording that the next record is to name: `marks`, `gaps`.
  public func note(_ kind: String, _ what: JSONValue) {
    guard news[kind, default: []].count < Self.mostNews else { return }
    news[kind, default: []].append(what)
  }

  /// The file is durable up to `end`, and stays as it is there but for its holes. Once a second of media this becomes a
  /// record.
  ///
  /// - Parameter seconds: of media up to there.
  public func settle(to end: Int, seconds: Double, at anchor: @autoclosure () -> ProofAnchor) {
    guard isHearing, previous != nil, end > covered, end - covered <= pending.count else { return }
    cover(end - covered)
    let isDue = last.map { seconds - $0.seconds >= Self.interval } ?? (seconds > 0)
    if isDue { conclude(seconds: seconds, at: anchor()) }
  }

  /// Nothing that is written from now on is media: a last record for what is settled.
  public func stopHearing(seconds: Double, at anchor: @autoclosure () -> ProofAnchor) {
    guard isHearing else { return }
    if covered > start { conclude(seconds: seconds, at: anchor()) }
    isHearing = false
    pending = []
  }

  private func cover(_ count: Int) {
    pending.withUnsafeBytes { bytes in
      var place = 0
      for hole in holes where hole.upperBound > covered && hole.lowerBound < covered + count {
        let hidden = max(0, hole.lowerBound - covered)
        if hidden > place { digest.add(UnsafeRawBufferPointer(rebasing: bytes[place..<hidden])) }
        place = min(count, hole.upperBound - covered)
      }
      digest.add(UnsafeRawBufferPointer(rebasing: bytes[place..<count]))
    }
    pending.removeFirst(count)
    covered += count
  }

  private func conclude(seconds: Double, at anchor: ProofAnchor) {
    guard waiting.count < Self.mostWaiting, tree.count < ProofLine.most else { return }
    let leaf = digest.sum()
    treeBefore = tree
    before = last
    tree.add(data: leaf)
    let piece = ProofPiece(
      number: tree.count, from: start, to: covered, leaf: leaf, root: tree.root,
      seconds: max(seconds, last?.seconds ?? 0))
    last = piece
    start = covered
    digest = MediaDigest()
    var fields = piece.fields
    anchor.put(into: &fields)
    for (kind, list) in news { fields[kind] = .array(list) }
    news = [:]
    append(.object(fields))
  }

  private func append(_ record: JSONValue) {
    var record = record
    if let previous { record["previous"] = .string(Hex.text(previous)) }
    let line = ProofLine(record, signedBy: key)
    previous = line.hash
    waiting += line.bytes
    waiting.append(ProofLine.end)
  }

  // MARK: Writing

  /// Writes what waits and makes it durable. What throws is done again with the next call.
  public func write() throws(StorageError) {
    guard !isClosed else { return }
    if !waiting.isEmpty {
      try opened().write(waiting, at: written)
      written += waiting.count
      waiting.removeAll(keepingCapacity: true)
      isSynced = false
    }
    guard !isSynced else { return }
    try file?.sync()
    if !isNamed { try name() }
    isNamed = true
    isSynced = true
  }

  private func opened() throws(StorageError) -> any StoredFile {
    if let file { return file }
    let new = try open()
    new.usesReserve = true
    file = new
    return new
  }

  // MARK: Ending

  /// Hashes a bounded piece of what of the finished file is in no piece.
  ///
  /// - Parameter media: the recording's file, complete.
  /// - Returns: true while there is more to do.
  public func hashRest(of media: any StoredFile) throws(StorageError) -> Bool {
    guard restSum == nil, previous != nil else { return false }
    if rest == nil {
      // The end may have been cut off, or its last page been made the last one of all.
      if let piece = last, try !Self.stands(piece, in: media, holes) {
        (tree, last) = (treeBefore, before)
      }
      size = media.size
      rest = Rest(from: last?.to ?? 0, size: size, holes: holes)
    }
    guard try rest?.step(media) == true else { return true }
    restSum = rest?.sum
    return false
  }

  private static func stands(
    _ piece: ProofPiece, in media: any StoredFile, _ holes: [Range<Int>]
  ) throws(StorageError) -> Bool {
    guard piece.to <= media.size else { return false }
    var leaf = PieceHash(piece.from..<piece.to, holes: holes)
    while try !leaf.step(media) {}
    return leaf.sum == piece.leaf
  }

  /// Signs the whole of it, and closes the proof. After an error it may be called again.
  ///
  /// - Parameters:
  ///   - notes: what the file of notes beside it says, by path.
  ///   - seconds: of all media.
  ///   - facts: what else is to be known of its end, such as why.
  public func end(
    notes: [String: JSONValue], seconds: Double, facts: [String: JSONValue], at anchor: ProofAnchor
  ) throws(StorageError) {
    guard !isClosed else { return }
    if !isEnded, let restSum {
      let end = ProofEnd(
        kind: .stopped, pieces: tree.count, root: tree.root, to: last?.to ?? 0, size: size, rest: restSum,
        seconds: max(seconds, last?.seconds ?? 0), notes: notes)
      var fields = end.fields
      anchor.put(into: &fields)
      for (name, value) in facts where fields[name] == nil { fields[name] = value }
      append(.object(fields))
      isEnded = true
    }
    try write()
    close()
  }

  /// Leaves it as it is.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    file?.close()
  }
}
