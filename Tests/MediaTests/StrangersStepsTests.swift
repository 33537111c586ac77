import Hardware
import TestSupport
import Testing

@testable import Media

/// Tables that would have much done in one step.
@Suite struct StrangersStepsTests {
  private func box(_ type: String, _ words: [Int]) -> [UInt8] {
    let content = words.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
    let size = content.count + 8
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + Array(type.utf8) + content
  }

  /// Tables of `count` access units of four bytes in one chunk.
  private func tables(_ count: Int) throws -> (tables: SampleTables?, files: [MemoryFile]) {
    let content =
      box("stts", [0, 1, count, 1024]) + box("stsc", [0, 1, 1, count, 1])
      + box("stsz", [0, 0, count] + [Int](repeating: 4, count: count)) + box("stco", [0, 1, 0])
    let bytes =
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: (content.count + 8) >> $0) } + Array("stbl".utf8) + content
    var files: [MemoryFile] = []
    let walker = BoxWalker(MemoryFile(bytes))
    let stbl = try #require(try walker.box(at: 0, limit: bytes.count))
    let tables = try SampleTables(stbl) {
      files.append(MemoryFile(bytes))
      return files.last
    }
    return (tables, files)
  }

  @Test func `whoever seeks reads no more than 65,536 sizes`() throws {
    var usual = try #require(try tables(65_536).tables)
    #expect(try usual.unit(65_535)?.offset == 4 * 65_535)
    let (huge, files) = try tables(1_000_000)
    if var huge { _ = try huge.unit(999_999) }
    #expect(files.reduce(0) { $0 + $1.bytesRead } < 4 * 70_000)
  }

  @Test func `tables that are not there are not looked at`() throws {
    let content =
      box("stts", [0, 1, 1 << 29, 1]) + box("stsc", [0, 1, 1, 1 << 29, 1]) + box("stsz", [0, 0, 1 << 29])
      + box("stco", [0, 1, 0])
    let bytes =
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: (content.count + 8) >> $0) } + Array("stbl".utf8) + content
    let stbl = try #require(try BoxWalker(MemoryFile(bytes)).box(at: 0, limit: bytes.count))
    #expect(try SampleTables(stbl) { MemoryFile(bytes) } == nil)
  }

  /// A clip of so many pictures of so many bytes, all within a second.
  private func clip(_ count: Int, bytes: Int) throws -> MemoryFile {
    let maker = try ClipMaker(TestVideo.shared.get(), withSound: false)
    let file = MemoryFile()
    var clip = MovieWriter(file, maker.description())
    try clip.begin()
    var sample = maker.video.sample(0)
    sample += [UInt8](repeating: 0, count: max(0, bytes - sample.count))
    for index in 0..<count {
      sample.withUnsafeBytes { clip.append($0, to: 0, at: index, isKeyframe: index % 64 == 0) }
      if index % 64 == 63 { try clip.flush() }
    }
    try clip.finish(at: [count, 0])
    return file
  }

  @Test(arguments: [(10_000, 16), (40, 1 << 20)])
  func `an edit copies so many samples or bytes a step, and all of them in the end`(count: Int, bytes: Int) throws {
    let source = try clip(count, bytes: bytes)
    let reader = try ClipReader(source)
    #expect(reader.pictures.count == count)
    let target = MemoryFile()
    let editor = try ClipEditor(
      joining: [source, source], into: target, createdAt: WallTime(nanosecondsSince1970: 0), title: "j")
    var steps = 0
    var whole = false
    while !whole {
      let (writes, size) = (target.writes.count, target.bytesWritten)
      whole = try editor.step()
      steps += 1
      #expect(target.writes.count - writes <= 4100 && target.bytesWritten - size <= 17 << 20)
    }
    #expect(steps > 2 * max(count / 4096, count * bytes >> 24))
    let joined = try ClipReader(target)
    #expect(joined.pictures.count == 2 * count)
    #expect(joined.pictures.prefix(count).map(\.time) == reader.pictures.map(\.time))
    let (last, first) = (try #require(joined.pictures.last), try #require(reader.pictures.last))
    #expect(try target.bytes(at: last.offset, count: last.bytes) == source.bytes(at: first.offset, count: first.bytes))
  }
}
