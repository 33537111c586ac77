import Foundation
import Hardware
import Media
import Recording
import SimulatedHardware
import TestSupport
import Testing

@testable import Clips

/// Clips whose seconds from before the trigger begin where pictures are missing, judged by ffmpeg.
@Suite struct HoleAtTheStartTests: CameraStreams {
  let folder = TemporaryFolder()

  /// A clip of a camera that sends nothing for some time from 6.1 s on.
  ///
  /// - Parameter start: of its pre-roll, in the hole; whole seconds before the trigger.
  private func clip(
    of path: String, _ codec: VideoCodec = .h264, hole: Int64, start: Double, pre: Int
  ) throws -> (Bench, Receipt) {
    let bench = try armed(path, codec, pre: pre, post: 2, until: 6.1)
    bench.camera.stall(.milliseconds(hole), at: bench.clock.now)
    let trigger = start + Double(pre)
    bench.run(until: trigger)
    bench.recorder.trigger(at: bench.instant(trigger), cause: .key)
    bench.run(until: 12)
    bench.finish()
    #expect(bench.log.failures == [] && bench.log.saved.count == 1)
    let receipt = try #require(bench.log.saved.first)
    #expect(abs((receipt.start - bench.instant(start)).inSeconds) < 0.001)
    #expect(abs(receipt.duration - Double(pre + 2)) < 0.1)
    return (bench, receipt)
  }

  private var wall: WallTime { WallTime(nanosecondsSince1970: 1_790_000_000_000_000_000) }

  private func edited(_ make: (MemoryFile) throws -> ClipEditor) throws -> (MemoryFile, ClipEditor) {
    let target = MemoryFile()
    let editor = try make(target)
    while try !editor.step() {}
    return (target, editor)
  }

  @Test(
    "A clip that begins in a hole of a camera with open groups is one: with the sound of the hole, and the pictures behind it",
    arguments: [
      "bframes=2:b-adapt=0:open-gop=1:keyint=15", "bframes=2:b-adapt=0:open-gop=1:keyint=15:b-pyramid=none",
      "bframes=3:b-adapt=0:keyint=30",
    ],
    // Over already when the trigger comes, or still open.
    [(500, 6.3, 2), (700, 6.3, 2), (800, 6.25, 1), (900, 6.4, 2), (950, 6.2, 1)]
      as [(milliseconds: Int64, start: Double, pre: Int)])
  func oneClip(x264: String, hole: (milliseconds: Int64, start: Double, pre: Int)) throws {
    let path = try stream("hole", x264)
    let (bench, receipt) = try clip(of: path, hole: hole.milliseconds, start: hole.start, pre: hole.pre)
    let times = try whole(bench, receipt, of: path)
    let first = try #require(times.first)
    #expect(receipt.pictures.captured == times.count && times.count > 25)
    let gap = try #require(receipt.gaps.first)
    #expect(receipt.gaps.count == 1 && gap.track == "picture" && gap.start == 0)
    #expect(abs(gap.seconds - first) < 0.017 && first > 0.2, "\(gap.seconds) \(first)")
    // A beep at each full second, from the start on.
    let beeps = try ClipContent.beeps(folder.put(try bench.bytes(of: receipt.id), receipt.id))
    #expect(beeps.count >= hole.pre + 1)
    for beep in beeps { #expect(abs(hole.start + beep - (hole.start + beep).rounded()) < 0.005, "\(beep)") }
  }

  @Test(
    "What is trimmed or copied of a clip that begins in a hole has its pictures beside the same sound",
    arguments: [
      "bframes=2:b-adapt=0:open-gop=1:keyint=15:b-pyramid=none", "bframes=2:b-adapt=0:keyint=15", "bframes=0:keyint=15",
      nil,
    ] as [String?])
  func trimmed(x264: String?) throws {
    let (path, codec) = try film("hole", x264)
    let (bench, receipt) = try clip(of: path, codec, hole: 700, start: 6.3, pre: 2)
    let times = try whole(bench, receipt, of: path)
    let first = try #require(times.first)
    let clip = MemoryFile(try bench.bytes(of: receipt.id))
    #expect(try ClipReader(clip).facts(of: clip).pictures == times.count)
    // At the very end of the hole it begins with the picture behind it.
    for (start, begin) in [(0, 0), (0.2, 0.2), (first - 0.05, first)] as [(Double, Double)] {
      let (part, editor) = try edited { target in
        try start == 0
          ? ClipEditor(joining: [clip], into: target, createdAt: wall, title: "all")
          : ClipEditor(trimming: clip, to: start..<2.5, into: target, createdAt: wall, title: "part")
      }
      let left = try whole(part.bytes, "part.mp4", of: path)
      #expect(editor.facts.pictures == left.count && left.count > 40)
      let one = try #require(left.first)
      #expect(abs(one + begin - first) < 0.001, "\(start): \(one) \(first)")
      let beeps = try ClipContent.beeps(folder.file("part.mp4")).map { 6.3 + begin + $0 }
      #expect(!beeps.isEmpty && beeps.allSatisfy { abs($0 - $0.rounded()) < 0.005 }, "\(start): \(beeps)")
    }
  }
}

/// What ffmpeg shows of a clip, and lets hear: when its pictures and beeps come.
private struct Content {
  var pictures: [Double]
  var beeps: [Double]
  var seconds: Double

