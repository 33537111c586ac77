import Foundation
import Hardware
import Media
import Recording
import SimulatedHardware
import TestSupport
import Testing

@testable import Clips

/// Streams of other shapes than our own encoder's, passed through and judged by ffmpeg: every picture of a clip decodes, and
/// the receipt says what is seen.
@Suite struct StrangeStreamTests: CameraStreams {
  let folder: TemporaryFolder

  init() { folder = TemporaryFolder() }

  @Test(
    "B-frames, open groups, a refresh bit by bit, other chroma and depth: all of it is seen, in order",
    arguments: [
      ("plain", "bframes=0:keyint=15", "yuv420p"), ("bframes", "bframes=3:b-pyramid=none:keyint=15", "yuv420p"),
      ("pyramid", "bframes=3:b-pyramid=normal:keyint=30", "yuv420p"),
      ("open", "bframes=2:open-gop=1:keyint=15", "yuv420p"),
      ("refresh", "bframes=0:intra-refresh=1:keyint=15:ref=1", "yuv420p"), ("chroma", "bframes=0:keyint=15", "yuv422p"),
      ("depth", "bframes=2:keyint=15", "yuv420p10le"), ("slices", "bframes=1:slices=4:keyint=15", "yuv420p"),
    ])
  func shapes(name: String, x264: String, pixels: String) throws {
    let (bench, receipts) = try clips(VideoFileSource(path: stream(name, x264, pixels: pixels)))
    #expect(receipts.count == 1)
    try check(bench, receipts, pictures: 120, isRefresh: name == "refresh")
  }

  @Test("A refresh bit by bit with B-frames that is seen from its midst on is counted from where it is whole")
  func refreshFromItsMidst() throws {
    let path = try stream("refresh", "bframes=3:b-adapt=0:b-pyramid=normal:intra-refresh=1:keyint=30")
    let bench = try Bench(
      .small(pre: 2, post: 3, codecs: [.h264], ringBytes: 6 << 20), source: VideoFileSource(path: path),
      pipeBytes: 4 << 20)
    bench.run(until: 0.5)
    bench.recorder.arm()
    bench.run(until: 4)
    bench.recorder.trigger(at: bench.instant(4), cause: .key)
    bench.run(until: 9)
    bench.finish()
    let receipt = try #require(bench.log.saved.first)
    let times = try shown(bench, receipt, isRefresh: true)
    #expect(receipt.pictures.captured == times.count, "\(times.count)")
    #expect(times.first.map { abs($0) < 1e-4 } == true, "\(times.first ?? -1)")
  }

  @Test("The second time that the ring is filled is like the first")
  func armedAgain() throws {
    let (bench, first) = try clips(VideoFileSource(path: stream("again", "bframes=2:keyint=15")))
    bench.recorder.disarm(at: bench.clock.now)
    bench.run(until: 12)
    bench.capture(at: 16, until: 19)
    #expect(bench.log.failures == [] && first.count == 1 && bench.log.saved.count == 2)
    try check(bench, bench.log.saved, pictures: 240)
  }

