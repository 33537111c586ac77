import Foundation
import Hardware
import Media
import TestSupport
import Testing

@Suite struct ClipWriterTests {
  let folder: TemporaryFolder

  init() { folder = TemporaryFolder() }

  private func make(_ name: String, skipped: Int = 0, withSound: Bool = true, video: TestVideo? = nil) throws -> String
  {
    let maker = try ClipMaker(try video ?? TestVideo.shared.get(), withSound: withSound)
    let path = folder.file(name)
    var clip = MovieWriter(DiskFile(path), maker.description(skipped: skipped))
    try maker.write(&clip)
    let count = maker.video.pictures.count
    try clip.finish(at: [count * 3000, count * 1600 - skipped * 48_000 / 90_000])
    return path
  }

  @Test func aFinishedClipIsAnOrdinaryMovieThatDecodesWithoutAWord() throws {
    let path = try make("a.mp4")
    #expect(try complaints(path) == "")
    let times = try shownTimes(path, "v")
    #expect(times.count == 120)
    #expect(times.first == 0)
    #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 1.0 / 30) < 2e-6 })
    #expect(try shownPictures(path) == 120)
    #expect(try probe(path, "stream=duration").contains("4.000000"))
    #expect(try probe(path, "format=duration").contains("4.000000"))
    #expect(try probe(path, "stream=duration_ts").hasSuffix("192000"))
    #expect(try SoundFile(path: path).totalFrames == 192_000)
  }

  @Test func theEditListStartsTheClipAtTheVeryPicture() throws {
    // The seventh picture of the first group.
    let path = try make("b.mp4", skipped: 7 * 3000)
    #expect(try complaints(path) == "")
    let times = try shownTimes(path, "v")
    #expect(times.count == 113)
    #expect(times.first == 0)
    #expect(try shownPictures(path) == 113)
    #expect(try probe(path, "stream=start_time").contains("0.000000"))
    #expect(try SoundFile(path: path).totalFrames == (120 - 7) * 1600)
  }

  @Test func aClipWithoutSoundHasOneTrack() throws {
    let path = try make("c.mp4", skipped: 3 * 3000, withSound: false)
    #expect(try complaints(path) == "")
    #expect(try shownPictures(path) == 117)
    #expect(try probe(path, "format=duration,nb_streams").contains("3.900000"))
  }

  @Test func jpegPicturesAreMovedUntouched() throws {
    let path = try make("d.mp4", video: TestVideo.jpegs.get())
    #expect(try complaints(path) == "")
    #expect(try shownPictures(path) == 30)
    #expect(try probe(path, "stream=codec_name").contains("mjpeg"))
  }

  @Test func aHoleIsOneLongPicture() throws {
    let maker = try ClipMaker(TestVideo.shared.get(), withSound: false)
    let path = folder.file("h.mp4")
    var clip = MovieWriter(DiskFile(path), maker.description())
    try clip.begin()
    for index in 0..<60 {
      let time = index * 3000 + (index >= 30 ? 90_000 : 0)
      maker.video.sample(index).withUnsafeBytes {
        clip.append($0, to: 0, at: time, isKeyframe: maker.video.pictures[index].isKeyframe)
      }
      if index % 7 == 0 { try clip.flush() }
    }
    try clip.finish(at: [60 * 3000 + 90_000, 0])
    let deltas = try shownTimes(path, "v").adjacent()
    #expect(deltas.filter { $0 > 0.04 }.count == 1)
    #expect(abs((deltas.max() ?? 0) - (1 + 1.0 / 30)) < 1e-5)
    #expect(try complaints(path) == "")
  }

  @Test func whileItGrowsItPlaysUpToTheLastFragment() throws {
    let maker = try ClipMaker(TestVideo.shared.get())
    let path = folder.file("e.mp4")
    var clip = MovieWriter(DiskFile(path), maker.description())
    try maker.write(&clip)
    #expect(try complaints(path) == "")
    #expect(try shownPictures(path) == 119)
  }

  @Test func aStallAnywhereLosesNothing() throws {
    let maker = try ClipMaker(TestVideo.shared.get())
    let calm = MemoryFile()
    var clip = MovieWriter(calm, maker.description())
    try maker.write(&clip)
    try clip.finish(at: [360_000, 192_000])
    let shaken = MemoryFile()
    var other = MovieWriter(shaken, maker.description())
    try other.begin()
    shaken.stalls = 1
    #expect(throws: StorageError.self) {
      try maker.write(&other, flushes: false); try other.flush()
    }
    try other.flush()
    while true {
      shaken.stalls = Int.random(in: 0...2)
      do {
        try other.finish(at: [360_000, 192_000])
        break
      } catch { continue }
    }
    let path = folder.put(shaken.bytes, "s.mp4")
    #expect(try complaints(path) == "")
    #expect(try shownPictures(path) == 120)
  }

  @Test func aFullCardKeepsWhatWasFlushed() throws {
    let maker = try ClipMaker(TestVideo.shared.get())
    let file = MemoryFile()
    file.budget = 120_000
    var clip = MovieWriter(file, maker.description())
    #expect(throws: StorageError.self) { try maker.write(&clip) }
    file.budget = nil
    clip.dropBuffered()
    let frames = min(clip.amount(of: 1).end, clip.amount(of: 0).end * 48_000 / 90_000)
    try clip.finish(at: [clip.amount(of: 0).end, frames])
    let path = folder.put(file.bytes, "f.mp4")
    #expect(try complaints(path) == "")
    #expect(try shownPictures(path) == clip.amount(of: 0).samples)
    #expect(clip.amount(of: 0).samples > 10)
  }
}

extension [Double] {
  func adjacent() -> [Double] { zip(self, dropFirst()).map { $1 - $0 } }
}
