import Hardware
import Media
import TestSupport
import Testing

@Suite struct MarksInFileTests {
  private static let pcm = PCMFormat(sampleRate: 44_100, channels: 1)
  private static let frames = 60_001

  private static func description() -> FileDescription {
    FileDescription(sound: nil, createdAt: WallTime(nanosecondsSince1970: 0), title: "another title")
  }

  private static func take(_ name: String, marks: [TakeMark]) throws -> (file: MemoryFile, samples: [Float]) {
    let file = MemoryFile()
    let samples = glide(frames: frames, channels: 1, sampleRate: pcm.sampleRate)
      .map { ($0 * 32_768).rounded() / 32_768 }
    var summary = FileSummary()
    summary.marks = marks
    switch name {
    case "take.m4a": try writeM4A(samples, pcm: pcm, to: file, marks: marks)
    case "take.wav": try writeWave(samples, pcm: pcm, to: file, summary: summary)
    default:
      try writeLossless(
        name == "take.flac" ? .flac : .alac, samples, pcm: pcm, to: file, flushEvery: 9600, summary: summary)
    }
    return (file, samples)
  }

  private static func titles(_ path: String) throws -> [String] {
    guard path.hasSuffix("wav") else {
      return try probe(path, "chapter_tags=title").split(separator: "\n").map(String.init)
    }
    let script = """
      import struct,sys
      b=open(sys.argv[1],'rb').read(); o=12; d={}; cue=[]; names=[]
      assert struct.unpack('<I',b[4:8])[0]==len(b)-8
      while o<len(b):
        i,n=b[o:o+4],struct.unpack('<I',b[o+4:o+8])[0]; x=b[o+8:o+8+n]; o+=8+n+(n&1)
        if i==b'cue ': cue=[struct.unpack('<I',x[24+24*k:28+24*k])[0] for k in range(struct.unpack('<I',x[:4])[0])]
        if i==b'LIST' and x[:4]==b'adtl':
          p=4
          while p<len(x):
            m=struct.unpack('<I',x[p+4:p+8])[0]; names.append(x[p+12:p+8+m].rstrip(bytes(1)).decode()); p+=8+m+(m&1)
      print('\\n'.join('%s@%d'%z for z in zip(names,cue)))
      """
    return try Tool.run("python3", ["-c", script, path]).output.split(separator: "\n").map(String.init)
  }

  @Test(arguments: [[], [0], [UInt8](repeating: 0, count: 512), Array("note".utf8)])
  func `what other programs put behind the chunks of a WAV take, with a pad byte or without, stays`(
    behind: [UInt8]
  ) throws {
    let pcm = PCMFormat(sampleRate: 48_000, channels: 1, bits: 16)
    let take = MemoryFile()
    var summary = FileSummary()
    summary.marks = [TakeMark(frame: 100, label: "here")]
    try writeWave([Float](repeating: 0.25, count: 1_000), pcm: pcm, to: take, summary: summary)
    let chunk = Array("iXML".utf8) + [5, 0, 0, 0] + Array("<x/>!".utf8)
    let file = MemoryFile(take.bytes + chunk + behind)
    #expect(try MediaRepair.repair(file).frames == 1_000)
    #expect(try MediaRepair.inspect(file).condition == .finished)
    #expect(file.bytes[take.bytes.count...].starts(with: chunk))
    #expect(file.bytes.count <= take.bytes.count + chunk.count + 1)
    // Marks are put behind it, and take nothing away.
    #expect(try MarksInFile.replace([TakeMark(frame: 5, label: "one")], in: file, Self.description()))
    #expect(file.bytes.firstRange(of: chunk) != nil && file.bytes.firstRange(of: Array("ISFT".utf8)) != nil)
    #expect(try MediaRepair.inspect(file).condition == .finished)
  }

  /// Where the tracks of a FLAC's cue sheet begin, by the letter of RFC 9639, but for the one that ends it.
  private static func cueSheet(_ path: String) throws -> [Int] {
    let script = """
      import sys
      b=open(sys.argv[1],'rb').read(); o=4; found=[]
      while True:
        t,n=b[o],int.from_bytes(b[o+1:o+4],'big'); x=b[o+4:o+4+n]; o+=4+n
        if t&127==5:
          p=396
          for k in range(x[395]):
            found.append(int.from_bytes(x[p:p+8],'big')); p+=36+12*x[p+35]
          assert p==n
        if t&128: break
      print(*found[:-1])
      """
    return try Tool.succeed("python3", ["-c", script, path]).split(whereSeparator: \.isWhitespace).compactMap {
      Int($0)
    }
  }

  private static let few = [TakeMark(frame: 7, label: "one")]
  private static let many = [0, 22_051, 33_333, 60_001].map { TakeMark(frame: $0, label: "Ж \($0)") }

