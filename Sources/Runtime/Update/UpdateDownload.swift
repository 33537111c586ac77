internal import Hardware
internal import Streaming

/// How far an update is that comes by the network, and what is to be done when it breaks off. Pure.
///
/// What never began is told at once. What broke off goes on behind the last byte that came, if the server has said how
/// long the whole is, until a minute has passed without a byte.
struct UpdateDownload {
  /// What is to be done when a transfer has ended.
  enum Next {
    case again(at: Instant)
    case whole
    case failed(StreamFault)
  }

  private(set) var bytes = 0
  private(set) var length: Int?
  private var backoff: Backoff
  private var heard: Instant

  /// The card's roots have as many bytes: what is longer is no update.
  static let most = 256 << 20
  static let patience = Duration.seconds(60)

  init(seed: UInt64, now: Instant) {
    backoff = Backoff(seed: seed, cap: .seconds(10))
    heard = now
  }

  /// 0 to 100; 0 as long as the length is not known.
  var percent: Int { length.map { bytes * 100 / max($0, 1) } ?? 0 }

  /// As much has come as the server has said.
  var isComplete: Bool { bytes > 0 && bytes == length }

  /// What is still to come; nil: all.
  var rest: Range<Int>? {
    guard let length, 0 < bytes, bytes < length else { return nil }
    return bytes..<length
  }

  /// A server says how long the whole is; of a part it may not.
  ///
  /// - Parameter room: bytes that the card has for it.
  /// - Returns: why it is not taken.
  mutating func begin(length said: Int?, room: Int) -> StreamFault? {
    guard bytes == 0 else {
      guard let said, said != length else { return nil }
      return StreamFault("interrupted", "it broke off, and is another file now: begin again")
    }
    length = said
    let wanted = said ?? 0
    if wanted > Self.most { return tooLarge(wanted) }
    guard wanted > room else { return nil }
    return StreamFault(
      "storage-full", "it is \(wanted) bytes, and the card has room for \(room): delete or export takes")
  }

  /// So many bytes are to be added.
  ///
  /// - Returns: why they are not.
  func refusal(of count: Int) -> StreamFault? {
    if bytes + count > Self.most { return tooLarge(bytes + count) }
    guard let length, bytes + count > length else { return nil }
    return StreamFault("interrupted", "its server sends more than it has said")
  }

  /// So many bytes are on the card.
  mutating func add(_ count: Int, now: Instant) {
    bytes += count
    heard = now
    backoff.opened(at: now)
  }

  /// It has waited for something here: that is not the network's fault.
  mutating func pause(now: Instant) {
    heard = now
    if length == nil { bytes = 0 }
  }

  /// Nothing more comes; without an error the server has said so.
  mutating func end(_ error: NetworkError?, now: Instant) -> Next {
    if isComplete || (bytes > 0 && length == nil && error == nil) { return .whole }
    let error = error ?? NetworkError(.interrupted, subject: "the server", reason: "less came than it has said")
    guard rest != nil, now - heard < Self.patience, let at = backoff.ended(.failed(error), at: now) else {
      return .failed(StreamFault(error))
    }
    return .again(at: at)
  }

  private func tooLarge(_ count: Int) -> StreamFault {
    StreamFault("too-large", "it has \(count) bytes or more, and an update has at most \(Self.most): check the address")
  }
}
