import Foundation
import Hardware
import Media
import TestSupport
import Testing

/// The same two and a half seconds in every format that plays, made once by other programs.
private final class Fixtures: Sendable {
  static let shared = Result { try Fixtures() }
  static let frames = 120_017
  static let rate = 48_000

  let folder = TemporaryFolder()
  let samples: [Float]

  init() throws {
    let file = MemoryFile()
    // 16-bit samples, so that the lossless formats are exact.
    samples = glide(frames: Self.frames, channels: 2, sampleRate: Self.rate).map { ($0 * 32_768).rounded() / 32_768 }
    let pcm = PCMFormat(sampleRate: Self.rate, channels: 2)
    try writeWave(samples, pcm: pcm, to: file)
    let wave = folder.put(file.bytes, "sound.wav")
    let take = MemoryFile()
    try writeM4A(samples, pcm: pcm, to: take)
    _ = folder.put(take.bytes, "take.m4a")
    for (name, options) in [
      ("sound.flac", ["-c:a", "flac"]), ("sound.mp3", ["-c:a", "libmp3lame", "-b:a", "128k"]),
      ("vbr.mp3", ["-c:a", "libmp3lame", "-q:a", "4"]), ("sound.opus", ["-c:a", "libopus", "-b:a", "96k"]),
      ("sound.ogg", ["-c:a", "libvorbis", "-q:a", "4"]), ("other.m4a", ["-c:a", "aac", "-b:a", "128k"]),
      ("alac.m4a", ["-c:a", "alac"]),
    ] {
      try Tool.run("ffmpeg", ["-v", "error", "-i", wave] + options + [folder.file(name)])
    }
  }
}

struct SoundFileTests {
  static let names = [
    "sound.wav", "take.m4a", "sound.flac", "sound.mp3", "vbr.mp3", "sound.opus", "sound.ogg", "other.m4a", "alac.m4a",
  ]
  static let lossless: Set = ["sound.wav", "sound.flac", "alac.m4a"]

  /// A film of hours is not read from its beginning for ten seconds back.
  @Test func `far into a film of Matroska its index leads, to the millisecond`() throws {
    let folder = TemporaryFolder()
    let pictures = ["-f", "lavfi", "-i", "testsrc=s=64x48:r=5:d=100", "-c:v", "libx264", "-g", "25"]
    let sound = ["-f", "lavfi", "-i", "aevalsrc=0.4*sin(2*PI*(300*t+4*t*t)):s=48000:d=100", "-c:a", "aac"]
    let inputs = pictures.prefix(4) + sound.prefix(4)
    try Tool.run(
      "ffmpeg", ["-v", "error"] + inputs + pictures.dropFirst(4) + sound.dropFirst(4) + [folder.file("film.mkv")])
    let whole = try readAll(try SoundFile(path: folder.file("film.mkv")))
    let file = try SoundFile(path: folder.file("film.mkv"))
    try file.seek(toFrame: 90 * 48_000)
    #expect(file.position == 90 * 48_000)
    let rest = try readAll(file)
    let channels = file.outputFormat.channels
    let wanted = whole.suffix(from: 90 * 48_000 * channels)
    #expect(abs(rest.count - wanted.count) <= 96 * channels)
    let distance = (-96...96).min { left, right in
      func error(_ shift: Int) -> Float {
        (1000..<20_000).reduce(0) { sum, index in
          let other = whole[(90 * 48_000 + index + shift) * channels]
          return sum + abs(rest[index * channels] - other)
        }
      }
      return error(left) < error(right)
    }
    #expect(abs(distance ?? 1000) <= 48)
  }

  @Test(arguments: names)
  func `every format plays from its first audible sample to its last`(name: String) throws {
    let fixtures = try Fixtures.shared.get()
    let sound = try SoundFile(path: fixtures.folder.file(name))
    #expect(sound.format.sampleRate == 48_000 && sound.format.channels == 2)
    let decoded = try readAll(sound)
    // FFmpeg writes the length of its own MP4 files in milliseconds only.
    let frames = name == "other.m4a" ? 120_000 : Fixtures.frames
    #expect(sound.totalFrames == frames, "\(name)")
    #expect(decoded.count / 2 == frames, "\(name)")
    #expect(sound.damagedPackets == 0)
    if Self.lossless.contains(name) {
      #expect(decoded == fixtures.samples)
    } else {
      let count = min(decoded.count, fixtures.samples.count)
      #expect(correlation(fixtures.samples.prefix(count), decoded.prefix(count)) > 0.99)
    }
  }

