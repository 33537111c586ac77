import Foundation
import Hardware
import Media
import TestSupport
import Testing

@Suite struct ClipEditorTests {
  let folder = TemporaryFolder()

  private func source(_ name: String, skipped: Int = 0, sound: Bool = true) throws -> DiskFile {
    let maker = try ClipMaker(TestVideo.shared.get(), withSound: sound)
    let file = DiskFile(folder.file(name))
    var clip = MovieWriter(file, maker.description(skipped: skipped))
    try maker.write(&clip)
    try clip.finish(at: [360_000, 192_000 - skipped * 48_000 / 90_000])
    return file
  }

  /// What ffmpeg calls errors when it decodes all of a file.
  private func errors(_ path: String) throws -> String {
    let result = try Tool.run("ffmpeg", ["-v", "error", "-xerror", "-i", path, "-f", "null", "-"])
    return (result.status == 0 ? "" : "status \(result.status) ") + result.errors
  }

  /// When packets are to be presented, without regard to an edit list, seconds.
  private func packetTimes(_ path: String, _ kind: String) throws -> [Double] {
    let options = ["-v", "error", "-ignore_editlist", "1", "-select_streams", kind]
    let told = try Tool.succeed("ffprobe", options + ["-show_entries", "packet=pts_time", "-of", "csv=p=0", path])
    return told.split(separator: "\n").compactMap { Double($0.prefix { $0 != "," }) }
  }

  private func edit(_ editor: ClipEditor) throws -> Double {
    while try !editor.step() {}
    return editor.facts.duration
  }

  private var wall: WallTime { WallTime(nanosecondsSince1970: 1_790_000_000_000_000_000) }

