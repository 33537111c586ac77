import Foundation
import Hardware
import Media
import TestSupport
import Testing

/// Files whose container does not tell their length as a decoder finds it.
@Suite("The length of strangers' sound")
struct StrangersLengthTests {
  private let folder = TemporaryFolder()

  private func make(_ name: String, _ frequency: Int = 440, rate: Int = 44_100, _ options: String) throws {
    try Tool.succeed(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "sine=\(frequency):duration=3.3:sample_rate=\(rate)"]
        + options.split(separator: " ").map(String.init) + [folder.file(name)])
  }

  private func chain(_ names: [String], _ target: String) {
    folder.put(names.flatMap { folder.bytes($0) ?? [] }, target)
  }

  /// Frames that FFmpeg decodes, of one channel.
  private func decoded(_ name: String) throws -> Int {
    try Tool.run(
      "ffmpeg", ["-v", "error", "-i", folder.file(name), "-f", "s16le", "-ac", "1", folder.file("\(name).raw")])
    return (folder.bytes("\(name).raw") ?? []).count / 2
  }

  /// As the library finds it.
  private func length(_ name: String) throws -> Int? {
    let path = folder.file(name)
    return try SoundFile(path: path).totalFrames ?? SoundLength.frames(of: path) { false }
  }

  @Test(arguments: [
    ("wav", "-c:a pcm_s24le"), ("aiff", ""), ("flac", ""), ("mp3", "-c:a libmp3lame"),
    ("m4a", "-c:a aac -movflags +faststart"),
  ])
  func `What has been cut off is as long as what is there`(suffix: String, options: String) throws {
    let (whole, cut) = ("whole.\(suffix)", "cut.\(suffix)")
    try make(whole, 440, options)
    let bytes = folder.bytes(whole) ?? []
    folder.put(Array(bytes.prefix(bytes.count / 4)), cut)
    func reaches(_ name: String) throws -> Bool {
      try SoundLength.reaches(44_100 * 33 / 10, sampleRate: 44_100, in: folder.file(name))
    }
    #expect(try reaches(whole) && !reaches(cut))
    let found = try #require(try SoundLength.frames(of: folder.file(cut), isCounted: true) { false })
    #expect(abs(found - (try decoded(cut))) < 8192, "\(found)")
  }

  @Test(arguments: [
    ("ogg", 44_100, "-c:a libvorbis"), ("opus", 48_000, "-c:a libopus"), ("oga", 44_100, "-c:a libvorbis -q:a 9"),
    ("ogg", 48_000, "-c:a flac"),
  ])
  func `Streams one behind the other are played and measured to the end`(
    suffix: String, rate: Int, options: String
  ) throws {
    let (one, two, both) = ("one.\(suffix)", "two.\(suffix)", "both.\(suffix)")
    try make(one, 440, rate: rate, options)
    try make(two, 880, rate: rate, options)
    chain([one, two], both)
    // The length of a single one is exact as before.
    #expect(try SoundFile(path: folder.file(one)).totalFrames == rate * 33 / 10)
    let wanted = try decoded(both)
    let found = try #require(try length(both))
    #expect(abs(found - wanted) < rate / 50, "\(found), \(wanted)")

    let samples = try readAll(try SoundFile(path: folder.file(both)))
    #expect(abs(samples.count - wanted) < rate / 50, "\(samples.count), \(wanted)")
    let second = samples[(rate * 4)..<(rate * 6)]
    // 880 Hz pass zero upwards as often a second.
    let passes = zip(second, second.dropFirst()).count { $0 < 0 && $1 >= 0 }
    #expect(abs(passes - 1760) < 20, "\(passes)")

    let sound = try SoundFile(path: folder.file(both))
    for place in [rate * 5, rate, rate * 4] {
      try sound.seek(toFrame: place)
      var piece = [Float](repeating: 0, count: 1000)
      let count = try sound.read(into: &piece, frames: 1000)
      #expect(count == 1000 && piece == Array(samples[place..<(place + 1000)]), "\(place)")
    }
    // The same stream twice has the same number twice.
    chain([one, one, one], "thrice.\(suffix)")
    let thrice = try #require(try length("thrice.\(suffix)"))
    #expect(abs(thrice - (try decoded("thrice.\(suffix)"))) < rate / 30, "\(thrice)")
  }

  @Test(arguments: ["caf -c:a alac", "caf -c:a pcm_s24le", "ac3 -c:a ac3", "eac3 -c:a eac3", "m4a -c:a alac"])
  func `What the container counts in and nobody hears is not counted`(how: String) throws {
    let (suffix, options) = try #require(how.firstIndex(of: " ").map { (how[..<$0], String(how[$0...])) })
    let name = "sound.\(suffix)"
    try make(name, 440, options)
    let wanted = try decoded(name)
    // ffmpeg, too, plays what fills the last packet of ALAC in CAF.
    // In ffmpeg's own table of packets the last one of ALAC in CAF is full.
    let isFilled = how == "caf -c:a alac"
    #expect(try #require(try length(name)) - wanted == (isFilled ? 4096 - wanted % 4096 : 0))
    #expect(try readAll(try SoundFile(path: folder.file(name))).count == wanted)
  }

  /// 38 bytes behind the beginning of ffmpeg's files it is said how many bits count of the samples' 24 or 32.
  @Test(arguments: [("pcm_s32le", 24), ("pcm_s32le", 20), ("pcm_s32le", 16), ("pcm_s24le", 16)] as [(String, UInt8)])
  func `Samples in WAV may have fewer bits than their places`(codec: String, bits: UInt8) throws {
    try make("whole.wav", 440, rate: 48_000, "-ac 2 -c:a \(codec)")
    var bytes = try #require(folder.bytes("whole.wav"))
    #expect(bytes[20..<22].elementsEqual([0xFE, 0xFF]))
    bytes[38] = bits
    folder.put(bytes, "fewer.wav")
    let sound = try SoundFile(path: folder.file("fewer.wav"))
    #expect(sound.totalFrames == 158_400)
    let whole = try decodeWithFFmpeg(folder.file("whole.wav"))
    let samples = try readAll(sound)
    #expect(samples.count == whole.count && zip(samples, whole).allSatisfy { abs($0 - $1) < 1e-6 })
    try sound.seek(toFrame: 100_000)
    var piece = [Float](repeating: 0, count: 2000)
    #expect(try sound.read(into: &piece, frames: 1000) == 1000)
    #expect(zip(piece, whole[200_000..<202_000]).allSatisfy { abs($0 - $1) < 1e-6 })
  }
}
