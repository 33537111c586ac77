import Foundation
import Hardware
import Media
import TestSupport
import Testing

@Suite("H.264 byte streams")
struct AnnexBTests {
  private func stream(_ folder: TemporaryFolder, _ size: String, _ more: [String]) throws -> [UInt8] {
    let path = folder.file("\(size).h264")
    _ = try text(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc=size=\(size):rate=10", "-frames:v", "3", "-pix_fmt", "yuv420p",
        "-c:v", "libx264",
      ] + more
        + ["-y", path])
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test(
    "Size and decoder's configuration are those that ffmpeg finds",
    arguments: [
      ("320x180", ["-profile:v", "baseline"]), ("1920x1080", ["-preset", "ultrafast"]),
      ("130x98", ["-profile:v", "high"]),
      ("640x480", ["-profile:v", "main", "-flags", "+ildct+ilme"]), ("1280x720", ["-x264-params", "cqm=jvt"]),
    ])
  func parameters(size: String, options: [String]) throws {
    let folder = TemporaryFolder()
    let bytes = try stream(folder, size, options)
    let found = try #require(bytes.withUnsafeBytes { H264Parameters(in: $0) })
    #expect("\(found.width)x\(found.height)" == size)
    _ = try text("ffmpeg", ["-v", "error", "-i", folder.file("\(size).h264"), "-c", "copy", folder.file("a.mp4")])
    let movie = try Data(contentsOf: URL(fileURLWithPath: folder.file("a.mp4")))
    let box = try #require(movie.range(of: Data("avcC".utf8)))
    #expect(Array(movie[box.upperBound...].prefix(found.configuration.count)) == found.configuration)
  }

  @Test("A sample has the lengths and the slices, and no parameter sets")
  func samples() throws {
    let folder = TemporaryFolder()
    let bytes = try stream(folder, "320x180", ["-x264-params", "aud=1:slices=3"])
    var units: [(kind: UInt8, bytes: [UInt8])] = []
    bytes.withUnsafeBytes { AnnexB.forEachUnit(in: $0) { units.append(($0, Array($1))) } }
    var sample: [UInt8] = [9]
    let size = bytes.withUnsafeBytes { SampleFilter.withoutSets.append($0, to: &sample) }
    #expect(size == sample.count - 1 && size == bytes.withUnsafeBytes { SampleFilter.withoutSets.size(of: $0) })
    var place = 1
    for unit in units where ![7, 8, 9].contains(unit.kind) {
      let length = sample[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
      #expect(Array(sample[(place + 4)..<(place + 4 + length)]) == unit.bytes)
      place += 4 + length
    }
    #expect(place == sample.count && units.filter { $0.kind == 1 || $0.kind == 5 }.count == 9)
  }

  @Test("A camera that says parameter sets without end is heard up to 32 kB of them, and its pictures still come")
  func floodOfSets() throws {
    let folder = TemporaryFolder()
    let good = Array(try stream(folder, "320x180", []))
    var h264 = H264Stream()
    good.withUnsafeBytes { h264.add($0) { _, _ in } }
    let known = try #require(h264.parameters)
    // Sets with the numbers 1…250 that belong to the sequence 0, of 200 bytes each.
    let flood = (1...250).flatMap { number -> [UInt8] in
      let code = String(number + 1, radix: 2)
      let bits = String(repeating: "0", count: code.count - 1) + code + "1"
      let head = UInt32(bits.padding(toLength: 32, withPad: "1", startingAt: 0), radix: 2) ?? 0
      return [0, 0, 0, 1, 0x68] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: head >> $0) }
        + [UInt8](repeating: 0x55, count: 196)
    }
    var sizes: [Int] = []
    for _ in 0..<3 { (flood + good).withUnsafeBytes { h264.add($0) { bytes, _ in sizes.append(bytes.count) } } }
    #expect(h264.parameters == known)
    #expect(sizes.count == 3 && sizes.allSatisfy { $0 <= flood.count + good.count + known.byteStream.count })
  }

  @Test(
    "A picture that others refer to is missed, once; one that none refers to is not",
    arguments: ["bframes=2:b-adapt=0:b-pyramid=none:ref=1", "bframes=3:b-adapt=0:b-pyramid=normal", "bframes=0"])
  func holes(x264: String) throws {
    let folder = TemporaryFolder()
    let path = folder.file("holes.h264")
    _ = try text(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=10", "-frames:v", "60", "-pix_fmt", "yuv420p",
        "-c:v", "libx264", "-x264-params", "\(x264):keyint=24:min-keyint=24:scenecut=0", "-y", path,
      ])
    // A unit of access begins with the sets of a keyframe, or with a slice.
    var units: [(bytes: [UInt8], isInstant: Bool, isReferred: Bool)] = []
    var head: [UInt8] = []
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))).withUnsafeBytes { all in
      AnnexB.forEachUnit(in: all) { kind, unit in
        head += [0, 0, 0, 1] + unit
        guard kind == 1 || kind == 5 else { return }
        units.append((head, kind == 5, unit[0] & 0x60 != 0))
        head = []
      }
    }
    try #require(units.count == 60)
    for skipped in 1..<59 {
      var h264 = H264Stream()
      var holes: [Int] = []
      for (number, unit) in units.enumerated() where number != skipped {
        unit.bytes.withUnsafeBytes { bytes in h264.add(bytes) { if $1.isBehindHole { holes.append(number) } } }
      }
      let isHole = units[skipped].isReferred && !units[skipped + 1].isInstant
      #expect(holes == (isHole ? [skipped + 1] : []), "without \(skipped)")
    }
  }

  @Test("No bytes, however damaged, trap")
  func fuzz() throws {
    let folder = TemporaryFolder()
    let good = Array(try stream(folder, "320x180", ["-profile:v", "high", "-x264-params", "cqm=jvt"]).prefix(900))
    let parameters = try #require(good.withUnsafeBytes { H264Parameters(in: $0) })
    let sets = parameters.byteStream
    var random = SeededGenerator(seed: 21)
    var readable = 0
    for _ in 0..<10_000 {
      var bytes = sets
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
        if Int.random(in: 0..<8, using: &random) == 0 { bytes.removeSubrange(place..<min(bytes.count, place + 9)) }
        if bytes.isEmpty { break }
      }
      bytes.withUnsafeBytes { all in
        if let found = H264Parameters(in: all) {
          readable += 1
          #expect((1...16_384).contains(found.width) && (1...16_384).contains(found.height))
          #expect(found.configuration.count > 10)
        }
        var sample: [UInt8] = []
        #expect(SampleFilter.withoutSets.append(all, to: &sample) == SampleFilter.withoutSets.size(of: all))
      }
    }
    #expect(readable > 1000)
  }
}
