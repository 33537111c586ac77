import Foundation
import Hardware
import TestSupport
import Testing

@testable import Media
@testable import Streaming

/// Files by HTTP whose cover is longer than what may come without a sample, over a slow line.
@Suite struct CoverTests {
  private static let coverBytes = 2 << 20
  private let folder = TemporaryFolder()

  private func make(_ name: String, _ codec: String) throws -> [UInt8] {
    try ffmpeg(folder, tones(6) + ["-c:a", codec, name])
    return try #require(folder.bytes(name))
  }

  private func number(_ value: Int, bits: Int, count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(value >> (bits * $0) & (1 << bits - 1)) }
  }

  private var picture: [UInt8] { [UInt8](repeating: 0xFF, count: Self.coverBytes) }

  /// Of 40,000 bytes each.
  private func play(_ bytes: [UInt8], _ type: String) -> Listener {
    let network = FakeNetwork()
    network.server = { _, _ in FakeNetwork.Answer(bytes: bytes, contentType: type, most: 40_000) }
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "x", network: network) {}, network)
    listener.run(60)
    return listener
  }

  private func expectHeard(_ bytes: [UInt8], _ type: String) {
    #expect(bytes.count > Self.coverBytes)
    let listener = play(bytes, type)
    #expect(listener.programme.status.phase == .ended)
    #expect(abs(Double(listener.frames) / 48_000 - 6) < 0.3, "\(listener.frames)")
    let samples = listener.samples
    #expect((samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))).squareRoot() > 0.2)
  }

  @Test func `in the tag before MP3`() throws {
    let sound = try make("a.mp3", "libmp3lame")
    let tag: [UInt8] = Array("ID3".utf8) + [4, 0, 0] + number(Self.coverBytes, bits: 7, count: 4) + picture
    expectHeard(tag + sound, "audio/mpeg")
    expectHeard(tag + tag + sound, "audio/mpeg")
  }

  @Test func `in the metadata of FLAC`() throws {
    let sound = try make("a.flac", "flac")
    let block: [UInt8] = [6] + number(Self.coverBytes, bits: 8, count: 3) + picture
    expectHeard(sound.prefix(42) + block + sound.dropFirst(42), "audio/flac")
  }

  @Test func `in a chunk of WAV`() throws {
    let sound = try make("a.wav", "pcm_s16le")
    let chunk: [UInt8] = Array("PICT".utf8) + number(Self.coverBytes, bits: 8, count: 4).reversed() + picture
    expectHeard(sound.prefix(12) + chunk + sound.dropFirst(12), "audio/wav")
  }

  @Test(arguments: [("a.ogg", "libvorbis"), ("a.opus", "libopus"), ("flac.ogg", "flac")])
  func `in the comment of Ogg`(name: String, codec: String) throws {
    _ = try make(name, codec)
    folder.put(";FFMETADATA1\ncover=" + String(repeating: "A", count: Self.coverBytes) + "\n", "cover.txt")
    let words = ["-map_metadata", "1", "-map_metadata:s:a", "1:g", "-c", "copy", "large-" + name]
    try ffmpeg(folder, ["-i", name, "-i", "cover.txt"] + words)
    expectHeard(try #require(folder.bytes("large-" + name)), "audio/ogg")
  }

  /// Whatever the pieces are, the same is left.
  @Test func `what stands before the frames is passed over`() {
    let frames: [UInt8] = [0xFF, 0xF8] + [UInt8](0..<200)
    let tag: [UInt8] = Array("ID3".utf8) + [3, 0, 0, 0, 0, 1, 0] + [UInt8](repeating: 7, count: 128)
    let content: [UInt8] = [0, 0, 34] + [UInt8](0..<34)
    let mark = Array("fLaC".utf8)
    let small: [UInt8] = [4, 0, 0, 3, 9, 9, 9]
    let large: [UInt8] = [0x86, 0, 1, 0] + [UInt8](repeating: 8, count: 256)
    let last: [UInt8] = mark + [0x80] + content
    let first: [UInt8] = mark + [0] + content + small + large
    let cases: [(head: [UInt8], kept: [UInt8])] = [
      ([], []), (tag + tag, []), (last, last), (first, last), (tag + first, last),
    ]
    for (head, kept) in cases {
      for size in [1, 7, 1000] {
        var (stripper, found): (SoundHead, [UInt8]) = (SoundHead(), [])
        let bytes = head + frames
        for start in stride(from: 0, to: bytes.count, by: size) {
          found += stripper.strip(Array(bytes[start..<min(bytes.count, start + size)]))
        }
        #expect(found == kept + frames, "\(size)")
      }
    }
  }

  /// Nothing is waited for without end: a head that is followed by nothing but heads.
  @Test func `of covers there is an end`() {
    let block: [UInt8] = [6] + number(0xFF_0000, bits: 8, count: 3) + [UInt8](repeating: 0, count: 0xFF_0000)
    let head: [UInt8] = Array("fLaC".utf8) + [0, 0, 0, 34] + [UInt8](repeating: 1, count: 34)
    let network = FakeNetwork()
    let bytes = head + block + block + block
    network.server = { _, _ in FakeNetwork.Answer(bytes: bytes, contentType: "audio/flac", most: 400_000) }
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "x", network: network) {}, network)
    listener.run(120)
    guard case .failed(let fault) = listener.programme.status.phase else {
      return #expect(Bool(false), "it is waited for")
    }
    #expect(fault.code == "no-sound")
    #expect(network.now.seconds < 20)
  }
}
