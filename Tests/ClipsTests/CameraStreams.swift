import Foundation
import Hardware
import Media
import Recording
import SimulatedHardware
import TestSupport
import Testing

@testable import Clips

/// Streams as cameras send them, clips of them, and what ffmpeg shows of those.
protocol CameraStreams {
  /// Where they are.
  var folder: TemporaryFolder { get }
}

extension CameraStreams {
  /// H.264 by x264, ten seconds of it.
  func stream(_ name: String, size: String = "320x180", _ x264: String, pixels: String = "yuv420p") throws
    -> String
  {
    let path = folder.file("\(name).h264")
    _ = try Tool.succeed(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=30", "-frames:v", "300", "-pix_fmt", pixels, "-c:v",
        "libx264", "-preset", "veryfast", "-x264-params", "\(x264):scenecut=0", "-f", "h264", "-y", path,
      ])
    return path
  }

  /// H.264 by x264 with these options, or JPEG images: ten seconds.
  func film(_ name: String, _ x264: String?) throws -> (path: String, codec: VideoCodec) {
    if let x264 { return (try stream(name, x264), .h264) }
    let path = folder.file("\(name).mjpeg")
    _ = try Tool.succeed(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30", "-frames:v", "300", "-c:v", "mjpeg", "-f",
        "mjpeg", "-y", path,
      ])
    return (path, .mjpeg)
  }

  /// Clips of four seconds around 6.5 s.
  func clips(_ source: any PictureSource, _ codec: VideoCodec = .h264) throws -> (Bench, [Receipt]) {
    let bench = try Bench(
      .small(pre: 2, post: 2, codecs: [codec], ringBytes: 6 << 20), source: source, pipeBytes: 4 << 20)
    bench.capture(at: 6.5, until: 9.5)
    #expect(bench.log.failures == [])
    return (bench, bench.log.saved)
  }

  /// A camera of such a stream, whose clips have `pre` and `post` seconds, and that has run up to a time.
  func armed(
    _ path: String, _ codec: VideoCodec = .h264, pre: Int = 2, post: Int, until seconds: Double
  ) throws -> Bench {
    let bench = try Bench(
      .small(pre: pre, post: post, codecs: [codec], ringBytes: 6 << 20), source: VideoFileSource(path: path),
      pipeBytes: 4 << 20)
    bench.recorder.arm()
    bench.run(until: seconds)
    return bench
  }

  /// The same with a clip that has just been triggered.
  func triggered(_ path: String, _ codec: VideoCodec = .h264, post: Int = 5, at seconds: Double = 4) throws -> Bench {
    let bench = try armed(path, codec, post: post, until: seconds)
    bench.recorder.trigger(at: bench.instant(seconds), cause: .key)
    return bench
  }

  /// The clip that is being made, as a power cut would leave it.
  func part(_ bench: Bench) throws -> [UInt8] {
    try bench.bytes(of: try #require(try bench.names().first { $0.hasSuffix(".part") }))
  }

  /// Clips of seven seconds that something happens to, and when their pictures are seen that are as in the stream.
  func films(of path: String, _ trouble: (Bench) -> Void) throws -> [(receipt: Receipt, times: [Double])] {
    let bench = try triggered(path)
    trouble(bench)
    bench.run(until: 10)
    bench.finish()
    #expect(bench.log.failures == [])
    return try bench.log.saved.map { ($0, try whole(bench, $0, of: path)) }
  }

  /// Times at which ffmpeg shows the pictures of a clip; it has to decode all of them without a word.
  func shown(_ bench: Bench, _ receipt: Receipt, isRefresh: Bool) throws -> [Double] {
    let path = folder.put(try bench.bytes(of: receipt.id), receipt.id)
    let checked = try Tool.run("ffmpeg", ["-v", "warning", "-i", path, "-f", "null", "-"])
    // A refresh bit by bit begins with pictures that lack others, and are not shown; ffmpeg says so.
    #expect(checked.status == 0 && (isRefresh || checked.errors == ""), "\(checked.errors)")
    let frames = try Tool.succeed(
      "ffprobe", ["-v", "error", "-select_streams", "v", "-show_entries", "frame=pts_time", "-of", "csv=p=0", path])
    return frames.split(separator: "\n").compactMap { Double($0.split(separator: ",").first ?? "") }
  }

  /// Times of the pictures of a clip that are as in the stream, dot by dot: behind a loss ffmpeg shows some of a refresh that
  /// is not over, too.
  func whole(_ bench: Bench, _ receipt: Receipt, of stream: String) throws -> [Double] {
    try whole(bench.bytes(of: receipt.id), receipt.id, of: stream)
  }

  func whole(_ clip: [UInt8], _ name: String, of stream: String) throws -> [Double] {
    func pictures(_ path: String) throws -> [(time: Double, sum: Substring)] {
      let lines = try Tool.succeed(
        "ffmpeg",
        [
          "-v", "quiet", "-threads", "1", "-flags:v", "+output_corrupt", "-i", path, "-fps_mode", "passthrough", "-f",
          "framemd5", "-",
        ]
      ).split(separator: "\n")
      // `#tb 0: 1/90000`.
      let base = try #require(lines.first { $0.hasPrefix("#tb 0:") })
      let scale = try #require(Double(base.split(separator: "/")[1]))
      return lines.filter { $0.hasPrefix("0,") }.compactMap { line in
        let fields = line.split(separator: ",").map { $0.drop { $0 == " " } }
        return Double(fields[2]).map { ($0 / scale, fields[5]) }
      }
    }
    let sums = try Set(pictures(stream).map(\.sum))
    let found = try pictures(folder.put(clip, name))
    return found.filter { sums.contains($0.sum) }.map(\.time)
  }

  func check(_ bench: Bench, _ receipts: [Receipt], pictures: Int, isRefresh: Bool = false) throws {
    var count = 0
    for receipt in receipts {
      let times = try shown(bench, receipt, isRefresh: isRefresh)
      count += times.count
      #expect(receipt.pictures.captured == times.count, "\(receipt.id)")
      #expect(times.first.map { abs($0) < 1e-4 } == true, "\(times.first ?? -1)")
      for (one, next) in zip(times, times.dropFirst()) {
        #expect(abs(next - one - 1.0 / 30) < 0.0005, "\(one) \(next)")
      }
    }
    #expect(abs(count - pictures) <= 1, "\(count)")
  }

  /// Sums of the pictures as ffmpeg shows them.
  func pictures(_ path: String, _ options: [String] = []) throws -> [String] {
    let sums = try Tool.succeed(
      "ffmpeg", ["-v", "error"] + options + ["-i", path, "-an", "-fps_mode", "passthrough", "-f", "framemd5", "-"])
    return sums.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .compactMap { $0.split(separator: " ").last.map(String.init) }
  }
}
