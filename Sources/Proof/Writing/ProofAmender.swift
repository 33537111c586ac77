public import Hardware
public import JSON

/// Adds to the proof of a finished recording what the device does to it later: it completes its tables after a power cut,
/// rewrites its marks, dates it. Storage lane only.
///
/// It signs nothing of a recording that is not as it was signed: what somebody has changed stays changed.
public struct ProofAmender {
  private let file: any StoredFile
  private let key: DeviceKey
  private let holes: [Range<Int>]
  private let header: JSONValue
  private var last: ProofLine
  /// Where the next record goes.
  private var place: Int

  /// As far before the end of a proof its last record is looked for.
  private static let tailBytes = 2 * ProofLine.mostBytes

  /// - Parameter file: open for writing.
  /// - Returns: nil if it is no proof that this key has made.
  public init?(_ file: any StoredFile, key: DeviceKey) throws(StorageError) {
    self.file = file
    self.key = key
    var reader = LineReader(file)
    guard let first = try reader.next().flatMap({ ProofLine($0) }),
      first.record["key"]?.stringValue == key.publicKey.text, first.isSigned(by: key.publicKey),
      let holes = ProofHeader.holes(of: first.record)
    else { return nil }
    header = first.record
    self.holes = holes
    guard let (line, end) = try Self.lastLine(file), line.isSigned(by: key.publicKey) else { return nil }
    last = line
    place = end
  }

  /// What was signed last of all of it; nil: the power was cut before its end.
  private var end: ProofEnd? { ProofEnd(last.record) }

  /// Whether the recording's end was signed.
  public var isEnded: Bool { end != nil }

  /// SHA-256 of the last whole record of a proof, whoever made it; nil if there is none.
  public static func lastHash(_ file: any StoredFile) throws(StorageError) -> String? {
    try lastLine(file).map { Hex.text($0.line.hash) }
  }

  private static func lastLine(_ file: any StoredFile) throws(StorageError) -> (line: ProofLine, end: Int)? {
    let start = max(0, file.size - tailBytes)
    let tail = try file.bytes(at: start, count: file.size - start)
    guard let end = tail.lastIndex(of: ProofLine.end) else { return nil }
    let begin = tail[..<end].lastIndex(of: ProofLine.end).map { $0 + 1 } ?? 0
    guard begin > 0 || start == 0, let line = ProofLine(Array(tail[begin..<end])) else { return nil }
    return (line, start + end + 1)
  }

  /// Whether what marks are part of is as it was signed; else nothing more is signed of it.
  public func isAsSigned(_ media: any StoredFile) throws(StorageError) -> Bool {
    guard let end else { return false }
    guard let rest = end.rest else { return end.kind == .marking }
    return media.size == end.size ? try Self.rest(of: media, from: end.to, holes) == rest : false
  }

  /// Marks are about to be rewritten: durable on return.
  public mutating func announceMarks(at anchor: ProofAnchor) throws(StorageError) {
    guard var end, end.kind != .marking else { return }
    end.kind = .marking
    end.rest = nil
    try append(end, anchor)
  }

  /// Marks have been rewritten.
  public mutating func finishMarks(_ media: any StoredFile, at anchor: ProofAnchor) throws(StorageError) {
    guard var end, end.kind == .marking else { return }
    end.kind = .marked
    end.size = max(end.to, media.size)
    end.rest = try Self.rest(of: media, from: end.to, holes)
    try append(end, anchor)
  }

  /// The device has completed a file that the power had cut off. What lies behind the last signed piece stays unproven.
  public mutating func completeCutOff(
    _ media: any StoredFile, notes: [String: JSONValue], at anchor: ProofAnchor
  ) throws(StorageError) {
    guard end == nil else { return }
    let piece = ProofPiece(last.record)
    let to = piece?.to ?? 0
    guard media.size >= to else { return }
    try append(
      ProofEnd(
        kind: .repaired, pieces: piece?.number ?? 0, root: piece?.root ?? HashTree().root, to: to, size: media.size,
        rest: Self.rest(of: media, from: to, holes), seconds: piece?.seconds ?? 0, notes: notes), anchor)
  }

  /// What is written beside it is something else from now on.
  public mutating func note(_ notes: [String: JSONValue], at anchor: ProofAnchor) throws(StorageError) {
    guard var end, end.rest != nil else { return }
    end.kind = .dated
    for (path, value) in notes { end.notes[path] = value }
    try append(end, anchor)
  }

  private mutating func append(_ end: ProofEnd, _ anchor: ProofAnchor) throws(StorageError) {
    var fields = end.fields
    anchor.put(into: &fields)
    fields["previous"] = .string(Hex.text(last.hash))
    let line = ProofLine(.object(fields), signedBy: key)
    let bytes = line.bytes + [ProofLine.end]
    try file.write(bytes, at: place)
    if file.size > place + bytes.count { try file.truncate(to: place + bytes.count) }
    try file.sync()
    place += bytes.count
    last = line
  }

  private static func rest(
    of media: any StoredFile, from: Int, _ holes: [Range<Int>]
  ) throws(StorageError) -> [UInt8]? {
    var rest = Rest(from: from, size: media.size, holes: holes)
    while try !rest.step(media) {}
    return rest.sum
  }
}
