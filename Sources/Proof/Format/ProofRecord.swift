public import Hardware
public import JSON

/// What stands in the first record of a proof. The format is in docs/manual/proof.md.
public struct ProofHeader: Sendable {
  /// `take`, `safety`, `clip`, or `edit`: a clip made of others.
  public var kind: String
  /// File name of the recording when it was made.
  public var id: String
  /// The board file's name, the machine's model and serial number, the firmware; what is known.
  public var device: [String: String] = [:]
  public var operatorName: String?
  /// What the file of notes beside it says from the beginning, by path: `createdAt`, `audio.sampleRate`, …
  public var notes: [String: JSONValue] = [:]
  /// The recording that this one goes on from.
  public var continues: String?
  /// Of an edit: what it is made of.
  public var sources: [ProofSource] = []
  /// Ranges of the file's head that change while it grows; ascending.
  public var holes: [Range<Int>] = []
  public var anchor: ProofAnchor

  public init(kind: String, id: String, anchor: ProofAnchor) {
    self.kind = kind
    self.id = id
    self.anchor = anchor
  }

  private static let mostHoles = 64

  /// The holes that a first record tells of, one after the other; nil if it tells of what cannot be.
  static func holes(of record: JSONValue) -> [Range<Int>]? {
    var holes: [Range<Int>] = []
    for hole in record["holes"]?.arrayValue ?? [] {
      let least = holes.last?.upperBound ?? 0
      guard let lower = ClaimedNumber(hole[0]?.integerValue).within(least...ProofPiece.mostBytes),
        let upper = ClaimedNumber(hole[1]?.integerValue).within(lower...ProofPiece.mostBytes), holes.count < mostHoles
      else { return nil }
      holes.append(lower..<upper)
    }
    return holes
  }

  func record(key: PublicKey, nonce: [UInt8]) -> JSONValue {
    var object: [String: JSONValue] = [
      "proof": 1, "kind": .string(kind), "id": .string(id), "key": .string(key.text), "nonce": .string(Hex.text(nonce)),
      "device": .object(device.mapValues(JSONValue.string)), "notes": .object(notes),
      "holes": .array(holes.map { [.integer($0.lowerBound), .integer($0.upperBound)] }),
    ]
    anchor.put(into: &object)
    if let operatorName { object["operator"] = .string(operatorName) }
    if let continues { object["continues"] = .string(continues) }
    if !sources.isEmpty { object["sources"] = .array(sources.map(\.json)) }
    return .object(object)
  }
}

/// What the two clocks showed at one instant.
public struct ProofAnchor: Hashable, Sendable {
  public var monotonic: Instant
  public var wall: WallTime

  public init(monotonic: Instant, wall: WallTime) {
    self.monotonic = monotonic
    self.wall = wall
  }

  func put(into object: inout [String: JSONValue]) {
    object["monotonic"] = .integer(Int(monotonic.nanoseconds))
    object["wall"] = .integer(Int(wall.nanosecondsSince1970))
  }
}

/// A range of a signed recording that another one is made of.
public struct ProofSource: Sendable {
  public var id: String
  /// SHA-256 of the last record of its proof; nil if it has none.
  public var proof: String?
  /// What its proof said when it was used: `whole`, `cut off`, `changed`, `unsigned`.
  public var verdict: String
  /// Seconds of it; nil: all.
  public var range: Range<Double>?

  public init(id: String, proof: String?, verdict: String, range: Range<Double>?) {
    (self.id, self.proof, self.verdict, self.range) = (id, proof, verdict, range)
  }

  var json: JSONValue {
    var object: JSONValue = ["id": .string(id), "verdict": .string(verdict)]
    if let proof { object["proof"] = .string(proof) }
    if let range { object["range"] = [.number(range.lowerBound), .number(range.upperBound)] }
    return object
  }
}

/// A piece of a recording that is on the storage and stays as it is.
struct ProofPiece: Hashable {
  var number: Int
  var from: Int
  var to: Int
  /// BLAKE2b of the bytes, those in holes left out: the data of its leaf in the tree.
  var leaf: [UInt8]
  /// Of the tree with it.
  var root: [UInt8]
  /// Of media, up to its end.
  var seconds: Double

