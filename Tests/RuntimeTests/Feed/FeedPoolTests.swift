import Hardware
import Streaming
import TestSupport
import Testing

@testable import Runtime

/// Counts programmes that are open.
private final class Census {
  var open: [String: Int] = [:]
  var count: Int { open.values.reduce(0, +) }
}

/// A programme that is open until it is closed, in whatever phase one wants.
private final class Still: Programme {
  private let name: String
  private let census: Census
  private var isOpen = true
  var status = ProgrammeStatus()

  init(_ name: String, _ census: Census, isLive: Bool) {
    self.name = name
    self.census = census
    status.phase = .running
    status.isLive = isLive
    census.open[name, default: 0] += 1
  }

  func step(now: Instant) -> Instant? { nil }
  func nextSound() -> SoundBlock? { nil }
  func nextCue() -> SubtitleCue? { nil }
  func nextPicture() -> ProgrammePicture? { nil }
  func rendition(language: String, from frame: Int) -> (any Programme)? { nil }
  func seek(to frame: Int) {}
  func close() {
    #expect(isOpen, "\(name) is closed twice")
    isOpen = false
    census.open[name, default: 0] -= 1
  }
}

@Suite struct FeedPoolTests {
  private let census = Census()

  private func pool(isLive: @escaping (String) -> Bool = { _ in false }, made: @escaping (Still) -> Void = { _ in })
    -> FeedPool
  {
    FeedPool(most: 3, wake: {}) { [census] source, _ in
      let programme = Still(source, census, isLive: isLive(source))
      made(programme)
      return programme
    }
  }

  @Test(arguments: 0..<20) func `F2: at most three players, none of them leaked, none twice`(seed: Int) {
    var dice = SeededGenerator(seed: UInt64(seed))
    let pool = pool(isLive: { $0 == "s3" })
    var heard: (any Programme)?
    for _ in 0..<2000 {
      switch dice.below(8) {
      case 0..<3:
        let first = dice.below(8)
        pool.prepare((0..<(1 + dice.below(4))).map { "s\((first + $0) % 8)" })
      case 3..<6:
        // The player closes what it has before it asks for another.
        heard?.close()
        heard = pool.take("s\(dice.below(8))")
      case 6:
        heard?.close()
        heard = nil
      default: _ = pool.step(now: .zero)
      }
      #expect(census.count <= 3)
      #expect(census.open.values.allSatisfy { (0...1).contains($0) })
    }
    heard?.close()
    pool.close()
    #expect(census.count == 0)
  }

  @Test func `F2: a jump far away leaves three players, and its neighbours follow when there is room`() {
    let pool = pool()
    pool.prepare(["a", "b", "c"])
    let first = pool.take("a")
    // The order to play the other one comes first, and is carried out last.
    pool.prepare(["x", "y", "z"])
    #expect(census.count == 3 && census.open["x"] == 1 && census.open["z"] == nil)
    first.close()
    let other = pool.take("x")
    _ = pool.step(now: .zero)
    #expect(census.count == 3 && census.open["z"] == 1)
    other.close()
    pool.close()
    #expect(census.count == 0)
  }

  @Test func `F3: what failed while it waited is opened anew when it is to be heard, and not before`() {
    var made: [Still] = []
    let pool = pool(made: { made.append($0) })
    pool.prepare(["a", "b"])
    let first = pool.take("a")
    made[1].status.phase = .failed(StreamFault("http-404", "gone"))
    for _ in 0..<3 { _ = pool.step(now: .zero) }
    #expect(made.count == 2)
    first.close()
    let second = pool.take("b")
    #expect(made.count == 3)
    made[2].status.phase = .failed(StreamFault("http-404", "gone"))
    second.close()
    for _ in 0..<3 { _ = pool.step(now: .zero) }
    #expect(made.count == 3 && census.open["b"] == 0)
    pool.close()
    #expect(census.count == 0)
  }
}
