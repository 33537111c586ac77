import Dubbing
import Foundation
import Hardware
import SimulatedHardware
import Streaming
import TestSupport
import Testing

@Suite("Pictures of a programme")
struct PictureShowTests {
  /// Numbers that were seen from one time to another lie within half a refresh of their sound; all of them were seen.
  private func expectInTime(_ stage: PictureStage, from start: Double, to end: Double, isComplete: Bool = true) {
    let part = stage.seen.filter { $0.at >= start && $0.at < end }
    #expect(!part.isEmpty)
    let wrong = part.enumerated().filter { index, picture in
      guard let number = picture.number else { return true }
      // 60 Hz: half a refresh is 8.3 ms, of pictures of 40 ms. The first one may be in the middle of its time.
      let age = stage.expected(at: picture.at) - Double(number)
      return !(-0.25...(index == 0 ? 1.0 : 0.25)).contains(age)
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(3)) of \(part.count)")
    let numbers = part.compactMap(\.number)
    if isComplete, let first = numbers.first, let last = numbers.last {
      #expect(numbers == Array(first...last))
    }
  }

  @Test("are each shown half a refresh around their sound, to the last one")
  func inTime() throws {
    let stage = PictureStage(try CodedVideo.make(seconds: 4))
    stage.run(until: 4.5)
    expectInTime(stage, from: 0, to: 4.5)
    #expect(stage.seen.compactMap(\.number) == Array(0..<100))
    #expect(stage.show.pictureCounters.shown == 100)
    #expect(stage.show.pictureCounters.dropped == 0)
    #expect(stage.show.pictureCounters.late == 0)
  }

  @Test("stand while the sound stands, and follow it after a pause, a seek and a broken link")
  func jumps() throws {
    let stage = PictureStage(try CodedVideo.make(seconds: 14))
    stage.run(until: 2)
    stage.pause()
    let before = stage.seen.count
    stage.run(until: 3)
    #expect(stage.seen.count <= before + 1)
    stage.resume()
    stage.run(until: 4)
    expectInTime(stage, from: 3, to: 4)
    // Into the middle of a group of pictures: none of those before it is seen.
    stage.seek(to: 9 * 48_000 + 12_345)
    stage.run(until: 5)
    expectInTime(stage, from: 4, to: 5)
    #expect(stage.seen.first { $0.at >= 4 }?.number ?? 0 >= 231)
    // Back.
    stage.seek(to: 48_000)
    stage.run(until: 6)
    expectInTime(stage, from: 5, to: 6)
    // Nothing comes for a while, sound waits with it, and it goes on.
    stage.isCut = true
    stage.run(until: 6.9)
    stage.pause()
    stage.run(until: 8)
    stage.isCut = false
    stage.run(until: 8.5)
    stage.resume()
    stage.run(until: 9.5)
    expectInTime(stage, from: 8.5, to: 9.5)
    #expect(stage.show.pictureCounters.late <= 1)
  }

  @Test("of what played before are not shown beside what plays next")
  func next() throws {
    let stage = PictureStage(try CodedVideo.make(seconds: 2))
    stage.show.setPreview(PictureShow.PreviewWish(width: 40, height: 24, interval: .milliseconds(100)))
    stage.run(until: 1)
    #expect(stage.show.preview != nil)
    // A take follows at once, and has none.
    stage.isCut = true
    stage.show.restart(isPlaying: false)
    stage.show.restart(isPlaying: true)
    stage.run(until: 1.5)
    #expect(stage.show.preview == nil)
  }

  @Test("that come too late are passed by, and counted")
  func late() throws {
    let stage = PictureStage(try CodedVideo.make(seconds: 8))
    stage.run(until: 1)
    stage.isCut = true
    // Sound goes on without pictures for three seconds.
    stage.run(until: 4.5)
    stage.isCut = false
    stage.run(until: 6)
    expectInTime(stage, from: 4.6, to: 6)
    let counters = stage.show.pictureCounters
    let seen = stage.seen.compactMap(\.number)
    #expect(counters.dropped > 40, "\(counters)")
    #expect(seen == seen.sorted())
  }

