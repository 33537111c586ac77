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
    let samples = try readAll(sound)
    let frames = wanted.count / sound.format.channels
    #expect(try sound.totalFrames ?? SoundLength.frames(of: path) { false } == frames, "\(name)")
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
}
