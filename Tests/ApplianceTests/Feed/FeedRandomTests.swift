import Hardware
import TestSupport
import Testing

@testable import Appliance

/// What the machine orders, carried out by nobody: which player is heard, and which ones are ready.
private struct Players {
  var playing: (item: FeedItem, run: Int)?
  var ready: [FeedItem] = []
  var asked: [Int] = []
  var runs: [Int] = []

  mutating func carryOut(_ effects: [Effect]) {
    for case .feed(let order) in effects {
      switch order {
      case .play(let item, _, _, let run):
        playing = (item, run)
        runs.append(run)
      case .stop: playing = nil
      case .close: (playing, ready) = (nil, [])
      case .prepare(let items): ready = items
      case .load(_, _, let request): asked.append(request)
      case .pause, .resume, .mute, .seek, .scrub, .language: break
      }
    }
  }
}

@Suite struct FeedRandomTests {
  private static func page(_ dice: inout SeededGenerator) -> FeedPage {
    let first = dice.below(40)
    return FeedPage(
      items: (0..<dice.below(5)).map {
        FeedItem(id: "i\(first + $0)", title: "T", kind: .remote, address: "http://a.example/\(first + $0).mp4")
      }, next: dice.chance(4) ? nil : "http://a.example/p\(dice.below(1000))")
  }

  private static func report(_ dice: inout SeededGenerator) -> DubReport {
    [
      .playing, .playing, .buffering(""), .ended, .failed(code: "http-404", text: "gone"),
      .rung(.service, reason: ""), .linkLost(""), .linkRestored,
    ][dice.below(8)]
  }

  @Test(arguments: 0..<40)
  func `F1, F2: random keys and late answers: one plays at most, it is what is shown, and no player is left behind`(
    seed: Int
  ) {
    var dice = SeededGenerator(seed: UInt64(seed))
    var bench = Bench {
      $0.feed.isAvailable = true
      $0.health.hasSpeaker = true
      $0.health.hasNetwork = true
    }
    var players = Players()
    var heard = 0
    for step in 0..<3000 {
      if bench.state.mode != .feed {
        guard players.playing == nil, players.ready.isEmpty else { return #expect(Bool(false), "\(step): left behind") }
        players.carryOut(bench.send(.command(.take(.feed))))
        continue
      }
      let before = bench.state.feed
      switch dice.below(12) {
      case 0..<5:
        players.carryOut(bench.tap([.up, .down, .down, .down, .centre, .left, .right, .stop][dice.below(8)]))
      case 5 where dice.chance(8): players.carryOut(bench.hold([.stop, .down, .right][dice.below(3)], 700))
      case 5: players.carryOut(bench.send(.command(dice.chance(6) ? .openFeed(source: nil) : .refreshFeed)))
      case 6..<9 where !players.asked.isEmpty:
        let request = players.asked[dice.chance(2) ? players.asked.count - 1 : dice.below(players.asked.count)]
        let isLate = request != before.presenter.request?.number
        players.carryOut(
          bench.send(
            .feed(
              dice.chance(6)
                ? .pageFailed(FeedFault(code: "http-500", text: ""), request: request)
                : .page(Self.page(&dice), request: request))))
        guard !isLate || bench.state.feed == before else { return #expect(Bool(false), "\(step): a late page") }
      case 9... where !players.runs.isEmpty:
        let run = players.runs[dice.chance(3) ? dice.below(players.runs.count) : players.runs.count - 1]
        players.carryOut(bench.send(.feed(.player(Self.report(&dice), run: run))))
        guard run == before.run || bench.state.feed == before else {
          return #expect(Bool(false), "\(step): a late report")
        }
      default: bench.wait(50)
      }
      let feed = bench.state.feed
      guard bench.state.mode == .feed else { continue }
      if let play = feed.play, play.fault == nil {
        heard += play.isBuffering ? 0 : 1
        guard let playing = players.playing, playing.run == feed.run, playing.item == feed.item else {
          return #expect(Bool(false), "\(step): another item plays than is shown")
        }
      } else {
        guard players.playing == nil else { return #expect(Bool(false), "\(step): something plays") }
      }
      guard players.ready.count <= 3, Set(players.ready.map(\.source)).count == players.ready.count else {
        return #expect(Bool(false), "\(step): \(players.ready.count) players")
      }
    }
    #expect(heard > 20)
  }
}
