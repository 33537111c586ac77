import Foundation
import Hardware
import TestSupport
import Testing

@testable import Media

/// Heads of files that other programs write, and libavformat does not take for what they are.
@Suite("The heads of strangers' sound")
struct StrangersHeadsTests {
  private let folder = TemporaryFolder()

  private func make(_ name: String, _ options: [String]) throws -> [UInt8] {
    try Tool.succeed(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "sine=440:duration=3.3:sample_rate=48000"] + options + [folder.file(name)])
    return try #require(folder.bytes(name))
  }

  /// Plays it as ffmpeg plays another file.
  private func expect(_ bytes: [UInt8], _ name: String, playsAs wanted: [Float], within most: Float = 1e-6) throws {
    let path = folder.put(bytes, name)
    let sound = try SoundFile(path: path)
    let length = try sound.totalFrames ?? SoundLength.frames(of: path) { false }
    let samples = try readAll(sound)
    let frames = wanted.count / sound.format.channels
    #expect(length == frames, "\(name)")
    #expect(samples.count == wanted.count && zip(samples, wanted).allSatisfy { abs($0 - $1) <= most }, "\(name)")
  }

  @Test func `a second head that is kept in what is free hides nothing`() throws {
    let bytes = try make("sound.m4a", ["-c:a", "aac"])
    let place = try #require(bytes.indices.dropLast(8).first { bytes[$0..<$0 + 4].elementsEqual("moov".utf8) }) - 4
    let size = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    func free(_ content: [UInt8]) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: (content.count + 8) >> $0) } + Array("free".utf8) + content
    }
    let head = Array(bytes[place..<place + size])
    // As GStreamer's muxers do it that write a new head now and then.
    // What fills the last packet is not the sound's.
    let wanted = try decodeWithFFmpeg(folder.file("sound.m4a")).prefix(158_400)
    try expect(bytes + free(head), "two.m4a", playsAs: Array(wanted))
    // This is what libavformat would go into.
    #expect(!SampleClaims.areCredible(bytes + free(Array(head.dropFirst(8)))))
    #expect(!SampleClaims.areCredible(free(Array(head.dropFirst(8))) + bytes))
  }

  private func little(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }

  private func chunk(_ kind: String, _ content: [UInt8], says size: UInt64? = nil) -> [UInt8] {
    Array(kind.utf8) + little(size ?? UInt64(content.count), 4) + content
  }

  /// WAVE_FORMAT_EXTENSIBLE of PCM at 48 kHz.
  private func format(channels: UInt64, places: UInt64, bits: UInt64, mask: UInt64) -> [UInt8] {
    let frame = channels * places / 8
    let known = little(0xFFFE, 2) + little(channels, 2) + little(48_000, 4) + little(48_000 * frame, 4)
    let kind: [UInt8] = [1, 0, 0, 0, 0, 0, 16, 0, 128, 0, 0, 170, 0, 56, 155, 113]
    return chunk(
      "fmt ", known + little(frame, 2) + little(places, 2) + little(22, 2) + little(bits, 2) + little(mask, 4) + kind)
  }

  @Test(arguments: [(32, 24), (32, 16), (32, 8), (24, 16), (24, 8), (16, 8)] as [(UInt64, UInt64)])
  func `samples of fewer bits than their places are read whatever channels they say`(
    places: UInt64, bits: UInt64
  ) throws {
    let options = ["-ac", "2", "-c:a", "pcm_s\(places)le"]
    _ = try make("whole.wav", options)
    let sound = try make("whole.raw", options + ["-f", "s\(places)le"])
    let wanted = try decodeWithFFmpeg(folder.file("whole.wav"))
    // A tag in front, as of music.
    let tag: [UInt8] = [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 10] + [UInt8](repeating: 0, count: 10)
    // None is named, or two, one, six.
    for mask: UInt64 in [0, 3, 4, 0x3F] {
      let head = format(channels: 2, places: places, bits: bits, mask: mask)
      let data = chunk("data", sound)
      try expect(chunk("RIFF", Array("WAVE".utf8) + head + data), "fewer.wav", playsAs: wanted)
      let other = chunk("JUNK", [UInt8](repeating: 1, count: 4000))
      try expect(tag + chunk("RIFF", Array("WAVE".utf8) + other + head + data), "later.wav", playsAs: wanted)
    }
  }

  @Test func `RF64 that claims no sound, as one that was cut off does, is played to its end`() throws {
    let options = ["-ac", "2", "-c:a", "pcm_s16le"]
    _ = try make("whole.wav", options)
    let sound = try make("whole.raw", options + ["-f", "s16le"])
    let wanted = try decodeWithFFmpeg(folder.file("whole.wav"))
    let known = little(1, 2) + little(2, 2) + little(48_000, 4) + little(192_000, 4) + little(4, 2) + little(16, 2)
    func file(of claim: UInt64) -> [UInt8] {
      let sizes = chunk("ds64", little(claim, 8) + little(claim, 8) + little(claim / 4, 8) + little(0, 4))
      let body = Array("WAVE".utf8) + sizes + chunk("fmt ", known) + chunk("data", sound, says: 0xFFFF_FFFF)
      return Array("RF64".utf8) + little(0xFFFF_FFFF, 4) + body
    }
    try expect(file(of: 0), "cut.wav", playsAs: wanted)
    let seeking = try SoundFile(path: folder.file("cut.wav"))
    var piece = [Float](repeating: 0, count: 2000)
    for place in [100_000, 20_000] {
      try seeking.seek(toFrame: place)
      #expect(try seeking.read(into: &piece, frames: 1000) == 1000)
      #expect(piece == Array(wanted[2 * place..<2 * place + 2000]), "\(place)")
    }
    // Others' lengths count as before.
    try expect(file(of: 400_000), "part.wav", playsAs: Array(wanted.prefix(200_000)))
  }

  @Test func `FLAC of more bits than can be decoded is refused by what it is`() throws {
    _ = try make("wide.wav", ["-c:a", "pcm_s32le"])
    // Older ones do not write it.
    let made = try Tool.run("flac", ["--silent", "-o", folder.file("wide.flac"), folder.file("wide.wav")])
    guard made.status == 0, try probe(folder.file("wide.flac"), "stream=bits_per_raw_sample") == "32" else { return }
    let wanted = try decodeWithFFmpeg(folder.file("wide.flac"))
    let path = folder.file("wide.flac")
    // FFmpeg 6 decodes it.
    guard wanted.isEmpty else { return try expect(folder.bytes("wide.flac") ?? [], "new.flac", playsAs: wanted) }
    let error = #expect(throws: MediaError.self) { try SoundFile(path: path) }
    #expect(error?.kind == .unsupported && error?.reason.contains("FLAC of 32 bits") == true)
  }
}
