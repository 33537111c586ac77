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

  @Test(arguments: [("1920x1080", true), ("2560x1440", true), ("3840x2160", false)])
  func `of pictures that do not all find room, keyframes are shown, and the others counted`(
    size: String, isWhole: Bool
  ) throws {
    let all = try pictures(size)
    try #require(all.count == 18)
    let line = PictureLine()
    line.add(all)
    var shown: [Int] = []
    // Two are held outside, as by a screen: what is on it, and what comes next.
    var held: [DecodedPicture] = []
    for _ in 0..<100 {
      line.work(heard: 0, isEnding: true, most: 4)
      guard let picture = line.take() else { continue }
      shown.append(picture.time)
      held = held.suffix(1) + [picture]
    }
    #expect(line.damaged <= (isWhole ? 0 : 2))
    #expect(shown == shown.sorted())
    let wanted = all.filter { isWhole || $0.isKeyframe }.map(\.start).sorted()
    #expect(isWhole ? shown == wanted : Set(shown).isSuperset(of: wanted.dropFirst()), "\(shown)")
    #expect(line.dropped >= (isWhole ? 0 : 10) && shown.count + line.dropped + line.damaged <= 18, "\(line.dropped)")
    #expect(!isWhole || line.dropped == 0)
  }
}
