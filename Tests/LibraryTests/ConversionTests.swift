import Foundation
import Hardware
import LinuxHardware
import TestSupport
import Testing

@testable import Library
@testable import Media

/// Takes that become other files on a stick: opened by other people's programs.
@Suite struct ConversionTests {
  private static let name = "Harbour 2026-11-20 21-54-00"

  private static func run(_ export: StickExport) throws -> ExportOutcome {
    for _ in 0..<100_000 { if let outcome = try export.step() { return outcome } }
    throw LibraryError.busy("an export without end")
  }

  /// A take with a name, a tag, a field of its own and two marks.
  private static func dressed(_ bench: RealBench, _ parts: [Int] = [100_000]) throws -> String {
    let ids = try bench.record(parts)
    let id = try #require(ids.first)
    _ = try bench.library.rename(id, to: "Harbour")
    _ = try bench.library.setTags(id, ["sea", "north"])
    for (second, title, note) in [(0.5, "gulls", nil), (1.5, "Ветер", "loud")] as [(Double, String, String?)] {
      let mark = Bookmark(
        id: Bookmark.makeID(takeID: id, frame: Int(second * 44_100), ordinal: 0), time: second, title: title,
        note: note, createdAt: bench.clock.wallNow, frame: Int(second * 44_100))
      _ = try bench.library.addBookmark(id, mark)
    }
    return id
  }

  private static func probe(_ path: String) throws -> [String: Any] {
    let text = try Tool.succeed(
      "ffprobe", ["-v", "error", "-show_format", "-show_streams", "-show_chapters", "-of", "json", path])
    return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
  }

