internal import Appliance
internal import Glibc
internal import Hardware
internal import JSON
internal import Synchronization

/// Items of feeds that are kept whole on the card, for when there is no network: each a file under the sum of its address,
/// with a note beside it of its length and SHA-256. What does not match its note is not played and goes; so does what is
/// old, and what was not used for longest when there is too much.
///
/// Files are fetched and written on the dubbing lane, a piece at a time; `path` and `items` are for any thread.
final class FeedCache: @unchecked Sendable {
  private struct Entry {
    var item: FeedItem
    var feed: String
    var bytes: Int
    var sum: String
    var used: WallTime
    /// The file has been read, and is what the note says.
    var isChecked = false
  }

  private struct Download {
    var item: FeedItem
    var feed: String
    var transfer: any HTTPTransfer
    var file: Int32
    var bytes = 0
    var sum = SHA256()
  }

  /// A file that is being read, to know whether it is what its note says.
  private struct Check {
    var address: String
    var file: Int32
    var bytes = 0
    var sum = SHA256()
  }

  private let folder: String
  private let network: (any Network)?
  private let clock: any DeviceClock
  private let wake: @Sendable () -> Void
  private let shared = Mutex<[String: Entry]>([:])
  private var most: Int
  private var days: Int
  private var download: Download?
  private var pending: (item: FeedItem, feed: String)?
  private var hasLooked = false
  private var checking: Check?
  private var unchecked: [String] = []

  /// Bytes that may wait to be written, and are at a time.
  private static let pieceBytes = 256 << 10
  private static let mostEntries = 1000
  private static let noteBytes = 8192
  private static let day: Int64 = 86_400 * 1_000_000_000

