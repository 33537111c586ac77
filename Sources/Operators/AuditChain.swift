internal import CSodium
public import JSON

/// The lines of the audit log, each of which carries the hash of the one before: a line that is changed, taken out, put in
/// or moved breaks the chain there.
///
/// A line is 64 hexadecimal digits, a blank and a JSON object. The digits are BLAKE2b, of 32 bytes, of the object's text; its
/// `n` counts, and its `after` are the digits of the line before, 64 zeros in the first. Nobody needs more to check a log.
public struct AuditChain: Hashable, Sendable {
  /// Where a chain is: how many lines there were, and the last one's hash.
  public struct Head: Hashable, Sendable {
    public let count: Int
    public let digits: String

    public static let start = Head(count: 0, digits: String(repeating: "0", count: 64))

    public init(count: Int, digits: String) { (self.count, self.digits) = (count, digits) }

    /// `12 0123…`: what stands in `audit.head`.
    public init?(_ text: String) {
      let parts = text.split(separator: " ")
      guard parts.count == 2, parts[0].utf8.count <= 15, let count = Int(parts[0]), count >= 0,
        AuditChain.isHash(String(parts[1]).utf8)
      else { return nil }
      self.init(count: count, digits: String(parts[1]))
    }

    public var text: String { "\(count) \(digits)" }
  }

  /// The longest line in bytes.
  public static let longest = 2048

  public private(set) var head: Head

  public init(after head: Head = .start) { self.head = head }

  /// The next line, without a line feed.
  ///
  /// - Parameter fields: an object; `n` is added.
  public mutating func line(_ fields: JSONValue) -> String {
    var fields = fields
    fields["n"] = .integer(head.count + 1)
    fields["after"] = .string(head.digits)
    var text = fields.text
    if text.utf8.count > Self.longest - 65 {
      fields["with"] = "(too long)"
      text = fields.text
    }
    head = Head(count: head.count + 1, digits: Self.hash(text))
    return "\(head.digits) \(text)"
  }

  /// Goes on with a line that stands in the log.
  ///
  /// - Returns: what it says; nil if it does not belong here, and then nothing has changed.
  public mutating func follow(_ line: String) -> JSONValue? {
    guard let next = AuditChain(at: line), let fields = Self.fields(of: line),
      next.head.count == head.count + 1, fields["after"]?.stringValue == head.digits
    else { return nil }
    self = next
    return fields
  }

  /// Where a chain is whose oldest lines are gone: behind this line, if it is whole in itself.
  public init?(at line: String) {
    guard let (digits, text) = Self.parts(of: line), Self.hash(text) == digits,
      let count = Self.fields(text)?["n"]?.integerValue, (1...1 << 48).contains(count)
    else { return nil }
    head = Head(count: count, digits: digits)
  }

  /// What a line says, whether it belongs where it is or not.
  public static func fields(of line: String) -> JSONValue? { parts(of: line).flatMap { fields($0.text) } }

  private static func fields(_ text: String) -> JSONValue? {
    let document = try? JSONValue(parsing: Array(text.utf8), limits: JSONLimits(bytes: longest, depth: 8, values: 400))
    return document?.objectValue == nil ? nil : document
  }

  private static func parts(of line: String) -> (digits: String, text: String)? {
    guard line.utf8.count <= longest, line.utf8.count > 66, isHash(line.utf8.prefix(64)),
      Array(line.utf8)[64] == 0x20
    else { return nil }
    return (String(line.utf8.prefix(64)) ?? "", String(line.utf8.dropFirst(65)) ?? "")
  }

  fileprivate static func isHash(_ text: some Collection<UInt8>) -> Bool {
    text.count == 64 && text.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  private static func hash(_ text: String) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    let bytes = Array(text.utf8)
    crypto_generichash(&digest, digest.count, bytes, UInt64(bytes.count), nil, 0)
    let letters = Array("0123456789abcdef".utf8)
    return String(decoding: digest.flatMap { [letters[Int($0 >> 4)], letters[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// Looks through the lines of an audit log, oldest first, whether they are those that were written.
public struct AuditCheck: Sendable {
  /// Lines that were looked at.
  public private(set) var lines = 0
  /// What is wrong, and where; nil: nothing is.
  public private(set) var problem: String?
  private var chain: AuditChain?
  private let head: AuditChain.Head?
  private var hasPassedHead: Bool

  /// - Parameter head: where the log had got to when it was written last; nil where nothing says so.
  public init(head: AuditChain.Head?) {
    self.head = head
    hasPassedHead = head == nil || head == .start
  }

  public mutating func add(_ line: String) {
    lines += 1
    guard problem == nil else { return }
    if var known = chain {
      guard known.follow(line) != nil else {
        problem = "the line after number \(known.head.count) was changed, or lines were taken out or put in there"
        return
      }
      chain = known
    } else {
      guard let first = AuditChain(at: line) else {
        problem = "its first line was changed"
        return
      }
      chain = first
    }
    guard let head, chain?.head.count == head.count else { return }
    hasPassedHead = true
    if chain?.head != head { problem = "line \(head.count) is not the one that was written" }
  }

  /// After the last line.
  public mutating func finish() {
    guard problem == nil, !hasPassedHead, let head else { return }
    problem = "it ends with line \(chain?.head.count ?? 0), and \(head.count) were written"
  }
}
