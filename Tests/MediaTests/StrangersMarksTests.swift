import Foundation
import Hardware
import TestSupport
import Testing

@testable import Media

/// Marks that are put into files which look like ours, and in which somebody has written other numbers and longer texts.
@Suite struct StrangersMarksTests {
  private static let description = FileDescription(
    sound: nil, createdAt: WallTime(nanosecondsSince1970: 0), title: "another title")
  private static let marks = (0..<120).map { TakeMark(frame: 150 * $0, label: "Ж \($0)") }
  private static let titles = marks.map(\.label).joined(separator: "\n")

  /// Finished, and counted in seconds, of which there are more than there are nanoseconds.
  static func slow() throws -> [UInt8] {
    var bytes = try ReferenceFile.take(units: [9], end: 8_000).bytes
    let place = try #require(bytes.indices.dropLast(40).last { bytes[$0..<$0 + 4].elementsEqual("mvhd".utf8) })
    bytes.replaceSubrange(place + 16..<place + 20, with: [0, 0, 0, 1])
    return bytes
  }

  /// A FLAC take in whose head another program has put one comment, and blocks behind it, within the room that there is.
  private static func withHead(_ take: [UInt8], comment: String, others: [UInt8] = []) -> [UInt8] {
    var comments = ByteWriter()
    for (count, text) in [(6, "vendor"), (1, ""), (comment.utf8.count, comment)] {
      comments.little32(UInt32(count))
      comments.text(text)
    }
    var head = ByteWriter()
    head.bytes = Array(take.prefix(FLACHead.frontBytes))
    head.big32(4 << 24 | UInt32(comments.count))
    head.bytes += comments.bytes + others
    let padding = FLACHead.bytes - head.count - 4
    head.big32(0x8100_0000 | UInt32(padding))
    head.zeros(padding)
    return head.bytes + take.dropFirst(FLACHead.bytes)
  }

  /// The head is full of one comment.
  static func chatty() throws -> [UInt8] {
    let file = MemoryFile()
    let samples = [Float](repeating: 0.25, count: 20_000)
    _ = try writeLossless(.flac, samples, pcm: PCMFormat(sampleRate: 48_000, channels: 1), to: file)
    return withHead(file.bytes, comment: "X=" + String(repeating: "y", count: 30_000))
  }

  /// The page of comments has bytes that are no text, each of which becomes three.
  static func noisy(bytes: Int, isFinished: Bool = true) throws -> [UInt8] {
    let file = MemoryFile()
    let samples = [Float](repeating: 0.25, count: 20_000)
    try OpusTests.write(samples, channels: 1, kbps: 64, to: file, flushEvery: 4800, finish: isFinished)
    var packet = ByteWriter()
    packet.text("OpusTags")
    packet.little32(0)
    packet.little32(1)
    packet.little32(UInt32(bytes - 20))
    packet.bytes += [UInt8](repeating: 0xFF, count: bytes - 20)
    var page = ByteWriter()
    let serial = OpusHead(file.bytes)?.serial ?? 0
    OggPage(serial: serial, number: 1).write(packets: [packet.count], body: packet.bytes, into: &page)
    var all = file.bytes
    all.replaceSubrange(OpusHead.tagsPlace..<OpusHead.tagsPlace + page.count, with: page.bytes)
    return all
  }

  @Test func `marks of a movie that counts in seconds are at times that there are`() throws {
    let file = MemoryFile(try Self.slow())
    let marks = [TakeMark(frame: 5, label: "one"), TakeMark(frame: 1 << 48, label: "Ж")]
    #expect(try MarksInFile.replace(marks, in: file, Self.description))
    // No take of the device's counts in seconds: who looks at it has its index made anew.
    #expect(try MediaRepair.inspect(file).condition != .finished)
    let folder = TemporaryFolder()
    #expect(try probe(folder.put(file.bytes, "slow.m4a"), "chapter_tags=title") == "one\nЖ")
  }

