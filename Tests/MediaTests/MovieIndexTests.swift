import Foundation
import Hardware
import Media
import TestSupport
import Testing

/// Finished takes whose final tables have been changed, while all of their fragments are still there.
struct MovieIndexTests {
  private static let pcm = PCMFormat(sampleRate: 48_000, channels: 1)
  private static let frames = 48_128

  private static func take(_ codec: SoundCodec) throws -> [UInt8] {
    let file = MemoryFile()
    let samples = glide(frames: frames, channels: 1, sampleRate: 48_000)
    if codec == .aac {
      try writeM4A(samples, pcm: pcm, to: file)
    } else {
      try writeLossless(.alac, samples, pcm: pcm, to: file)
    }
    return file.bytes
  }

  /// Where the content of the last box of a type begins.
  private static func last(_ type: String, in bytes: [UInt8]) throws -> Int {
    let code = Array(type.utf8)
    return try #require(
      stride(from: bytes.count - 4, to: 0, by: -1).first { bytes[$0..<$0 + 4].elementsEqual(code) }) + 4
  }

  @Test(arguments: [SoundCodec.aac, .alac], ["stsc", "stsz", "stts", "stsd", "dref", "elst", "mdhd", "mvhd"])
  func `whatever number of its tables is changed, a finished take plays after repair`(
    codec: SoundCodec, box: String
  ) throws {
    let folder = TemporaryFolder()
    let whole = try Self.take(codec)
    let content = try Self.last(box, in: whole)
    for offset in stride(from: 0, to: min(36, whole.count - content - 4), by: 4) {
      for value: [UInt8] in [[0, 0, 0, 0], [0, 0, 0, 3], [0x7F, 0xFF, 0xFF, 0xFF]] {
        var bytes = whole
        bytes.replaceSubrange(content + offset..<content + offset + 4, with: value)
        guard bytes != whole else { continue }
        let file = MemoryFile(bytes)
        let before = try MediaRepair.inspect(file)
        let found = try MediaRepair.repair(file, scratch: MemoryFile())
        #expect(found.condition == .finished)
        #expect(abs(found.frames - Self.frames) <= 4096, "\(box) \(offset) \(value): \(found.frames)")
        guard before.condition != .finished || offset % 8 == 0 else { continue }
        let decoded = try decodeWithFFmpeg(folder.put(file.bytes, "a.m4a"))
        #expect(decoded.count >= Self.frames * 9 / 10, "\(box) \(offset) \(value): \(decoded.count)")
      }
    }
  }

  @Test(arguments: [SoundCodec.aac, .alac])
  func `a finished take is found whole, and one repaired from its fragments too`(codec: SoundCodec) throws {
    let whole = try Self.take(codec)
    #expect(try MediaRepair.inspect(MemoryFile(whole)).condition == .finished)
    var bytes = whole
    let runs = try Self.last("stsc", in: whole)
    bytes.replaceSubrange(runs + 12..<runs + 16, with: [0, 0, 0, 99])
    let file = MemoryFile(bytes)
    #expect(try MediaRepair.inspect(file).condition == .unfinished("Its index is damaged."))
    _ = try MediaRepair.repair(file, scratch: MemoryFile())
    #expect(try MediaRepair.inspect(file).condition == .finished)
  }

  @Test func `a first header that nobody reads any more costs no take its index`() throws {
    let whole = try Self.take(.aac)
    let code = try #require(whole.firstRange(of: Array("esds".utf8))).upperBound
    // The rate in the first AudioSpecificConfig, which is behind the tag of five.
    let place = try #require(whole[code...].firstRange(of: [5, 5])).upperBound
    var bytes = whole
    bytes[place] ^= 1
    let file = MemoryFile(bytes)
    #expect(try MediaRepair.repair(file, scratch: MemoryFile()).condition == .finished)
    #expect(file.bytes == bytes)
  }

  @Test(arguments: [SoundCodec.aac, .alac])
  func `a chunk that begins some bytes beside its place is seen, and put right`(codec: SoundCodec) throws {
    let folder = TemporaryFolder()
    let whole = try Self.take(codec)
    let sound = try decodeWithFFmpeg(folder.put(whole, "whole.m4a"))
    let content = try Self.last("stco", in: whole)
    let count = Int(whole[content + 7])
    try #require(count > 3)
    for chunk in [0, 1, count / 2, count - 1] {
      let place = content + 8 + 4 * chunk
      let offset = whole[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      for error in [-8, -4, -3, -1, 1, 2, 3, 4, 8, 16] {
        var bytes = whole
        for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: (offset + error) >> (24 - 8 * byte)) }
        let file = MemoryFile(bytes)
        let found = try MediaRepair.inspect(file).condition
        #expect(found == .unfinished("Its index is damaged."), "\(chunk) \(error)")
        _ = try MediaRepair.repair(file, scratch: MemoryFile())
        #expect(try MediaRepair.inspect(file).condition == .finished, "\(chunk) \(error)")
        guard abs(error) == 3 else { continue }
        let decoded = try decodeWithFFmpeg(folder.put(file.bytes, "mended.m4a"))
        #expect(decoded.prefix(48_000) == sound.prefix(48_000), "\(chunk) \(error)")
      }
    }
  }
}
