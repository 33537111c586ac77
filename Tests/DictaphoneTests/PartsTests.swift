import Dictaphone
import Foundation
import Hardware
import TestSupport
import Testing

/// A take in several files, as it comes out of the speaker.
@Suite struct PartsTests {
  private static let frames = 29_000
  private static let samples = (1...frames).map { Float($0) / 32_768 }
  private static let fade = 48_000 / 200

  /// A ramp in pieces.
  private static func parts(
    _ folder: TemporaryFolder, cutAt cuts: [Int], as format: String = "wav"
  ) throws -> [PlayerFile] {
    let whole = try folder.ramp(frames: frames)
    return try zip([0] + cuts, cuts + [frames]).map { start, end in
      let path = folder.file("part-\(start).\(format)")
      _ = try Tool.succeed("sox", [whole, path, "trim", "\(start)s", "\(end - start)s"])
      return PlayerFile(id: "\(start)", path: path, frames: end - start)
    }
  }

  @Test(arguments: ["wav", "flac"], [[14_500], [1, 9001, 16_778], [4800, 9600, 28_999]])
  func `A split take is heard without a sample lost or twice at the seams`(format: String, cuts: [Int]) throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    bench.player.load(try Self.parts(folder, cutAt: cuts, as: format), frame: 0, playing: true)
    bench.run(for: .seconds(2))
    #expect(bench.news == ["loaded 0 0/\(Self.frames)", "ended"])
    let sound = bench.heard.sound
    #expect(sound[Self.fade..<Self.frames] == Self.samples[Self.fade...])
    #expect(sound[Self.frames...].allSatisfy { $0 == 0 })
  }

  @Test(arguments: [5, 9000, 9001, 12_345, 16_778, 28_000])
  func `It is found at any frame of all of it, and its places are those of all of it`(frame: Int) throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    bench.player.load(try Self.parts(folder, cutAt: [9001, 16_778]), frame: 20_000, playing: false)
    #expect(bench.player.status.frame == 20_000 && bench.player.status.frames == Self.frames)
    bench.player.go(to: frame)
    #expect(bench.player.status.frame == frame)
    bench.player.play()
    bench.run(for: .seconds(2))
    #expect(bench.news.last == "ended")
    let heard = bench.heard.sound.prefix(Self.frames - frame).dropFirst(Self.fade)
    #expect(heard.elementsEqual(Self.samples.dropFirst(frame + Self.fade)))
  }

  @Test func `What is repeated may lie across a seam`() throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    bench.player.load(try Self.parts(folder, cutAt: [14_500]), frame: 0, playing: true)
    bench.player.loop(seconds: 0.25...0.4)
    bench.run(for: .seconds(1))
    let sound = bench.heard.sound
    // 7,200 frames, the last 240 of them a cross-fade.
    let loop = Self.samples[12_000..<18_960]
    #expect(sound[7200..<14_160].elementsEqual(loop) && sound[14_400..<21_360].elementsEqual(loop))
  }

  @Test func `It is let go of by the name of any of its parts`() throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    let parts = try Self.parts(folder, cutAt: [14_500])
    bench.player.load(parts, frame: 0, playing: false)
    bench.player.unload("1")
    #expect(bench.player.status.id == "0")
    bench.player.unload(parts[1].id)
    #expect(bench.player.status.id == nil)
  }
}
