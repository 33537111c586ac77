internal import Hardware

/// A piece of a file that a console has got; without bytes it is asked how many of it are there.
public struct ReceivedPiece: Equatable, Sendable {
  /// As it is called at the other end, whatever that says.
  public let name: String
  /// Bytes of the whole file, 1 or more.
  public let total: Int
  public let offset: Int
  public let bytes: [UInt8]
}

/// Takes files by ZMODEM, as `rz` does, from any `sz` and the terminals that have one. A pure value: bytes in, bytes and
/// wishes out.
///
/// It says that it holds `room` bytes: a sender waits then until they are on the storage. What somebody sends all the same
/// ends it.
struct ZmodemReceiver {
  enum Outcome: Equatable {
    /// What the files are called here, and sentences about others.
    case received([String], refused: [String])
    case failed(CommandFailure)
  }

  /// What it waits for.
  enum Need: Equatable {
    case peer
    /// This is to be kept, or to be told of.
    case piece(ReceivedPiece)
    case nothing(Outcome)
  }

  private struct File: Equatable {
    let name: String
    let total: Int
    /// Bytes that are on the storage; nil: it has not said yet.
    var stored: Int?
    /// Those behind them.
    var gathered: [UInt8] = []
    var id: String?

    var place: Int { (stored ?? 0) + gathered.count }
  }

  private static let room = 32 * 1024
  /// How often the same place is asked for.
  private static let patience = 20
  private static let longestName = 1024

  private var frames = ZmodemFrames()
  private var writer = ZmodemWire.Writer()
  private var file: File?
  /// What the data that come are.
  private var kind = ZmodemWire.Kind.finish
  private var outcome: Outcome?
  private var ids: [String] = []
  private var refused: [String] = []
  private var tries = 0
  private var isGreeted = false
  /// A place that the sender waits to hear of once it is stored.
  private var isAsked = false
  /// The sender has said that the file is at its end.
  private var isEnded = false

  init() { greet() }

  /// Bytes for the peer; they are given once.
  mutating func output() -> [UInt8] { writer.take() }

  var need: Need {
    if let outcome { return .nothing(outcome) }
    guard let file, file.id == nil else { return .peer }
    guard let stored = file.stored else {
      return .piece(ReceivedPiece(name: file.name, total: file.total, offset: 0, bytes: []))
    }
    guard !file.gathered.isEmpty else { return .peer }
    return .piece(ReceivedPiece(name: file.name, total: file.total, offset: stored, bytes: file.gathered))
  }

  // MARK: The storage

  /// The piece that was needed is kept, or has been told of.
  ///
  /// - Parameters:
  ///   - stored: bytes that are there now.
  ///   - id: the name of the whole file.
  mutating func kept(_ stored: Int, id: String?) {
    guard var file, outcome == nil else { return }
    if file.stored == nil {
      file.stored = min(max(0, stored), file.total - 1)
      self.file = file
      return ask()
    }
    let taken = stored - (file.stored ?? 0)
    guard taken > 0, taken <= file.gathered.count else { return fail("\(file.name) is not taken any further") }
    file.gathered.removeFirst(taken)
    (file.stored, file.id) = (stored, id)
    self.file = file
    if isAsked, file.gathered.isEmpty {
      isAsked = false
      writer.put(raw: ZmodemWire.hex(ZmodemWire.Header(.acknowledge, place: file.place)))
    }
    conclude()
  }

  /// It could not be kept.
  mutating func refuse(_ reason: String, _ code: FailureCode = .internal) {
    guard let file, outcome == nil else { return }
    guard file.stored == nil else { return fail(reason, code) }
    refused.append(reason)
    self.file = nil
    writer.put(raw: ZmodemWire.hex(ZmodemWire.Header(.skip)))
  }

  mutating func fail(_ reason: String, _ code: FailureCode = .internal) {
    guard outcome == nil else { return }
    writer.put(raw: ZmodemWire.cancellation)
    let told = ids.isEmpty ? reason : "\(reason); before it came \(ids.joined(separator: ", "))"
    outcome = .failed(CommandFailure(code, told))
  }

  /// The line has been silent: says again what is waited for.
  mutating func remind() {
    guard outcome == nil else { return }
    guard let file else { return greet() }
    if file.stored != nil { ask() }
  }

  private mutating func greet() {
    writer.put(raw: ZmodemWire.hex(ZmodemWire.Header(.initialise, [0, UInt8(Self.room >> 8), 0, 0x23])))
  }