  init(
    folder: String, network: (any Network)?, clock: any DeviceClock, megabytes: Int, days: Int,
    wake: @escaping @Sendable () -> Void
  ) {
    self.folder = folder
    self.network = network
    self.clock = clock
    self.wake = wake
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

  // MARK: Dubbing lane

  func configure(megabytes: Int, days: Int) {
    (most, self.days) = (megabytes << 20, days)
    evict(for: 0)
  }

  /// Keeps an item, once nothing else is being fetched.
  func want(_ item: FeedItem, of feed: String) {
    guard most > 0, network != nil, !isKept(item.address) else { return }
    // Streams and lists of them have no end, or are no file.
    let path = item.address.lowercased().prefix { $0 != "?" && $0 != "#" }
    guard ![".m3u8", ".m3u", ".pls"].contains(where: { path.hasSuffix($0) }) else { return }
    if download?.item.address == item.address { return }
    rest()
    pending = (item, feed)
  }

  private func isKept(_ address: String) -> Bool { shared.withLock { $0[address] != nil } }

  /// Looks what there is, if nobody has yet.
  func open() {
    guard !hasLooked else { return }
    hasLooked = true
    look()
    wake()
  }

  /// It is not known yet of all files whether they are whole.
  var isChecking: Bool { checking != nil || !unchecked.isEmpty }

  /// What is kept is being used: it is not the first to go.
  func use(_ address: String) {
    let entry = shared.withLock { entries -> Entry? in
      entries[address]?.used = clock.wallNow
      return entries[address]
    }
    if let entry { _ = note(entry) }
  }

  /// Nothing more is fetched.
  func rest() {
    pending = nil
    abandon()
  }

  private func abandon() {
    guard let download else { return }
    download.transfer.cancel()
    close(download.file)
    unlink(partial)
    self.download = nil
  }

  func step(now: Instant) -> Instant? {
    let more = check() ? now : nil
    if let (item, feed) = pending {
      pending = nil
      begin(item, feed)
    }
    guard let transfer = download?.transfer else { return more }
    let progress = transfer.progress
    // A station has no end, and is not kept.
    if let head = transfer.head, head.length.map({ $0 > most / 2 }) ?? true {
      abandon()
      return nil
    }
    var bytes = transfer.take()
    if case .finished(let response) = progress { bytes += response.body }
    guard write(bytes) else {
      abandon()
      return nil
    }
    switch progress {
    case .running: return more ?? transfer.nextChange ?? now + .milliseconds(200)
    case .failed: abandon()
    case .finished: finish()
    }
    return nil
  }

  private func begin(_ item: FeedItem, _ feed: String) {
    guard let network else { return }
    mkdir(String(folder.prefix(through: folder.lastIndex(of: "/") ?? folder.startIndex)), 0o755)
    mkdir(folder, 0o755)
    let file = Glibc.open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { return }
    var request = HTTPRequest(url: item.address, largest: Self.pieceBytes, stallTimeout: .seconds(10))
    request.isOpenEnded = true
    download = Download(item: item, feed: feed, transfer: network.fetch(request, wake: wake), file: file)
  }

  /// - Returns: false if it cannot be written, or becomes too large.
  private func write(_ bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty, var open = download else { return true }
    guard open.bytes + bytes.count <= most / 2 else { return false }
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(open.file, $0.baseAddress?.advanced(by: done), bytes.count - done)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    open.bytes += bytes.count
    open.sum.add(bytes)
    download = open
    return true
  }

  /// All of it has come: only now has it a name and a note.
  private func finish() {
    guard let done = download else { return }
    download = nil
    let isWhole = done.transfer.head?.length.map { $0 == done.bytes } ?? false
    guard close(done.file) == 0, isWhole, done.bytes > 0 else {
      unlink(partial)
      return
    }
    evict(for: done.bytes)
    let entry = Entry(
      item: done.item, feed: done.feed, bytes: done.bytes, sum: done.sum.text, used: clock.wallNow, isChecked: true)
    guard rename(partial, file(of: done.item.address)) == 0, note(entry) else {
      remove(done.item.address)
      return
    }
    shared.withLock { $0[done.item.address] = entry }
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

  private func remove(_ address: String) {
    shared.withLock { $0[address] = nil }
    unlink(file(of: address))
    unlink(file(of: address) + ".json")
  }

  // MARK: Files

  private var partial: String { "\(folder)/part" }
  private func file(of address: String) -> String { "\(folder)/\(SHA256.text(of: Array(address.utf8)))" }

  private func note(_ entry: Entry) -> Bool {
    var fields: [String: JSONValue] = [
      "version": 1, "address": .string(entry.item.address), "feed": .string(entry.feed), "id": .string(entry.item.id),
      "title": .string(entry.item.title), "language": .string(entry.item.language), "bytes": .integer(entry.bytes),
      "sha256": .string(entry.sum), "used": .integer(Int(entry.used.nanosecondsSince1970 / 1_000_000_000)),
    ]
    fields["seconds"] = entry.item.seconds.map(JSONValue.number)
    let bytes = Array(JSONValue.object(fields).text.utf8)
    let file = Glibc.open(self.file(of: entry.item.address) + ".json", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { return false }
    let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    return close(file) == 0 && count == bytes.count
  }

  /// Finds what was kept before the start, and checks each by length and sum.
  private func look() {
    guard most > 0, let directory = opendir(folder) else { return }
    var names: [String] = []
    while names.count < 2 * Self.mostEntries, let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".json") { names.append(String(name.dropLast(5))) }
    }
    closedir(directory)
    for name in names.sorted() {
      guard let entry = read(name) else {
        unlink("\(folder)/\(name)")
        unlink("\(folder)/\(name).json")
        continue
      }
      shared.withLock { $0[entry.item.address] = entry }
    }
    evict(for: 0)
    unchecked = shared.withLock { Array($0.keys) }
  }

  private func read(_ name: String) -> Entry? {
    guard let bytes = Self.contents("\(folder)/\(name).json", most: Self.noteBytes),
      let note = try? JSONValue(parsing: bytes), let address = note["address"]?.stringValue,
      AddressSyntax.isAbsolute(address, schemes: ["http", "https"]), SHA256.text(of: Array(address.utf8)) == name,
      let feed = note["feed"]?.stringValue, let id = note["id"]?.stringValue, let title = note["title"]?.stringValue,
      let sum = note["sha256"]?.stringValue,
      let length = note["bytes"]?.integerValue,  // bounded: compared with the file's own length
      let used = note["used"]?.integerValue, (0...1 << 36).contains(used)  // bounded: some two thousand years
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
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: most)
    let count = Glibc.read(file, &bytes, most)
    return count > 0 && count < most ? Array(bytes.prefix(count)) : nil
  }

  /// Reads a piece of the next file that has not been checked; one that is not what its note says goes.
  ///
  /// - Returns: whether there is more to do.
  private func check() -> Bool {
    guard var check = checking else {
      guard let address = unchecked.popLast() else { return false }
      let file = Glibc.open(self.file(of: address), O_RDONLY | O_CLOEXEC)
      if file >= 0 { checking = Check(address: address, file: file) } else { remove(address) }
      return true
    }
    var bytes = [UInt8](repeating: 0, count: Self.pieceBytes)
    let count = Glibc.read(check.file, &bytes, bytes.count)
    if count > 0 {
      check.sum.add(count == bytes.count ? bytes : Array(bytes.prefix(count)))
      check.bytes += count
      checking = check
      return true
    }
    close(check.file)
    checking = nil
    let isWhole = shared.withLock { entries in
      guard count == 0, entries[check.address]?.bytes == check.bytes, entries[check.address]?.sum == check.sum.text
      else { return false }
      entries[check.address]?.isChecked = true
      return true
    }
    if !isWhole { remove(check.address) }
    return isChecking
  }
}