  static let mostBytes = 1 << 50
  static let mostSeconds = 3.2e9

  init(number: Int, from: Int, to: Int, leaf: [UInt8], root: [UInt8], seconds: Double) {
    (self.number, self.from, self.to, self.leaf, self.root, self.seconds) = (number, from, to, leaf, root, seconds)
  }

  /// - Returns: nil if a record is none.
  init?(_ record: JSONValue) {
    guard let number = ClaimedNumber(record["piece"]?.integerValue).within(1...ProofLine.most),
      let from = ClaimedNumber(record["from"]?.integerValue).within(0...Self.mostBytes),
      let to = ClaimedNumber(record["to"]?.integerValue).within(from...Self.mostBytes),
      let leaf = record["leaf"]?.stringValue.flatMap({ Hex.bytes($0.utf8, count: Digest.bytes) }),
      let root = record["root"]?.stringValue.flatMap({ Hex.bytes($0.utf8, count: Digest.bytes) }),
      let seconds = record["seconds"]?.numberValue, (0...Self.mostSeconds).contains(seconds)
    else { return nil }
    self.init(number: number, from: from, to: to, leaf: leaf, root: root, seconds: seconds)
  }

  var fields: [String: JSONValue] {
    [
      "piece": .integer(number), "from": .integer(from), "to": .integer(to), "leaf": .string(Hex.text(leaf)),
      "root": .string(Hex.text(root)), "seconds": .number(seconds),
    ]
  }
}

/// The whole of a recording: its pieces, and everything of the file that is in none of them.
struct ProofEnd {
  /// Why there is one: see `Kind`.
  var kind: Kind
  /// How many pieces stand, and the root over them.
  var pieces: Int
  var root: [UInt8]
  /// Where the last of them ends; behind it is the rest.
  var to: Int
  /// Of the file.
  var size: Int
  /// BLAKE2b of what lies behind the pieces, then of each hole; nil while marks are rewritten.
  var rest: [UInt8]?
  /// Of media up to which it is proven.
  var seconds: Double
  /// What the file beside it says, by path: `frames`, `audio.sampleRate`, …
  var notes: [String: JSONValue]

  enum Kind: String {
    /// The recording ended in order.
    case stopped
    /// A power cut ended it, and the device completed its tables.
    case repaired
    /// Marks in the file are about to be rewritten, and have been.
    case marking, marked
    /// The wall clock was set after the recording began.
    case dated
  }

  init(
    kind: Kind, pieces: Int, root: [UInt8], to: Int, size: Int, rest: [UInt8]?, seconds: Double,
    notes: [String: JSONValue]
  ) {
    (self.kind, self.pieces, self.root, self.to, self.size) = (kind, pieces, root, to, size)
    (self.rest, self.seconds, self.notes) = (rest, seconds, notes)
  }

  init?(_ record: JSONValue) {
    guard let kind = record["end"]?.stringValue.flatMap(Kind.init),
      let pieces = ClaimedNumber(record["pieces"]?.integerValue).within(0...ProofLine.most),
      let root = record["root"]?.stringValue.flatMap({ Hex.bytes($0.utf8, count: Digest.bytes) }),
      let to = ClaimedNumber(record["to"]?.integerValue).within(0...ProofPiece.mostBytes),
      let size = ClaimedNumber(record["size"]?.integerValue).within(to...ProofPiece.mostBytes),
      let seconds = record["seconds"]?.numberValue, (0...ProofPiece.mostSeconds).contains(seconds),
      let notes = record["notes"]?.objectValue
    else { return nil }
    let rest = record["rest"]?.stringValue.flatMap { Hex.bytes($0.utf8, count: Digest.bytes) }
    guard rest != nil || kind == .marking else { return nil }
    self.init(
      kind: kind, pieces: pieces, root: root, to: to, size: size, rest: rest, seconds: seconds, notes: notes)
  }

  var fields: [String: JSONValue] {
    var object: [String: JSONValue] = [
      "end": .string(kind.rawValue), "pieces": .integer(pieces), "root": .string(Hex.text(root)), "to": .integer(to),
      "size": .integer(size), "seconds": .number(seconds), "notes": .object(notes),
    ]
    if let rest { object["rest"] = .string(Hex.text(rest)) }
    return object
  }
}
