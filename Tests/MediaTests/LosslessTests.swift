import Foundation
import Hardware
import Media
import TestSupport
import Testing

@Suite struct LosslessTests {
  static let shapes = [
    (16, 2, 12_345), (24, 1, 12_345), (24, 2, 8192), (16, 1, 4097), (24, 2, 7),
  ]

  @Test(arguments: [SoundCodec.flac, .alac], shapes)
  func `a finished take is bit-exact, of exact length, and says what it is`(
    codec: SoundCodec, shape: (bits: Int, channels: Int, frames: Int)
  ) throws {
    let folder = TemporaryFolder()
    let pcm = PCMFormat(sampleRate: 48_000, channels: shape.channels, bits: shape.bits)
    let samples = Self.noise(pcm, frames: shape.frames)
    let file = MemoryFile()
    var summary = FileSummary()
    summary.marks = [TakeMark(frame: 3, label: "here"), TakeMark(frame: shape.frames / 2, label: "Ж")]
    summary.comment = "stopped by the user"
    try writeLossless(codec, samples, pcm: pcm, to: file, flushEvery: 1_001, summary: summary)
    let name = codec == .flac ? "take.flac" : "take.m4a"
    let path = folder.put(file.bytes, name)
    #expect(try probe(path, "stream=codec_name") == (codec == .flac ? "flac" : "alac"))
    #expect(try probe(path, "stream=bits_per_raw_sample") == "\(shape.bits)")
    #expect(try probe(path, "stream=duration_ts") == "\(shape.frames)")
    #expect(try decodeWithFFmpeg(path) == samples)
    #expect(try probe(path, "format_tags=title") == "A title")
    // Of a cue sheet the track that ends it is shown, too.
    let titles = try probe(path, "chapter_tags=title").split(separator: "\n").map(String.init)
    #expect(titles.filter { !$0.isEmpty } == ["here", "Ж"])
    #expect(
      try MediaRepair.inspect(file)
        == MediaInspection(.finished, format: codec == .flac ? .flac : .alac, pcm: pcm, frames: shape.frames))
    let sound = try SoundFile(path: path)
    #expect(sound.totalFrames == shape.frames)
    try sound.seek(toFrame: shape.frames / 3)
    #expect(try readAll(sound).elementsEqual(samples[(shape.frames / 3 * shape.channels)...]))
    guard codec == .flac else { return }
    try Self.checkFLAC(path, frames: shape.frames)
    #expect(try Tool.run("soxi", ["-s", path]).output == "\(shape.frames)\n")
  }

  @Test(arguments: [SoundCodec.flac, .alac])
  func `cut at any byte it is finished with every flushed frame`(codec: SoundCodec) throws {
    let folder = TemporaryFolder()
    let pcm = PCMFormat(sampleRate: 8000, channels: 1)
    let samples = glide(frames: 60_000, channels: 1, sampleRate: 8000).map { ($0 * 32_768).rounded() / 32_768 }
    let file = MemoryFile()
    let flushed = try writeLossless(codec, samples, pcm: pcm, to: file, flushEvery: 5000, finish: false)
    // What a file is like after each of its writes: FLAC has a head that grows with it.
    for length in Array(stride(from: flushed[0].bytes, to: file.bytes.count, by: 2099)) + [file.bytes.count] {
      let cut = MemoryFile(Array(file.bytes.prefix(length)))
      guard case .unfinished = try MediaRepair.inspect(cut).condition else {
        Issue.record("not unfinished at \(length)")
        continue
      }
      let inspection = try MediaRepair.repair(cut, scratch: MemoryFile())
      #expect(inspection.condition == .finished)
      #expect(inspection.frames >= (flushed.last { $0.bytes <= length }?.frames ?? 0), "\(length)")
      #expect(try MediaRepair.inspect(cut).frames == inspection.frames)
      guard inspection.frames > 0, length % 5 == 0 || length == file.bytes.count else { continue }
      let path = folder.put(cut.bytes, codec == .flac ? "take.flac" : "take.m4a")
      #expect(try decodeWithFFmpeg(path).elementsEqual(samples.prefix(inspection.frames)))
      // Where the head claims what is not there, the MD5 is not known.
      if codec == .flac, length == file.bytes.count { try Self.checkFLAC(path, frames: inspection.frames) }
    }
  }

  @Test func `a FLAC take whose head was refused once ends with what counts as written`() throws {
    let pcm = PCMFormat(sampleRate: 8000, channels: 1)
    let encoder = try LosslessEncoder(.flac, format: pcm)
    let file = MemoryFile()
    var take = FLACWriter(
      file: file, scratch: nil,
      description: FileDescription(
        sound: SoundTrack(.flac, pcm: pcm, configuration: encoder.configuration),
        createdAt: WallTime(nanosecondsSince1970: 1_795_000_000 << 30), title: "A title", originator: "Mynah 1.0"))
    let bytes = pcmBytes(Self.noise(pcm, frames: 20_000)[...], bits: pcm.bits)
    func feed() throws {
      try bytes.withUnsafeBytes { try encoder.encode($0, frames: 20_000) { packet, _ in take.append(packet, to: 0) } }
    }
    try feed()
    try take.flush()
    let kept = take.amount(of: 0).end
    try feed()
    // The frames are taken, and their head is not.
    file.budget = take.amount(of: 0).bufferedBytes
    #expect(throws: StorageError.self) { try take.flush() }
    file.budget = nil
    take.dropBuffered()
    #expect(kept > 0 && take.amount(of: 0).end == kept)
    try take.finish(at: [kept])
    #expect(try MediaRepair.inspect(file) == MediaInspection(.finished, format: .flac, pcm: pcm, frames: kept))
    let folder = TemporaryFolder()
    try Self.checkFLAC(folder.put(file.bytes, "take.flac"), frames: kept)
  }

  @Test func `a FLAC take is whole after every write that is made, up to what was synced`() throws {
    let pcm = PCMFormat(sampleRate: 8000, channels: 1)
    let samples = Self.noise(pcm, frames: 50_000)
    let whole = MemoryFile()
    try writeLossless(.flac, samples, pcm: pcm, to: whole, flushEvery: 6000)
    for budget in stride(from: 32_768, to: whole.bytesWritten, by: 6011) {
      let file = MemoryFile()
      file.budget = budget
      let flushed = (try? writeLossless(.flac, samples, pcm: pcm, to: file, flushEvery: 6000)) ?? []
      file.budget = nil
      let found = try MediaRepair.repair(file)
      #expect(found.condition == .finished && flushed.isEmpty)
      #expect(found.frames % 4096 == 0 || found.frames == 50_000)
      let folder = TemporaryFolder()
      if found.frames > 0 { try Self.checkFLAC(folder.put(file.bytes, "a.flac"), frames: found.frames) }
    }
  }

  @Test func `sectors that a power cut left as zeros cost what was in them, and no more than the last second`() throws {
    let pcm = PCMFormat(sampleRate: 8000, channels: 1)
    let samples = Self.noise(pcm, frames: 80_000)
    let file = MemoryFile()
    let flushed = try writeLossless(.flac, samples, pcm: pcm, to: file, flushEvery: 8000, finish: false)
    for (index, flush) in flushed.enumerated().dropFirst(flushed.count - 2) {
      var bytes = file.bytes
      for place in (flush.bytes - 700)..<bytes.count { bytes[place] = 0 }
      let torn = MemoryFile(bytes)
      let found = try MediaRepair.repair(torn)
      #expect(found.condition == .finished)
      #expect(found.frames >= flushed[index - 1].frames && found.frames < flush.frames)
      let folder = TemporaryFolder()
      #expect(
        try decodeWithFFmpeg(folder.put(torn.bytes, "a.flac")).elementsEqual(samples.prefix(found.frames)))
    }
  }

  @Test(arguments: [(32_768, 48_128), (32_768, 600_000), (40_000, 150_000)])
  func `a claim of less than there is costs a FLAC take no sound`(end: Int, frames: Int) throws {
    let pcm = PCMFormat(sampleRate: 48_000, channels: 1)
    let samples = Self.noise(pcm, frames: frames)
    let file = MemoryFile()
    try writeLossless(.flac, samples, pcm: pcm, to: file)
    let place = (0..<8).map { UInt8(truncatingIfNeeded: end >> (56 - 8 * $0)) }
    // Not finished, with no frames, and nothing that is not on the medium.
    file.bytes.replaceSubrange(50..<54, with: [0, 0, 0, 0])
    file.bytes.replaceSubrange(54..<70, with: place + place)
    file.bytes.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    let size = file.bytes.count
    guard case .unfinished = try MediaRepair.inspect(file).condition else {
      Issue.record("not unfinished")
      return
    }
    let found = try MediaRepair.repair(file)
    #expect(found.condition == .finished && found.frames == frames && file.bytes.count == size)
    let folder = TemporaryFolder()
    #expect(try decodeWithFFmpeg(folder.put(file.bytes, "a.flac")) == samples)
  }

  @Test(arguments: [(50_000, 48_000), (300_000, 48_000), (50_000, 96_000), (50_000, 32_000)])
  func `one wrong bit in the head of a FLAC take that was cut off costs nothing`(frames: Int, rate: Int) throws {
    let pcm = PCMFormat(sampleRate: rate, channels: 1)
    let whole = MemoryFile()
    try writeLossless(.flac, Self.noise(pcm, frames: frames), pcm: pcm, to: whole, finish: false)
    let wanted = try MediaRepair.repair(MemoryFile(whole.bytes))
    for bit in 0..<8 * 70 {
      let file = MemoryFile(whole.bytes)
      file.bytes[bit / 8] ^= UInt8(1) << (bit % 8)
      let found = try MediaRepair.repair(file)
      #expect(found.condition == .finished && found.frames == wanted.frames && found.pcm == pcm, "\(bit)")
      #expect(file.bytes.starts(with: "fLaC".utf8))
    }
  }

  @Test(arguments: [512, 4096, 32 << 10])
  func `a FLAC take whose head is zeros gets a new one`(count: Int) throws {
    let pcm = PCMFormat(sampleRate: 48_000, channels: 1)
    let samples = Self.noise(pcm, frames: 50_000)
    for isFinished in [true, false] {
      let file = MemoryFile()
      try writeLossless(.flac, samples, pcm: pcm, to: file, finish: isFinished)
      let wanted = try MediaRepair.repair(MemoryFile(file.bytes)).frames
      for place in 0..<count { file.bytes[place] = 0 }
      guard case .unfinished = try MediaRepair.inspect(file).condition else {
        Issue.record("not unfinished")
        continue
      }
      let found = try MediaRepair.repair(file)
      #expect(found.condition == .finished && found.frames == wanted && found.pcm == pcm)
      #expect(try MediaRepair.inspect(file).condition == .finished)
      let folder = TemporaryFolder()
      #expect(try decodeWithFFmpeg(folder.put(file.bytes, "a.flac")).elementsEqual(samples.prefix(wanted)))
    }
  }

  @Test func `a FLAC head that claims another length gets the one that there is`() throws {
    let pcm = PCMFormat(sampleRate: 48_000, channels: 1)
    let samples = Self.noise(pcm, frames: 50_000)
    for claimed: [UInt8] in [[0, 0, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF]] {
      let file = MemoryFile()
      try writeLossless(.flac, samples, pcm: pcm, to: file)
      file.bytes.replaceSubrange(22..<26, with: claimed)
      guard case .unfinished = try MediaRepair.inspect(file).condition else {
        Issue.record("not unfinished")
        continue
      }
      #expect(try MediaRepair.repair(file).frames == 50_000)
      #expect(try MediaRepair.inspect(file).condition == .finished)
      let folder = TemporaryFolder()
      let path = folder.put(file.bytes, "a.flac")
      #expect(try decodeWithFFmpeg(path) == samples)
      #expect(try probe(path, "stream=duration_ts") == "50000")
    }
  }

  @Test func `a FLAC of others is left alone`() throws {
    let folder = TemporaryFolder()
    let path = folder.file("other.flac")
    try Tool.succeed("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=d=1", path])
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let file = MemoryFile(bytes)
    #expect(try MediaRepair.repair(file).condition == .foreign)
    #expect(file.writes.isEmpty)
  }

  @Test func `WAV of 32 bits holds what is louder than full scale`() throws {
    let folder = TemporaryFolder()
    let pcm = PCMFormat(sampleRate: 48_000, channels: 2, bits: 32)
    let samples = glide(frames: 5000, channels: 2, sampleRate: 48_000).map { $0 * 7.3 }
    let file = MemoryFile()
    try writeWave(samples, pcm: pcm, to: file)
    let path = folder.put(file.bytes, "take.wav")
    #expect(try probe(path, "stream=codec_name,duration_ts") == "pcm_f32le\n5000")
    #expect(try decodeWithFFmpeg(path) == samples)
    #expect(try Tool.run("soxi", ["-s", path]).output == "5000\n")
    #expect(try MediaRepair.inspect(file) == MediaInspection(.finished, format: .wav, pcm: pcm, frames: 5000))
  }

  static func noise(_ pcm: PCMFormat, frames: Int) -> [Float] {
    var dice = SeededGenerator(seed: 5)
    let full = pcm.bits == 16 ? 32_768 : 8_388_608
    return (0..<frames * pcm.channels).map { _ in Float(Int.random(in: -full..<full, using: &dice)) / Float(full) }
  }

  /// STREAMINFO against what is decoded: frames, MD5.
  static func checkFLAC(_ path: String, frames: Int) throws {
    let bits = try #require(Int(try probe(path, "stream=bits_per_raw_sample")))
    let raw = try Tool.run(
      "ffmpeg", ["-v", "error", "-i", path, "-f", bits == 16 ? "s16le" : "s24le", "-c:a", "pcm_s\(bits)le", "-"])
    let script = """
      import hashlib,sys
      b=open(sys.argv[1],'rb').read(); print(int.from_bytes(b[21:26],'big')&0xfffffffff, b[26:42].hex())
      """
    let digest = try Tool.succeed("python3", ["-c", script, path])
    let folder = TemporaryFolder()
    let sum = try Tool.succeed("md5sum", [folder.put([UInt8](raw.data), "raw")])
    #expect(raw.status == 0 && raw.errors.isEmpty)
    #expect(digest == "\(frames) \(sum.prefix(32))\n")
  }
}