  @Test("come onto a screen that is plugged in while something plays, and leave it when it is gone")
  func plug() throws {
    let stage = PictureStage(try CodedVideo.make(seconds: 8), isPlugged: false)
    stage.run(until: 1.5)
    #expect(stage.seen.isEmpty)
    #expect(!stage.show.isWanted)
    stage.screen.replug()
    stage.run(until: 3)
    // Within a second, and from the next keyframe on.
    expectInTime(stage, from: 2.1, to: 3)
    #expect(stage.show.screenMode?.width == 640)
    stage.screen.unplug()
    stage.run(until: 4)
    let gone = stage.seen.count
    #expect(stage.errors.all.contains { $0?.kind == .lost })
    stage.run(until: 5)
    #expect(stage.seen.count == gone)
    #expect(stage.show.screenMode == nil)
    stage.screen.replug()
    stage.run(until: 8)
    expectInTime(stage, from: 6.6, to: 8)
    // What no longer plays has left the screen to others.
    stage.show.restart(isPlaying: false)
    stage.run(until: 8.1)
    #expect(!stage.screen.isOpen)
  }

  @Test("lie in their shape in the middle of any screen", arguments: [(400, 400), (900, 300), (320, 180), (97, 301)])
  func letterBox(_ size: (Int, Int)) throws {
    let stage = PictureStage(try CodedVideo.make(seconds: 1), width: size.0, height: size.1)
    stage.run(until: 0.5)
    let shown = try #require(stage.screen.shown)
    let width = min(size.0, size.1 * 320 / 180)
    let height = min(size.1, size.0 * 180 / 320)
    let (left, top) = ((size.0 - width) / 2, (size.1 - height) / 2)
    var lightOutside = 0
    for y in 0..<size.1 {
      for x in 0..<size.0 where !(left..<left + width).contains(x) || !(top..<top + height).contains(y) {
        if shown.pixels[y * size.0 + x] != 0 { lightOutside += 1 }
      }
    }
    #expect(lightOutside == 0)
    // The ground is grey (90 of 16…235 is 86 of 255), in the corners of the picture.
    for (x, y) in [(left + 2, top + height - 3), (left + width - 3, top + height - 3)] {
      let pixel = shown.pixels[y * size.0 + x]
      for shift in [0, 8, 16] as [UInt32] { #expect(abs(Int(pixel >> shift & 255) - 86) < 12) }
    }
    if width == 320 { #expect(CodedVideo.number(shown, x: left, y: top, width: width, height: height) != nil) }
  }

  @Test("are small ones as often as the display's bus allows, of the picture that is due")
  func preview() throws {
    let stage = PictureStage(try CodedVideo.make(seconds: 4), isPlugged: false)
    stage.show.setPreview(.init(width: 84, height: 48, interval: .milliseconds(100)))
    var frames: [Int] = []
    for step in 1...400 {
      stage.run(until: Double(step) / 100)
      guard let preview = stage.show.preview else { continue }
      #expect(preview.width == 84 && preview.height == 47)
      #expect(preview.luma.count == preview.width * preview.height)
      if frames.last != preview.frame { frames.append(preview.frame) }
      // Never of what is not heard yet, never older than its interval and a picture: every third, that others refer to.
      #expect((-1.0...12_000.0).contains(stage.heard - Double(preview.frame)))
    }
    #expect((30...42).contains(frames.count), "\(frames.count)")
    #expect(frames == frames.sorted())
    stage.show.setPreview(nil)
    stage.run(until: 4.1)
    #expect(stage.show.preview == nil)
    #expect(!stage.show.isWanted)
  }

  @Test("that are too large to be decoded for a few dots are shown keyframe by keyframe")
  func keyframes() throws {
    let stage = PictureStage(try CodedVideo.make(seconds: 6, size: "1280x720"), isPlugged: false)
    stage.show.setPreview(.init(width: 84, height: 48, interval: .milliseconds(66)))
    var frames: Set<Int> = []
    for step in 1...590 {
      stage.run(until: Double(step) / 100)
      if let preview = stage.show.preview { frames.insert(preview.frame) }
    }
    let late = frames.filter { $0 > 48_000 }
    #expect(late == [96_000, 192_000])
  }

  @Test("survive any bytes")
  func anyBytes() throws {
    var pictures = try CodedVideo.make(seconds: 4)
    var dice = SeededGenerator(seed: 11)
    for index in pictures.indices where index % 3 != 0 {
      for _ in 0..<8 where !pictures[index].bytes.isEmpty {
        pictures[index].bytes[Int(dice.next() % UInt64(pictures[index].bytes.count))] = UInt8(dice.next() & 255)
      }
      if index % 7 == 0 { pictures[index].bytes = Array(pictures[index].bytes.prefix(Int(dice.next() % 40))) }
      if index % 11 == 0 { pictures[index].start = Int(dice.next() >> 20) }
    }
    let stage = PictureStage(pictures)
    stage.lead = .infinity
    stage.run(until: 4.5)
    #expect(stage.show.pictureCounters.shown > 0)
  }
}
