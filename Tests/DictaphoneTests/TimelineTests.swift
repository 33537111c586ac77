import Dictaphone
import Foundation
import Hardware
import TestSupport
import Testing

/// The picture of a take in the player: all of it, or the stretch around what is heard. Sounds are made by sox and get
/// louder every second, so that a column's height says where in the take it is.
@Suite struct TimelineTests {
  private let folder = TemporaryFolder()

  /// Second n at the amplitude n/40.
  private func steps(seconds: Int) throws -> String {
    let pieces = try (1...seconds).map { second in
      let path = folder.file("step-\(second).wav")
      let volume = "\(Double(second) / 40)"
      let shape = ["-b", "16", "-c", "1", path, "synth", "1", "square", "500", "vol", volume]
      try folder.tool("sox", ["-D", "-r", "48000", "-n"] + shape)
      return path
    }
    let path = folder.file("steps.wav")
    try folder.tool("sox", pieces + [path])
    return path
  }

  /// Which second a column is of.
  private func second(_ peak: Float) -> Int { Int((peak * 40).rounded()) - 1 }

  private func settle(_ bench: PlayerBench) { bench.run(for: .seconds(4)) }

  @Test func `All of a take is shown unless somebody wants to see more of it, and a stretch stays around the playhead`()
    throws
  {
    let bench = PlayerBench()
    bench.player.load(id: "a", path: try steps(seconds: 36), frame: 0, playing: true)
    settle(bench)
    var status = bench.player.status
    #expect(status.overviewFrames.isEmpty && status.overview.count == 128)
    #expect(second(status.overview[0]) == 0 && second(status.overview[127]) == 35)
    bench.player.configure(PlaybackSettings(timelineSeconds: 5))
    settle(bench)
    for _ in 0..<12 {
      bench.run(for: .seconds(2))
      status = bench.player.status
      let range = status.overviewFrames
      #expect(range.contains(status.frame), "\(range), \(status.frame)")
      #expect(range.count == 5 * 48_000 / 128 * 128)
      // Each column that there is shows the sound of its own place.
      for (column, peak) in status.overview.enumerated() {
        let first = range.lowerBound + range.count / 128 * column
        let last = first + range.count / 128 - 1
        #expect([first / 48_000, last / 48_000].contains(second(peak)), "column \(column) at \(first)")
      }
      #expect(status.overview.count > 64)
    }
    bench.player.configure(PlaybackSettings(timelineSeconds: 0))
    settle(bench)
    #expect(bench.player.status.overviewFrames.isEmpty && bench.player.status.overview.count == 128)
  }

  @Test func `A jump shows where it leads; the end of the take is the end of the picture`() throws {
    let bench = PlayerBench()
    bench.player.configure(PlaybackSettings(timelineSeconds: 15))
    bench.player.load(id: "a", path: try steps(seconds: 36), frame: 0, playing: true)
    settle(bench)
    bench.player.seek(bySeconds: 28)
    settle(bench)
    let status = bench.player.status
    #expect(status.overviewFrames.upperBound == 36 * 48_000)
    #expect(status.overviewFrames.contains(status.frame))
    #expect(second(status.overview[127]) == 35)
  }

  @Test func `A take that is shorter than the stretch is shown whole, and so is one that takes turns with it`() throws {
    let bench = PlayerBench()
    let path = try steps(seconds: 8)
    bench.player.configure(PlaybackSettings(timelineSeconds: 60))
    for _ in 0..<2 {
      bench.player.load(id: "a", path: path, frame: 0, playing: true)
      settle(bench)
      #expect(bench.player.status.overviewFrames.isEmpty)
      #expect(second(bench.player.status.overview[127]) == 7)
    }
  }
}
