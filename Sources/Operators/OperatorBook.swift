public import Console
public import JSON

/// Who may work with the device: what is in `operators.json`. A plain value.
public struct OperatorBook: Hashable, Sendable {
  public struct Entry: Hashable, Sendable {
    public let name: String
    public let role: Role
    /// As `PasswordHash` makes it.
    public internal(set) var hash: String
    public internal(set) var failures = Failures()
  }

  /// What is wrong with the file, or with what is asked.
  public struct Refusal: Error, Hashable, Sendable {
    public let code: FailureCode
    public let reason: String

    public init(code: FailureCode, reason: String) { (self.code, self.reason) = (code, reason) }
  }

  /// At most; a file with more is not ours.
  public static let most = 64

  /// In the order in which they were added.
  public private(set) var entries: [Entry] = []
  /// Of names that there are not.
  public private(set) var strangers = Failures()

  public init() {}

  public var isEmpty: Bool { entries.isEmpty }

  /// Whether something can be a name: 1 to 32 letters and digits of ASCII, `-`, `_` and `.`, a letter first. It goes to
  /// terminals, logs and file names as it is.
  public static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetter(first), text.utf8.count <= 32 else { return false }
    return text.utf8.allSatisfy { byte in
      isLetter(byte) || (0x30...0x39).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
    }
  }

  /// What a name is, for whoever gave one that is none.
  public static let nameRule =
    "a name has 1 to 32 letters and digits of ASCII, -, _ and . in it, and begins with a letter"

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// The one of this name, in any case.
  public func entry(_ name: String) -> Entry? { index(of: name).map { entries[$0] } }

  private func index(of name: String) -> Int? {
    let key = name.lowercased()
    return entries.firstIndex { $0.name.lowercased() == key }
  }

  /// Wrong passwords in a row for a name, whether there is such a one or not.
  public func failures(of name: String) -> Failures { entry(name)?.failures ?? strangers }

  // MARK: Changes

  /// - Parameter hash: of the password.
  public mutating func add(_ name: String, _ role: Role, hash: String) throws(Refusal) {
    guard Self.isName(name) else {
      throw Refusal(code: .badArgument, reason: Self.nameRule)
    }
    guard entry(name) == nil else {
      throw Refusal(code: .busy, reason: "there is an operator \(name) already; remove it first, or take another name")
    }
    guard !isEmpty || role == .technician else {
      throw Refusal(
        code: .badArgument,
        reason: "the first operator has to be a technician: somebody has to be able to add the others")
    }
    guard entries.count < Self.most else {
      throw Refusal(code: .storageFull, reason: "there are \(Self.most) operators already; remove one first")
    }
    entries.append(Entry(name: name, role: role, hash: hash))
  }

  /// The last of all may go; the last technician with others left may not.
  public mutating func remove(_ name: String) throws(Refusal) {
    guard let index = index(of: name) else { throw Self.nobody(name) }
    let isLastTechnician = entries.filter { $0.role == .technician }.map(\.name) == [entries[index].name]
    guard !isLastTechnician || entries.count == 1 else {
      throw Refusal(
        code: .denied, reason: "\(entries[index].name) is the only technician: remove the others first, or add another")
    }
    entries.remove(at: index)
    if entries.isEmpty { strangers = Failures() }
  }

  public mutating func setPassword(of name: String, hash: String) throws(Refusal) {
    guard let index = index(of: name) else { throw Self.nobody(name) }
    entries[index].hash = hash
    entries[index].failures = Failures()
  }

  /// Counts a guess before it is looked at: who cuts the power then has made it all the same.
  public mutating func charge(_ name: String, at time: Int) {
    if let index = index(of: name) { entries[index].failures.add(at: time) } else { strangers.add(at: time) }
  }

  /// The guess was right.
  public mutating func clear(_ name: String) {
    if let index = index(of: name) { entries[index].failures = Failures() }
  }

  private static func nobody(_ name: String) -> Refusal {
    Refusal(code: .notFound, reason: "there is no operator \(isName(name) ? name : "of this name")")
  }

  // MARK: The file

  /// `operators.json`. All of it is in order, or none is believed: who is left out of half a file could not say so.
  public init(_ document: JSONValue) throws(Refusal) {
    guard document["version"]?.integerValue == 1, let list = document["operators"]?.arrayValue,
      list.count <= Self.most
    else { throw Self.damaged("it is none of this firmware's") }
    for item in list {
      guard let name = item["name"]?.stringValue, let role = item["role"]?.stringValue.flatMap(Role.init(rawValue:)),
        let hash = item["hash"]?.stringValue, PasswordHash.isUsable(hash), Self.isName(name), entry(name) == nil
      else { throw Self.damaged("operator \(entries.count + 1) is damaged") }
      entries.append(Entry(name: name, role: role, hash: hash, failures: try Self.failures(item)))
    }
    guard entries.isEmpty || entries.contains(where: { $0.role == .technician }) else {
      throw Self.damaged("there is no technician in it")
    }
    strangers = try Self.failures(document["strangers"] ?? [:])
  }

  private static func failures(_ item: JSONValue) throws(Refusal) -> Failures {
    guard let count = (item["failures"] ?? 0).integerValue, (0...1_000_000).contains(count) else {
      throw damaged("a number of failures is damaged")
    }
    let last = item["lastFailure"]?.integerValue
    guard last.map({ (0...1 << 40).contains($0) }) ?? true else { throw damaged("a time of failure is damaged") }
    return count > 0 ? Failures(count: count, last: last) : Failures()
  }

  private static func damaged(_ reason: String) -> Refusal { Refusal(code: .internal, reason: reason) }

  public var document: JSONValue {
    [
      "version": 1,
      "operators": .array(
        entries.map {
          Self.json(
            $0.failures,
            ["name": .string($0.name), "role": .string($0.role.rawValue), "hash": .string($0.hash)])
        }), "strangers": Self.json(strangers, [:]),
    ]
  }

  private static func json(_ failures: Failures, _ rest: JSONValue) -> JSONValue {
    var json = rest
    guard failures.count > 0 else { return json }
    json["failures"] = .integer(failures.count)
    json["lastFailure"] = failures.last.map { .integer($0) }
    return json
  }
}
