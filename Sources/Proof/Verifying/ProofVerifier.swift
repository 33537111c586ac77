public import Hardware
public import JSON

/// Compares a recording with its proof, in bounded memory and bounded steps. It reads both once, and needs nothing else.
///
/// Records are chained: the signature of the last one that counts vouches for all before it. Only where that one is bad,
/// all are checked to find the first that is. One thread.
public struct ProofVerifier {
  private enum Stage {
    case records
    case piece(PieceHash, ProofPiece)
    case rest(Rest)
  }

  private let media: any StoredFile
  private let proof: (any StoredFile)?
  private let notes: JSONValue?
  private let wanted: PublicKey?
  private var lines: LineReader?
  private var stage = Stage.records
  private var key: PublicKey?
  private var header = JSONValue.null
  private var holes: [Range<Int>] = []
  private var tree = HashTree()
  private var treeBefore = HashTree()
  /// Pieces that were compared and are as they were signed.
  private var last: ProofPiece?
  private var before: ProofPiece?
  /// A piece that is not: nothing but an end that does without it may follow.
  private var fault: (piece: ProofPiece, isShort: Bool)?
  private var end: ProofEnd?
  /// What was signed of the notes before they were dated.
  private var earlier: [String: JSONValue] = [:]
  private var isRepaired = false
  private var line: ProofLine?
  private var monotonic = Int.min

  /// - Parameters:
  ///   - proof: nil: there is none.
  ///   - notes: the file beside the recording; nil: it is not asked.
  ///   - key: only what this key has signed counts; nil: whoever signed it is named.
  public init(media: any StoredFile, proof: (any StoredFile)?, notes: JSONValue?, key: PublicKey? = nil) {
    self.media = media
    self.proof = proof
    self.notes = notes
    wanted = key
    lines = proof.map { LineReader($0) }
  }

  /// Does everything in one go.
  public mutating func run() throws(StorageError) -> ProofVerdict {
    while true {
      if let verdict = try step() { return verdict }
    }
  }

  /// Does the next piece of work. Where one throws, a new verifier begins again.
  ///
  /// - Returns: nil while there is more to do.
  public mutating func step() throws(StorageError) -> ProofVerdict? {
    var verdict = try advance()
    verdict?.key = key
    verdict?.header = header
    verdict?.end = line?.record ?? .null
    verdict?.fileBytes = media.size
    verdict?.pieces = last?.number ?? 0
    if let found = verdict, found.state == .whole { verdict?.provenBytes = media.size }
    if verdict?.provenBytes == 0 { verdict?.provenBytes = last?.to ?? 0 }
    return verdict
  }

  private mutating func advance() throws(StorageError) -> ProofVerdict? {
    switch stage {
    case .records:
      guard let bytes = try lines?.next() else { return try finish() }
      return try take(bytes)
    case .piece(var hash, let piece):
      // Nobody else holds its buffer.
      stage = .records
      guard try hash.step(media) else {
        stage = .piece(hash, piece)
        return nil
      }
      if hash.sum == piece.leaf, !hash.isShort {
        (before, last) = (last, piece)
      } else {
        fault = (piece, hash.isShort)
      }
      return nil
    case .rest(var rest):
      stage = .records
      guard try rest.step(media) else {
        stage = .rest(rest)
        return nil
      }
      return conclude(rest.sum)
    }
  }

  private var proven: Double { last?.seconds ?? 0 }

  private func changed(_ reason: String) -> ProofVerdict { ProofVerdict(.changed(at: proven), reason) }

  // MARK: Records

  private mutating func take(_ bytes: [UInt8]) throws(StorageError) -> ProofVerdict? {
    // Blocks of a file that a power cut left unwritten are zeros.
    guard let line = ProofLine(bytes) else {
      return bytes.allSatisfy { $0 == 0 } ? try finish() : try broken("A record of its proof cannot be read.")
    }
    guard key != nil else { return begin(line) }
    guard let previous = line.record["previous"]?.stringValue, let hash = self.line?.hash, previous == Hex.text(hash),
      let now = line.record["monotonic"]?.integerValue, now >= monotonic || line.record["end"] != nil
    else { return try broken("The records of its proof do not follow each other.") }
    if let end = ProofEnd(line.record) {
      return try take(end, line)
    }
    if let fault { return try fail(fault) }
    guard end == nil, let piece = ProofPiece(line.record), piece.number == tree.count + 1,
      piece.from == last?.to ?? 0, piece.seconds >= proven
    else { return try broken("A record of its proof is none that can stand there.") }
    treeBefore = tree
    tree.add(data: piece.leaf)
    guard tree.root == piece.root else { return try broken("The tree of its proof does not agree with its leaves.") }
    monotonic = now
    self.line = line
    stage = .piece(PieceHash(piece.from..<piece.to, holes: holes), piece)
    return nil
  }