  @Test(arguments: [5000, 31_000])
  func `A block and a long text that another program has put into the head of a FLAC take stay`(bytes: Int) throws {
    let take = MemoryFile()
    let pcm = PCMFormat(sampleRate: 48_000, channels: 1)
    _ = try writeLossless(.flac, [Float](repeating: 0.25, count: 20_000), pcm: pcm, to: take)
    let text = "DESCRIPTION=" + String(repeating: "y", count: 900)
    let block = [2, 0, UInt8(bytes >> 8), UInt8(bytes & 0xFF)] + [UInt8](repeating: 7, count: bytes)
    let file = MemoryFile(Self.withHead(take.bytes, comment: text, others: block))
    let before = file.bytes
    // Where there is no room beside them marks are in the notes only.
    let isWritten = try MarksInFile.replace(Self.marks, in: file, Self.description)
    #expect(isWritten == (bytes < 30_000) && isWritten == (file.bytes != before))
    #expect(file.bytes.firstRange(of: block) != nil && file.bytes.firstRange(of: Array(text.utf8)) != nil)
    #expect(file.bytes.dropFirst(FLACHead.bytes).elementsEqual(take.bytes.dropFirst(FLACHead.bytes)))
    #expect(try MediaRepair.inspect(file).condition == .finished)
    let folder = TemporaryFolder()
    let path = folder.put(file.bytes, "take.flac")
    #expect(try Tool.run("flac", ["-t", "-s", path]).status == 0)
    if isWritten { #expect(try probe(path, "chapter_tags=title").hasPrefix("Ж 0\nЖ 1\n")) }
  }

  @Test func `A power cut amid marks leaves a block that another program has put into the head of a FLAC take`() throws
  {
    let take = MemoryFile()
    let pcm = PCMFormat(sampleRate: 48_000, channels: 1)
    _ = try writeLossless(.flac, [Float](repeating: 0.25, count: 20_000), pcm: pcm, to: take)
    // The type of a block that is the last one has another first bit.
    let content: [UInt8] = [0, 0x13, 0x88] + (0..<0x1388).map { UInt8(truncatingIfNeeded: $0 % 251) }
    let text = "DESCRIPTION=another's"
    var states = [Self.withHead(take.bytes, comment: text, others: [2] + content)]
    for marks in [Self.marks, Array(Self.marks.prefix(1))] {
      let whole = MemoryFile(states[0])
      #expect(try MarksInFile.replace(marks, in: whole, Self.description))
      for budget in stride(from: 0, to: whole.bytesWritten, by: 97) {
        let file = MemoryFile(states[0])
        file.budget = budget
        #expect(throws: StorageError.self) { try MarksInFile.replace(marks, in: file, Self.description) }
        file.budget = nil
        #expect(try MediaRepair.repair(file, scratch: MemoryFile()).condition == .finished, "\(budget)")
        #expect(try MarksInFile.replace(marks, in: file, Self.description), "\(budget)")
        #expect(file.bytes.firstRange(of: content) != nil, "\(budget)")
        #expect(file.bytes.firstRange(of: Array(text.utf8)) != nil, "\(budget)")
        if budget % (97 * 40) == 0 { states.append(file.bytes) }
      }
      states = [whole.bytes] + states.dropFirst()
    }
    let folder = TemporaryFolder()
    for state in states {
      let path = folder.put(state, "take.flac")
      #expect(try Tool.run("flac", ["-t", "-s", path]).status == 0)
      #expect(try Tool.run("metaflac", ["--list", "--block-type=APPLICATION", path]).output.contains("length: 5000"))
    }
  }

  @Test func `A long text that another program has put into an Opus take stays`() throws {
    let text = "DESCRIPTION=" + String(repeating: "y", count: 900)
    let take = MemoryFile()
    try OpusTests.write([Float](repeating: 0.25, count: 20_000), channels: 1, kbps: 64, to: take, flushEvery: 4800)
    let head = try #require(OpusHead(take.bytes))
    var comments = VorbisComments()
    comments.texts = [text]
    try head.write(comments, [], to: take)
    #expect(try MarksInFile.replace(Self.marks, in: take, Self.description))
    #expect(take.bytes.firstRange(of: Array(text.utf8)) != nil)
    let folder = TemporaryFolder()
    #expect(try probe(folder.put(take.bytes, "take.opus"), "chapter_tags=title") == Self.titles)
  }

  @Test(arguments: [try chatty(), try noisy(bytes: 64 * 255)])
  func `Beside comments that leave no room marks are in the notes only, and the comments stay`(take: [UInt8]) throws {
    let file = MemoryFile(take)
    #expect(try !MarksInFile.replace(Self.marks, in: file, Self.description))
    #expect(file.bytes == take)
  }

  @Test func `an Opus file that was cut off is finished, whatever its comments are`() throws {
    let file = MemoryFile(try Self.noisy(bytes: 9000, isFinished: false))
    guard case .unfinished = try MediaRepair.inspect(file).condition else {
      Issue.record("not unfinished")
      return
    }
    #expect(try MediaRepair.repair(file).condition == .finished)
    #expect(try MediaRepair.inspect(file).condition == .finished)
  }

  @Test(arguments: [4, 40_000, 200_000])
  func `a FLAC take whose head another program has written anew in other room is left as it is`(padding: Int) throws {
    let take = MemoryFile()
    let samples = LosslessTests.noise(PCMFormat(sampleRate: 48_000, channels: 1), frames: 60_000)
    _ = try writeLossless(.flac, samples, pcm: PCMFormat(sampleRate: 48_000, channels: 1), to: take)
    var head = ByteWriter()
    head.bytes = Array(take.bytes.prefix(FLACHead.frontBytes))
    head.big32(0x8100_0000 | UInt32(padding))
    head.zeros(padding)
    try Self.checkIsLeft(head.bytes + take.bytes.dropFirst(FLACHead.bytes))
  }

  @Test(arguments: [200, 60_000])
  func `an Opus take whose comments another program has written anew in other room is left as it is`(
    bytes: Int
  ) throws {
    let take = MemoryFile()
    let samples = [Float](repeating: 0.25, count: 200_000)
    try OpusTests.write(samples, channels: 1, kbps: 64, to: take, flushEvery: 4800)
    var packet = ByteWriter()
    packet.text("OpusTags")
    packet.zeros(bytes)
    var page = ByteWriter()
    let serial = OpusHead(take.bytes)?.serial ?? 0
    OggPage(serial: serial, number: 1).write(packets: [packet.count], body: packet.bytes, into: &page)
    let front = Array(take.bytes.prefix(OpusHead.tagsPlace))
    try Self.checkIsLeft(front + page.bytes + take.bytes.dropFirst(OpusHead.bytes))
  }

  @Test func `What another program has put beside the marks of an M4A stays`() throws {
    let file = try ReferenceFile.take(units: [9], end: 8_000)
    #expect(try MarksInFile.replace([TakeMark(frame: 5, label: "one")], in: file, Self.description))
    var other = ByteWriter()
    other.box("Xtra") { $0.text("somebody's own") }
    // Both boxes that it is put into are the last of the file.
    for type in ["moov", "udta"] {
      let place = try #require(file.bytes.indices.dropLast(3).last { file.bytes[$0..<$0 + 4].elementsEqual(type.utf8) })
      let size = UInt32(file.bytes.count - place + 4 + other.count)
      var head = ByteWriter()
      head.big32(size)
      file.bytes.replaceSubrange(place - 4..<place, with: head.bytes)
    }
    file.bytes += other.bytes
    for label in ["two", "three"] {
      #expect(try MarksInFile.replace([TakeMark(frame: 7, label: label)], in: file, Self.description))
      #expect(try MediaRepair.inspect(file).condition == .finished)
      #expect(file.bytes.indices.dropLast(3).count { file.bytes[$0..<$0 + 4].elementsEqual("Xtra".utf8) } == 1)
      #expect(file.bytes.indices.dropLast(3).count { file.bytes[$0..<$0 + 4].elementsEqual("chpl".utf8) } == 1)
    }
  }

  @Test(arguments: [100, 200_000])
  func `A box that another program has put behind the index stays`(bytes: Int) throws {
    let take = try ReferenceFile.take(units: [9], end: 8_000).bytes
    var writer = ByteWriter()
    writer.box("uuid") { $0.zeros(bytes) }
    let file = MemoryFile(take + writer.bytes)
    #expect(try MediaRepair.inspect(file).condition == .finished)
    #expect(try MediaRepair.repair(file).condition == .finished)
    #expect(try !MarksInFile.replace([TakeMark(frame: 5, label: "one")], in: file, Self.description))
    #expect(file.bytes == take + writer.bytes)
    #expect(try MarksInFile.replace([TakeMark(frame: 5, label: "one")], in: MemoryFile(take), Self.description))
  }

  @Test func `a stream that somebody has put behind an Opus take stays`() throws {
    let (take, other) = (MemoryFile(), MemoryFile())
    let samples = [Float](repeating: 0.25, count: 200_000)
    for file in [take, other] { try OpusTests.write(samples, channels: 1, kbps: 64, to: file, flushEvery: 4800) }
    let file = MemoryFile(take.bytes + other.bytes)
    #expect(try MediaRepair.inspect(file).condition == .foreign)
    #expect(try MediaRepair.repair(file).condition == .foreign)
    #expect(file.bytes == take.bytes + other.bytes)
    // Another's tags stay; what a card has never written costs nothing.
    let tagged = MemoryFile(take.bytes + Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125))
    let withTags = tagged.bytes
    #expect(try MediaRepair.repair(tagged).condition == .finished && tagged.bytes == withTags)
    #expect(try MarksInFile.replace(Self.marks, in: tagged, Self.description))
    #expect(try MediaRepair.inspect(tagged).condition == .finished)
    #expect(tagged.bytes.suffix(128).elementsEqual(withTags.suffix(128)))
    let padded = MemoryFile(take.bytes + [UInt8](repeating: 0, count: 9000))
    #expect(try MediaRepair.repair(padded).condition == .finished && padded.bytes == take.bytes)
  }

