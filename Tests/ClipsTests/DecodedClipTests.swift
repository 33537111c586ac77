import Foundation
import Hardware
import SimulatedHardware
import Testing

@testable import Clips

/// Raw pictures through the encoder, judged by ffmpeg: what the pixels of a saved clip say.
@Suite struct DecodedClipTests {
  @Test(arguments: [(14.99, 15), (15.2, 30), (16.51, 7)]) func thePixelsAreThoseOfTheTimeThatWasAskedFor(
    trigger: Double, interval: Int
  ) throws {
    let bench = try Bench(.small(pre: 2, post: 1, codecs: [.nv12], interval: interval), source: TestCard())
    bench.recorder.arm()
    bench.run(until: 12)
    bench.run(until: trigger)
    bench.recorder.trigger(at: bench.instant(trigger), cause: .key)
    bench.run(until: trigger + 1.2)
    bench.finish()
    #expect(bench.log.failures == [])
    let receipt = try #require(bench.log.saved.first)
    let folder = Folder()
    let path = folder.put(try bench.bytes(of: receipt.id), "clip.mp4")
    let checked = try run("ffmpeg", ["-v", "warning", "-xerror", "-i", path, "-f", "null", "-"])
    #expect(checked.status == 0)
    #expect(checked.error == "")
    let raw = "\(folder.path)/raw"
    _ = try run("ffmpeg", ["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "gray", raw])
    let tool = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Tools/picture_code.py").path
    let read = try run("python3", [tool, "320", "180", raw])
    #expect(read.status == 0)
    let lines = String(decoding: read.output, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
    let numbers = lines.compactMap { $0.count >= 3 ? Int($0[1]) : nil }
    let times = lines.compactMap { $0.count >= 3 ? Double($0[2]).map { $0 / 1e9 } : nil }
    // No picture is missing or doubled; first and last are those of the range.
    #expect(numbers.count == lines.count)
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
    let first = try #require(times.first)
    let last = try #require(times.last)
    #expect(first <= trigger - 2 + 1e-6 && first > trigger - 2 - 1.0 / 30 - 1e-6)
    #expect(last < trigger + 1 + 1.0 / 30 && last > trigger + 1 - 1.0 / 30 - 1e-6)
    #expect(abs((receipt.start - bench.instant(first)).inSeconds) < 0.001)
    // Flash and beep: the first picture of each flash, and the burst that begins with it.
    let flashes = zip(lines, lines.dropFirst()).enumerated().compactMap { index, pair in
      pair.0.last == "0" && pair.1.last == "1" ? Double(index + 1) / 30 : nil
    }
    let beeps = try ClipContent.beeps(path)
    #expect(!flashes.isEmpty && flashes.count == beeps.count)
    for (flash, beep) in zip(flashes, beeps) {
      // A flash shows from the first picture taken after it began.
      #expect(flash - beep > -0.010 && flash - beep < 1.0 / 30 + 0.010)
    }
  }

  @Test func aSnapshotIsThePictureOfItsMoment() throws {
    let bench = try Bench(.small(pre: 1, post: 1, codecs: [.nv12]), source: TestCard())
    bench.recorder.arm()
    bench.run(until: 3.5)
    bench.recorder.snapshot(at: bench.instant(3.3))
    bench.run(until: 3.6)
    guard case .picture(let path)? = bench.log.storer.last else {
      Issue.record("no picture: \(bench.log.failures)")
      return
    }
    let folder = Folder()
    let file = folder.put(try bench.storage.read(path, limit: 1 << 24), "s.jpg")
    let raw = "\(folder.path)/raw"
    _ = try run("ffmpeg", ["-v", "error", "-i", file, "-f", "rawvideo", "-pix_fmt", "gray", raw])
    let tool = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Tools/picture_code.py").path
    let read = try run("python3", [tool, "320", "180", raw])
    #expect(String(decoding: read.output, as: UTF8.self).hasPrefix("0 99 "))
  }
}
