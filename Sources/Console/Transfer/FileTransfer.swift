public import Hardware

/// A file that a console can send.
public struct TransferFile {
  public typealias Piece = (data: [UInt8], total: Int)

  /// As it is called at the other end.
  public let name: String
  public let modified: WallTime?
  /// Reads so many bytes from an offset, less at the end, and says how many there are in all. Answers on the control
  /// loop.
  public let read: (_ offset: Int, _ bytes: Int, _ answer: @escaping (Result<Piece, CommandFailure>) -> Void) -> Void

  public init(
    name: String, modified: WallTime?,
    read: @escaping (Int, Int, @escaping (Result<Piece, CommandFailure>) -> Void) -> Void
  ) {
    (self.name, self.modified, self.read) = (name, modified, read)
  }
}

/// What has a console's bytes to itself until it ends. Control loop only.
protocol LineTransfer: AnyObject {
  func receive(_ bytes: [UInt8])
  /// Ends it when its time has come.
  ///
  /// - Returns: when to be called again.
  func step(now: Instant) -> Instant
}

/// Files on their way out through a console. Control loop only.
final class FileTransfer: LineTransfer {
  private let files: [TransferFile]
  private let send: ([UInt8]) -> Void
  private let discardUnsent: () -> Void
  private let finish: (ZmodemSender.Outcome) -> Void
  private var sender: ZmodemSender
  private var isReading = false
  /// The peer has said something since the last step.
  private var isHeard = true
  private var patienceEnds = Instant.zero
  /// When what became of it may be told.
  private var end: Instant?

  /// For a person to start a receiver, and for a line that stands still.
  static let patience = Duration.seconds(60)
  /// A receiver reads on for a moment: what is said at once, it swallows.
  static let pause = Duration.milliseconds(500)

  /// - Parameters:
  ///   - discardUnsent: drops what was sent and the peer has not taken.
  ///   - finish: called once.
  init(
    _ files: [TransferFile], send: @escaping ([UInt8]) -> Void, discardUnsent: @escaping () -> Void = {},
    finish: @escaping (ZmodemSender.Outcome) -> Void
  ) {
    self.files = files
    self.send = send
    self.discardUnsent = discardUnsent
    self.finish = finish
    sender = ZmodemSender(
      files.map { ZmodemSender.File(name: $0.name, modified: $0.modified?.seconds ?? 0) })
  }

  func begin() { goOn() }

  func receive(_ bytes: [UInt8]) {
    isHeard = true
    sender.receive(bytes)
    goOn()
  }

  func step(now: Instant) -> Instant {
    if case .nothing(let outcome) = sender.need {
      let due = end ?? now + Self.pause
      end = due
      if now >= due { finish(outcome) }
      return due
    }
    if isHeard || isReading { patienceEnds = now + Self.patience }
    isHeard = false
    guard now >= patienceEnds else { return patienceEnds }
    sender.fail("the other end has said nothing for \(Self.patience.components.seconds) s")
    goOn()
    return step(now: now)
  }

  private func goOn() {
    let bytes = sender.output()
    if !bytes.isEmpty {
      // A receiver that has given up reads no more of the file, only that it is over: a person's screen would.
      if case .nothing(.failed) = sender.need { discardUnsent() }
      send(bytes)
    }
    switch sender.need {
    case .peer, .nothing: break
    case .piece(let file, let offset, let count):
      guard !isReading else { return }
      isReading = true
      files[file].read(offset, count) { [weak self] in self?.take($0, at: offset) }
    }
  }

  private func take(_ result: Result<TransferFile.Piece, CommandFailure>, at offset: Int) {
    isReading = false
    switch result {
    case .success(let piece): sender.take(piece.data, at: offset, total: piece.total)
    case .failure(let failure): sender.fail(failure.message, failure.code)
    }
    goOn()
  }
}
