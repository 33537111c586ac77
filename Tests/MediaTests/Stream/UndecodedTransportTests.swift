import Foundation
import TestSupport
import Testing

@testable import Media

/// Sound in MPEG-TS that the release has no decoder for. libavformat takes it for MP3 where it does not know it.
@Suite struct UndecodedTransportTests {
  private let folder = TemporaryFolder()

  private func make(_ name: String, _ options: String) throws -> [UInt8] {
    let words = ["-v", "error", "-f", "lavfi", "-i", "sine=440:d=3:r=48000", "-ac", "2", "-strict", "-2"]
    let path = folder.file(name)
    try Tool.succeed("ffmpeg", words + options.split(separator: " ").map(String.init) + ["-f", "mpegts", path])
    return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Gives the only stream of ffmpeg's table another type, and the table its sum.
  private func relabelled(_ bytes: [UInt8], _ type: UInt8) -> [UInt8] {
    var bytes = bytes
    for start in stride(from: 0, to: bytes.count - 187, by: 188)
    where bytes[start + 1] & 0x1F == 0x10 && bytes[start + 2] == 0 {
      let end = start + 8 + Int(bytes[start + 6] & 0x0F) << 8 + Int(bytes[start + 7])
      bytes[start + 17] = type
      var sum: UInt32 = .max
      for byte in bytes[(start + 5)..<(end - 4)] {
        sum ^= UInt32(byte) << 24
        for _ in 0..<8 { sum = sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
      }
      for place in 0..<4 { bytes[end - 4 + place] = UInt8(truncatingIfNeeded: sum >> UInt32(24 - 8 * place)) }
    }
    return bytes
  }

  /// On the card, as a segment of a stream, and as a station sends it.
  private func isHeard(_ bytes: [UInt8]) throws -> [Bool] {
    let heard = try isHeardOfContainer(bytes)
    let stream = try SoundStream(.transportStream, name: "station")
    stream.feed(bytes)
    let sound = try stream.next()
    #expect((stream.refusal?.isUnsupported == true) == (sound == nil))
    return heard + [sound != nil]
  }

  /// On the card, and as a segment of a stream.
  private func isHeardOfContainer(_ bytes: [UInt8]) throws -> [Bool] {
    let path = folder.put(bytes, "sound.ts")
    var heard: [Bool] = []
    do throws(MediaError) {
      _ = try SoundFile(path: path)
      heard.append(true)
    } catch {
      #expect(error.kind == .unsupported, "\(error)")
      heard.append(false)
    }

    let decoder = try StreamDecoder(pictures: false)
    var frames = 0
    do throws(MediaError) {
      try decoder.begin(bytes, initialization: [], name: "segment-7")
      while let piece = try decoder.next() {
        if case .sound(let sound) = piece { frames += sound.frames }
      }
    } catch {
      #expect(error.kind == .unsupported && frames == 0, "\(error)")
    }
    return heard + [frames > 0]
  }

  @Test(arguments: ["dca", "truehd"])
  func `What has no decoder is called unsupported, and is no noise`(codec: String) throws {
    #expect(try isHeard(try make("a.ts", "-c:a \(codec)")) == [false, false, false])
  }

  /// 0x82 is DTS, 0x83 TrueHD, 0x2D MPEG-H: whatever the bytes look like.
  @Test(arguments: [0x82, 0x83, 0x85, 0x88, 0x8A, 0xA2, 0x2D, 0x2E] as [UInt8])
  func `What its table calls so is not taken for MP3`(type: UInt8) throws {
    let bytes = try make("a.ts", "-c:a mp2")
    #expect(try isHeard(relabelled(bytes, 0x04)) == [true, true, true])
    #expect(try isHeard(relabelled(bytes, type)) == [false, false, false])
  }

  /// Private data, AAC, AAC in LATM, and what discs have PCM under.
  @Test(arguments: [0x06, 0x0F, 0x11, 0x80] as [UInt8])
  func `MPEG audio under another sound's number is heard`(type: UInt8) throws {
    let bytes = try make("a.ts", "-c:a libmp3lame")
    #expect(try isHeardOfContainer(relabelled(bytes, type)) == [true, true])
  }

  @Test func `Beside it another sound is taken`() throws {
    let name = folder.file("two.ts")
    let source = ["-f", "lavfi", "-i", "sine=440:d=3:r=48000"]
    let sounds = ["-map", "0:a", "-map", "0:a", "-ac", "2", "-strict", "-2", "-c:a:0", "dca", "-c:a:1", "aac"]
    try Tool.succeed("ffmpeg", ["-v", "error"] + source + sounds + ["-f", "mpegts", name])
    #expect(try SoundFile(path: name).codecName == "aac")
    #expect(try isHeard(Array(try Data(contentsOf: URL(fileURLWithPath: name)))) == [true, true, true])
  }
}
