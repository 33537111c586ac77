import Foundation
import Hardware
import Media
import TestSupport
import Testing

/// Time stamps that are not to the frame, though nothing of the sound is missing.
@Suite("The times of strangers' sound")
struct StrangersTimesTests {
  private let folder = TemporaryFolder()

  private func ffmpeg(_ arguments: [String]) throws {
    try Tool.succeed("ffmpeg", ["-v", "error", "-y"] + arguments)
  }

  private func copy(_ source: String, _ target: String, _ options: [String] = []) throws -> String {
    try ffmpeg(["-i", folder.file(source), "-c", "copy"] + options + [folder.file(target)])
    return folder.file(target)
  }

  /// Twelve seconds of a tone with noise in it now and then, by which Vorbis changes to short blocks and back.
  private func vorbis() throws {
    let sound = "aevalsrc='0.3*random(0)*lt(mod(t,0.25),0.01)+0.2*sin(2*PI*440*t)':s=44100:d=12"
    try ffmpeg(["-f", "lavfi", "-i", sound, "-c:a", "libvorbis", "-q:a", "5", folder.file("blocks.ogg")])
    let sizes = try probe(folder.file("blocks.ogg"), "frame=nb_samples").split(separator: "\n")
    try #require(Set(sizes.compactMap { Int($0) }).isSuperset(of: [128, 576, 1024]))
  }

  private func aac() throws {
    let sound = "aevalsrc='0.4*sin(2*PI*(300*t+40*t*t))|0.4*sin(2*PI*(200*t+60*t*t))':s=44100:d=9"
    try ffmpeg(["-f", "lavfi", "-i", sound, "-c:a", "aac", "-aac_pns", "0", "-b:a", "128k", folder.file("sound.m4a")])
  }

  private func worst(_ one: ArraySlice<Float>, _ other: ArraySlice<Float>) -> Float {
    zip(one, other).reduce(0) { max($0, ($1.0 - $1.1).magnitude) }
  }

  private func expectExactSeeks(_ path: String, as samples: [Float], within most: Float = 1e-4) throws {
    let sound = try SoundFile(path: path)
    let channels = sound.outputFormat.channels
    var buffer = [Float](repeating: 0, count: channels * 3000)
    var dice = SeededGenerator(seed: 11)
    let last = samples.count / channels - 3000
    // Once more near the end, when the file's last page has been read.
    for target in (0..<60).map({ _ in Int.random(in: 0..<last, using: &dice) }) + [last, last - 2000, last - 20_000] {
      try sound.seek(toFrame: target)
      let count = try sound.read(into: &buffer, frames: 3000)
      let expected = samples[channels * target..<channels * (target + count)]
      #expect(count > 0 && worst(expected, buffer[...]) < most, "\(target)")
    }
  }

  @Test(arguments: [("adpcm_ms", "wav"), ("adpcm_ima_wav", "wav"), ("adpcm_ms", "w64")])
  func `ADPCM whose head claims other bytes a second than it has plays from every place`(
    codec: String, form: String
  ) throws {
    let sound = "aevalsrc='0.4*sin(2*PI*(300*t+40*t*t))|0.4*sin(2*PI*(200*t+60*t*t))':s=48000:d=9"
    try ffmpeg(["-f", "lavfi", "-i", sound, "-c:a", codec, folder.file("sound.\(form)")])
    let path = folder.file("sound.\(form)")
    let samples = try readAll(try SoundFile(path: path))
    #expect(try worst(samples[...], decodeWithFFmpeg(path)[...]) < 1e-6)
    try expectExactSeeks(path, as: samples)
  }

  @Test(arguments: [[], ["-page_duration", "300000"], ["-page_duration", "1"]] as [[String]])
  func `Vorbis with blocks of both sizes plays without a hole, from every place`(pages: [String]) throws {
    try vorbis()
    let path = try copy("blocks.ogg", "pages.ogg", pages)
    let wanted = try decodeWithFFmpeg(path)
    let samples = try readAll(try SoundFile(path: path))
    #expect(samples.count == wanted.count && samples.count == 12 * 44_100)
    #expect(worst(samples[...], wanted[...]) < 1e-6)
    try expectExactSeeks(path, as: wanted)
  }

  @Test(arguments: ["libopus", "flac"])
  func `Other codecs in Ogg are found again near their end, too`(codec: String) throws {
    let sound = "aevalsrc='0.4*sin(2*PI*(300*t+40*t*t))':s=48000:d=9.3"
    try ffmpeg(["-f", "lavfi", "-i", sound, "-c:a", codec, folder.file("other.ogg")])
    try expectExactSeeks(folder.file("other.ogg"), as: decodeWithFFmpeg(folder.file("other.ogg")), within: 1e-3)
  }

  @Test func `Vorbis that was copied out of Ogg plays without a hole, too`() throws {
    try vorbis()
    let path = try copy("blocks.ogg", "copied.mka")
    let wanted = try decodeWithFFmpeg(path)
    let samples = try readAll(try SoundFile(path: path))
    // Matroska says its length in milliseconds.
    #expect(abs(samples.count - wanted.count) < 100)
    #expect(worst(samples[...], wanted[...]) < 1e-6)
  }

  /// As they come of a file that counted milliseconds, whatever the base of the new one is.
  private static let wavering = "setts=ts=TS+mod(N*17\\,44)"

  @Test func `Time stamps that waver by a millisecond make no holes`() throws {
    try aac()
    let path = try copy("sound.m4a", "wavering.m4a", ["-bsf:a", Self.wavering])
    let wanted = try decodeWithFFmpeg(path)
    let samples = try readAll(try SoundFile(path: path))
    #expect(abs(samples.count - wanted.count) < 4 * 1024)
    #expect(worst(samples[...], wanted[...]) < 1e-6)
  }

  @Test func `A hole is as long as it is where time stamps waver, and what they are off does not add up`() throws {
    try aac()
    let whole = try readAll(try SoundFile(path: folder.file("sound.m4a")))
    func found(_ path: String) throws -> [Float] { try readAll(try SoundFile(path: path)) }

    // A packet of 1024 frames in fifty is not there.
    let holes = try found(
      copy("sound.m4a", "holes.m4a", ["-bsf:a", "\(Self.wavering),noise=drop='eq(mod(n\\,50)\\,49)'"]))
    // Each packet is a frame late beside the one before: nearly 390 of them at the end.
    let drifting = try found(copy("sound.m4a", "drifting.m4a", ["-bsf:a", "setts=ts=TS+N"]))

    // Packets decode to the same samples wherever they are: where some near the end have come to.
    let start = 8 * 44_100
    func lateness(_ samples: [Float]) throws -> Int {
      try #require(samples.count > 2 * (start + 2000))
      let piece = whole[2 * start..<2 * (start + 1000)]
      return try #require((-100...600).first { worst(samples[(2 * (start + $0))...], piece) < 1e-4 })
    }
    let late = try (lateness(holes), lateness(drifting))
    #expect((-10...100).contains(late.0), "\(late.0)")
    // By then 345 packets have come, and 2 ms are 88 frames.
    #expect((240...360).contains(late.1), "\(late.1)")
    let silent = stride(from: 0, to: holes.count, by: 2).split { holes[$0] != 0 }.filter { $0.count > 900 }
    #expect(silent.count == 7, "\(silent.map(\.count))")
  }
}
