import Hardware
import TestSupport
import Testing

@testable import Streaming

/// Live streams whose encoder begins anew, and whose keys change or cannot be had again.
@Suite struct NewEncoderTests {
  private static let vector = String(repeating: "0", count: 32)

  /// Makes a stream of tones in segments of two seconds.
  private func encoded(
    _ name: String, seconds: Double, as codec: String, _ kind: String, _ options: [String], in folder: TemporaryFolder
  ) throws -> [(lines: [String], seconds: Double)] {
    try ffmpeg(
      folder,
      tones(seconds) + ["-c:a", codec, "-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod"] + options
        + ["-hls_segment_filename", "\(name)%d.\(kind)", "\(name).m3u8"])
    return Streams.entries(folder, name)
  }

  /// The same under a key of its own, which lies beside it.
  private func encrypted(
    _ name: String, seconds: Double, in folder: TemporaryFolder
  ) throws -> [(lines: [String], seconds: Double)] {
    folder.put("x.key\n\(name).key\n\(Self.vector)\n", "\(name).info")
    folder.put("0123456789abcde\(name)", "\(name).key")
    return try encoded(name, seconds: seconds, as: "aac", "ts", ["-hls_key_info_file", "\(name).info"], in: folder)
  }

  private func play(_ network: FakeNetwork, for seconds: Double) -> Listener {
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "x.m3u8", network: network) {}, network)
    listener.isPaced = true
    listener.run(seconds)
    return listener
  }

  /// An encoder that begins anew writes another key, or another initialisation section, to the address of the one before;
  /// its list goes on behind a discontinuity, or begins anew as well.
  @Test(arguments: ["m4s", "ts"], [false, true])
  func whatANewEncoderPutsInItsPlaceIsAskedFor(_ kind: String, _ goesOn: Bool) throws {
    let folder = TemporaryFolder()
    let isKey = kind == "ts"
    let entries = try [("a", "aac"), ("b", "libopus")].map { name, codec in
      isKey
        ? try encrypted(name, seconds: 24, in: folder)
        : try encoded(
          name, seconds: 24, as: codec, kind, ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "\(name).mp4"],
          in: folder)
    }
    let (old, new) = (entries[0], entries[1])
    var behind = new
    behind[0].lines.insert("#EXT-X-DISCONTINUITY", at: 0)
    let both = old.prefix(7) + behind
    let tag = isKey ? "#EXT-X-KEY:METHOD=AES-128,URI=\"x.key\",IV=0x\(Self.vector)" : "#EXT-X-MAP:URI=\"x.mp4\""
    let network = Streams.serve(folder) { path, now in
      let isNew = now.seconds >= 8
      guard path == "x.m3u8" else {
        guard path.hasPrefix("x.") else { return nil }
        return folder.bytes(path.replacing("x.", with: isNew ? "b." : "a.")).map { .bytes($0) }
      }
      let count = 3 + Int(now.seconds / 2)
      let list =
        goesOn
        ? Streams.window(Array(both), available: count, count: 5)
        : Streams.window(isNew ? new : old, available: isNew ? count - 4 : count, count: 5)
      return .text(list.replacing("#EXT-X-MEDIA-SEQUENCE", with: tag + "\n#EXT-X-MEDIA-SEQUENCE"))
    }
    let listener = play(network, for: 22)
    #expect(listener.programme.status.phase == .running)
    let last = listener.samples.suffix(3 * 96_000)
    #expect((last.reduce(0) { $0 + $1 * $1 } / (3 * 96_000)).squareRoot() > 0.2)
    #expect(network.requests.count { $0.path == (isKey ? "x.key" : "x.mp4") } < 5)
    if goesOn { #expect(listener.programme.status.lost < 9600, "\(listener.programme.status.lost)") }
  }

  /// Keys that are given out once, or whose server fails, are used on behind discontinuities.
  @Test(arguments: [403, 503]) func aKeyThatIsNotGivenAgainIsUsedOn(_ status: Int) throws {
    let folder = TemporaryFolder()
    var entries = try encrypted("a", seconds: 40, in: folder)
    for place in stride(from: 4, to: entries.count, by: 4) {
      entries[place].lines.insert("#EXT-X-DISCONTINUITY", at: 0)
    }
    let tag = "#EXT-X-KEY:METHOD=AES-128,URI=\"x.key\",IV=0x\(Self.vector)\n"
    let network = Streams.serve(folder) { path, now in
      if path == "x.key" { return now.seconds < 1 ? folder.bytes("a.key").map { .bytes($0) } : .status(status) }
      guard path == "x.m3u8" else { return nil }
      let list = Streams.window(entries, available: 4 + Int(now.seconds / 2), count: 5)
      return .text(list.replacing("#EXT-X-MEDIA-SEQUENCE", with: tag + "#EXT-X-MEDIA-SEQUENCE"))
    }
    let listener = play(network, for: 24)
    #expect(network.requests.count { $0.path == "x.key" } > 1)
    #expect(listener.programme.status.phase == .running)
    #expect(listener.programme.status.lost == 0, "\(listener.programme.status.lost)")
  }

  /// An initialisation section that is not there again is used on, too.
  @Test func aSectionThatIsNotThereAgainIsUsedOn() throws {
    let folder = TemporaryFolder()
    var entries = try encoded(
      "a", seconds: 40, as: "aac", "m4s", ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "a.mp4"], in: folder)
    for place in stride(from: 4, to: entries.count, by: 4) {
      entries[place].lines.insert("#EXT-X-DISCONTINUITY", at: 0)
    }
    let network = Streams.serve(folder) { path, now in
      if path == "a.mp4", now.seconds >= 1 { return .status(404) }
      guard path == "x.m3u8" else { return nil }
      let list = Streams.window(entries, available: 4 + Int(now.seconds / 2), count: 5)
      return .text(list.replacing("#EXT-X-MEDIA-SEQUENCE", with: "#EXT-X-MAP:URI=\"a.mp4\"\n#EXT-X-MEDIA-SEQUENCE"))
    }
    let listener = play(network, for: 24)
    #expect(network.requests.count { $0.path == "a.mp4" } > 1)
    #expect(listener.programme.status.phase == .running)
    #expect(listener.programme.status.lost == 0, "\(listener.programme.status.lost)")
  }

  /// One that cannot be had for a moment may be another one: it is asked for again.
  @Test(arguments: [404, 503]) func aNewSectionThatIsNotThereAtOnceIsTaken(_ status: Int) throws {
    let folder = TemporaryFolder()
    let entries = try [("a", "aac"), ("b", "libopus")].map { name, codec in
      try encoded(
        name, seconds: 24, as: codec, "m4s", ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "\(name).mp4"],
        in: folder)
    }
    var behind = entries[1]
    behind[0].lines.insert("#EXT-X-DISCONTINUITY", at: 0)
    let both = entries[0].prefix(7) + behind
    var asked = 0
    let network = Streams.serve(folder) { path, now in
      if path == "x.mp4" {
        asked += 1
        return asked == 2 ? .status(status) : folder.bytes(asked == 1 ? "a.mp4" : "b.mp4").map { .bytes($0) }
      }
      guard path == "x.m3u8" else { return nil }
      let list = Streams.window(Array(both), available: 3 + Int(now.seconds / 2), count: 5)
      return .text(list.replacing("#EXT-X-MEDIA-SEQUENCE", with: "#EXT-X-MAP:URI=\"x.mp4\"\n#EXT-X-MEDIA-SEQUENCE"))
    }
    let listener = play(network, for: 24)
    let last = listener.samples.suffix(3 * 96_000)
    #expect((last.reduce(0) { $0 + $1 * $1 } / (3 * 96_000)).squareRoot() > 0.2)
    #expect((3...5).contains(asked), "\(asked)")
  }

  /// A key that is not given again is none the worse for a damaged segment: what lies behind it is heard.
  @Test(arguments: [403, 503]) func aDamagedSegmentCostsNoKey(_ status: Int) throws {
    let folder = TemporaryFolder()
    let entries = try encrypted("a", seconds: 40, in: folder)
    let tag = "#EXT-X-KEY:METHOD=AES-128,URI=\"x.key\",IV=0x\(Self.vector)\n"
    let network = Streams.serve(folder) { path, now in
      if path == "x.key" { return now.seconds < 1 ? folder.bytes("a.key").map { .bytes($0) } : .status(status) }
      // Whole blocks of nothing: their padding is wrong.
      if path == "a7.ts" { return .bytes([UInt8](repeating: 0x55, count: 16_000)) }
      guard path == "x.m3u8" else { return nil }
      let list = Streams.window(entries, available: 4 + Int(now.seconds / 2), count: 5)
      return .text(list.replacing("#EXT-X-MEDIA-SEQUENCE", with: tag + "#EXT-X-MEDIA-SEQUENCE"))
    }
    let listener = play(network, for: 26)
    #expect(listener.programme.status.phase == .running)
    #expect(listener.programme.status.lost < 5 * 48_000, "\(listener.programme.status.lost)")
    let last = listener.samples.suffix(2 * 96_000)
    #expect((last.reduce(0) { $0 + $1 * $1 } / (2 * 96_000)).squareRoot() > 0.2)
  }

  /// Two addresses by turns, each with another key every time, as in many recipes for ffmpeg's `periodic_rekey`.
  @Test func aKeyThatTakesThePlaceOfAnOlderOneCostsNothing() throws {
    let folder = TemporaryFolder()
    // Four segments by each key, and two addresses for the three.
    let all = try ["a", "b", "c"].map { try encrypted($0, seconds: 24, in: folder) }
    let entries = all[0].indices.map { index -> (lines: [String], seconds: Double) in
      let turn = min(2, index / 4)
      var entry = all[turn][index]
      entry.lines.insert("#EXT-X-KEY:METHOD=AES-128,URI=\"x\(turn % 2).key\",IV=0x\(Self.vector)", at: 0)
      return entry
    }
    let network = Streams.serve(folder) { path, now in
      if path == "x.m3u8" { return .text(Streams.window(entries, available: 3 + Int(now.seconds / 2), count: 5)) }
      if path == "x1.key" { return folder.bytes("b.key").map { .bytes($0) } }
      return path == "x0.key" ? folder.bytes(now.seconds < 12 ? "a.key" : "c.key").map { .bytes($0) } : nil
    }
    let listener = play(network, for: 22)
    #expect(listener.programme.status.phase == .running)
    #expect(listener.programme.status.lost == 0, "\(listener.programme.status.lost)")
  }
}