  /// Has it sent from where it is.
  private mutating func ask() {
    guard let file else { return }
    tries += 1
    guard tries <= Self.patience else { return fail("the line loses too much of \(file.name)") }
    kind = .finish
    writer.put(raw: ZmodemWire.hex(ZmodemWire.Header(.position, place: file.place)))
  }

  private mutating func conclude() {
    guard isEnded, let file, let id = file.id else { return }
    ids.append(id)
    (self.file, isEnded) = (nil, false)
    greet()
  }

  // MARK: The peer

  mutating func receive(_ bytes: [UInt8]) {
    for byte in bytes where outcome == nil {
      // A person changes his mind; later the byte may be a file's.
      if byte == 0x03, !isGreeted { return fail("nothing was sent", .cancelled) }
      switch frames.take(byte) {
      case .header(let header):
        isGreeted = true
        receive(header)
      case .data(let data, let ending): receive(data, ending)
      case .damaged: mend()
      case .cancelled: fail("the transfer was cancelled at the other end", .cancelled)
      case nil: break
      }
    }
  }

  private mutating func mend() {
    if file?.stored != nil { return ask() }
    tries += 1
    guard tries <= Self.patience else { return fail("the line loses too much") }
    writer.put(raw: ZmodemWire.hex(ZmodemWire.Header(.refuse)))
  }

  private mutating func receive(_ header: ZmodemWire.Header) {
    kind = header.kind
    switch header.kind {
    case .requestInit: greet()
    case .data:
      guard let file, file.stored != nil else { return kind = .finish }
      if header.place != file.place { ask() }
    case .endOfFile:
      // One for another place has been on its way.
      guard let file, header.place == file.place, file.place == file.total else { return }
      isEnded = true
      conclude()
    case .finish:
      writer.put(raw: ZmodemWire.hex(ZmodemWire.Header(.finish)))
      outcome = .received(ids, refused: refused)
    case .abort, .cancelled, .failure: fail("the other end has ended it", .cancelled)
    case .freeBytes: writer.put(raw: ZmodemWire.hex(ZmodemWire.Header(.acknowledge, place: Int(Int32.max))))
    case .command: fail("the other end sends a command: none is done")
    case .refuse: remind()
    default: break
    }
  }

  private mutating func receive(_ data: [UInt8], _ ending: ZmodemWire.Ending) {
    switch kind {
    case .signature: writer.put(raw: ZmodemWire.hex(ZmodemWire.Header(.acknowledge)))
    case .file: offer(data)
    case .data: append(data, ending)
    default: break
    }
  }

  private mutating func offer(_ data: [UInt8]) {
    let name = data.prefix { $0 != 0 }
    let total = data.dropFirst(name.count + 1).prefix { (0x30...0x39).contains($0) }
      .reduce(0) { $0 > 1 << 40 ? $0 : $0 * 10 + Int($1 - 0x30) }
    let shown = String(decoding: name.prefix(Self.longestName), as: UTF8.self)
    // It has not heard where the file goes on.
    if file?.name == shown, file?.total == total { return remind() }
    // Another one is on its way to the storage still: this one will be offered again.
    if isEnded { return }
    if let before = file {
      if let id = before.id { ids.append(id) } else { refused.append("\(before.name.shown) did not come to its end") }
    }
    (tries, isEnded, isAsked) = (0, false, false)
    file = File(name: shown, total: total)
    if shown.isEmpty || total < 1 { refuse("\(shown.shown) is not taken: it is empty, or its length is not told") }
    // ZMODEM cannot say a place behind it.
    if total > Int(UInt32.max) { refuse("\(shown.shown) is not taken: it is larger than ZMODEM can say, 4 GiB") }
  }

  private mutating func append(_ data: [UInt8], _ ending: ZmodemWire.Ending) {
    guard let place = file?.place, let total = file?.total else { return }
    guard place + data.count <= total else { return fail("the file is longer than was said") }
    file?.gathered += data
    if !data.isEmpty { tries = 0 }
    guard (file?.gathered.count ?? 0) <= 4 * Self.room else {
      return fail("the other end does not wait for what it has sent to be kept")
    }
    guard ending == .waits || ending == .moreTold else { return }
    guard file?.gathered.isEmpty == false else {
      return writer.put(raw: ZmodemWire.hex(ZmodemWire.Header(.acknowledge, place: place)))
    }
    isAsked = true
  }
}
