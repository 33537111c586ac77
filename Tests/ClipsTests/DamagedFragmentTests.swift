import Foundation
import Hardware
import JSON
import Library
import Media
import SimulatedHardware
import TestSupport
import Testing

@testable import Clips

/// Clips that a power cut has cut off, with one wrong bit in a fragment's head: what ffmpeg shows of them is what they are said
/// to have.
@Suite struct DamagedFragmentTests: CameraStreams {
  let folder = TemporaryFolder()

  /// Some six seconds from 2 s on, as a power cut would leave them.
  private func cutOff(_ path: String) throws -> [UInt8] {
    let bench = try triggered(path, post: 8)
    bench.run(until: 8.5)
    return try part(bench)
  }

  private func heads(_ clip: [UInt8]) -> [Int] {
    clip.indices.dropLast(4).filter { clip[$0..<$0 + 4].elementsEqual("moof".utf8) }
  }

  /// Mends the clip, and says what it is then and when its pictures are seen that are as in the stream.
  private func mended(_ clip: [UInt8], of path: String) throws -> (found: MediaInspection, times: [Double]) {
    let file = MemoryFile(clip)
    let found = try MediaRepair.repair(file)
    #expect(found.condition == .finished)
    return (found, try whole(file.bytes, "mended.mp4", of: path))
  }

  @Test func `Behind a lost fragment of a refresh bit by bit, the clip goes on with the next one that begins`() throws {
    let path = try stream("refresh", "bframes=0:intra-refresh=1:keyint=30:ref=1")
    var clip = try cutOff(path)
    let good = try mended(clip, of: path)
    #expect(good.found.facts?.pictures == good.times.count)
    let heads = heads(clip)
    clip[heads[heads.count / 3] + 1] ^= 1
    let (found, times) = try mended(clip, of: path)
    #expect(abs(found.seconds - good.found.seconds) < 0.05)
    #expect(found.facts?.pictures == times.count)
    // A fragment is lost, and what comes before the next refresh and within it.
    #expect(times.count > good.times.count - 15 - 30 - 30 - 2, "\(times.count) of \(good.times.count)")
    let (last, wanted) = (times.last ?? 0, good.times.last ?? 0)
    #expect(abs(last - wanted) < 0.001)
  }

  @Test(
    "Behind a lost fragment in open groups, pictures are left out that decoders would mix with those before it",
    arguments: [
      "bframes=3:b-adapt=0:open-gop=1:keyint=12", "bframes=3:b-adapt=0:b-pyramid=none:open-gop=1:keyint=12",
      "bframes=2:b-adapt=0:keyint=15",
    ])
  func openGroups(x264: String) throws {
    let path = try stream("open", x264)
    let clip = try cutOff(path)
    let good = try mended(clip, of: path)
    #expect(good.found.facts?.pictures == good.times.count)
    let heads = heads(clip)
    for number in heads.count / 4..<heads.count / 4 + 5 {
      var damaged = clip
      damaged[heads[number] + 1] ^= 1
      let (found, times) = try mended(damaged, of: path)
      #expect(found.facts?.pictures == times.count, "\(number)")
      #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 > 0.03 }, "\(number)")
      #expect(times.count > good.times.count - 90, "\(number): \(times.count) of \(good.times.count)")
      #expect(abs((times.last ?? 0) - (good.times.last ?? 0)) < 0.001, "\(number)")
      // One hole of pictures, and one of sound.
      #expect(found.gaps.map(\.isPictures).sorted { $0 && !$1 } == [true, false], "\(number)")
      let hole = try #require(found.gaps.first { $0.isPictures })
      let missing = good.times.count - times.count
      #expect(abs(hole.seconds - Double(missing) / 30) < 0.04, "\(number): \(hole.seconds) of \(missing)")
    }
  }

  @Test func `A clip whose index is mended again and again lists each gap once`() throws {
    let bench = try Bench(.small(pre: 1, post: 8))
    bench.recorder.arm()
    bench.run(until: 3)
    bench.recorder.trigger(at: bench.instant(3), cause: .key)
    bench.run(until: 8)
    let part = try #require(try bench.names().first { $0.hasSuffix(".part") })
    var clip = try bench.bytes(of: part)
    let heads = heads(clip)
    clip[heads[heads.count / 2] + 1] ^= 1
    try bench.storage.replace("clips/\(part)", with: clip)

    let next = try Bench(.small(pre: 1, post: 0), memory: bench.memory)
    let id = try #require(next.clips.list().clips.first?.id)
    func gaps() throws -> JSONValue? { try next.clips.receipt(of: id)["gaps"] }
    let told = try #require(try gaps())
    #expect(told.arrayValue?.compactMap { $0["reason"]?.stringValue } == ["damaged", "damaged"])
    for _ in 0..<2 {
      var bytes = try next.bytes(of: id)
      let table = try #require(bytes.indices.dropLast(4).last { bytes[$0..<$0 + 4].elementsEqual("stsz".utf8) })
      bytes[table + 13] ^= 0x10
      try next.storage.replace("clips/\(id)", with: bytes)
      #expect(try next.library.repair(id).count == 1)
      #expect(try gaps() == told)
    }
  }

  @Test func `A clip that was cut off while its camera was away says so in its receipt`() throws {
    let bench = try Bench(.small(pre: 1, post: 20))
    bench.recorder.arm()
    bench.run(until: 3)
    bench.recorder.trigger(at: bench.instant(3), cause: .key)
    bench.run(until: 5)
    bench.camera.unplug(at: bench.clock.now)
    bench.run(until: 12)
    let next = try Bench(.small(pre: 1, post: 0), memory: bench.memory)
    let id = try #require(next.clips.list().clips.first?.id)
    let receipt = try next.clips.receipt(of: id)
    let seconds = receipt["durationSeconds"]?.numberValue ?? 0
    #expect(seconds > 9, "\(seconds)")
    #expect((receipt["sound"]?["frames"]?.numberValue ?? 0) > 9 * 16_000)
    #expect(receipt["gaps"]?.arrayValue?.count == 1)
    let gap = try #require(receipt["gaps"]?.arrayValue?.first)
    #expect(gap["reason"]?.stringValue == "camera-missed" && gap["track"]?.stringValue == "picture")
    let (start, missing) = (gap["start"]?.numberValue ?? 0, gap["seconds"]?.numberValue ?? 0)
    #expect(abs(start - 3) < 0.1 && abs(start + missing - seconds) < 0.1, "\(start) \(missing)")
    #expect(receipt["pictures"]?["dropped"]?["damaged"]?.integerValue == nil)
  }
}