  @Test(arguments: [
    Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125),
    Array("RIFF".utf8) + [UInt8](repeating: 0xFF, count: 9000),
    Array("OggS".utf8),
  ])
  func `What somebody has put behind a WAV take stays`(others: [UInt8]) throws {
    let take = MemoryFile()
    let pcm = PCMFormat(sampleRate: 48_000, channels: 1, bits: 16)
    var summary = FileSummary()
    summary.marks = [TakeMark(frame: 100, label: "here")]
    let samples = [Float](repeating: 0.25, count: 20_000)
    try writeWave(samples, pcm: pcm, to: take, flushEvery: 4800, summary: summary)
    let file = MemoryFile(take.bytes + others + [UInt8](repeating: 1, count: 4))
    let before = file.bytes
    let found = try MediaRepair.repair(file)
    #expect(found.condition == .finished && found.frames == samples.count)
    #expect(try !MarksInFile.replace(Self.marks, in: file, Self.description))
    #expect(file.bytes == before)
  }

  private static func checkIsLeft(_ bytes: [UInt8]) throws {
    let file = MemoryFile(bytes)
    #expect(try MediaRepair.inspect(file).condition == .foreign)
    #expect(try MediaRepair.repair(file).condition == .foreign)
    #expect(try !MarksInFile.replace(Self.marks, in: file, Self.description))
    #expect(file.bytes == bytes)
  }
}
