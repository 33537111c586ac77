internal import Appliance
internal import Glibc
internal import Hardware
internal import Media

/// Keeps items of feeds whole on the card, for when there is no network: fetches what plays, and checks what was kept
/// before the start. Files are read and written a piece at a time. Dubbing lane only; the shelf says what is there.
final class FeedCache: @unchecked Sendable {
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

  /// What is there. Any thread.
  let shelf: FeedShelf
  private let network: (any Network)?
  private let wake: @Sendable () -> Void
  private var download: Download?
  private var pending: (item: FeedItem, feed: String)?
  private var hasLooked = false
  private var checking: Check?
  private var unchecked: [String] = []

  /// Bytes that may wait to be written, and are at a time.
  private static let pieceBytes = 256 << 10

  init(_ shelf: FeedShelf, network: (any Network)?, wake: @escaping @Sendable () -> Void) {
    self.shelf = shelf
    self.network = network
    self.wake = wake
  }

  /// Keeps an item, once nothing else is being fetched.
  func want(_ item: FeedItem, of feed: String) {
    guard shelf.most > 0, network != nil, !shelf.has(item.address) else { return }
    // Streams and lists of them have no end, or are no file.
    let path = item.address.lowercased().prefix { $0 != "?" && $0 != "#" }
    guard ![".m3u8", ".m3u", ".pls"].contains(where: { path.hasSuffix($0) }) else { return }
    if download?.item.address == item.address { return }
    rest()
    pending = (item, feed)
  }

  /// Looks what there is, if nobody has yet.
  func open() {
    guard !hasLooked else { return }
    hasLooked = true
    unchecked = shelf.look()
    wake()
  }

  /// It is not known yet of all files whether they are whole.
  var isChecking: Bool { checking != nil || !unchecked.isEmpty }

  /// Nothing more is fetched.
  func rest() {
    pending = nil
    abandon()
  }

  /// - Returns: when to call again at the latest.
  func step(now: Instant) -> Instant? {
    check()
    let next = fetch(now: now)
    return isChecking ? now : next
  }

  // MARK: Fetching

  private func fetch(now: Instant) -> Instant? {
    if let (item, feed) = pending {
      pending = nil
      begin(item, feed)
    }
    guard let transfer = download?.transfer else { return nil }
    let progress = transfer.progress
    // A station has no end, and is not kept.
    let isTooLong = transfer.head.map { head in head.length.map { $0 > shelf.most / 2 } ?? true } ?? false
    var bytes = transfer.take()
    if case .finished(let response) = progress { bytes += response.body }
    guard !isTooLong, isFile(bytes, transfer.head), write(bytes) else {
      abandon()
      return nil
    }
    switch progress {
    case .running: return transfer.nextChange ?? now + .milliseconds(200)
    case .failed: abandon()
    case .finished: finish()
    }
    return nil
  }

  /// Whether what begins like this is a file that can be played: a stream's list has no address of its own kind always,
  /// and a network that wants a password first answers with a page for people.
  private func isFile(_ bytes: [UInt8], _ head: HTTPHead?) -> Bool {
    guard let download, download.bytes == 0, !bytes.isEmpty else { return true }
    // Behind a tag with pictures in it, which is longer than what has come, is sound.
    return head?.isCompressed != true
      && (bytes.starts(with: "ID3".utf8)
        || SoundStream.Kind(beginning: bytes, contentType: head?.contentType ?? "") != nil)
  }

  private func begin(_ item: FeedItem, _ feed: String) {
    guard let network else { return }
    guard shelf.makeFolder() else { return }
    let file = shelf.create(shelf.partial)
    guard file >= 0 else { return }
    var request = HTTPRequest(url: item.address, largest: Self.pieceBytes, stallTimeout: .seconds(10))
    request.isOpenEnded = true
    download = Download(item: item, feed: feed, transfer: network.fetch(request, wake: wake), file: file)
  }

  private func abandon() {
    guard let download else { return }
    download.transfer.cancel()
    close(download.file)
    unlink(shelf.partial)
    self.download = nil
  }

  /// - Returns: false if it cannot be written, or becomes too large.
  private func write(_ bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty, var open = download else { return true }
    guard open.bytes + bytes.count <= shelf.most / 2 else { return false }
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

  private func finish() {
    guard let done = download else { return }
    download = nil
    let isWhole = done.transfer.head?.length.map { $0 == done.bytes } ?? false
    guard close(done.file) == 0, isWhole, done.bytes > 0 else {
      unlink(shelf.partial)
      return
    }
    shelf.take(done.item, of: done.feed, bytes: done.bytes, sum: done.sum.text)
  }

  // MARK: Checking

  /// Reads a piece of the next file that has not been checked.
  private func check() {
    guard var check = checking else { return checkNext() }
    var bytes = [UInt8](repeating: 0, count: Self.pieceBytes)
    let count = Glibc.read(check.file, &bytes, bytes.count)
    if count > 0 {
      check.sum.add(count == bytes.count ? bytes : Array(bytes.prefix(count)))
      check.bytes += count
      checking = check
      return
    }
    close(check.file)
    checking = nil
    shelf.judge(check.address, bytes: count == 0 ? check.bytes : nil, sum: check.sum.text)
  }

  private func checkNext() {
    guard let address = unchecked.popLast() else { return }
    let file = shelf.open(address)
    if file >= 0 {
      checking = Check(address: address, file: file)
    } else {
      shelf.judge(address, bytes: nil, sum: "")
    }
  }
}
