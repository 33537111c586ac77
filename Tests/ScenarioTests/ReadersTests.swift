import Foundation
import JSON
import TestSupport
import Testing

/// What is recorded is for other programs: each that reads a format finds in it what the device says of it.
@Suite("Independent readers")
struct ReadersTests {
  /// A format of takes, and what mediainfo and ffprobe call it.
  struct Kind: CustomTestStringConvertible, Sendable {
    let format: String
    let name: String
    let codec: String
    var bits = 16
    var rate = 48_000
    var channels = 2

    var testDescription: String { "\(format) \(bits) \(rate) \(channels)" }
    var isLossless: Bool { format != "aac" && format != "opus" }
  }

  private static let kinds = [
    Kind(format: "aac", name: "AAC", codec: "aac"),
    Kind(format: "aac", name: "AAC", codec: "aac", rate: 44_100, channels: 1),
    Kind(format: "aac", name: "AAC", codec: "aac", rate: 8000, channels: 1),
    Kind(format: "alac", name: "ALAC", codec: "alac"),
    Kind(format: "alac", name: "ALAC", codec: "alac", bits: 24, channels: 1),
    Kind(format: "flac", name: "FLAC", codec: "flac", channels: 1),
    Kind(format: "flac", name: "FLAC", codec: "flac", bits: 24),
    Kind(format: "opus", name: "Opus", codec: "opus"),
    Kind(format: "wav", name: "PCM", codec: "pcm_s16le", rate: 44_100),
    Kind(format: "wav", name: "PCM", codec: "pcm_s24le", bits: 24, channels: 1),
    Kind(format: "wav", name: "PCM", codec: "pcm_f32le", bits: 32),
  ]

  private let bench = ScriptBench()

  @Test("agree on length, shape and marks of a take and of its safety take", arguments: kinds)
  func agree(kind: Kind) throws {
    try bench.run(
      bench.mynah,
      """
      0.1 call settings.set {"recording.format":"\(kind.format)","recording.bitDepth":\(kind.isLossless ? kind.bits : 0)}
      0.1 call settings.set {"recording.sampleRate":\(kind.rate),"recording.channels":\(kind.channels)}
      0.1 call settings.set {"recording.preRecordSeconds":0,"recording.safetyTake":true}
      1 press REC
      2 mark one
      3 mark two
      4 press STOP
      7 quit
      """)
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.mynah.recordings.path)
    let files = names.filter { !$0.contains(".json") }.map { bench.mynah.recordings.appendingPathComponent($0) }
    #expect(files.count == 2)
    for file in files { try judge(file, kind) }
  }

  private func judge(_ file: URL, _ kind: Kind) throws {
    let frames = try Metadata(of: file)["frames"]?.integerValue ?? -1
    #expect(frames == 3 * kind.rate)
    #expect(try Sound.field("codec_name", of: file) == kind.codec)
    #expect(try Sound.field("sample_rate,channels", of: file) == "\(kind.rate),\(kind.channels)")
    let told = try mediainfo("Audio;%Format%|%SamplingRate%|%Channel(s)%|%SamplingCount%|%BitDepth%", file)
    let fields = told.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    try #require(fields.count == 5, "\(told)")
    #expect(fields[..<3] == [kind.name, "\(kind.rate)", "\(kind.channels)"])
    if kind.isLossless { #expect(fields[4] == "\(kind.bits)") }
    // The frames that an Opus decoder leaves out at the beginning are counted by both.
    let skipped = kind.format == "opus" ? 312 : 0
    #expect(try Sound.frames(file) == frames + skipped)
    // mediainfo counts milliseconds.
    #expect(abs((Int(fields[3]) ?? -1) - frames - skipped) <= kind.rate / 1000, "\(told)")
    switch kind.format {
    case "flac":
      try Tool.succeed("flac", ["--silent", "--test", file.path])
      #expect(try Tool.succeed("metaflac", ["--show-total-samples", file.path]) == "\(frames)\n")
    case "opus":
      let said = try Tool.succeed("opusinfo", [file.path])
      #expect(said.contains("Playback length: 0m:03.000s") && !said.contains("WARNING"), "\(said)")
    default: break
    }
    if kind.format == "wav" || kind.format == "flac" {
      #expect(try Tool.succeed("soxi", ["-s", file.path]) == "\(frames)\n")
    }
    try kind.format == "wav" ? judgeCues(file, kind, frames) : judgeChapters(file)
  }

  /// A WAV's marks, by libsndfile.
  private func judgeCues(_ file: URL, _ kind: Kind, _ frames: Int) throws {
    let said = try Tool.succeed("sndfile-info", [file.path]).split(separator: "\n").map {
      $0.split(whereSeparator: { $0.isWhitespace || $0 == ":" }).map(String.init)
    }
    #expect(said.contains(["Frames", "\(frames)"]))
    #expect(said.filter { $0.first == "labl" }.compactMap(\.last) == ["one", "two"])
    let places = said.filter { $0.starts(with: ["Cue", "ID"]) }.compactMap { Int($0[4]) }
    #expect(
      places.count == 2 && zip(places, [1, 2]).allSatisfy { abs($0 - $1 * kind.rate) < kind.rate / 10 }, "\(places)")
  }

  private func judgeChapters(_ file: URL) throws {
    let chapters = try Tool.succeed(
      "ffprobe", ["-v", "error", "-show_entries", "chapter_tags=title", "-of", "csv=p=0", file.path])
    #expect(chapters.split(separator: "\n").filter { !$0.isEmpty } == ["one", "two"])
    let menu = try mediainfo("Menu;%Chapters_Pos_Begin% %Chapters_Pos_End%", file)
    let lines = menu.split(separator: " ").compactMap { Int($0) }
    #expect(lines.count == 2 && lines[1] - lines[0] >= 2, "\(menu)")
  }

  private func mediainfo(_ what: String, _ file: URL) throws -> String {
    try Tool.succeed("mediainfo", ["--Inform=\(what)", file.path]).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
