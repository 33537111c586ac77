import Hardware
import TestSupport
import Testing

@testable import Streaming

/// What stands before all segments (EXT-X-MAP), as strangers have it.
@Suite struct StrangersMapTests {
  private func play(_ url: String, _ network: FakeNetwork) -> Listener {
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + url, network: network) {}, network)
    listener.run(60)
    return listener
  }

  /// Packed sound needs none, and is heard.
  @Test(arguments: [("aac", false), ("aac", true), ("mp3", false), ("mp3", true), ("ac3", false)])
  func packedSoundBehindItIsHeard(_ kind: String, _ isTagged: Bool) throws {
    let source = try Streams.source.get()
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(6) + ["-f", "segment", "-segment_time", "2", "s%d.\(kind)"])
    let lines = (0..<3).map { "#EXTINF:2,\ns\($0).\(kind)\n" }.joined()
    let list = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MAP:URI=\"mp4-init.mp4\"\n\(lines)#EXT-X-ENDLIST\n"
    // A tag of ten bytes with nothing in it.
    let tag: [UInt8] = isTagged ? Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0] : []
    let network = FakeNetwork()
    network.server = { path, _ in
      if path == "x.m3u8" { return .text(list) }
      if path == "mp4-init.mp4" { return source.folder.bytes(path).map { .bytes($0) } }
      return folder.bytes(path).map { .bytes(tag + $0) }
    }
    let listener = play("x.m3u8", network)
    #expect(listener.programme.status.phase == .ended)
    #expect(listener.holes.isEmpty)
    #expect(abs(listener.frames - 6 * 48_000) < 14_400, "\(listener.frames)")
    let samples = listener.samples
    #expect((samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))).squareRoot() > 0.2)
  }

  /// Of a transport stream its tables (RFC 8216 section 3.2), which its segments have not.
  @Test(arguments: [false, true]) func theTablesOfATransportStreamAreRead(_ areInSegments: Bool) throws {
    let source = try Streams.source.get()
    /// Those packets of a segment that are tables, or those that are none.
    func packets(_ name: String, areTables: Bool) -> [UInt8] {
      let bytes = source.folder.bytes(name) ?? []
      return stride(from: 0, to: bytes.count - 187, by: 188).flatMap { start in
        let id = Int(bytes[start + 1] & 0x1F) << 8 | Int(bytes[start + 2])
        return [0, 0x1000].contains(id) == areTables ? Array(bytes[start..<(start + 188)]) : []
      }
    }
    let network = Streams.serve(source.folder) { path, _ in
      if path == "tables.ts" { return .bytes(Array(packets("ts0.ts", areTables: true).prefix(376))) }
      if path.hasSuffix(".ts") { return areInSegments ? nil : .bytes(packets(path, areTables: false)) }
      let list = String(decoding: source.folder.bytes(path) ?? [], as: UTF8.self)
      return .text(list.replacing("#EXT-X-MEDIA-SEQUENCE", with: "#EXT-X-MAP:URI=\"tables.ts\"\n#EXT-X-MEDIA-SEQUENCE"))
    }
    let listener = play("ts.m3u8", network)
    #expect(listener.programme.status.phase == .ended && listener.programme.status.lost == 0)
    #expect(difference(listener.samples, source.samples) < 1e-6)
  }

  /// A connection that breaks where no length was told.
  @Test(arguments: [1, 2, 99])
  func halfOfItIsNotKept(_ breaks: Int) throws {
    let source = try Streams.source.get()
    var asked = 0
    let network = Streams.serve(source.folder) { path, _ in
      guard path == "mp4-init.mp4", let bytes = source.folder.bytes(path) else { return nil }
      asked += 1
      // Where it breaks again and again, it does at the same place.
      let end = bytes.count / 2 + (breaks < 99 ? asked : 0)
      return FakeNetwork.Answer(bytes: bytes, hasLength: false, endsAfter: asked <= breaks ? end : nil)
    }
    let listener = play("mp4.m3u8", network)
    if breaks < 99 {
      #expect(listener.programme.status.phase == .ended)
      #expect(difference(listener.samples, source.samples) < 1e-6)
      #expect(listener.programme.status.lost == 0)
      #expect(asked == breaks + 1, "\(asked)")
    } else {
      // Nobody is asked for ever.
      #expect(asked == 2, "\(asked)")
      guard case .failed = listener.programme.status.phase else {
        return #expect(Bool(false), "\(listener.programme.status.phase)")
      }
    }
  }

  /// An encoder that begins anew writes another key, or another initialisation section, to the address of the one before;
  /// its list goes on behind a discontinuity, or begins anew as well.
  @Test(arguments: ["m4s", "ts"], [false, true])
  func whatANewEncoderPutsInItsPlaceIsAskedFor(_ kind: String, _ goesOn: Bool) throws {
    let folder = TemporaryFolder()
    let isKey = kind == "ts"
    let zero = String(repeating: "0", count: 32)
    for (name, codec) in [("a", "aac"), ("b", isKey ? "aac" : "libopus")] {
      folder.put("x.key\n\(name).key\n\(zero)\n", "\(name).info")
      folder.put("0123456789abcde\(name)", "\(name).key")
      let head =
        isKey
        ? ["-hls_key_info_file", "\(name).info"]
        : ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "\(name).mp4"]
      try ffmpeg(
        folder,
        tones(24) + ["-c:a", codec, "-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod"] + head
          + ["-hls_segment_filename", "\(name)%d.\(kind)", "\(name).m3u8"])
    }
    let (old, new) = (Streams.entries(folder, "a"), Streams.entries(folder, "b"))
    var behind = new
    behind[0].lines.insert("#EXT-X-DISCONTINUITY", at: 0)
    let both = old.prefix(7) + behind
    let tag = isKey ? "#EXT-X-KEY:METHOD=AES-128,URI=\"x.key\",IV=0x\(zero)" : "#EXT-X-MAP:URI=\"x.mp4\""
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
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "x.m3u8", network: network) {}, network)
    listener.isPaced = true
    listener.run(22)
    #expect(listener.programme.status.phase == .running)
    let last = listener.samples.suffix(3 * 96_000)
    #expect((last.reduce(0) { $0 + $1 * $1 } / (3 * 96_000)).squareRoot() > 0.2)
    #expect(network.requests.count { $0.path == (isKey ? "x.key" : "x.mp4") } < 5)
    if goesOn { #expect(listener.programme.status.lost < 9600, "\(listener.programme.status.lost)") }
  }

  /// Keys that are given out once, or whose server fails, are used on behind discontinuities.
  @Test(arguments: [403, 503]) func aKeyThatIsNotGivenAgainIsUsedOn(_ status: Int) throws {
    let folder = TemporaryFolder()
    let zero = String(repeating: "0", count: 32)
    folder.put("x.key\na.key\n\(zero)\n", "a.info")
    folder.put("0123456789abcdea", "a.key")
    try ffmpeg(
      folder,
      tones(40) + ["-c:a", "aac", "-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod", "-hls_key_info_file"]
        + ["a.info", "-hls_segment_filename", "a%d.ts", "a.m3u8"])
    var entries = Streams.entries(folder, "a")
    for place in stride(from: 4, to: entries.count, by: 4) {
      entries[place].lines.insert("#EXT-X-DISCONTINUITY", at: 0)
    }
    let tag = "#EXT-X-KEY:METHOD=AES-128,URI=\"x.key\",IV=0x\(zero)\n"
    let network = Streams.serve(folder) { path, now in
      if path == "x.key" { return now.seconds < 1 ? folder.bytes("a.key").map { .bytes($0) } : .status(status) }
      guard path == "x.m3u8" else { return nil }
      let list = Streams.window(entries, available: 4 + Int(now.seconds / 2), count: 5)
      return .text(list.replacing("#EXT-X-MEDIA-SEQUENCE", with: tag + "#EXT-X-MEDIA-SEQUENCE"))
    }
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "x.m3u8", network: network) {}, network)
    listener.isPaced = true
    listener.run(24)
    #expect(network.requests.count { $0.path == "x.key" } > 1)
    #expect(listener.programme.status.phase == .running)
    #expect(listener.programme.status.lost == 0, "\(listener.programme.status.lost)")
  }

  /// Two addresses by turns, each with another key every time, as in many recipes for ffmpeg's `periodic_rekey`.
  @Test func aKeyThatTakesThePlaceOfAnOlderOneCostsNothing() throws {
    let folder = TemporaryFolder()
    let zero = String(repeating: "0", count: 32)
    for name in ["a", "b", "c"] {
      folder.put("x.key\n\(name).key\n\(zero)\n", "\(name).info")
      folder.put("0123456789abcde\(name)", "\(name).key")
      try ffmpeg(
        folder,
        tones(24) + ["-c:a", "aac", "-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod", "-hls_key_info_file"]
          + ["\(name).info", "-hls_segment_filename", "\(name)%d.ts", "\(name).m3u8"])
    }
    // Four segments by each key, and two addresses for the three.
    let all = ["a", "b", "c"].map { Streams.entries(folder, $0) }
    let entries = all[0].indices.map { index -> (lines: [String], seconds: Double) in
      let turn = min(2, index / 4)
      var entry = all[turn][index]
      entry.lines.insert("#EXT-X-KEY:METHOD=AES-128,URI=\"x\(turn % 2).key\",IV=0x\(zero)", at: 0)
      return entry
    }
    let network = Streams.serve(folder) { path, now in
      if path == "x.m3u8" { return .text(Streams.window(entries, available: 3 + Int(now.seconds / 2), count: 5)) }
      if path == "x1.key" { return folder.bytes("b.key").map { .bytes($0) } }
      return path == "x0.key" ? folder.bytes(now.seconds < 12 ? "a.key" : "c.key").map { .bytes($0) } : nil
    }
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "x.m3u8", network: network) {}, network)
    listener.isPaced = true
    listener.run(22)
    #expect(listener.programme.status.phase == .running)
    #expect(listener.programme.status.lost == 0, "\(listener.programme.status.lost)")
  }
}
