import Foundation
import Hardware
import Media
import TestSupport
import Testing

@Suite("Encoding a camera's raw pictures")
struct VideoEncoderTests {
  private let format = VideoFormat(codec: .nv12, width: 320, height: 180, framesPerSecond: 30)

  private func makeEncoder(
    _ format: VideoFormat? = nil, bitrate: Int = 400_000, kinds: [VideoEncoderKind] = VideoEncoderKind.allCases
  ) throws -> VideoEncoder {
    try VideoEncoder(format ?? self.format, bitrate: bitrate, keyframeInterval: 15, kinds: kinds)
  }

  @Test("Each picture comes out at once, in order, readable, with keyframes in rhythm and on request")
  func rhythm() throws {
    let pictures = cards(0..<60)
    let encoder = try makeEncoder()
    var soonest: [Int64] = []
    for (index, picture) in pictures.prefix(20).enumerated() {
      try picture.withUnsafeBytes { try encoder.encode($0, time: Int64(index)) { soonest.append($0.time) } }
    }
    #expect(soonest == Array(0..<20))
    #expect(encoder.kind == .x264 && encoder.name == "libx264" && encoder.output.codec == .h264)

    let kept = try makeEncoder().encodeAll(pictures, forced: [20])
    #expect(kept.map(\.time) == (0..<60).map { Int64($0) })
    // The rhythm begins again at a keyframe that was asked for.
    #expect(kept.indices.filter { kept[$0].isKeyframe } == [0, 15, 20, 35, 50])
    var numbers: [Int?] = []
    let decoder = try VideoDecoder(.h264, room: 64 << 20)
    for picture in kept { try picture.bytes.withUnsafeBytes { try decoder.decode($0) { numbers.append($0.number) } } }
    try decoder.finish { numbers.append($0.number) }
    #expect(numbers == Array(0..<60))
  }

  @Test("Any keyframe can be begun with, and ffprobe finds no picture that looks ahead")
  func closedGroups() throws {
    let folder = TemporaryFolder()
    let kept = try makeEncoder().encodeAll(cards(0..<40))
    for start in kept.indices where kept[start].isKeyframe {
      let path = folder.file("from\(start).h264")
      try Data(kept[start...].flatMap(\.bytes)).write(to: URL(fileURLWithPath: path))
      let types = try text("ffprobe", ["-v", "error", "-show_entries", "frame=pict_type", "-of", "csv=p=0", path])
      let letters = types.split(whereSeparator: { $0 == "\n" || $0 == "," })
      #expect(letters.count == 40 - start && letters.first == "I" && letters.allSatisfy { $0 == "I" || $0 == "P" })
    }
  }

  @Test("The same pictures give the same bytes")
  func deterministic() throws {
    let pictures = cards(0..<20, .yuyv)
    var format = format
    format.codec = .yuyv
    let first = try makeEncoder(format).encodeAll(pictures)
    #expect(try makeEncoder(format).encodeAll(pictures) == first)
  }

  @Test("No second passes the bit rate by more than a second's worth")
  func rate() throws {
    var random = SeededGenerator(seed: 4)
    // Noise is the hardest that there is.
    let noise = (0..<90).map { _ in
      (0..<(format.largestFrameBytes / 8)).flatMap { _ in withUnsafeBytes(of: random.next(), Array.init) }
    }
    let kept = try makeEncoder(bitrate: 1_000_000).encodeAll(noise)
    for start in 0..<60 {
      let bits = kept[start..<(start + 30)].reduce(0) { $0 + $1.bytes.count * 8 }
      #expect(bits <= 2_100_000)
    }
  }

  @Test("Without an H.264 encoder the pictures become JPEG images")
  func jpeg() throws {
    let encoder = try makeEncoder(kinds: [.jpeg])
    #expect(encoder.output.codec == .mjpeg)
    let kept = try encoder.encodeAll(cards(0..<5))
    #expect(kept.count == 5 && kept.allSatisfy { $0.isKeyframe })
    let pictures = try kept.map {
      try $0.bytes.withUnsafeBytes { try VideoDecoder.picture(of: $0, .mjpeg, room: 64 << 20) }
    }
    #expect(pictures.map { $0?.number } == Array(0..<5))
    #expect(
      kept.allSatisfy { picture in picture.bytes.withUnsafeBytes { JPEGScan.length(in: $0) } == picture.bytes.count })
  }

  @Test("What cannot be encoded is refused with a reason")
  func refusals() throws {
    func refusal(_ change: (inout VideoFormat) -> Void) -> MediaError? {
      var format = format
      change(&format)
      do {
        _ = try makeEncoder(format)
        return nil
      } catch { return error as? MediaError }
    }
    #expect(refusal { $0.codec = .h264 }?.reason == "h264 is encoded already")
    #expect(refusal { $0.width = 321 }?.kind == .unsupported)
    #expect(refusal { $0.height = 0 }?.kind == .unsupported)
    #expect(refusal { $0.framesPerSecond = 0 }?.kind == .unsupported)
    #expect(refusal { _ in } == nil)
    let encoder = try makeEncoder()
    #expect(throws: MediaError.self) {
      try [UInt8](repeating: 0, count: 100).withUnsafeBytes { try encoder.encode($0, time: 0) { _ in } }
    }
    try encoder.finish { _ in }
    #expect(throws: MediaError.self) {
      try cards(0..<1)[0].withUnsafeBytes { try encoder.encode($0, time: 0) { _ in } }
    }
    #expect(VideoEncoder.builtIn.contains(.x264))
  }

  @Test("Keyframes get the parameter sets that the stream said once")
  func completes() throws {
    let whole = try makeEncoder().encodeAll(cards(0..<31))
    let parameters = try #require(whole[0].bytes.withUnsafeBytes { H264Parameters(in: $0) })
    // As from an encoder that says them in a buffer of their own, at the start only.
    var stream = [parameters.byteStream]
    for picture in whole {
      var bytes: [UInt8] = []
      picture.bytes.withUnsafeBytes { all in
        AnnexB.forEachUnit(in: all) { kind, unit in
          if ![7, 8, 9, 12].contains(kind) { bytes += [0, 0, 0, 1] + unit }
        }
      }
      stream.append(bytes)
    }
    var follower = H264Stream()
    var keys: [Bool] = []
    for unit in stream {
      unit.withUnsafeBytes { bytes in
        follower.add(bytes) { whole, place in
          keys.append(place.isKeyframe)
          #expect((H264Parameters(in: whole) == parameters) == place.isKeyframe)
        }
      }
    }
    #expect(keys == whole.map(\.isKeyframe))
    #expect(follower.parameters == parameters)
  }
}
