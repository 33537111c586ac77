internal import Appliance
internal import Glibc
internal import Hardware
internal import JSON
internal import Streaming
internal import Synchronization

/// The files of feeds that are on the card: each under the sum of its address, with a note beside it of its length and
/// SHA-256. What is old goes, and what was not used for longest when there is too much.
///
/// It is written on the dubbing lane; `path`, `items` and `bytes` are for any thread.
final class FeedShelf: @unchecked Sendable {
  struct Entry: Sendable {
    var item: FeedItem
    var feed: String
    var bytes: Int
    var sum: String
    var used: WallTime
    /// The file has been read, and is what the note says.
    var isChecked = false
  }

  private let folder: String
  private let clock: any DeviceClock
  private let shared = Mutex<[String: Entry]>([:])
  /// Bytes that may be kept. Dubbing lane only, as the days are.
  private(set) var most: Int
  private var days: Int

  private static let mostEntries = 1000
  /// Two addresses as long as may be, with all else that a note tells.
  private static let noteBytes = 32 << 10
  private static let sumDigits = 64
  private static let day: Int64 = 86_400 * 1_000_000_000

  init(folder: String, clock: any DeviceClock, megabytes: Int, days: Int) {
    self.folder = folder
    self.clock = clock
    most = megabytes << 20
    self.days = days
  }

  // MARK: What there is. Any thread.

  /// The file of what is at an address, if it is whole.
  func path(of address: String) -> String? {
    shared.withLock { $0[address]?.isChecked == true } ? file(of: address) : nil
  }

  /// What is kept of a feed, the newest first.
  func items(of feed: String) -> [FeedItem] {
    shared.withLock { entries in
      entries.values.filter { $0.feed == feed && $0.isChecked }.sorted {
        $0.used.nanosecondsSince1970 > $1.used.nanosecondsSince1970
      }.map(\.item)
    }
  }

  /// Bytes that are kept.
  var bytes: Int { shared.withLock { $0.values.reduce(0) { $0 + $1.bytes } } }

  /// There is a file of it, whole or not.
  func has(_ address: String) -> Bool { shared.withLock { $0[address] != nil } }

  // MARK: Dubbing lane

  func configure(megabytes: Int, days: Int) {
    (most, self.days) = (megabytes << 20, days)
    evict(for: 0)
  }

  /// What is kept is being used: it is not the first to go. One that has another length since it was read goes.
  func use(_ address: String) {
    let file = open(address)
    guard file >= 0 else { return remove(address) }
    close(file)
    let entry = shared.withLock { entries -> Entry? in
      entries[address]?.used = clock.wallNow
      return entries[address]
    }
    if let entry { _ = note(entry) }
  }

  /// A file that is being written; it has no name and no note until all of it is there.
  var partial: String { "\(folder)/part" }
  func file(of address: String) -> String { "\(folder)/\(SHA256.text(of: Array(address.utf8)))" }

  /// Makes the folder, where there is none.
  ///
  /// - Returns: false: something else is in its place.
  @discardableResult
  func makeFolder() -> Bool {
    mkdir(parent, 0o755)
    mkdir(folder, 0o755)
    return isThere
  }

  private var parent: String { folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? "." }

  /// Both are folders: a link leads to files that are not the device's, and would be taken for spoilt ones.
  private var isThere: Bool {
    [parent, folder].allSatisfy { path in
      var status = stat()
      return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
  }

  /// A new file in the folder, in the place of whatever bears its name: a pipe or a link is not written into.
  func create(_ path: String) -> Int32 {
    unlink(path)
    return Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
  }

  /// Opens what is at an address, if it is an ordinary file of the length that its note says; else -1.
  func open(_ address: String) -> Int32 {
    let file = Glibc.open(self.file(of: address), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return -1 }
    var status = stat()
    let bytes = shared.withLock { $0[address]?.bytes }
    if fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == bytes { return file }
    close(file)
    return -1
  }

  /// Takes what was written to `partial`, all of which has come.
  func take(_ item: FeedItem, of feed: String, bytes: Int, sum: String) {
    evict(for: bytes)
    let entry = Entry(item: item, feed: feed, bytes: bytes, sum: sum, used: clock.wallNow, isChecked: true)
    guard rename(partial, file(of: item.address)) == 0, note(entry) else { return remove(item.address) }
    shared.withLock { $0[item.address] = entry }
  }

  /// A file has been read whole: one that is not what its note says goes.
  func judge(_ address: String, bytes: Int?, sum: String) {
    let isWhole = shared.withLock { entries in
      guard let bytes, entries[address]?.bytes == bytes, entries[address]?.sum == sum else { return false }
      entries[address]?.isChecked = true
      return true
    }
    if !isWhole { remove(address) }
  }

  /// Finds what was kept before the start, and removes files of ours that are good for nothing: those that nothing tells
  /// of, and the part of one.
  ///
  /// - Returns: the addresses, each of which has to be checked by length and sum.
  func look() -> [String] {
    guard isThere, let directory = opendir(folder) else { return [] }
    var (notes, files): ([String], [String]) = ([], [])
    while notes.count + files.count < 4 * Self.mostEntries, let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if Self.isOurs(name) { files.append(name) }
      if name.hasSuffix(".json"), Self.isOurs(name.dropLast(5)) { notes.append(String(name.dropLast(5))) }
    }
    closedir(directory)
    discard(partial)
    var status = stat()
    for name in files where lstat("\(folder)/\(name).json", &status) != 0 { discard("\(folder)/\(name)") }
    for name in notes.sorted() {
      guard let entry = read(name) else {
        discard("\(folder)/\(name)")
        discard("\(folder)/\(name).json")
        continue
      }
      shared.withLock { $0[entry.item.address] = entry }
    }
    evict(for: 0)
    return shared.withLock { Array($0.keys) }
  }