  @Test func joinedClipsAreAsLongAsTheirParts() throws {
    let parts = [try source("1.mp4"), try source("2.mp4", skipped: 7 * 3000), try source("3.mp4", skipped: 20 * 3000)]
    let path = folder.file("j.mp4")
    let target = DiskFile(path)
    let seconds = try edit(ClipEditor(joining: parts, into: target, createdAt: wall, title: "joined"))
    let expected = 12 - 27.0 / 30
    #expect(abs(seconds - expected) < 1e-6)
    // ffmpeg remarks that the pictures which a part's edit skips are older than the end of the part before; they are
    // decoded and not shown.
    #expect(try errors(path) == "")
    #expect(try shownPictures(path) == 360 - 27)
    #expect(try shownTimes(path, "v").adjacent().allSatisfy { abs($0 - 1.0 / 30) < 0.0001 })
    // Players that take no more of an edit list than where it begins see the pictures that lead in to a part, and see what is
    // behind them in time nevertheless.
    let ends = try ["v", "a"].map { try #require(try packetTimes(path, $0).last) }
    #expect(abs(ends[0] - ends[1]) < 0.1, "\(ends)")
    let reader = try ClipReader(target)
    #expect(reader.shown.count == 3)
    #expect(reader.length == Int((expected * 48_000).rounded()))
    // And parts of it can be taken again, over a joint.
    let part = folder.file("p.mp4")
    let length = try edit(
      ClipEditor(trimming: target, to: 3.5..<6.5, into: DiskFile(part), createdAt: wall, title: "part"))
    #expect(abs(length - 3) < 0.034)
    #expect(try errors(part) == "")
    #expect((89...92).contains(try shownPictures(part)))
  }

  @Test(arguments: [0.0..<1.0, 0.51..<0.52, 1.234..<3.456, 3.7..<9.0, -1.0..<2.0])
  func aPartBeginsWithThePictureShownThenAndEndsExactly(range: Range<Double>) throws {
    let whole = try source("w.mp4", skipped: 4 * 3000)
    let path = folder.file("t.mp4")
    let target = DiskFile(path)
    let seconds = try edit(ClipEditor(trimming: whole, to: range, into: target, createdAt: wall, title: "part"))
    let (start, end) = (max(0, range.lowerBound), min(range.upperBound, 4 - 4.0 / 30))
    let shownStart = (start * 30).rounded(.down) / 30
    #expect(abs(seconds - (end - shownStart)) < 1.0 / 30 + 1e-4)
    let said = try complaints(path)
    #expect(said == "")
    let times = try shownTimes(path, "v")
    #expect(times.first == 0)
    #expect(abs(Double(times.count) - (seconds * 30).rounded(.up)) <= 1)
    #expect(try ClipReader(target).pictures.first?.isKeyframe == true)
  }

  @Test func `A part that begins where the camera was away begins there, not with the picture before`() throws {
    let maker = try ClipMaker(TestVideo.shared.get())
    let whole = DiskFile(folder.file("away.mp4"))
    var clip = MovieWriter(whole, maker.description())
    try clip.begin()
    for unit in maker.units { unit.withUnsafeBytes { clip.append($0, to: 1) } }
    // Nothing from 1 to 3 s.
    for index in maker.video.pictures.indices where !(30..<90).contains(index) {
      maker.video.sample(index).withUnsafeBytes {
        clip.append($0, to: 0, at: index * ClipMaker.tick, isKeyframe: maker.video.pictures[index].isKeyframe)
      }
    }
    try clip.finish(at: [360_000, 192_000])
    let path = folder.file("t.mp4")
    let seconds = try edit(
      ClipEditor(trimming: whole, to: 2.5..<3.5, into: DiskFile(path), createdAt: wall, title: "part"))
    #expect(abs(seconds - 1) < 1e-3)
    let times = try shownTimes(path, "v")
    #expect(times.count == 15)
    #expect(abs((times.first ?? 0) - 0.5) < 1e-3)
  }

  @Test func whatCannotBeJoinedIsRefusedWithAReason() throws {
    let target = DiskFile(folder.file("x.mp4"))
    let one = try source("a.mp4")
    let two = try source("b.mp4", sound: false)
    #expect(throws: MediaError.self) {
      try ClipEditor(joining: [one, two], into: target, createdAt: wall, title: "x")
    }
    #expect(throws: MediaError.self) { try ClipEditor(joining: [], into: target, createdAt: wall, title: "x") }
    #expect(throws: MediaError.self) {
      try ClipEditor(trimming: one, to: 5..<6, into: target, createdAt: wall, title: "x")
    }
    #expect(throws: MediaError.self) { try ClipReader(MemoryFile([1, 2, 3])) }
  }

  @Test func noTablesTrapTheReader() throws {
    let maker = try ClipMaker(TestVideo.shared.get())
    let file = MemoryFile()
    var clip = MovieWriter(file, maker.description())
    try maker.write(&clip)
    try clip.finish(at: [360_000, 192_000])
    let whole = file.bytes
    let movie = whole.count - 12_000
    var dice = SeededGenerator(seed: 17)
    var read = 0
    for _ in 0..<2000 {
      file.bytes = whole
      for _ in 0..<Int.random(in: 1...6, using: &dice) {
        file.bytes[Int.random(in: max(0, movie)..<whole.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
      }
      guard let reader = try? ClipReader(file) else { continue }
      read += 1
      for sample in reader.pictures + reader.sound { #expect(sample.offset + sample.bytes <= file.size) }
    }
    #expect(read > 100)
  }
}

extension ClipEditorTests {
  @Test func `what has more samples than can be held is refused, and one sample takes 32 bytes`() throws {
    let file = try ReferenceFile.clip(pictures: 20)
    let all = try ClipReader(file)
    let count = all.pictures.count + all.sound.count
    #expect(try ClipReader(file, mostSamples: count).pictures == all.pictures)
    let error = #expect(throws: MediaError.self) { try ClipReader(file, mostSamples: count - 1) }
    #expect(error?.kind == .unsupported)
    #expect(MemoryLayout<ClipReader.Sample>.stride == 32)
  }
}
