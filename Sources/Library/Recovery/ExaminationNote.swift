internal import Hardware

/// The file `examining`: what is being looked at, noted before it is read. A start that dies of a file leaves its name,
/// and the next one has another process look at it first; two dead starts leave the library unexamined. Storage worker
/// only.
///
/// Names are made durable some at a time; which of them is in hand is written over in place, which outlives the process
/// though not the power. A power cut, or who made the card, may name a good file: that costs it a look.
final class ExaminationNote {
  static let path = "examining"

  /// What the starts before this one have left.
  struct Past {
    /// How many in a row have ended while the library was examined, each within its first minute.
    var deaths = 0
    /// The path of the file that the last one had in hand.
    var suspect: String?
    /// The one before it had the same.
    var isCertain = false
  }

  private let disk: Disk
  private var past: Past?
  /// This start is noted; a stall on the way must not make it one of those before.
  private var isNoted = false
  private var file: (any StoredFile)?
  /// Paths that are noted; which of them is in hand.
  private var paths: [String] = []
  private var hand: String?
  /// The path that the start before was at.
  private var doubt = ""
  private var starts = 1
  private var began: Instant?

  private static let header = "mynah examining 1"
  private static let none = "----"
  /// Paths that are made durable at a time.
  static let batch = 64
  private static let largest = 1 << 20
  /// A start that has lived so long has not died of the library.
  private static let trial = Duration.seconds(60)

  init(_ disk: Disk) { self.disk = disk }

  deinit { file?.close() }

  // MARK: Starts

  /// Reads what is left of the starts before, and notes this one.
  func open() throws(LibraryError) -> Past {
    var found = past ?? Past()
    if past == nil,
      let text = try tolerant({ () throws(LibraryError) in
        String(decoding: try disk.read(Self.path, limit: Self.largest), as: UTF8.self)
      })
    {
      adopt(text.split(separator: "\n", omittingEmptySubsequences: false), &found)
    }
    starts = found.deaths + 1
    past = found
    if !isNoted { try write() }
    isNoted = true
    return found
  }

  private func adopt(_ lines: [Substring], _ found: inout Past) {
    guard lines.count >= 5, lines[0] == Self.header, let deaths = Int(lines[3]) else { return }
    found.deaths = min(max(0, deaths), 1000)
    guard let place = (ClaimedNumber(Int(lines[1])) + 5).within(5...lines.count), place < lines.count else { return }
    doubt = Self.plain(lines[place])
    found.suspect = doubt
    found.isCertain = lines[4] == lines[place]
  }

  /// This start has lived long enough.
  var hasLived: Bool { starts == 0 }

  /// Forgets the dead starts once this one has lived long enough.
  func live(_ now: Instant) throws(LibraryError) {
    guard let began else { return self.began = now }
    guard starts > 0, now - began >= Self.trial else { return }
    starts = 0
    doubt = ""
    if paths.isEmpty { try finish() } else if file != nil { try write() }
  }

  /// Nothing is left to be examined, or the run ends in order.
  func finish() throws(LibraryError) {
    guard file != nil else { return }
    _ = try tolerant { () throws(LibraryError) in try disk.removeIfPresent(Self.path) }
    file?.close()
    file = nil
    paths = []
    hand = nil
  }

  // MARK: Files

  /// Notes that a file is about to be read; durable on return.
  ///
  /// - Parameter next: what will be read after it, for they are made durable together.
  func mark(_ path: String, next: () -> [String]) throws(LibraryError) {
    guard hand != path else { return }
    hand = path
    if let index = paths.firstIndex(of: path) { return try point(to: index) }
    paths = [path] + next().filter { $0 != path }.prefix(Self.batch - 1)
    do {
      try write()
      try tolerant { () throws(LibraryError) in
        do throws(StorageError) { try file?.sync() } catch { throw .storage(error) }
        try disk.syncDirectory("")
      }
    } catch {
      hand = nil
      paths = []
      throw error
    }
  }

  /// Notes that the file in hand has been read.
  func settle() throws(LibraryError) {
    guard hand != nil else { return }
    try point(to: nil)
    hand = nil
  }

  private func point(to index: Int?) throws(LibraryError) {
    guard let file else { return }
    _ = try tolerant { () throws(LibraryError) in
      try disk.write(Array(Self.digits(index).utf8), to: file, at: Self.header.utf8.count + 1)
    }
  }

  /// Writes all of it. A storage that takes nothing is examined all the same.
  private func write() throws(LibraryError) {
    let index = hand.flatMap { paths.firstIndex(of: $0) }
    let lines = [Self.header, Self.digits(index), "", "\(starts)", Self.escaped(doubt)] + paths.map(Self.escaped)
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    _ = try tolerant { () throws(LibraryError) in
      if file == nil {
        let isNew = try disk.entry(Self.path) == nil
        file = try isNew ? disk.create(Self.path) : disk.open(Self.path, writable: true)
      }
      guard let file else { return }
      file.usesReserve = true
      try disk.write(bytes, to: file, at: 0)
      do throws(StorageError) { try file.truncate(to: bytes.count) } catch { throw .storage(error) }
    }
  }

  @discardableResult
  private func tolerant<Value>(_ body: () throws(LibraryError) -> Value) throws(LibraryError) -> Value? {
    do {
      return try body()
    } catch {
      if error.stalledUntil != nil { throw error }
      return nil
    }
  }

  // MARK: Text

  private static func digits(_ index: Int?) -> String {
    guard let index else { return none }
    let digits = String(index)
    return String(repeating: "0", count: max(0, none.utf8.count - digits.utf8.count)) + digits
  }

  private static func escaped(_ path: String) -> String {
    var line = ""
    for scalar in path.unicodeScalars {
      switch scalar {
      case "\\": line += "\\\\"
      case "\n": line += "\\n"
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  private static func plain(_ line: Substring) -> String {
    var plain = ""
    var isEscaped = false
    for character in line.unicodeScalars {
      if isEscaped {
        plain.unicodeScalars.append(character == "n" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        plain.unicodeScalars.append(character)
      }
    }
    return plain
  }
}
