import Foundation
import Hardware
import Recording
import SimulatedHardware
import TestSupport
import Testing

@testable import Clips

/// Raw pictures through the encoder, judged by ffmpeg: what the pixels of a saved clip say.
@Suite struct DecodedClipTests {
  @Test(arguments: [(4.99, 15), (5.2, 30), (6.51, 7)]) func thePixelsAreThoseOfTheTimeThatWasAskedFor(
    trigger: Double, interval: Int
  ) throws {
    let bench = try Bench(.small(pre: 2, post: 1, codecs: [.nv12], interval: interval), source: TestCard())
    bench.capture(at: trigger, until: trigger + 1.2)
    #expect(bench.log.failures == [])
    let receipt = try #require(bench.log.saved.first)
    let folder = TemporaryFolder()
    let path = folder.put(try bench.bytes(of: receipt.id), "clip.mp4")
    let checked = try Tool.run("ffmpeg", ["-v", "warning", "-xerror", "-i", path, "-f", "null", "-"])
    #expect(checked.status == 0)
    #expect(checked.errors == "")
    let raw = "\(folder.path)/raw"
    try Tool.run("ffmpeg", ["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "gray", raw])
    let tool = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Tools/picture_code.py").path
    let read = try Tool.run("python3", [tool, "320", "180", raw])
    #expect(read.status == 0)
    let lines = read.output.split(separator: "\n").map { $0.split(separator: " ") }
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

  /// H.264 that the ffmpeg tool has made, passed through; the camera comes back in the middle of a group.
  @Test func aCameraThatComesBackRejoinsAtAKeyframe() throws {
    let folder = TemporaryFolder()
    let stream = "\(folder.path)/v.h264"
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30", "-frames:v", "300", "-c:v", "libx264", "-preset",
        "ultrafast", "-tune", "zerolatency", "-g", "15", "-sc_threshold", "0", "-f", "h264", stream,
      ])
    let bench = try Bench(.small(pre: 2, post: 5, codecs: [.h264]), source: VideoFileSource(path: stream))
    bench.recorder.arm()
    bench.run(until: 4)
    bench.recorder.trigger(at: bench.instant(4), cause: .key)
    // It is tried again every second: at 7.2 s it is six pictures into a group of fifteen.
    bench.run(until: 5.2)
    bench.camera.unplug(at: bench.clock.now)
    bench.run(until: 6.41)
    bench.camera.replug()
    bench.run(until: 10)
    bench.finish()
    #expect(bench.log.failures == [])
    let receipt = try #require(bench.log.saved.first)
    #expect(receipt.gaps.map(\.reason) == ["camera-lost"])
    #expect(receipt.pictures.droppedBeforeKeyframe > 0)
    let path = folder.put(try bench.bytes(of: receipt.id), "clip.mp4")
    let checked = try Tool.run("ffmpeg", ["-v", "warning", "-xerror", "-i", path, "-f", "null", "-"])
    #expect(checked.errors == "")
    #expect(checked.status == 0)
    let packets = try Tool.run(
      "ffprobe",
      ["-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time,flags", "-of", "csv=p=0", path])
    let times = packets.output.split(separator: "\n").compactMap { line -> Double? in
      line.contains("D") ? nil : line.split(separator: ",").first.flatMap { Double($0) }
    }
    #expect(times.first == 0)
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(steps.count { $0 > 0.05 } == 1)
    #expect(steps.filter { $0 < 0.05 }.allSatisfy { abs($0 - 1.0 / 30) < 12e-6 })
    #expect(times.count == receipt.pictures.captured)
    // The sound has no hole: a beep a second, at the full second.
    let beeps = try ClipContent.beeps(path)
    #expect(beeps.count >= 6)
    let start = (receipt.start - bench.origin).inSeconds
    for beep in beeps { #expect(abs(start + beep - (start + beep).rounded()) < 0.005) }
  }

  @Test func aSnapshotIsThePictureOfItsMoment() throws {
    let bench = try Bench(.small(pre: 1, post: 1, codecs: [.nv12]), source: TestCard())
    bench.recorder.arm()
    bench.run(until: 3.5)
    bench.recorder.snapshot(at: bench.instant(3.3))
    bench.run(until: 3.6)
    guard case .picture(let path)? = bench.log.files.last else {
      Issue.record("no picture: \(bench.log.failures)")
      return
    }
    let folder = TemporaryFolder()
    let file = folder.put(try bench.storage.read(path, limit: 1 << 24), "s.jpg")
    let raw = "\(folder.path)/raw"
    try Tool.run("ffmpeg", ["-v", "error", "-i", file, "-f", "rawvideo", "-pix_fmt", "gray", raw])
    let tool = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Tools/picture_code.py").path
    let read = try Tool.run("python3", [tool, "320", "180", raw])
    #expect(read.output.hasPrefix("0 99 "))
  }

  /// Where pictures come out of order, the one that is seen at a moment comes later than others that are seen after it.
  @Test(arguments: ["bframes=0", "bframes=3:b-pyramid=none", "bframes=3:b-pyramid=normal", "bframes=2:open-gop=1"])
  func aSnapshotOfACameraWithBFramesIsThePictureOfItsMoment(x264: String) throws {
    let folder = TemporaryFolder()
    let stream = folder.file("numbered.h264")
    // Each picture says its number modulo 16 by the grey of its left half, and the rest by that of its right one.
    let grey = "if(lt(X,W/2),20+12*mod(N,16),20+10*floor(N/16))"
    _ = try Tool.succeed(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "nullsrc=s=64x64:r=30,geq=lum='\(grey)':cb=128:cr=128", "-frames:v", "300",
        "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "veryfast", "-x264-params",
        "\(x264):b-adapt=0:keyint=30:scenecut=0", "-f", "h264", "-y", stream,
      ])
    let bench = try Bench(.small(pre: 1, post: 1, codecs: [.h264]), source: VideoFileSource(path: stream))
    bench.recorder.arm()
    let times = (0..<12).map { 3.005 + Double($0) * 0.034 }
    for time in times {
      bench.run(until: time + 0.01)
      bench.recorder.snapshot(at: bench.instant(time))
    }
    bench.run(until: 4)
    let paths = bench.log.files.compactMap { if case .picture(let path) = $0 { path } else { nil } }
    let numbers = try paths.map { path -> Int in
      let file = folder.put(try bench.storage.read(path, limit: 1 << 24), "s.jpg")
      let raw = try Tool.run("ffmpeg", ["-v", "error", "-i", file, "-f", "rawvideo", "-pix_fmt", "gray", "-"]).data
      // JPEG has values from 0 on.
      let (left, right) = (Double(raw[32 * 64 + 16]) * 219 / 255 + 16, Double(raw[32 * 64 + 48]) * 219 / 255 + 16)
      return Int(((left - 20) / 12).rounded()) + 16 * Int(((right - 20) / 10).rounded())
    }
    #expect(numbers == times.map { Int($0 * 30) })
  }
}