  @Test(arguments: names)
  func `a seek lands on the exact frame`(name: String) throws {
    let fixtures = try Fixtures.shared.get()
    let path = fixtures.folder.file(name)
    let straight = try readAll(try SoundFile(path: path))
    let sound = try SoundFile(path: path)
    var dice = SeededGenerator(seed: 5)
    let total = straight.count / 2
    var buffer = [Float](repeating: 0, count: 2 * 3000)
    // Opus decoders predict from all that came before; after their pre-roll they agree to about -50 dB.
    let tolerance: Float = Self.lossless.contains(name) ? 0 : name.hasSuffix("opus") ? 0.01 : 0.002
    for round in 0..<60 {
      let target = [0, 1, total - 1, total, 1023, 1024, 1025][safe: round] ?? Int.random(in: 0..<total, using: &dice)
      try sound.seek(toFrame: target)
      #expect(sound.position == target)
      var count = 0
      while count < 3000 {
        let got = try buffer.withUnsafeMutableBufferPointer {
          try sound.read(into: $0.baseAddress.unsafelyUnwrapped + count * 2, frames: min(777, 3000 - count))
        }
        if got == 0 { break }
        count += got
      }
      #expect(count == min(3000, total - target), "\(name) at \(target)")
      let expected = straight[target * 2..<(target + min(count, total - target)) * 2]
      let worst = zip(expected, buffer).reduce(0) { max($0, ($1.0 - $1.1).magnitude) }
      #expect(worst <= tolerance, "\(name) at \(target)")
    }
  }

  @Test(arguments: [44_100, 8_000, 96_000, 48_000], ["sound.wav", "take.m4a", "sound.mp3"])
  func `another rate and channel count come out exact, also after a seek`(rate: Int, name: String) throws {
    let fixtures = try Fixtures.shared.get()
    let path = fixtures.folder.file(name)
    let output = PCMFormat(sampleRate: rate, channels: 1)
    let sound = try SoundFile(path: path, output: output)
    let total = (Fixtures.frames * rate + 47_999) / 48_000
    #expect(sound.totalFrames == total)
    let straight = try readAll(sound)
    #expect(straight.count == total)
    var dice = SeededGenerator(seed: 6)
    var buffer = [Float](repeating: 0, count: 1000)
    for _ in 0..<20 {
      let target = Int.random(in: 0..<total, using: &dice)
      try sound.seek(toFrame: target)
      let count = try sound.read(into: &buffer, frames: 1000)
      #expect(count == min(1000, total - target))
      let worst = zip(straight[target..<target + count], buffer).reduce(0) { max($0, ($1.0 - $1.1).magnitude) }
      #expect(worst <= (name == "sound.wav" ? 1e-6 : 0.002), "at \(target)")
    }
  }

  @Test func `mono becomes two equal channels of the same level, and stereo their mean`() throws {
    let folder = TemporaryFolder()
    let file = MemoryFile()
    let mono = PCMFormat(sampleRate: 48_000, channels: 1)
    try writeWave([0.5, -0.5, 0.25, 0], pcm: mono, to: file)
    let path = folder.put(file.bytes, "mono.wav")
    let stereo = PCMFormat(sampleRate: 48_000, channels: 2)
    #expect(try readAll(try SoundFile(path: path, output: stereo)) == [0.5, 0.5, -0.5, -0.5, 0.25, 0.25, 0, 0])
    let other = MemoryFile()
    try writeWave([0.5, -0.25, 0.25, 0.25], pcm: stereo, to: other)
    #expect(try readAll(try SoundFile(path: folder.put(other.bytes, "s.wav"), output: mono)) == [0.125, 0.25])
  }

  @Test func `what cannot be played is refused with a reason`() throws {
    let folder = TemporaryFolder()
    #expect(throws: MediaError.self) { try SoundFile(path: folder.file("absent.wav")) }
    let error = #expect(throws: MediaError.self) { try SoundFile(path: folder.put(Array("#EXTM3U\n".utf8), "x.wav")) }
    #expect(error?.kind == .damaged)
    #expect(throws: MediaError.self) { try SoundFile(path: folder.put([], "empty.m4a")) }
    #expect(throws: MediaError.self) { try SoundFile(path: folder.path) }
  }