  /// It and another one behind it, whose first picture stands in the hole that it begins in.
  func joined(with other: Content) -> Content {
    var behind = other.pictures
    if let first = behind.first, first > 0.1 { behind[0] = 0 }
    return Content(
      pictures: pictures + behind.map { seconds + $0 }, beeps: beeps + other.beeps.map { seconds + $0 },
      seconds: seconds + other.seconds)
  }

  /// What is left of it: from the picture on that is seen at the start.
  func trimmed(to range: Range<Double>) -> Content {
    let start = pictures.last { $0 <= range.lowerBound } ?? range.lowerBound
    func left(_ times: [Double]) -> [Double] {
      times.filter { $0 >= start && $0 < range.upperBound }.map { $0 - start }
    }
    return Content(pictures: left(pictures), beeps: left(beeps), seconds: range.upperBound - start)
  }
}

extension HoleAtTheStartTests {
  private func content(_ clip: MemoryFile, of path: String, seconds: Double) throws -> Content {
    let pictures = try whole(clip.bytes, "clip.mp4", of: path)
    return Content(pictures: pictures, beeps: try ClipContent.beeps(folder.file("clip.mp4")), seconds: seconds)
  }

  /// - Parameter packets: how many of sound ffmpeg may play too many, or too few: behind the first edit it plays whole ones.
  private func check(
    _ clip: MemoryFile, _ editor: ClipEditor, of path: String, is wanted: Content, packets: Double = 0
  ) throws {
    #expect(abs(editor.facts.duration - wanted.seconds) < 0.001, "\(editor.facts.duration) \(wanted.seconds)")
    #expect(editor.facts.pictures == wanted.pictures.count)
    let found = try content(clip, of: path, seconds: wanted.seconds)
    #expect(found.pictures.count == wanted.pictures.count && found.beeps.count == wanted.beeps.count)
    for (one, other) in zip(found.pictures, wanted.pictures) { #expect(abs(one - other) < 0.001, "\(one) \(other)") }
    for (one, other) in zip(found.beeps, wanted.beeps) {
      #expect(abs(one - other) < 0.005 + packets * 0.064, "\(one) \(other)")
    }
  }

  /// Where the edits of each track begin: those of the pictures, then of the sound.
  private func edits(_ clip: [UInt8]) throws -> [[Int32]] {
    func number(_ place: Int) -> UInt32 { clip[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    let movie = try #require(clip.indices.dropLast(4).last { clip[$0..<$0 + 4].elementsEqual("moov".utf8) })
    let lists = (movie..<clip.count - 4).filter { clip[$0..<$0 + 4].elementsEqual("elst".utf8) }
    // Behind version and count, of each: its length, where it begins, its rate.
    return lists.map { list in
      (0..<Int(number(list + 8))).map { Int32(bitPattern: number(list + 16 + 12 * $0)) }
    }
  }

  @Test(
    "Clips that begin in a hole are joined, and what is trimmed of that joined again, with pictures and sound in step",
    arguments: ["bframes=2:b-adapt=0:keyint=15", "bframes=0:keyint=15", nil] as [String?])
  func joined(x264: String?) throws {
    let (path, codec) = try film("hole", x264)
    let (bench, receipt) = try clip(of: path, codec, hole: 700, start: 6.3, pre: 2)
    let clip = MemoryFile(try bench.bytes(of: receipt.id))
    let one = try content(clip, of: path, seconds: receipt.duration)
    #expect(receipt.pictures.captured == one.pictures.count && one.pictures.count > 90)
    #expect(try #require(one.pictures.first) > 0.4 && one.beeps.count >= 3)

    let (both, joining) = try edited {
      try ClipEditor(joining: [clip, clip], into: $0, createdAt: wall, title: "both")
    }
    let wanted = one.joined(with: one)
    try check(both, joining, of: path, is: wanted, packets: 1)
    // libavformat knows of time in which nothing is shown in the first one only.
    let begins = try edits(both.bytes)
    #expect(begins.map { $0.map { $0 < 0 } } == [[true, false, false], [false, false]], "\(begins)")

    // It begins with a keyframe: in a later part ffmpeg shows pictures out of order late by their delay where it does not.
    let (part, trimming) = try edited {
      try ClipEditor(trimming: both, to: 5.24..<7.85, into: $0, createdAt: wall, title: "part")
    }
    let left = wanted.trimmed(to: 5.24..<7.85)
    #expect(left.beeps.count >= 2)
    try check(part, trimming, of: path, is: left)
    let (again, joiningAgain) = try edited {
      try ClipEditor(joining: [clip, part], into: $0, createdAt: wall, title: "again")
    }
    try check(again, joiningAgain, of: path, is: one.joined(with: left), packets: 1)
  }
}