/// Encodes samples and writes them as a FLAC or ALAC take.
///
/// - Returns: frames that were on the medium after each flush, with the file's size then.
@discardableResult
func writeLossless(
  _ codec: SoundCodec, _ samples: [Float], pcm: PCMFormat, to file: any StoredFile, flushEvery: Int = 9600,
  finish: Bool = true, summary: FileSummary = FileSummary()
) throws -> [(frames: Int, bytes: Int)] {
  let encoder = try LosslessEncoder(codec, format: pcm)
  let description = FileDescription(
    sound: SoundTrack(codec, pcm: pcm, configuration: encoder.configuration),
    createdAt: WallTime(nanosecondsSince1970: 1_795_000_000 << 30), title: "A title", originator: "Mynah 1.0")
  var take: any MediaWriter =
    codec == .flac
    ? FLACWriter(file: file, scratch: nil, description: description)
    : MovieWriter(file: file, scratch: MemoryFile(path: "scratch"), description: description)
  take.summary = summary
  try take.begin()
  var flushed = [(0, take.fileBytes)]
  let frames = samples.count / pcm.channels
  var (fed, sent) = (0, 0)
  while fed < frames {
    let count = min(flushEvery, frames - fed)
    let bytes = pcmBytes(samples[fed * pcm.channels..<(fed + count) * pcm.channels], bits: pcm.bits)
    try bytes.withUnsafeBytes {
      try encoder.encode($0, frames: count) { packet, frames in
        take.append(packet, to: 0)
        sent += frames
      }
    }
    fed += count
    try take.flush()
    flushed.append((sent, take.fileBytes))
  }
  guard finish else { return flushed }
  try encoder.finish { packet, _ in take.append(packet, to: 0) }
  try take.finish(at: [frames])
  return flushed
}
