import Foundation
import Media
import Streaming
import TestSupport
import Testing

@testable import Dubbing

/// Pictures that are more than a board has memory for.
@Suite struct LargePictureTests {
  /// Three seconds, a keyframe in each; others refer to as many as four, and B-frames come out of their order.
  private func pictures(_ size: String) throws -> [ProgrammePicture] {
    let folder = TemporaryFolder()
    let path = folder.file("large.mp4")
    try Tool.succeed(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=6:d=3", "-c:v", "libx264", "-preset", "ultrafast",
        "-x264-params", "ref=4:bframes=3:b-adapt=0:b-pyramid=none:keyint=6:min-keyint=6:scenecut=0", path,
      ])
    let file = try PictureFile(path: path)
    var found: [ProgrammePicture] = []
    while let next = file.next() {
      found.append(ProgrammePicture(epoch: 0, start: next.start, bytes: next.bytes, isKeyframe: next.isKeyframe))
    }
    return found
  }

  @Test(arguments: [
    ("640x480", GrantedPictures.zero2W, true), ("1280x720", .zero2W, true), ("1920x1080", .zero2W, false),
    ("1920x1080", .pi4, true), ("2560x1440", .pi4, true), ("3840x2160", .pi4, false),
  ])
  func `of pictures that do not all find room, keyframes are shown, and the others counted`(
    size: String, board: GrantedPictures, isWhole: Bool
  ) throws {
    let all = try pictures(size)
    try #require(all.count == 18)
    let line = PictureLine(PictureRoom(waiting: 4 << 20) { board.rawValue })
    line.add(all)
    var shown: [Int] = []
    // Two are held outside, as by a screen: what is on it, and what comes next.
    var held: [DecodedPicture] = []
    for _ in 0..<100 {
      line.work(heard: 0, isEnding: true, most: 4)
      guard let picture = line.take() else { continue }
      shown.append(picture.time)
      held = line.isTight ? [] : held.suffix(1) + [picture]
    }
    #expect(line.damaged == 0)
    #expect(shown == shown.sorted())
    #expect(shown.count + line.dropped == 18, "\(shown.count) shown, \(line.dropped) dropped")
    #expect((line.dropped == 0) == isWhole, "\(line.dropped) dropped")
    let keyframes = Set(all.filter(\.isKeyframe).map(\.start))
    #expect(shown.count(where: keyframes.contains) >= 2, "\(shown)")
  }

  @Test func `one picture that is larger than all the room is never shown, and counted`() throws {
    let all = try pictures("3840x2160")
    let line = PictureLine(PictureRoom(waiting: 4 << 20) { 7 << 20 })
    line.add(all)
    for _ in 0..<100 {
      line.work(heard: 0, isEnding: true, most: 4)
      #expect(line.take() == nil)
    }
    #expect(line.dropped == 18 && line.damaged == 0)
  }

  @Test func `what waits is bounded, however slowly it is decoded, and what finds no room is counted`() throws {
    let all = try pictures("1280x720")
    let line = PictureLine(PictureRoom(waiting: all.reduce(0) { $0 + $1.bytes.count } / 2) { 54 << 20 })
    line.add(all)
    var shown = 0
    for _ in 0..<100 {
      line.work(heard: 0, isEnding: true, most: 4)
      if line.take() != nil { shown += 1 }
    }
    #expect(shown >= 3 && line.dropped > 0 && shown + line.dropped == 18, "\(shown) shown, \(line.dropped) dropped")
  }
}
