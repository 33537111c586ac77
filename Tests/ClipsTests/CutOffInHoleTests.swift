import Foundation
import Hardware
import JSON
import Library
import Media
import Recording
import SimulatedHardware
import TestSupport
import Testing

@testable import Clips

/// Clips that a power cut has cut off, and whose seconds from before the trigger begin where pictures are missing.
@Suite struct CutOffInHoleTests: CameraStreams {
  let folder = TemporaryFolder()

  /// What befalls the camera at 6.1 s.
  enum Absence {
    case short, unplugged, silent
  }

  /// A clip from 6.3 s on, in the hole that begins at 6.1 s, up to 16.3 s: triggered at 8.3 s.
  private func triggered(_ path: String, _ codec: VideoCodec, _ absence: Absence) throws -> Bench {
    let bench = try armed(path, codec, post: 8, until: 6.1)
    switch absence {
    case .short: bench.camera.stall(.milliseconds(700), at: bench.clock.now)
    case .unplugged: bench.camera.unplug(at: bench.clock.now)
    case .silent: bench.camera.stall(.seconds(7), at: bench.clock.now)
    }
    bench.run(until: 8.3)
    bench.recorder.trigger(at: bench.instant(8.3), cause: .key)
    return bench
  }

}

extension CutOffInHoleTests {
  @Test(
    "A clip that begins in a hole of a camera that is still away has pictures: at once, or after seconds with open groups",
    arguments: [
      ("bframes=2:b-adapt=0:keyint=15", 9.8), ("bframes=0:keyint=15", 9.8), (nil, 9.8),
      ("bframes=2:b-adapt=0:open-gop=1:keyint=15", 12.8),
    ] as [(x264: String?, at: Double)], [Absence.unplugged, .silent])
  func stillAway(film: (x264: String?, at: Double), absence: Absence) throws {
    let (path, codec) = try self.film("away", film.x264)
    let bench = try triggered(path, codec, absence)
    bench.run(until: film.at)
    let cutOff = MemoryFile(try part(bench))
    let found = try MediaRepair.repair(cutOff)
    #expect(found.condition == .finished && found.pictures > 0 && found.unreadableBytes == 0)
    #expect(found.gaps.allSatisfy { !$0.isDamage }, "\(found.gaps)")
    #expect(try whole(cutOff.bytes, "kept.mp4", of: path).count > 0)
    let kept = folder.file("kept.mp4")
    let decoded = try Tool.run("ffmpeg", ["-v", "error", "-xerror", "-i", kept, "-f", "null", "-"])
    #expect(decoded.status == 0 && decoded.errors == "", "\(decoded.errors)")
    // All but the last second of the sound, in its place.
    #expect(Double(found.frames) / 16_000 > film.at - 6.3 - 1 && found.seconds < film.at - 6.3, "\(found.seconds)")
    let beeps = try ClipContent.beeps(kept).map { 6.3 + $0 }
    #expect(beeps.count >= Int(film.at - 1) - 6, "\(beeps)")
    for beep in beeps { #expect(abs(beep - beep.rounded()) < 0.005, "\(beep)") }

    // When the camera comes back, the recording goes on: with open groups in another clip.
    bench.camera.replug()
    bench.run(until: 18)
    bench.finish()
    #expect(bench.log.failures == [])
    let seconds = bench.log.saved.reduce(0) { $0 + $1.duration }
    #expect(abs(seconds - 10) < 0.1, "\(bench.log.saved.map(\.duration))")
  }

  @Test(
    "A clip that begins in a hole and was cut off names that gap once",
    arguments: [
      "bframes=2:b-adapt=0:keyint=15", "bframes=0:keyint=15", "bframes=2:b-adapt=0:open-gop=1:keyint=15", nil,
    ] as [String?], [Absence.short, .unplugged])
  func gap(x264: String?, absence: Absence) throws {
    let (path, codec) = try film("gap", x264)
    let bench = try triggered(path, codec, absence)
    bench.run(until: 9.6)
    bench.camera.replug()
    bench.run(until: 12.8)
    let looked = try MediaRepair.inspect(MemoryFile(try part(bench)))
    let next = try Bench(.small(pre: 1, post: 0), memory: bench.memory)
    let id = try #require(next.clips.list().clips.first?.id)
    let gaps = try next.clips.receipt(of: id)["gaps"]?.arrayValue ?? []
    #expect(gaps.count == 1, "\(gaps)")
    let gap = try #require(gaps.first)
    #expect(gap["reason"]?.stringValue == "camera-missed" && gap["track"]?.stringValue == "picture")
    let bytes = try next.bytes(of: id)
    let first = try #require(try whole(bytes, "recovered.mp4", of: path).first)
    #expect(first > (absence == .short ? 0.4 : 3.5))
    let (start, missing) = (gap["start"]?.numberValue ?? -1, gap["seconds"]?.numberValue ?? -1)
    #expect(start == 0 && abs(missing - first) < 0.002, "\(start) \(missing) \(first)")
    // Who only looks is told the same.
    #expect(
      looked.gaps.map(\.isDamage) == [false] && looked.gaps.first.map { abs($0.seconds - missing) < 0.001 } == true)
  }

  @Test(
    "A camera that was silent in the midst of a clip that was cut off is a gap in its receipt, as long as the picture before it stays",
    arguments: ["bframes=0:keyint=15", nil] as [String?])
  func silentInTheMidst(x264: String?) throws {
    let (path, codec) = try film("midst", x264)
    let bench = try triggered(path, codec, post: 8)
    bench.run(until: 5.1)
    bench.camera.stall(.milliseconds(1500), at: bench.clock.now)
    bench.run(until: 9.2)
    let next = try Bench(.small(pre: 1, post: 0), memory: bench.memory)
    let id = try #require(next.clips.list().clips.first?.id)
    let gaps = try next.clips.receipt(of: id)["gaps"]?.arrayValue ?? []
    let gap = try #require(gaps.count == 1 ? gaps.first : nil, "\(gaps)")
    #expect(gap["reason"]?.stringValue == "camera-missed")
    let times = try whole(try next.bytes(of: id), "recovered.mp4", of: path)
    let step = try #require(zip(times, times.dropFirst()).max { $0.1 - $0.0 < $1.1 - $1.0 })
    let (start, missing) = (gap["start"]?.numberValue ?? -1, gap["seconds"]?.numberValue ?? -1)
    #expect(step.1 - step.0 > 1)
    #expect(abs(start + missing - step.1) < 0.04 && abs(start - step.0) < 0.07, "\(start) \(missing) \(step)")
  }
}
