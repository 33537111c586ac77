import Hardware
import Media
import TestSupport
import Testing

/// Clips that were cut off, and whose camera was away for some of their time.
struct AbsentCameraTests {
  let folder = TemporaryFolder()
  let maker: ClipMaker

  init() throws {
    var maker = try ClipMaker(TestVideo.shared.get())
    maker.units += maker.units
    self.maker = maker
  }

  /// Eight seconds of which everything but the end is written.
  private func unfinished(away: Range<Int>) throws -> MemoryFile {
    let file = MemoryFile()
    var clip = MovieWriter(file, maker.description())
    try clip.begin()
    var unit = 0
    for index in 0..<240 {
      if !away.contains(index) {
        maker.video.sample(index).withUnsafeBytes {
          clip.append($0, to: 0, at: index * ClipMaker.tick, isKeyframe: maker.video.pictures[index % 120].isKeyframe)
        }
      }
      while unit < maker.units.count, unit * 1024 <= (index + 1) * 1600 {
        maker.units[unit].withUnsafeBytes { clip.append($0, to: 1) }
        unit += 1
      }
      if index % 15 == 14 { try clip.flush() }
    }
    return file
  }

  @Test(arguments: [1, 2, 60]) func `Sound goes on behind the last picture, which stays`(pictures: Int) throws {
    let file = try unfinished(away: pictures..<240)
    let looked = try MediaRepair.inspect(file)
    let found = try MediaRepair.repair(file)
    #expect(found.condition == .finished && found.pictures == pictures && found.facts?.pictures == pictures)
    #expect(abs(found.seconds - 8) < 0.05 && abs(looked.seconds - found.seconds) < 0.05, "\(looked.seconds)")
    #expect(found.gaps == looked.gaps && found.gaps.count == 1)
    let gap = try #require(found.gaps.first)
    #expect(gap.isPictures && !gap.isDamage)
    #expect(abs(gap.start - Double(pictures) / 30) < 0.05 && abs(gap.start + gap.seconds - found.seconds) < 0.05)
    #expect(try MediaRepair.inspect(file).condition == .finished)
    let path = folder.put(file.bytes, "away.mp4")
    #expect(try complaints(path) == "")
    #expect(try shownPictures(path) == pictures)
    #expect(try abs(decodeWithFFmpeg(path).count / 2 - 8 * 48_000) < 2048)
    let lengths = try Tool.succeed(
      "ffprobe", ["-v", "error", "-show_entries", "stream=duration", "-of", "csv=p=0", path])
    for length in lengths.split(separator: "\n") { #expect(abs((Double(length) ?? 0) - 8) < 0.05, "\(lengths)") }
  }

  @Test("Pictures of a camera that comes back are in their places", arguments: [165, 170])
  func returning(back: Int) throws {
    let file = try unfinished(away: 30..<back)
    let found = try MediaRepair.repair(file)
    // The last one has no length yet.
    #expect(found.condition == .finished && found.pictures == 30 + 240 - back - 1)
    #expect(found.gaps.map(\.isDamage) == [false])
    let gap = try #require(found.gaps.first)
    #expect(abs(gap.start - 1) < 0.05 && abs(gap.start + gap.seconds - Double(back) / 30) < 0.05)
    let times = try shownTimes(folder.put(file.bytes, "back.mp4"), "v")
    let wanted = (Array(0..<30) + Array(back..<239)).map { Double($0) / 30 }
    #expect(times.count == wanted.count && zip(times, wanted).allSatisfy { abs($0 - $1) < 0.001 }, "\(times)")
  }

  @Test func `What is damaged in front of a camera's return is told as damage`() throws {
    let file = try unfinished(away: 30..<165)
    let heads = file.bytes.indices.dropLast(4).filter { file.bytes[$0..<$0 + 4].elementsEqual("moof".utf8) }
    try #require(heads.count > 10)
    file.bytes[heads[heads.count / 2] + 1] ^= 1
    let found = try MediaRepair.repair(file)
    #expect(found.condition == .finished && found.pictures == 104)
    #expect(found.gaps.filter(\.isPictures).map(\.isDamage) == [true])
  }
}
