import Foundation
import Hardware
import TestSupport
import Testing

@testable import Media

struct MovieWriterTests {
  let stereo = PCMFormat(sampleRate: 48_000, channels: 2)

  @Test(arguments: [(48_000, 2, 61_234), (44_100, 1, 44_100), (8_000, 1, 8_191), (48_000, 2, 1), (48_000, 1, 0)])
  func `a finished take is an ordinary file of exact length whose sound lies where it was recorded`(
    rate: Int, channels: Int, frames: Int
  ) throws {
    let folder = TemporaryFolder()
    let pcm = PCMFormat(sampleRate: rate, channels: channels)
    let samples = glide(frames: frames, channels: channels, sampleRate: rate)
    let file = MemoryFile()
    try writeM4A(samples, pcm: pcm, to: file)
    let path = folder.put(file.bytes, "take.m4a")
    #expect(Array(file.bytes[32..<48].dropFirst(4).prefix(4)) == Array("mdat".utf8))
    #expect(try probe(path, "stream=codec_name,sample_rate,channels") == "aac\n\(rate)\n\(channels)")
    if frames > 0 {
      #expect(try probe(path, "stream=duration_ts") == "\(frames)")
      #expect(try probe(path, "stream=start_time") == "0.000000")
    }
    #expect(try probe(path, "format_tags=title") == "A title")
    let decoded = try decodeWithFFmpeg(path)
    #expect(decoded.count / channels >= frames)
    if frames > 4096 {
      #expect(correlation(samples[...], decoded.prefix(samples.count)) > 0.99)
    }
    let sound = try SoundFile(path: path)
    #expect(sound.totalFrames == frames)
    #expect(try readAll(sound).count == samples.count)
  }

  @Test func `an unfinished take plays with every flushed fragment wherever it is torn`() throws {
    let folder = TemporaryFolder()
    let pcm = PCMFormat(sampleRate: 16_000, channels: 1)
    let file = MemoryFile()
    let samples = glide(frames: 48_000, channels: 1, sampleRate: 16_000)
    let flushed = try writeM4A(samples, pcm: pcm, to: file, bitrate: 48, flushEvery: 3200)
    let reserve = [0, 0, 0, 16] + Array("free".utf8) + [UInt8](repeating: 0, count: 8)
    var bytes = file.bytes
    bytes.replaceSubrange(32..<48, with: reserve)
    // Files tear where writes end, at sectors and at pages; through the final tables too, before the last 16 bytes.
    let lengths = Set(flushed.map(\.bytes)).union(stride(from: 1024, to: bytes.count, by: 512)).union([bytes.count])
    for length in lengths.sorted() {
      let path = folder.put(Array(bytes.prefix(length)), "cut.m4a")
      let expected = flushed.last { $0.bytes <= length }?.frames ?? 0
      let result = try Tool.run("ffmpeg", ["-v", "quiet", "-i", path, "-f", "f32le", "-"])
      // With nothing whole in it yet there is nothing to decode.
      #expect(result.status == 0 || expected == 0, "ffmpeg at \(length)")
      #expect(result.data.count / 4 >= expected - 1024, "decoded at \(length)")
    }
  }

  @Test func `every failed write can be repeated and nothing is lost`() throws {
    let pcm = stereo
    let samples = glide(frames: 30_000, channels: 2, sampleRate: 48_000)
    let whole = MemoryFile()
    try writeM4A(samples, pcm: pcm, to: whole)
    let encoder = try AACEncoder(format: pcm, bitrateKbps: 128)
    let file = MemoryFile()
    let scratch = MemoryFile(path: "scratch")
    var take = MovieWriter(
      file: file, scratch: scratch,
      description: FileDescription(
        sound: SoundTrack(
          pcm: pcm, configuration: encoder.configuration, primingFrames: encoder.primingFrames, bitrateKbps: 128),
        createdAt: WallTime(nanosecondsSince1970: 1_795_000_000 << 30), title: "A title", originator: "Mynah 1.0"))
    var dice = SeededGenerator(seed: 7)
    /// Lets the call fail, in the middle of a write or before one, until it works.
    func persist(_ body: () throws -> Void) {
      for _ in 0..<100 {
        file.stalls = Int.random(in: 0...1, using: &dice)
        file.budget = Int.random(in: 0...3, using: &dice) == 0 ? nil : Int.random(in: 0...900, using: &dice)
        do {
          try body()
          return
        } catch {}
      }
      Issue.record("never succeeded")
    }
    persist { try take.begin() }
    try samples.withUnsafeBufferPointer { buffer in
      let start = try #require(buffer.baseAddress)
      for block in stride(from: 0, to: 30_000, by: 9600) {
        try encoder.encode(start + block * 2, frames: min(9600, 30_000 - block)) { take.append($0, to: 0) }
        persist { try take.flush() }
      }
    }
    try encoder.finish { take.append($0, to: 0) }
    persist { try take.finish(at: [30_000]) }
    #expect(file.bytes == whole.bytes)
  }

  @Test func `stopping a take of 24 hours writes only its tables`() throws {
    let folder = TemporaryFolder()
    let path = folder.file("day.m4a")
    let file = DiskFile(path)
    let scratch = DiskFile(folder.file("scratch"))
    let pcm = stereo
    let encoder = try AACEncoder(format: pcm, bitrateKbps: 32)
    // One access unit of silence, again and again.
    var unit: [UInt8] = []
    let silence = [Float](repeating: 0, count: 8192)
    try encoder.encode(silence, frames: 4096) { unit = Array($0) }
    let frames = 24 * 3600 * 48_000
    let description = FileDescription(
      sound: SoundTrack(
        pcm: pcm, configuration: encoder.configuration, primingFrames: encoder.primingFrames, bitrateKbps: 32),
      createdAt: WallTime(nanosecondsSince1970: 0))
    var take = MovieWriter(file: file, scratch: scratch, description: description)
    try take.begin()
    try unit.withUnsafeBytes { packet in
      for count in 0...(frames / 1024) {
        take.append(packet, to: 0)
        if count % 47 == 0 { try take.flush() }
      }
    }
    try take.flush()
    let before = take.fileBytes
    let promised = take.finishBytes
    try take.finish(at: [frames])
    #expect(take.fileBytes == file.size)
    #expect(file.size - before <= promised)
    #expect(file.size - before < 20 << 20)
    #expect(try probe(path, "stream=duration_ts") == "\(frames)")
    #expect(try probe(path, "stream=nb_frames") == "\((frames + 1024 + 1023) / 1024)")
    // The player reads it by its tables, without an index in memory.
    #expect(TakeTrack(path: path) != nil)
    let sound = try SoundFile(path: path)
    try sound.seek(toFrame: frames - 5_000)
    #expect(try readAll(sound).count == 5_000 * 2)
  }

  @Test func `marks become chapters`() throws {
    let folder = TemporaryFolder()
    let file = MemoryFile()
    try writeM4A(
      glide(frames: 96_000, channels: 2, sampleRate: 48_000), pcm: stereo, to: file,
      marks: [TakeMark(frame: 0, label: "start"), TakeMark(frame: 48_000, label: "Ж")])
    let path = folder.put(file.bytes, "take.m4a")
    #expect(try probe(path, "chapter=start_time:chapter_tags=title") == "0.000000\nstart\n1.000000\nЖ")
  }
}