  @Test("Counts of type 1, by which some cameras order their pictures, are followed", arguments: ["none", "normal"])
  func ordersOfTypeOne(pyramid: String) throws {
    let plain = try stream("plain", "bframes=3:b-pyramid=\(pyramid):keyint=30:cabac=0")
    let path = folder.file("type1.h264")
    let tool = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Tools/picture_order.py").path
    try Tool.succeed("python3", [tool, plain, path])
    #expect(try pictures(plain) == pictures(path))
    let (bench, receipts) = try clips(VideoFileSource(path: path))
    #expect(receipts.count == 1)
    try check(bench, receipts, pictures: 120)
    // What is seen is what the source shows, in its order.
    let clip = folder.put(try bench.bytes(of: try #require(receipts.first).id), "clip.mp4")
    let (all, kept) = (try pictures(path), try pictures(clip))
    let first = try #require(all.firstIndex(of: kept.first ?? ""))
    #expect(kept.elementsEqual(all[first..<first + kept.count]))
  }

  /// Six seconds of a stream that changes its sets in the middle.
  private func changing() throws -> Bench {
    let one = try stream("one", "bframes=0:keyint=15:weightp=0:ref=1:cabac=1")
    let two = try stream("two", "bframes=0:keyint=15:weightp=0:ref=3:cabac=1:chroma-qp-offset=4")
    let both = folder.put(
      Array(try Data(contentsOf: URL(fileURLWithPath: one))) + Array(try Data(contentsOf: URL(fileURLWithPath: two))),
      "both.h264")
    let bench = try Bench(
      .small(pre: 3, post: 3, codecs: [.h264], ringBytes: 6 << 20), source: VideoFileSource(path: both),
      pipeBytes: 4 << 20)
    bench.capture(at: 10.2, until: 14)
    #expect(bench.log.failures == [])
    return bench
  }

  @Test("Parameter sets that change in mid-stream lose no picture, and none is decoded by others' sets")
  func changingSets() throws {
    let bench = try changing()
    try check(bench, bench.log.saved, pictures: 180)
    #expect(bench.log.saved.count == 1 && bench.log.saved.allSatisfy { $0.gaps.isEmpty })
  }

  @Test("A player that goes back over a change of sets, and who trims or joins there, sees the same pictures")
  func backOverAChange() throws {
    let bench = try changing()
    let id = try #require(bench.log.saved.first).id
    let whole = MemoryFile(try bench.bytes(of: id))
    let path = folder.put(whole.bytes, "whole.mp4")
    let all = try pictures(path)
    // The decoder is the same for the second round, and still has what it heard last.
    #expect(try pictures(path, ["-stream_loop", "1"]) == all + all)
    for seconds in [4.0, 1.0] { #expect(try pictures(path, ["-ss", "\(seconds)"]).last == all.last) }
    let wall = WallTime(nanosecondsSince1970: 1_790_000_000_000_000_000)
    func edited(_ name: String, _ make: (MemoryFile) throws -> ClipEditor) throws -> [String] {
      let target = MemoryFile()
      let editor = try make(target)
      while try !editor.step() {}
      return try pictures(folder.put(target.bytes, name))
    }
    for range in [0.5..<2.0, 2.0..<4.0, 4.5..<5.5] {
      let part = try edited("part.mp4") {
        try ClipEditor(trimming: whole, to: range, into: $0, createdAt: wall, title: "part")
      }
      let first = try #require(all.firstIndex(of: part.first ?? ""))
      #expect(part.elementsEqual(all[first..<min(all.count, first + part.count)]), "\(range)")
    }
    let joined = try edited("joined.mp4") {
      try ClipEditor(joining: [whole, whole], into: $0, createdAt: wall, title: "joined")
    }
    #expect(joined == all + all)
  }

  @Test(
    "Clips that begin in open groups are not joined, for a decoder would mix their pictures; others are, picture by picture",
    arguments: [
      ("open", "bframes=2:b-adapt=0:open-gop=1:keyint=15", false), ("closed", "bframes=2:b-adapt=0:keyint=15", true),
      ("refresh", "bframes=0:intra-refresh=1:keyint=15:ref=1", true),
    ])
  func joining(name: String, x264: String, isJoined: Bool) throws {
    let (bench, receipts) = try clips(VideoFileSource(path: stream(name, x264)))
    let clip = MemoryFile(try bench.bytes(of: try #require(receipts.first).id))
    let wall = WallTime(nanosecondsSince1970: 1_790_000_000_000_000_000)
    let target = MemoryFile()
    guard isJoined else {
      let error = #expect(throws: MediaError.self) {
        try ClipEditor(joining: [clip, clip], into: target, createdAt: wall, title: "joined")
      }
      #expect(error?.kind == .unsupported && error?.reason.contains("open group") == true)
      // One alone is not mixed with anything.
      _ = try ClipEditor(joining: [clip], into: target, createdAt: wall, title: "joined")
      return
    }
    let editor = try ClipEditor(joining: [clip, clip], into: target, createdAt: wall, title: "joined")
    while try !editor.step() {}
    let one = try pictures(folder.put(clip.bytes, "one.mp4"))
    let both = try pictures(folder.put(target.bytes, "both.mp4"))
    #expect(both.count == 2 * one.count && both.starts(with: one))
    if name == "closed" { #expect(both == one + one) }
  }

  @Test("The newest whole picture is had of streams with keyframes and of a refresh bit by bit, a picture a step")
  func newestPicture() throws {
    for (name, x264, isRefresh) in [
      ("plain", "bframes=0:keyint=15", false), ("refresh", "bframes=0:intra-refresh=1:keyint=15:ref=1", true),
    ] {
      let bench = try Bench(.small(pre: 2, post: 1, codecs: [.h264]), source: VideoFileSource(path: stream(name, x264)))
      bench.recorder.arm()
      bench.run(until: 3)
      let newest = NewestPicture(bench.buffer, room: 64 << 20)
      var (steps, found): (Int, Picture?) = (0, nil)
      loop: while true {
        steps += 1
        switch newest.step() {
        case .more: continue
        case .nothing: break loop
        case .picture(let picture):
          found = picture
          break loop
        }
      }
      #expect(found?.width == 320 && found?.height == 180, "\(name)")
      #expect(isRefresh ? steps > 1 : steps == 1, "\(name): \(steps)")
      // A picture with a hole in it is grey where nothing has come: this one has all of the colours' bars.
      #expect(Set(found?.luma ?? []).count > 60, "\(name)")
      guard case .nothing = newest.step() else {
        Issue.record("\(name): the same picture twice")
        continue
      }
    }
  }

  @Test("Two picture parameter sets are both in the clip, also if the second one was said only once")
  func twoSets() throws {
    let path = try stream("sets", "bframes=0:keyint=15:repeat-headers=1")
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    // The same set under number 1 in front: what is used is what was said under 0.
    let found = try #require(bytes.indices.dropLast(5).first { bytes[$0..<$0 + 4].elementsEqual([0, 0, 1, 0x68]) })
    let end = try #require(
      bytes.indices.dropLast(5).first { $0 > found + 4 && bytes[$0..<$0 + 3].elementsEqual([0, 0, 1]) })
    let set = Array(bytes[found + 4..<end])
    // ue(0) is 1, ue(1) is 010: two bits more in front of the rest.
    var bits = set.flatMap { byte in (0..<8).map { byte >> UInt8(7 - $0) & 1 } }
    bits.replaceSubrange(0..<1, with: [0, 1, 0])
    while bits.count % 8 != 0 { bits.append(0) }
    let second = stride(from: 0, to: bits.count, by: 8).map { place in
      bits[place..<place + 8].reduce(UInt8(0)) { $0 << 1 | $1 }
    }
    bytes.insert(contentsOf: [0, 0, 0, 1, 0x68] + second, at: end)
    let (bench, receipts) = try clips(VideoFileSource(path: folder.put(bytes, "two.h264")))
    try check(bench, receipts, pictures: 120)
    let clip = try bench.bytes(of: try #require(receipts.first).id)
    let box = try #require(clip.indices.dropLast(8).first { clip[$0..<$0 + 4].elementsEqual("avcC".utf8) })
    let record = Array(clip[(box + 4)...].prefix(200))
    let sequence = 8 + Int(record[6]) << 8 + Int(record[7])
    #expect(record[5] & 31 == 1 && record[sequence] == 2)
  }

  @Test("Another size goes on in another clip, without a picture lost", arguments: [VideoCodec.h264, .mjpeg])
  func anotherSize(codec: VideoCodec) throws {
    let parts = try ["320x180", "256x144"].map { size -> [UInt8] in
      if codec == .h264 {
        return Array(try Data(contentsOf: URL(fileURLWithPath: stream(size, size: size, "bframes=2:keyint=15"))))
      }
      let path = folder.file("\(size).mjpeg")
      _ = try Tool.succeed(
        "ffmpeg",
        [
          "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=30", "-frames:v", "300", "-c:v", "mjpeg", "-f",
          "mjpeg",
          "-y", path,
        ])
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    let bench = try Bench(
      .small(pre: 2, post: 2, codecs: [codec], ringBytes: 6 << 20),
      source: VideoFileSource(path: folder.put(parts[0] + parts[1], "sizes")), pipeBytes: 4 << 20)
    bench.capture(at: 10.5, until: 13.5)
    #expect(bench.log.failures == [])
    let receipts = bench.log.saved
    #expect(receipts.map { "\($0.pictures.width)x\($0.pictures.height)" } == ["320x180", "256x144"])
    try check(bench, receipts, pictures: 120)
  }

  @Test("Another size is no motion")
  func sizeIsNoMotion() throws {
    let parts = try ["320x180", "960x540"].map {
      Array(try Data(contentsOf: URL(fileURLWithPath: stream($0, size: $0, "bframes=0:keyint=15"))))
    }
    var settings = ClipSettings.small(pre: 1, post: 1, codecs: [.h264], ringBytes: 6 << 20)
    settings.motionTriggerRatio = 3
    let bench = try Bench(
      settings, source: VideoFileSource(path: folder.put(parts[0] + parts[1], "sizes")), pipeBytes: 4 << 20)
    bench.recorder.arm()
    bench.run(until: 14)
    bench.finish()
    #expect(bench.log.saved.isEmpty)
  }

  @Test("Of a film that is larger than what was asked for nothing is lost, and its own size is told")
  func largerFilm() throws {
    let path = folder.file("large.h264")
    _ = try Tool.succeed(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=1280x720:r=30,noise=alls=40:allf=t", "-frames:v", "45",
        "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-x264-params", "keyint=15:scenecut=0:crf=25",
        "-f", "h264", "-y", path,
      ])
    let source = try VideoFileSource(path: path) { H264Parameters(in: $0).map { ($0.width, $0.height) } }
    // The queue of a camera that grants what was asked for holds no keyframe of it.
    let largest = try #require(source.largestPicture)
    #expect(largest > 3 * (64 << 10))
    let bench = try Bench(
      .small(pre: 1, post: 1, codecs: [.h264], ringBytes: 64 << 20), source: source, pipeBytes: 32 << 20)
    bench.capture(at: 2.5, until: 4.5)
    #expect(bench.log.failures == [])
    let told = bench.log.camera.compactMap { if case .opened(let grant, _) = $0 { grant.format } else { nil } }
    #expect(told == [VideoFormat(codec: .h264, width: 1280, height: 720, framesPerSecond: 30)])
    #expect(bench.recorder.status.format == told.first && bench.recorder.status.droppedPictures == 0)
    #expect(bench.log.saved.map(\.pictures.width) == [1280] && bench.log.saved.allSatisfy { $0.gaps.isEmpty })
    try check(bench, bench.log.saved, pictures: 60)
  }

  @Test(
    "Pictures that fit neither queue nor ring are told of as that, not as a camera that is not there",
    arguments: [(300_000, 1 << 20), (150_000, 100_000)])
  func tooLarge(picture: Int, ring: Int) throws {
    let bench = try Bench(
      .small(pre: 1, post: 1, ringBytes: ring), source: NumberedSource(sizes: picture...picture))
    bench.capture(at: 2, until: 5)
    let told = bench.log.camera.compactMap { if case .unusable(let text) = $0 { text } else { nil } }
    #expect(told.count == 1 && told.first?.contains("larger than the board has room for") == true)
    #expect(
      bench.log.failures.map { $0.hasPrefix("unsupported: no clip was made: the camera's pictures are larger") }
        == [true])
  }

  @Test("A ring that holds not one of the camera's pictures grows, where it may")
  func growingForOne() throws {
    var settings = ClipSettings.small(pre: 1, post: 1, ringBytes: 100_000)
    settings.largestRingBytes = 32 << 20
    let bench = try Bench(settings, source: NumberedSource(sizes: 150_000...150_000), pipeBytes: 16 << 20)
    bench.capture(at: 4, until: 6)
    #expect(bench.log.failures == [])
    let receipt = try #require(bench.log.saved.first)
    #expect(try ClipContent(bench, receipt.id).isUnbroken)
    #expect((60...61).contains(receipt.pictures.captured))
  }

  @Test("Frames that come as two fields each are told of, with what the camera has to be set to; MBAFF is kept")
  func fields() throws {
    let path = folder.file("fields.h264")
    let tool = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Tools/fields.py").path
    try Tool.succeed("python3", [tool, "60", path])
    // It is a stream of sixty frames.
    #expect(try pictures(path).count == 60)
    let bench = try Bench(.small(pre: 1, post: 1, codecs: [.h264]), source: VideoFileSource(path: path))
    bench.capture(at: 3, until: 6)
    let told = bench.log.camera.compactMap { if case .unusable(let text) = $0 { text } else { nil } }
    #expect(told.count == 1 && told.first?.contains("two fields (PAFF)") == true)
    #expect(
      bench.log.failures.map { $0.hasPrefix("unsupported: no clip was made: the camera sends each picture") } == [true])
    #expect(bench.log.saved.isEmpty)
    let (whole, receipts) = try clips(
      VideoFileSource(path: stream("mbaff", "interlaced=1:bframes=2:keyint=15")))
    try check(whole, receipts, pictures: 120)
  }

  @Test("A stream without anything to begin with is told of, with what the camera has to be set to")
  func neverAKeyframe() throws {
    let path = try stream("long", "bframes=0:keyint=infinite")
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    // All but the first picture.
    let second = try #require(
      bytes.indices.dropLast(5).first { bytes[$0..<$0 + 3].elementsEqual([0, 0, 1]) && bytes[$0 + 3] & 31 == 1 })
    let camera = EndlessSource(Array(bytes[(second - 1)...]))
    let bench = try Bench(.small(pre: 2, post: 1, codecs: [.h264]), source: camera)
    bench.recorder.arm()
    bench.run(until: 8)
    bench.recorder.trigger(at: bench.instant(8), cause: .key)
    bench.run(until: 12)
    let told = bench.log.camera.compactMap { if case .unusable(let text) = $0 { text } else { nil } }
    #expect(told.count == 1 && told.first?.contains("keyframe interval") == true)
    #expect(bench.log.failures.first?.hasPrefix("unsupported: no clip was made: the camera sends no keyframes") == true)
  }
}

/// The same picture for ever.
private final class EndlessSource: PictureSource {
  private let bytes: [UInt8]
  init(_ bytes: [UInt8]) {
    let end = bytes.indices.dropFirst(8).first { bytes[$0..<min($0 + 3, bytes.count)].elementsEqual([0, 0, 1]) }
    self.bytes = Array(bytes[..<(end ?? bytes.count)])
  }
  var codecs: [VideoCodec] { [.h264] }
  var fixedFormat: VideoFormat? { nil }
  func prepare(_ format: VideoFormat) {}
  func take(_ moment: PictureMoment, deliver: (UnsafeRawBufferPointer, Bool) -> Void) {
    bytes.withUnsafeBytes { deliver($0, false) }
  }
}
