import Appliance
import Dubbing
import Hardware
import SimulatedHardware
import Streaming
import TestSupport
import Testing

@testable import Runtime

/// A player to which every file is damaged, once it is told so; what is at an address plays.
private final class BrittleEngine: DubEngine {
  private let tell: (DubEvent) -> Void
  private var source = ""
  private(set) var orders: [String] = []
  private(set) var status = DubStatus()
  var fails = false

  init(_ tell: @escaping (DubEvent) -> Void) { self.tell = tell }

  func perform(_ order: DubPlayerOrder, now: Instant) {
    switch order {
    case .start(let source, let language):
      self.source = source
      status.phase = .buffering
      orders.append("start \(source.hasPrefix("http") ? source : "file") \(language)")
    case .pause:
      status.phase = .paused
      orders.append("pause")
    case .resume:
      status.phase = .buffering
      orders.append("resume")
    case .language(let language): orders.append("language \(language)")
    default: break
    }
  }

  func step(now: Instant) -> Instant? {
    if fails, source.hasPrefix("/") {
      source = ""
      tell(.failed(StreamFault("damaged", "x")))
    }
    return nil
  }
}

@Suite struct FeedWorkerTests {
  private let folder = TemporaryFolder()
  private let clock = VirtualClock()
  private let item = FeedItem(id: "a", title: "A", kind: .remote, address: "http://h/a.mp4")

  /// Plays a file that is kept, orders something, and has the file fail.
  private func orders(_ between: [DubPlayerOrder]) throws -> [String] {
    let kept = KeptRun()
    let shelf = FeedShelf(folder: folder.file("cache/feed"), clock: clock, megabytes: 1, days: 30)
    let cache = FeedCache(shelf, network: nil, wake: {})
    var engine: BrittleEngine?
    let player = DubWorker(settings: Dubbing.DubSettings(), wake: {}) { telling in
      if case .report(let report, let run) = telling { _ = kept.passes(report, run: run) }
    } makeEngine: { tell in
      let made = BrittleEngine(tell)
      engine = made
      return made
    }
    let worker = FeedWorker(
      player: player, pool: FeedPool(most: 3, wake: {}) { source, _ in fatalError("nobody takes \(source)") },
      pages: FeedPages(network: nil, cache: cache, wake: {}) { _ in }, cache: cache, kept: kept, wake: {}
    ) { _ in }
    worker.post(.play(item, source: "/cache/a", feed: "http://h/f", language: "es", run: 7))
    _ = worker.step(now: Instant.zero)
    for order in between { worker.post(.player(.order(order))) }
    _ = worker.step(now: Instant.zero + .milliseconds(10))
    let made = try #require(engine)
    made.fails = true
    for step in 2..<5 { _ = worker.step(now: Instant.zero + .milliseconds(10 * step)) }
    return Array(made.orders.dropFirst(1 + between.count))
  }

  @Test func `What plays in place of a spoilt file is paused, and dubbed, as that was`() throws {
    #expect(try orders([]) == ["start http://h/a.mp4 es"])
    #expect(try orders([.pause]) == ["start http://h/a.mp4 es", "pause"])
    #expect(try orders([.pause, .resume, .language("de")]) == ["start http://h/a.mp4 de"])
  }
}