  private mutating func begin(_ line: ProofLine) -> ProofVerdict? {
    guard line.record["proof"]?.integerValue == 1, let text = line.record["key"]?.stringValue,
      let key = PublicKey(text), let monotonic = line.record["monotonic"]?.integerValue
    else { return ProofVerdict(.changed(at: 0), "The first record of its proof is none.") }
    guard let holes = ProofHeader.holes(of: line.record) else {
      return ProofVerdict(.changed(at: 0), "The first record of its proof is none.")
    }
    self.holes = holes
    guard line.isSigned(by: key) else {
      return ProofVerdict(.changed(at: 0), "The first record of its proof is not signed by the key that it names.")
    }
    (self.key, header, self.line, self.monotonic) = (key, line.record, line, monotonic)
    if let wanted, wanted != key {
      return ProofVerdict(
        .unsigned, "It is signed by another key than was asked for: \(key.words.joined(separator: " ")).")
    }
    return nil
  }

  private mutating func take(_ end: ProofEnd, _ line: ProofLine) throws(StorageError) -> ProofVerdict? {
    if let fault {
      guard end.pieces == fault.piece.number - 1 else { return try fail(fault) }
    }
    if end.pieces == tree.count - 1 {
      tree = treeBefore
      if fault == nil { last = before }
      fault = nil
    }
    guard end.pieces == tree.count, end.root == tree.root, end.to == last?.to ?? 0, end.seconds >= proven else {
      return try broken("The last record of its proof does not agree with those before it.")
    }
    if end.kind == .repaired { isRepaired = true }
    // The notes are written behind the record: the power may have gone in between.
    earlier = end.kind == .dated ? self.end?.notes ?? [:] : [:]
    self.end = end
    self.line = line
    return nil
  }

  private mutating func finish() throws(StorageError) -> ProofVerdict? {
    guard key != nil else {
      return ProofVerdict(.unsigned, proof == nil ? "There is no proof beside it." : "Its proof has no whole record.")
    }
    if let fault { return try fail(fault) }
    if let bad = try unsigned() { return bad }
    guard let end else {
      return differing(header["notes"]?.objectValue ?? [:])
        ?? ProofVerdict(
          .cutOff(at: proven), "Its proof has no end: the power was cut, or somebody has removed what came behind.")
    }
    guard media.size <= end.size || end.rest == nil else {
      return changed("There are bytes behind its end.")
    }
    guard media.size >= end.size || end.rest == nil else {
      return ProofVerdict(.cutOff(at: proven), "Its file is shorter than it was.")
    }
    guard end.rest != nil else {
      return differing(end.notes)
        ?? ProofVerdict(.cutOff(at: proven), "The power was cut while marks were written into it.")
    }
    stage = .rest(Rest(from: end.to, size: end.size, holes: holes))
    return nil
  }

  /// The whole file has been read.
  private func conclude(_ rest: [UInt8]?) -> ProofVerdict {
    guard let end, rest == end.rest else {
      return changed("Its head, its tables or what lies behind the last signed piece has been changed.")
    }
    if let different = differing(end.notes) { return different }
    guard !isRepaired else {
      return ProofVerdict(
        .cutOff(at: proven),
        "The power was cut, or the card refused its end; the device completed the file afterwards, and it is as it was then."
      )
    }
    return ProofVerdict(.whole, "All of it is as it was signed.")
  }

  /// A piece is not what was signed.
  private func fail(_ fault: (piece: ProofPiece, isShort: Bool)) throws(StorageError) -> ProofVerdict {
    if let bad = try unsigned() { return bad }
    return fault.isShort && media.size < fault.piece.to
      ? ProofVerdict(.cutOff(at: proven), "Its file ends before the signed piece \(fault.piece.number) does.")
      : changed("The signed piece \(fault.piece.number) is not as it was.")
  }

  /// A record is not as it must be: where the first one is that nobody has signed.
  private func broken(_ reason: String) throws(StorageError) -> ProofVerdict { try unsigned() ?? changed(reason) }

  /// Nil if the last record that counts is signed, and with it all before it; else where signatures end.
  private func unsigned() throws(StorageError) -> ProofVerdict? {
    guard let key, let line, let proof, !line.isSigned(by: key) else { return nil }
    var reader = LineReader(proof)
    var seconds = 0.0
    while let bytes = try reader.next(), let line = ProofLine(bytes), line.isSigned(by: key) {
      if let piece = ProofPiece(line.record) { seconds = piece.seconds }
    }
    return ProofVerdict(.changed(at: min(seconds, proven)), "A record of its proof is not signed by its key.")
  }

  // MARK: Notes

  /// What of the notes beside it is not what was signed.
  private func differing(_ signed: [String: JSONValue]) -> ProofVerdict? {
    guard let notes else { return nil }
    for (path, value) in signed.sorted(by: { $0.key < $1.key }) {
      var found: JSONValue? = notes
      for name in path.split(separator: ".") { found = found?[String(name)] }
      guard let found, !Self.isSame(found, value), earlier[path].map({ !Self.isSame(found, $0) }) ?? true else {
        continue
      }
      return ProofVerdict(.changed(at: 0), "What the notes beside it say of \(path) is not what was signed.")
    }
    return nil
  }

  private static func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
    if let left = left.numberValue, let right = right.numberValue { return left == right }
    if let left = left.arrayValue, let right = right.arrayValue {
      return left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
    }
    if let left = left.objectValue, let right = right.objectValue {
      // What a later version adds is not what was signed, and no change of it.
      return right.allSatisfy { key, value in left[key].map { isSame($0, value) } ?? false }
    }
    return left == right
  }
}