  private static func tags(_ value: Any?) -> [String: String] {
    let tags = (value as? [String: Any])?["tags"] as? [String: String] ?? [:]
    return Dictionary(tags.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
  }

  @Test(arguments: ConvertedFormat.allCases.filter { $0.law == nil })
  func `ffprobe finds name, date, marks and length in every format, and the source is as it was`(
    format: ConvertedFormat
  ) throws {
    let bench = try RealBench()
    let id = try Self.dressed(bench, [60_000, 40_000])
    let before = bench.folder.bytes("recordings/\(id)")
    let export = bench.library.exports.begin([id], to: bench.stick, as: format)
    let outcome = try Self.run(export)
    #expect(outcome.failures == [] && outcome.done == 1 && outcome.copied == 1)
    #expect(export.progress.done == export.progress.total)
    let file = "\(Self.name).\(format.rawValue)"
    #expect(bench.names == [file])
    let found = try Self.probe(bench.path(file))
    let about = found["format"] as? [String: Any] ?? [:]
    let stream = (found["streams"] as? [[String: Any]])?.first { $0["codec_type"] as? String == "audio" }
    let codecs: [ConvertedFormat: String] = [.m4a: "aac", .flac: "flac", .wav: "pcm_s24le", .mp3: "mp3"]
    #expect(stream?["codec_name"] as? String == codecs[format])
    #expect(stream?["sample_rate"] as? String == "44100" && stream?["channels"] as? Int == 2)
    let seconds = Double(about["duration"] as? String ?? "") ?? 0
    #expect(abs(seconds - 100_000 / 44_100) < 0.06)
    let tags = Self.tags(about)
    #expect(tags["title"] == "Harbour")
    #expect((tags["date"] ?? tags["creation_time"])?.hasPrefix("2026-11-20") == true)
    if format != .wav {
      #expect(tags["keywords"] == "sea, north")
      let chapters = found["chapters"] as? [[String: Any]] ?? []
      #expect(chapters.map { Self.tags($0)["title"] } == ["gulls", "Ветер: loud"])
      let starts = chapters.compactMap { Double($0["start_time"] as? String ?? "") }
      #expect(starts.count == 2 && zip(starts, [0.5, 1.5]).allSatisfy { abs($0 - $1) < 0.002 })
    } else {
      // ffprobe does not tell of cue points and keywords.
      let bytes = Data(bench.stickFolder.bytes("Mynah/\(file)") ?? [])
      for text in ["cue ", "gulls", "Ветер: loud", "IKEY", "sea; north"] {
        #expect(bytes.range(of: Data(text.utf8)) != nil, "\(text)")
      }
    }
    // Its marks come behind its sound when they are first wanted there; bytes 4 to 7 are the length of all.
    let after = try #require(bench.folder.bytes("recordings/\(id)"))
    let sound = try #require(before)
    #expect(after.prefix(4) == sound.prefix(4) && after[8..<sound.count] == sound[8...])
    // The same once more: nothing is there twice.
    let again = try Self.run(bench.library.exports.begin([id], to: bench.stick, as: format))
    #expect(again.there == 1 && again.copied == 0 && bench.names == [file])
  }

  @Test(arguments: [ConvertedFormat.flac, .wav])
  func `The parts of a split take are one file, sample by sample, with its safety take beside it`(
    format: ConvertedFormat
  ) throws {
    let bench = try RealBench()
    let parts = [30_001, 4_099, 50_000]
    let ids = try bench.record(parts, withSafety: true)
    let outcome = try Self.run(
      bench.library.exports.begin([ids[0]], to: bench.stick, withSafety: true, as: format))
    #expect(outcome.failures == [] && outcome.copied == 2)
    let stem = "Take 1 2026-11-20 21-54-00"
    let files = ["\(stem) safety.\(format.rawValue)", "\(stem).\(format.rawValue)"]
    #expect(bench.names == files)
    for (file, first) in zip(files, [50, 0]) {
      let whole = parts.enumerated().flatMap {
        RealBench.bytes(RealBench.sound(frames: $0.element, seed: UInt64($0.offset + first)))
      }
      #expect(try bench.decoded(file) == whole)
    }
    if format == .flac {
      try Tool.succeed("flac", ["--test", "--silent", bench.path(files[1])])
      #expect(try Tool.succeed("metaflac", ["--show-total-samples", bench.path(files[1])]).hasPrefix("84100\n"))
    }
    #expect(try Tool.succeed("sox", ["--info", "-s", bench.path(files[1])]) == "84100\n")
  }

  @Test func `MP3 is as long as the take, to the frame, for LAME and for ffmpeg`() throws {
    let bench = try RealBench()
    let ids = try bench.record([44_100, 44_101], as: .aac)
    let outcome = try Self.run(bench.library.exports.begin([ids[0]], to: bench.stick, as: .mp3))
    #expect(outcome.failures == [])
    let file = try #require(bench.names.first)
    #expect(try bench.decoded(file).count == 88_201 * 6)
    let folder = TemporaryFolder()
    try Tool.succeed("lame", ["--quiet", "--decode", bench.path(file), folder.file("out.wav")])
    #expect(try Tool.succeed("sox", ["--info", "-s", folder.file("out.wav")]) == "88201\n")
  }

  @Test(arguments: [ConvertedFormat.alaw, .mulaw])
  func `A raw file has the bytes of a G.711 take and nothing else, and its parts are one`(
    format: ConvertedFormat
  ) throws {
    let bench = try RealBench()
    let law = try #require(TakeFormat(rawValue: format.rawValue))
    let ids = try bench.record([20_001, 9_999], as: law)
    let outcome = try Self.run(bench.library.exports.begin([ids[0]], to: bench.stick, as: format))
    #expect(outcome.failures == [] && outcome.copied == 1)
    let file = "Take 1 2026-11-20 21-54-00\(format.suffix)"
    #expect(bench.names == [file])
    // What FFmpeg finds in both files, without decoding it.
    let bytes = try ids.flatMap { id in
      let folder = TemporaryFolder()
      try Tool.succeed(
        "ffmpeg",
        [
          "-v", "error", "-i", bench.folder.file("recordings/\(id)"), "-c", "copy", "-f", format.rawValue,
          folder.file("raw"),
        ])
      return folder.bytes("raw") ?? []
    }
    #expect(bytes.count == 30_000 && bench.stickFolder.bytes("Mynah/\(file)") == bytes)
    // The same once more: nothing is there twice.
    let again = try Self.run(bench.library.exports.begin([ids[0]], to: bench.stick, as: format))
    #expect(again.there == 1 && again.copied == 0 && bench.names == [file])
  }

  @Test(arguments: [ConvertedFormat.alaw, .mulaw])
  func `A raw file of a take of 44.1 kHz is what sox makes of the take, but for the law's own steps`(
    format: ConvertedFormat
  ) throws {
    let bench = try RealBench()
    let id = try #require(try bench.record().first)
    #expect(try Self.run(bench.library.exports.begin([id], to: bench.stick, as: format)).failures == [])
    let folder = TemporaryFolder()
    let plain = ["-t", "raw", "-e", "signed-integer", "-b", "16", "-r", "8000", "-c", "1"]
    try Tool.succeed(
      "sox",
      ["-t", String(format.suffix.dropFirst()), "-r", "8000", "-c", "1", bench.path(try #require(bench.names.first))]
        + plain + [folder.file("made")])
    try Tool.succeed(
      "sox",
      [bench.folder.file("recordings/\(id)")] + plain + [folder.file("meant"), "remix", "1v0.5,2v0.5", "rate", "-v"])
    let samples = try ["made", "meant"].map { name -> [Double] in
      try #require(folder.bytes(name)).withUnsafeBytes { $0.bindMemory(to: Int16.self).map(Double.init) }
    }
    #expect(abs(samples[0].count - 100_000 * 8000 / 44_100) <= 1)
    let pairs = zip(samples[0], samples[1]).dropFirst(100).dropLast(100)
    let power = pairs.reduce(0) { $0 + $1.1 * $1.1 }
    let error = pairs.reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    // G.711 leaves some 38 dB of loud sound.
    #expect(10 * log10(power / error) > 35)
  }

  @Test func `A raw file of a stereo take that has its rate already is of both channels, mixed`() throws {
    let folder = TemporaryFolder()
    let path = folder.file("take.wav")
    try Tool.succeed(
      "sox",
      ["-D", "-n", "-r", "8000", "-b", "16", path, "synth", "2", "sine", "440", "sine", "440", "remix", "1", "2v0"])
    let file = TestSupport.MemoryFile()
    let notes = SoundNotes(title: "", createdAt: WallTime(nanosecondsSince1970: 0))
    let sound = try SoundConversion([path], into: file, as: .mulaw, notes, frames: 16_000)
    while try sound.step() {}
    #expect(sound.frames == 16_000 && file.bytes.count == 16_000)
    // One channel is silent: samples of both in turn would be so at every other place.
    #expect(file.bytes.filter { $0 == 0xFF }.count < 1000)
  }

  @Test func `Float stays float in WAV, sample by sample, and has 24 bits in FLAC`() throws {
    let folder = TemporaryFolder()
    let paths = ["a.wav", "b.wav"].map(folder.file)
    for path in paths {
      try Tool.succeed(
        "sox", ["-n", "-r", "44100", "-c", "2", "-e", "float", "-b", "32", path, "synth", "1", "noise", "vol", "0.001"])
    }
    for (format, codec) in [(ConvertedFormat.wav, "pcm_f32le"), (.flac, "flac")] {
      let file = TestSupport.MemoryFile()
      let notes = SoundNotes(title: "", createdAt: WallTime(nanosecondsSince1970: 0))
      let sound = try SoundConversion(paths, into: file, as: format, notes, frames: 88_200)
      while try sound.step() {}
      let path = folder.put(file.bytes, "new\(format.suffix)")
      let stream = (try Self.probe(path)["streams"] as? [[String: Any]])?.first
      #expect(stream?["codec_name"] as? String == codec)
      let check = try ConversionCheck(paths, is: path, file, name: "new\(format.suffix)", as: format, of: sound)
      var isGood: Bool?
      while isGood == nil { isGood = try check.step() }
      #expect(isGood == true)
    }
  }

  @Test func `What is one file of that format already goes as it is, with its notes`() throws {
    let bench = try RealBench()
    let id = try #require(try bench.record(as: .aac).first)
    #expect(try Self.run(bench.library.exports.begin([id], to: bench.stick, as: .m4a)).copied == 2)
    #expect(bench.names == ["Take 1 2026-11-20 21-54-00.m4a", "Take 1 2026-11-20 21-54-00.m4a.json"])
    #expect(
      bench.stickFolder.bytes("Mynah/Take 1 2026-11-20 21-54-00.m4a") == bench.folder.bytes("recordings/\(id)"))
  }

  @Test func `What others have made is not decoded here, and goes as it is`() throws {
    let bench = try RealBench()
    let id = try #require(try bench.record().first)
    let path = bench.folder.file("recordings/\(id)")
    try Tool.succeed("sox", ["-n", "-r", "44100", "-c", "2", path, "synth", "1", "sine", "440"])
    #expect(try Self.run(bench.library.exports.begin([id], to: bench.stick, as: .mp3)).failures == [])
    let stem = "Take 1 2026-11-20 21-54-00"
    #expect(bench.names == ["\(stem).wav", "\(stem).wav.json"])
    #expect(bench.stickFolder.bytes("Mynah/\(stem).wav") == bench.folder.bytes("recordings/\(id)"))
  }

  @Test(arguments: [ConvertedFormat.flac, .mp3, .m4a])
  func `A take of which less can be decoded than is known of it is named, and the others are brought`(
    format: ConvertedFormat
  ) throws {
    let bench = try RealBench()
    let ids = try (0..<3).map { _ in try #require(try bench.record([60_000]).first) }
    let short = try #require(try bench.record([20_000]).first)
    // A whole file, and not the one that it was.
    bench.folder.put(try #require(bench.folder.bytes("recordings/\(short)")), "recordings/\(ids[1])")
    let outcome = try Self.run(bench.library.exports.begin(ids, to: bench.stick, as: format))
    #expect(outcome.done == 2 && outcome.failures.map(\.id) == [ids[1]])
    guard case .unreadable(_, let reason)? = outcome.failures.first?.error else {
      Issue.record("\(outcome.failures)")
      return
    }
    #expect(reason.contains("decoded"))
    #expect(bench.names.count == 2 && bench.names.allSatisfy { $0.hasSuffix(format.suffix) })
  }

  @Test(arguments: ConvertedFormat.allCases)
  func `Broken off anywhere, nothing of it bears its name, and nothing else is left`(format: ConvertedFormat) throws {
    let bench = try RealBench()
    let id = try #require(try bench.record([50_000, 50_000]).first)
    var steps = 0
    let whole = bench.library.exports.begin([id], to: bench.stick, as: format)
    while try whole.step() == nil { steps += 1 }
    for name in bench.names { #expect(unlink(bench.path(name)) == 0) }
    var random = SeededGenerator(seed: 3)
    for _ in 0..<20 {
      let export = bench.library.exports.begin([id], to: bench.stick, as: format)
      for _ in 0..<Int.random(in: 1..<steps - 2, using: &random) { #expect(try export.step() == nil) }
      #expect(bench.names.allSatisfy { $0.hasSuffix(StickFolder.unfinished) })
      export.giveUp()
      #expect(bench.names == [])
    }
  }

  @Test(arguments: ConvertedFormat.allCases)
  func `What is there already needs no room on the stick, and what only has its name stays`(
    format: ConvertedFormat
  ) throws {
    let bench = try RealBench()
    let id = try Self.dressed(bench, [60_000, 40_000])
    #expect(try Self.run(bench.library.exports.begin([id], to: bench.stick, as: format)).copied == 1)
    let file = "\(Self.name)\(format.suffix)"
    let again = bench.library.exports.begin([id], to: bench.stick, as: format)
    var outcome: ExportOutcome?
    while outcome == nil {
      outcome = try again.step()
      #expect(bench.names == [file])
    }
    #expect(outcome?.there == 1 && outcome?.done == 1)
    // One of the same length, of which only the last byte is another's.
    var bytes = try #require(bench.stickFolder.bytes("Mynah/\(file)"))
    let own = bytes
    bytes[bytes.count - 1] ^= 1
    bench.stickFolder.put(bytes, "Mynah/\(file)")
    #expect(try Self.run(bench.library.exports.begin([id], to: bench.stick, as: format)).copied == 1)
    let second = "\(Self.name) (2)\(format.suffix)"
    #expect(bench.names.sorted() == [second, file].sorted())
    #expect(bench.stickFolder.bytes("Mynah/\(second)") == own && bench.stickFolder.bytes("Mynah/\(file)") == bytes)
  }

  @Test(arguments: [(ConvertedFormat.wav, UInt64(400_000)), (.alaw, 9000)])
  func `A stick that keeps other samples than it was given is found out`(format: ConvertedFormat, place: UInt64) throws
  {
    let bench = try RealBench()
    // Two parts become one file: no mere copy.
    let id = try #require(try bench.record([60_000, 40_000]).first)
    let export = bench.library.exports.begin([id], to: bench.stick, as: format)
    while export.progress.done * 4 <= export.progress.total * 3 { #expect(try export.step() == nil) }
    let part = try #require(bench.names.first)
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: bench.path(part)))
    try handle.seek(toOffset: place)
    try handle.write(contentsOf: Data([1, 2, 3, 4, 5, 6]))
    try handle.close()
    #expect(throws: LibraryError.stick(.unfaithful(file: "Take 1 2026-11-20 21-54-00\(format.suffix)"))) {
      try Self.run(export)
    }
    #expect(bench.names == [])
  }
}