  @Test(
    arguments: ["take.m4a", "alac.m4a", "take.wav", "take.flac"], [(few, many), (many, few), (few, []), ([], many)])
  func `marks are changed in place, to the sample, and nothing else is`(
    name: String, change: (before: [TakeMark], after: [TakeMark])
  ) throws {
    let folder = TemporaryFolder()
    let (file, samples) = try Self.take(name, marks: change.before)
    #expect(try MarksInFile.replace(change.after, in: file, Self.description()))
    let path = folder.put(file.bytes, name)
    let isWave = name.hasSuffix("wav")
    #expect(try Self.titles(path) == change.after.map { isWave ? "\($0.label)@\($0.frame)" : $0.label })
    if !isWave, !change.after.isEmpty {
      let starts = try probe(path, "chapter=start_time").split(separator: "\n").prefix(change.after.count)
      let rate = Double(Self.pcm.sampleRate)
      // Microseconds in M4A, milliseconds in a FLAC's comments; its cue sheet has frames.
      let unit = name == "take.flac" ? 1000.0 : 1e6
      for (start, mark) in zip(starts, change.after) {
        #expect(abs((Double(start) ?? -1) - Double(mark.frame) / rate) <= 0.6 / unit)
      }
    }
    if name == "take.flac" {
      #expect(try Self.cueSheet(path) == change.after.map(\.frame))
      try LosslessTests.checkFLAC(path, frames: Self.frames)
    }
    #expect(try probe(path, "format_tags=title") == "A title")
    #expect(try probe(path, "stream=duration_ts") == "\(Self.frames)")
    if name != "take.m4a" { #expect(try decodeWithFFmpeg(path) == samples) }
    #expect(try MediaRepair.inspect(file).condition == .finished)
    // Once more is the same once.
    let bytes = file.bytes
    #expect(try MarksInFile.replace(change.after, in: file, Self.description()))
    #expect(file.bytes == bytes)
  }

  @Test(arguments: ["take.m4a", "alac.m4a", "take.wav", "take.flac"], [(few, many), (many, few)])
  func `a power cut leaves every sample, and the change can be made again`(
    name: String, change: (before: [TakeMark], after: [TakeMark])
  ) throws {
    let folder = TemporaryFolder()
    let (original, _) = try Self.take(name, marks: change.before)
    let whole = MemoryFile(original.bytes)
    _ = try MarksInFile.replace(change.after, in: whole, Self.description())
    let sound = try decodeWithFFmpeg(folder.put(original.bytes, "before-" + name))
    let total = whole.bytesWritten
    // Within a sector a few bytes are written, or are not.
    var torn: Set<Int> = []
    var sum = 0
    for write in whole.writes {
      if (2...8).contains(write.count) { torn.formUnion(sum + 1..<sum + write.count) }
      sum += write.count
    }
    // Not every byte: each costs a repair, and every eighth two other programs.
    for (number, budget) in stride(from: 0, to: total, by: max(1, total / 37)).enumerated()
    where !torn.contains(budget) {
      let isAsked = number % 8 == 3
      let file = MemoryFile(original.bytes)
      file.budget = budget
      #expect(throws: StorageError.self) { try MarksInFile.replace(change.after, in: file, Self.description()) }
      file.budget = nil
      if isAsked {
        #expect(try decodeWithFFmpeg(folder.put(file.bytes, name)) == sound, "\(name) after \(budget) bytes")
      }
      let found = try MediaRepair.repair(file, scratch: MemoryFile())
      #expect(found.condition == .finished && found.frames == Self.frames, "\(name) after \(budget) bytes: \(found)")
      #expect(try MarksInFile.replace(change.after, in: file, Self.description()))
      #expect(try MediaRepair.inspect(file).condition == .finished)
      guard isAsked else { continue }
      let path = folder.put(file.bytes, name)
      #expect(try Self.titles(path).count == change.after.count, "\(name) after \(budget) bytes")
    }
  }

  @Test func `what is none of ours, or not finished, is left as it is`() throws {
    let unfinished = MemoryFile()
    try writeM4A(
      glide(frames: 9600, channels: 1, sampleRate: 44_100), pcm: Self.pcm, to: unfinished, finish: false)
    for file in [
      unfinished, MemoryFile(Array("RIFF".utf8)), MemoryFile([]), MemoryFile(Array(repeating: 7, count: 99)),
    ] {
      let bytes = file.bytes
      #expect(try !MarksInFile.replace(Self.many, in: file, Self.description()))
      #expect(file.bytes == bytes && file.writes.count == (bytes == unfinished.bytes ? unfinished.writes.count : 0))
    }
  }
}
