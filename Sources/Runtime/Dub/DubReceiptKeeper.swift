internal import Appliance
internal import Console
internal import Dubbing
internal import Hardware
internal import JSON
internal import Library
internal import Threads

/// Has the storage keep a receipt of everything that was played with a dub. Control lane only.
final class DubReceiptKeeper {
  private struct Run {
    var number: Int
    var source: DubSource
    var language: String
    var begun: (wall: WallTime, instant: Instant)
    var stopReason = "user"
    var fault: (code: String, text: String)?
  }

  private let storage: StorageWorker
  private let clock: any DeviceClock
  private var run: Run?

  init(storage: StorageWorker, clock: any DeviceClock) {
    self.storage = storage
    self.clock = clock
  }

  func begin(_ source: DubSource, _ language: String, _ number: Int) {
    run = Run(number: number, source: source, language: language, begun: (clock.wallNow, clock.now))
  }

  /// Notes why it is going to end.
  func note(_ report: DubReport, of number: Int) {
    guard number == run?.number else { return }
    switch report {
    case .ended: run?.stopReason = "ended"
    case .failed(let code, let text):
      run?.stopReason = "error"
      run?.fault = (code, text)
    default: break
    }
  }

  /// It is over; the player's figures are those of the end, if it has come to it at all.
  func end(_ dub: DubContext) {
    guard let run else { return }
    self.run = nil
    let figures = dub.worker.statusRun == run.number ? dub.figures(run: run.number) : nil
    var receipt: JSONValue = [
      "version": 1, "source": .string(run.source.publicID), "name": .string(run.source.name),
      "kind": .string(run.source.kind.rawValue), "language": .string(run.language),
      "begunAt": .string(run.begun.wall.iso8601), "start": .number(run.begun.instant.seconds),
      "durationSeconds": .number((clock.now - run.begun.instant).inSeconds), "stopReason": .string(run.stopReason),
    ]
    if let (code, text) = run.fault { receipt["fault"] = ["code": .string(code), "text": .string(text)] }
    if let reason = figures?.player.reason, !reason.isEmpty { receipt["reason"] = .string(reason) }
    for (key, value) in figures?.json.objectValue ?? [:] where receipt[key] == nil { receipt[key] = value }
    let (inbox, kept) = (storage.inbox, receipt)
    storage.submit { library throws(LibraryError) in
      try library.dubs.keep(kept, begunAt: run.begun.wall)
    } onFailure: { error in
      inbox.post(.dub(.remark("the receipt was not kept: \(error)")))
    }
  }
}