  // MARK: Room

  /// Makes room for so many bytes more: what is old goes, then what was used longest ago.
  private func evict(for bytes: Int) {
    let now = clock.wallNow
    let limit = Int64(days) * Self.day
    let entries = shared.withLock { $0 }
    for (address, entry) in entries
    where now.isPlausible && now.nanosecondsSince1970 - entry.used.nanosecondsSince1970 > limit {
      remove(address)
    }
    while true {
      let (held, count, oldest) = shared.withLock { entries in
        (
          entries.values.reduce(0) { $0 + $1.bytes }, entries.count,
          entries.min { $0.value.used.nanosecondsSince1970 < $1.value.used.nanosecondsSince1970 }?.key
        )
      }
      guard held + bytes > most || count >= Self.mostEntries, let oldest else { return }
      remove(oldest)
    }
  }

  func remove(_ address: String) {
    shared.withLock { $0[address] = nil }
    discard(file(of: address))
    discard(file(of: address) + ".json")
  }

  /// Only what is named by a sum is; other files are somebody else's.
  private static func isOurs(_ name: some StringProtocol) -> Bool {
    name.utf8.count == sumDigits && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// Removes an ordinary file. A link, a folder or a pipe of that name is not of our making.
  private func discard(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    unlink(path)
  }

  // MARK: Notes

  private func note(_ entry: Entry) -> Bool {
    var fields: [String: JSONValue] = [
      "version": 1, "address": .string(entry.item.address), "feed": .string(entry.feed), "id": .string(entry.item.id),
      "title": .string(entry.item.title), "language": .string(entry.item.language), "bytes": .integer(entry.bytes),
      "sha256": .string(entry.sum), "used": .integer(Int(entry.used.nanosecondsSince1970 / 1_000_000_000)),
    ]
    fields["seconds"] = entry.item.seconds.map(JSONValue.number)
    let bytes = Array(JSONValue.object(fields).text.utf8)
    let path = self.file(of: entry.item.address) + ".json"
    let file = create(path)
    guard file >= 0 else { return false }
    let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    return close(file) == 0 && count == bytes.count
  }

  private func read(_ name: String) -> Entry? {
    guard let bytes = Self.contents("\(folder)/\(name).json", most: Self.noteBytes),
      let note = try? JSONValue(parsing: bytes), let address = note["address"]?.stringValue,
      AddressSyntax.isAbsolute(address, schemes: ["http", "https"]), SHA256.text(of: Array(address.utf8)) == name,
      let feed = note["feed"]?.stringValue, let id = note["id"]?.stringValue, let title = note["title"]?.stringValue,
      let sum = note["sha256"]?.stringValue,
      let length = ClaimedNumber(note["bytes"]?.integerValue).within(0...1 << 40),
      // Some two hundred and eighty years: what nanoseconds can hold.
      let used = ClaimedNumber(note["used"]?.integerValue).within(0...9_000_000_000)
    else { return nil }
    let seconds = note["seconds"]?.numberValue.flatMap { (0...1e6).contains($0) ? $0 : nil }
    return Entry(
      item: FeedItem(
        id: id.shown, title: title.shown, kind: .remote, address: address, seconds: seconds,
        language: note["language"]?.stringValue?.shown ?? ""),
      feed: feed, bytes: length, sum: sum,
      used: WallTime(nanosecondsSince1970: Int64(used) * 1_000_000_000))
  }

  private static func contents(_ path: String, most: Int) -> [UInt8]? {
    // A pipe of that name would hold up the lane.
    let file = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: most)
    let count = Glibc.read(file, &bytes, most)
    return count > 0 && count < most ? Array(bytes.prefix(count)) : nil
  }
}
