import Foundation
import Hardware
import Media
import TestSupport
import Testing

@Suite struct OpusTests {
  @Test(arguments: [(1, 12_345, 24), (2, 96_001, 96), (2, 7, 256), (1, 960 * 3 - 312, 64)])
  func `a finished take has its length to the sample, and independent readers agree`(
    channels: Int, frames: Int, kbps: Int
  ) throws {
    let folder = TemporaryFolder()
    let samples = glide(frames: frames, channels: channels, sampleRate: 48_000)
    let file = MemoryFile()
    var summary = FileSummary()
    summary.marks = [TakeMark(frame: 3, label: "here"), TakeMark(frame: frames / 2, label: "Ж")]
    try Self.write(samples, channels: channels, kbps: kbps, to: file, flushEvery: 4801, summary: summary)
    let path = folder.put(file.bytes, "take.opus")
    let info = try Tool.run("opusinfo", [path])
    #expect(info.status == 0 && !info.output.contains("WARNING"), "\(info.output)")
    #expect(info.output.contains("TITLE=A title") && info.output.contains("CHAPTER002NAME=Ж"))
    #expect(try probe(path, "stream=codec_name") == "opus")
    #expect(try probe(path, "chapter_tags=title") == "here\nЖ")
    let decoded = try Self.decode(path, in: folder)
    #expect(decoded.count == samples.count)
    if frames > 4000 { #expect(correlation(decoded[...], samples[...]) > 0.98) }
    let inspection = try MediaRepair.inspect(file)
    #expect(inspection.condition == .finished && inspection.format == .opus && inspection.frames == frames)
    let sound = try SoundFile(path: path)
    #expect(sound.totalFrames == frames)
    let place = frames / 3
    try sound.seek(toFrame: place)
    let rest = try readAll(sound)
    #expect(rest.count == (frames - place) * channels)
    if frames > 4000 { #expect(correlation(rest[...], samples[(place * channels)...]) > 0.98) }
  }

  @Test func `cut at any byte it is finished with every flushed frame`() throws {
    let folder = TemporaryFolder()
    let samples = glide(frames: 90_000, channels: 1, sampleRate: 48_000)
    let file = MemoryFile()
    let flushed = try Self.write(samples, channels: 1, kbps: 64, to: file, flushEvery: 9000, finish: false)
    for length in Array(stride(from: flushed[0].bytes, to: file.bytes.count, by: 997)) + [file.bytes.count] {
      let cut = MemoryFile(Array(file.bytes.prefix(length)))
      guard case .unfinished = try MediaRepair.inspect(cut).condition else {
        Issue.record("not unfinished at \(length)")
        continue
      }
      let found = try MediaRepair.repair(cut)
      #expect(found.condition == .finished)
      #expect(found.frames == flushed.last { $0.bytes <= length }?.frames, "\(length)")
      #expect(try MediaRepair.inspect(cut).condition == .finished)
      guard found.frames > 0, length == file.bytes.count || length % 3 == 0 else { continue }
      let path = folder.put(cut.bytes, "cut.opus")
      let info = try Tool.run("opusinfo", [path])
      #expect(!info.output.contains("WARNING"), "\(info.output)")
      #expect(try Self.decode(path, in: folder).count == found.frames)
    }
  }

  @Test func `whole after every write that is made, up to what was flushed`() throws {
    let samples = glide(frames: 60_000, channels: 2, sampleRate: 48_000)
    let whole = MemoryFile()
    var summary = FileSummary()
    summary.marks = [TakeMark(frame: 480, label: "a mark")]
    let flushed = try Self.write(samples, channels: 2, kbps: 64, to: whole, flushEvery: 6000, summary: summary)
    for budget in stride(from: 16_459, through: whole.bytesWritten, by: 711) {
      let file = MemoryFile()
      file.budget = budget
      _ = try? Self.write(samples, channels: 2, kbps: 64, to: file, flushEvery: 6000, summary: summary)
      file.budget = nil
      let found = try MediaRepair.repair(file)
      let promised = flushed.last { $0.bytes <= min(budget, file.bytes.count) }?.frames ?? 0
      #expect(found.condition == .finished && found.frames >= min(promised, 60_000), "\(budget)")
      #expect(try MediaRepair.inspect(file).frames == found.frames)
    }
  }

  @Test func `heads of false pages are not summed for ever, and nothing is cut off before them`() throws {
    let file = MemoryFile()
    let samples = glide(frames: 48_000, channels: 1, sampleRate: 48_000)
    try Self.write(samples, channels: 1, kbps: 24, to: file, flushEvery: 4800, finish: false)
    let serial = Array(file.bytes[14..<18])
    var head = Array("OggS".utf8) + [UInt8](repeating: 0, count: 10) + serial
    head += [9, 0, 0, 0, 1, 2, 3, 4, 255] + [UInt8](repeating: 255, count: 5)
    for _ in 0..<(8 << 20) / head.count { file.bytes += head }
    var looking = MediaRepair(inspecting: file)
    var found: MediaInspection?
    var steps = 0
    while found == nil {
      found = try looking.step()
      steps += 1
    }
    #expect(found?.condition == .damaged("It is full of false pages.") && steps < 10)
    let size = file.bytes.count
    _ = try MediaRepair.repair(file)
    #expect(file.bytes.count == size)
  }

  @Test func `zeros where a power cut left them cost what follows them, and nothing before`() throws {
    let samples = glide(frames: 1_000_000, channels: 1, sampleRate: 48_000)
    let file = MemoryFile()
    let flushed = try Self.write(samples, channels: 1, kbps: 256, to: file, flushEvery: 9600, finish: false)
    // The second is more than the pages that are looked at first.
    for lost in [5000, 530_000] {
      var bytes = file.bytes
      for place in (bytes.count - lost)..<bytes.count { bytes[place] = 0 }
      let torn = MemoryFile(bytes)
      let found = try MediaRepair.repair(torn)
      #expect(found.frames == flushed.last { $0.bytes <= bytes.count - lost }?.frames)
      #expect(torn.bytes.count < bytes.count)
    }
    // A day's file is not read whole.
    #expect(file.bytes.count > 600_000)
  }

  @Test(arguments: [true, false])
  func `a changed bit in the middle costs its page, and nothing behind it`(isFinished: Bool) throws {
    let samples = glide(frames: 200_000, channels: 1, sampleRate: 48_000)
    let file = MemoryFile()
    let flushed = try Self.write(samples, channels: 1, kbps: 24, to: file, flushEvery: 9600, finish: isFinished)
    let whole = try MediaRepair.inspect(file)
    // A byte of the first page's sound, its number, and a byte in the middle.
    for place in [flushed[0].bytes + 200, flushed[0].bytes + 18, flushed[8].bytes + 50] {
      var bytes = file.bytes
      bytes[place] ^= 4
      let damaged = MemoryFile(bytes)
      let found = try MediaRepair.repair(damaged)
      #expect(found.condition == .finished && found.frames == whole.frames, "\(place)")
      #expect(damaged.bytes.count == bytes.count)
      if isFinished { #expect(damaged.writes.isEmpty) }
    }
  }

  @Test(arguments: [true, false])
  func `one wrong bit in the first page costs nothing`(isFinished: Bool) throws {
    let samples = glide(frames: 48_000, channels: 2, sampleRate: 48_000)
    let whole = MemoryFile()
    try Self.write(samples, channels: 2, kbps: 64, to: whole, flushEvery: 9600, finish: isFinished)
    let frames = try MediaRepair.inspect(whole).frames
    for place in 0..<47 {
      let file = MemoryFile(whole.bytes)
      file.bytes[place] ^= UInt8(1) << (place % 8)
      guard case .unfinished = try MediaRepair.inspect(file).condition else {
        Issue.record("not unfinished at \(place)")
        continue
      }
      let found = try MediaRepair.repair(file)
      #expect(found.condition == .finished && found.frames == frames, "\(place)")
      #expect(file.bytes.prefix(47) == whole.bytes.prefix(47))
      #expect(try MediaRepair.inspect(file).condition == .finished)
    }
  }

  /// As where a chunk of a sealed take does not open, or a block of the card is lost.
  @Test func `sound behind a hole of more than a page can have is heard`() throws {
    let folder = TemporaryFolder()
    let samples = glide(frames: 1_440_000, channels: 1, sampleRate: 48_000)
    let file = MemoryFile()
    try Self.write(samples, channels: 1, kbps: 96, to: file, flushEvery: 9600)
    for bytes in [65_536, 150_000] {
      var damaged = file.bytes
      damaged.replaceSubrange(100_000..<100_000 + bytes, with: [UInt8](repeating: 0, count: bytes))
      let found = try readAll(try SoundFile(path: folder.put(damaged, "take.opus")))
      try #require(found.count > 1_392_000)
      #expect(correlation(found.suffix(96_000), samples[(found.count - 96_000)..<found.count]) > 0.9)
    }
  }

  @Test func `marks are changed in place, and cut off within it plays on with all of its sound`() throws {
    let folder = TemporaryFolder()
    let samples = glide(frames: 48_123, channels: 1, sampleRate: 48_000)
    let whole = MemoryFile()
    var summary = FileSummary()
    summary.marks = [TakeMark(frame: 480, label: "old")]
    try Self.write(samples, channels: 1, kbps: 64, to: whole, flushEvery: 6000, summary: summary)
    let marks = (1...30).map { TakeMark(frame: $0 * 1500, label: "Ж \($0)") }
    let other = FileDescription(sound: nil, createdAt: WallTime(nanosecondsSince1970: 0), title: "another title")
    let complete = MemoryFile(whole.bytes)
    #expect(try MarksInFile.replace(marks, in: complete, other))
    for budget in [0, 100, 300, 400, 5000, 16_000] + Array(stride(from: 16_300, through: complete.bytesWritten, by: 61))
    {
      let file = MemoryFile(whole.bytes)
      file.budget = budget
      _ = try? MarksInFile.replace(marks, in: file, other)
      file.budget = nil
      // The first and the last of its writes lie in one sector, which is written whole or not at all.
      if budget >= 400, budget < 16_300 {
        #expect(try Self.decode(folder.put(file.bytes, "cut.opus"), in: folder).count == 48_123, "\(budget)")
      }
      #expect(try MarksInFile.replace(marks, in: file, other), "\(budget)")
      #expect(try MediaRepair.inspect(file).condition == .finished)
      guard budget < 20_000 else { continue }
      let path = folder.put(file.bytes, "take.opus")
      #expect(try probe(path, "chapter_tags=title").split(separator: "\n").count == 30)
      #expect(try Self.decode(path, in: folder).count == 48_123)
    }
  }

  @Test func `an Ogg of others is left alone`() throws {
    let folder = TemporaryFolder()
    for (name, codec) in [("a.opus", "libopus"), ("b.ogg", "libvorbis"), ("c.oga", "flac")] {
      let path = folder.file(name)
      try Tool.succeed(
        "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=d=1:r=48000", "-c:a", codec, path])
      let file = MemoryFile([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
      #expect(try MediaRepair.repair(file).condition == .foreign)
      #expect(file.writes.isEmpty)
    }
  }

  @Test func `a rate that Opus has not is refused with what to do`() throws {
    let error = #expect(throws: MediaError.self) {
      _ = try OpusEncoder(format: PCMFormat(sampleRate: 44_100, channels: 2), bitrateKbps: 96)
    }
    #expect(error.map { "\($0)" }?.contains("use 48000") == true)
  }

  /// As opusdec hears it.
  static func decode(_ path: String, in folder: TemporaryFolder) throws -> [Float] {
    let raw = folder.file("raw")
    try Tool.succeed("opusdec", ["--quiet", "--rate", "48000", "--float", "--force-stereo", path, raw])
    let stereo = try Data(contentsOf: URL(fileURLWithPath: raw)).withUnsafeBytes {
      Array($0.bindMemory(to: Float.self))
    }
    let isMono = try probe(path, "stream=channels") == "1"
    return isMono ? stride(from: 0, to: stereo.count, by: 2).map { stereo[$0] } : stereo
  }

  /// - Returns: frames that were on the medium after each flush, with the file's size then.
  @discardableResult
  static func write(
    _ samples: [Float], channels: Int, kbps: Int, to file: any StoredFile, flushEvery: Int, finish: Bool = true,
    summary: FileSummary = FileSummary(),
    createdAt: WallTime = WallTime(nanosecondsSince1970: 1_795_000_000 << 30)
  ) throws -> [(frames: Int, bytes: Int)] {
    let pcm = PCMFormat(sampleRate: 48_000, channels: channels)
    let encoder = try OpusEncoder(format: pcm, bitrateKbps: kbps)
    let description = FileDescription(
      sound: SoundTrack(
        .opus, pcm: pcm, configuration: [], primingFrames: encoder.primingFrames, bitrateKbps: kbps),
      createdAt: createdAt, title: "A title", originator: "Mynah 1.0")
    var take = OpusWriter(file: file, scratch: nil, description: description)
    take.summary = summary
    try take.begin()
    var flushed = [(frames: 0, bytes: take.fileBytes)]
    let frames = samples.count / channels
    for start in stride(from: 0, to: frames, by: flushEvery) {
      try samples[(start * channels)...].withUnsafeBufferPointer {
        guard let base = $0.baseAddress else { return }
        try encoder.encode(base, frames: min(flushEvery, frames - start)) { take.append($0, to: 0) }
      }
      try take.flush()
      flushed.append((take.amount(of: 0).end, take.fileBytes))
    }
    guard finish else { return flushed }
    try encoder.finish { take.append($0, to: 0) }
    try take.finish(at: [frames])
    return flushed
  }
}