  @Test(arguments: names)
  func `damaged files throw or play, and never crash`(name: String) throws {
    let fixtures = try Fixtures.shared.get()
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: fixtures.folder.file(name)))).prefix(60_000)
    let folder = TemporaryFolder()
    var dice = SeededGenerator(seed: UInt64(name.utf8.reduce(0) { Int($0) + Int($1) }))
    var buffer = [Float](repeating: 0, count: 2 * 8192)
    for round in 0..<40 {
      var damaged = Array(bytes)
      for _ in 0...Int.random(in: 0...40, using: &dice) {
        // In the head, anywhere, or in the tables at the end.
        let range = [0..<600, 0..<damaged.count, damaged.count - 600..<damaged.count][round % 3]
        let place = Int.random(in: range, using: &dice)
        damaged[place] ^= 1 << UInt8.random(in: 0...7, using: &dice)
      }
      if round % 4 == 3 { damaged.removeLast(Int.random(in: 0..<damaged.count, using: &dice)) }
      do throws(MediaError) {
        let output = PCMFormat(sampleRate: 44_100, channels: 2)
        let sound = try SoundFile(path: folder.put(damaged, "damaged"), output: output)
        for target in [0, 50_000, 10] {
          try sound.seek(toFrame: target)
          for _ in 0..<8 where try sound.read(into: &buffer, frames: 8192) > 0 {}
        }
      } catch {
        #expect(!error.reason.isEmpty)
      }
    }
  }
}

extension SoundFileTests {
  @Test func `a gap that is sought over is as long as one that is played through`() throws {
    let folder = TemporaryFolder()
    let gap = folder.file("gap.m4a")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "aevalsrc=0.4*sin(2*PI*(300*t+40*t*t)):s=44100:d=6", "-af",
        "asetpts='if(gt(T,3),PTS+50/TB,PTS)'", "-c:a", "aac", gap,
      ])
    let output = PCMFormat(sampleRate: 48_000, channels: 2)
    let straight = try readAll(try SoundFile(path: gap, output: output))
    #expect(abs(straight.count / 96_000 - 56) <= 1)
    let sound = try SoundFile(path: gap, output: output)
    var buffer = [Float](repeating: 0, count: 2 * 4_800)
    for seconds in [2.9, 3.2, 30, 52.9, 53.2, 54, 30] {
      let target = Int(seconds * 48_000)
      try sound.seek(toFrame: target)
      let count = try sound.read(into: &buffer, frames: 4_800)
      let worst = zip(straight[(2 * target)..<(2 * (target + count))], buffer).reduce(0) {
        max($0, ($1.0 - $1.1).magnitude)
      }
      #expect(count == 4_800 && worst < 0.002, "\(seconds)")
    }
  }

  @Test func `a take with gaps, uneven flushes and long chunks seeks as exactly as any`() throws {
    let folder = TemporaryFolder()
    let pcm = PCMFormat(sampleRate: 8_000, channels: 1)
    let frames = 8_000 * 400
    let samples = glide(frames: frames, channels: 1, sampleRate: 8_000)
    let file = MemoryFile()
    let flushed = try writeM4A(samples, pcm: pcm, to: file, bitrate: 16, flushEvery: 1_700, finish: false)
    for hole in [300, 1_000] { for place in 0..<120 { file.bytes[flushed[hole].bytes + place] ^= 0xFF } }
    let inspection = try MediaRepair.repair(file, scratch: MemoryFile())
    #expect(inspection.condition == .finished)
    let path = folder.put(file.bytes, "take.m4a")
    let straight = try readAll(try SoundFile(path: path))
    #expect(straight.count == inspection.frames)
    let sound = try SoundFile(path: path)
    var dice = SeededGenerator(seed: 8)
    var buffer = [Float](repeating: 0, count: 4_000)
    for _ in 0..<100 {
      let target = Int.random(in: 0..<straight.count, using: &dice)
      try sound.seek(toFrame: target)
      let count = try sound.read(into: &buffer, frames: 4_000)
      #expect(count == min(4_000, straight.count - target))
      let worst = zip(straight[target..<target + count], buffer).reduce(0) { max($0, ($1.0 - $1.1).magnitude) }
      #expect(worst < 0.01, "at \(target)")
    }
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
