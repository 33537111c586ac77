internal import Hardware

/// Keeps a piece of a file, and says how many bytes are there, and what the whole one is called. Answers on the control
/// loop.
public typealias TransferSink = (
  _ piece: ReceivedPiece, _ answer: @escaping (Result<(bytes: Int, id: String?), CommandFailure>) -> Void
) -> Void

extension ReceivedPiece {
  /// Whether it begins where the other one does, in the same file; more of it may have come.
  fileprivate func continues(_ other: Self?) -> Bool {
    guard let other, name == other.name, total == other.total, offset == other.offset else { return false }
    return bytes.isEmpty == other.bytes.isEmpty
  }
}

/// Files on their way in through a console. Control loop only.
final class FileReception: LineTransfer {
  private let sink: TransferSink
  private let send: ([UInt8]) -> Void
  private let finish: (ZmodemReceiver.Outcome) -> Void
  private var receiver = ZmodemReceiver()
  /// What the sink has not answered for.
  private var keeping: ReceivedPiece?
  private var isKeeping: Bool { keeping != nil }
  private var isHeard = true
  private var patienceEnds = Instant.zero
  private var nextReminder = Instant.zero
  private var end: Instant?

  private static let reminder = Duration.seconds(5)

  /// - Parameter finish: called once.
  init(
    _ sink: @escaping TransferSink, send: @escaping ([UInt8]) -> Void,
    finish: @escaping (ZmodemReceiver.Outcome) -> Void
  ) {
    (self.sink, self.send, self.finish) = (sink, send, finish)
  }

  func begin() { goOn() }

  func receive(_ bytes: [UInt8]) {
    isHeard = true
    receiver.receive(bytes)
    goOn()
  }

  func step(now: Instant) -> Instant {
    if case .nothing(let outcome) = receiver.need {
      let due = end ?? now + FileTransfer.pause
      end = due
      if now >= due { finish(outcome) }
      return due
    }
    if isHeard || isKeeping {
      patienceEnds = now + FileTransfer.patience
      nextReminder = now + Self.reminder
    }
    isHeard = false
    guard now < patienceEnds else {
      receiver.fail("the other end has said nothing for \(FileTransfer.patience.components.seconds) s")
      goOn()
      return step(now: now)
    }
    if now >= nextReminder {
      nextReminder = now + Self.reminder
      receiver.remind()
      goOn()
    }
    return min(patienceEnds, nextReminder)
  }

  private func goOn() {
    let bytes = receiver.output()
    if !bytes.isEmpty { send(bytes) }
    guard !isKeeping, case .piece(let piece) = receiver.need else { return }
    keeping = piece
    sink(piece) { [weak self] in self?.took($0) }
  }

  private func took(_ result: Result<(bytes: Int, id: String?), CommandFailure>) {
    let kept = keeping
    keeping = nil
    // A sender that does not wait may have gone on to another file meanwhile.
    if case .piece(let piece) = receiver.need, piece.continues(kept) {
      switch result {
      case .success(let there): receiver.kept(there.bytes, id: there.id)
      case .failure(let failure): receiver.refuse(failure.message, failure.code)
      }
    }
    goOn()
  }
}
