import Hardware
import TestSupport
import Testing

@testable import Streaming

/// Streams of other people's tools: what is in them is heard, or the reason why not is told.
@Suite struct StrangersStreamTests {
  private static let folder: Result<TemporaryFolder, any Error> = Result {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(6) + ["-c:a", "pcm_s16le", "t.wav"])
    return folder
  }

  private func play(_ url: String, _ network: FakeNetwork, seconds: Double = 60) -> Listener {
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + url, network: network) {}, network)
    listener.run(seconds)
    return listener
  }

  private func loudness(_ listener: Listener) -> Float {
    let samples = listener.samples
    return (samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))).squareRoot()
  }

  private func fault(_ listener: Listener) -> StreamFault? {
    if case .failed(let fault) = listener.programme.status.phase { fault } else { nil }
  }

  @Test(arguments: [
    (["-c:a", "ac3"], ["-hls_segment_filename", "ac3%d.ts"]),
    (["-c:a", "eac3"], ["-hls_segment_filename", "eac3%d.ts"]),
    (["-c:a", "mp2"], ["-hls_segment_filename", "mp2%d.ts"]),
    (["-c:a", "ac3"], ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "ac3.mp4"]),
    (["-c:a", "libopus"], ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "opus.mp4"]),
    (["-c:a", "flac"], ["-strict", "-2", "-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "flac.mp4"]),
    (["-c:a", "alac"], ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "alac.mp4"]),
    (["-c:a", "aac"], ["-hls_ts_options", "mpegts_m2ts_mode=1", "-hls_segment_filename", "m2ts%d.ts"]),
  ])
  func soundOfOtherCodecsIsHeard(_ codec: [String], _ options: [String]) throws {
    let source = try Self.folder.get()
    let folder = TemporaryFolder()
    try ffmpeg(
      folder,
      ["-i", source.file("t.wav")] + codec + ["-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod"] + options
        + ["x.m3u8"])
    let listener = play("x.m3u8", Streams.serve(folder))
    #expect(listener.programme.status.phase == .ended)
    #expect(abs(listener.frames - 6 * 48_000) < 9600, "\(listener.frames)")
    #expect(loudness(listener) > 0.2)
  }

  @Test(arguments: ["wav", "ogg", "flac", "ac3"])
  func packedSoundIsHeardWithoutAHole(_ kind: String) throws {
    let source = try Self.folder.get()
    let folder = TemporaryFolder()
    try ffmpeg(folder, ["-i", source.file("t.wav"), "-f", "segment", "-segment_time", "2", "s%d.\(kind)"])
    let lines = (0..<3).map { "#EXTINF:2,\ns\($0).\(kind)\n" }.joined()
    folder.put("#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(lines)#EXT-X-ENDLIST\n", "x.m3u8")
    let listener = play("x.m3u8", Streams.serve(folder))
    #expect(listener.programme.status.phase == .ended)
    #expect(listener.holes.isEmpty)
    #expect(abs(listener.frames - 6 * 48_000) < 9600, "\(listener.frames)")
    #expect(loudness(listener) > 0.2)
  }

  /// 14 MiB, most of it packets that carry nothing.
  @Test func aLargeSegmentIsPlayed() throws {
    let source = try Streams.source.get()
    let padding = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
    let large = (source.folder.bytes("ts0.ts") ?? []) + Array(repeatElement(padding, count: 78_000).joined())
    #expect(large.count > 14 << 20)
    let network = Streams.serve(source.folder) { path, _ in path == "ts0.ts" ? .bytes(large) : nil }
    let listener = play("ts.m3u8", network)
    #expect(difference(listener.samples, source.samples) < 1e-6)
  }

  /// What gives no sample for three seconds is an error with its reason, and never silence that is called playing.
  @Test func segmentsWithoutSoundAreAnError() throws {
    let folder = TemporaryFolder()
    try ffmpeg(
      folder,
      [
        "-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=8", "-c:v", "libx264", "-g", "50", "-f", "hls", "-hls_time", "2",
        "x.m3u8",
      ])
    let mute = play("x.m3u8", Streams.serve(folder))
    #expect(fault(mute)?.code == "no-sound" && mute.samples.isEmpty)
    let words = play("x.m3u8", Streams.serve(folder) { path, _ in path.hasSuffix(".ts") ? .text("<html>") : nil })
    #expect(fault(words)?.code == "damaged" && words.samples.isEmpty)
  }

  /// In the midst of a stream there are three seconds of silence, and then a reason.
  @Test func soundThatGoesAwayIsToldAndComesBack() throws {
    let source = try Streams.long.get()
    let network = Streams.serve(source.folder) { path, _ in
      (3...7).contains(Int(path.dropFirst().prefix { $0.isNumber }) ?? 0) ? .text("<html>") : nil
    }
    let listener = play("s.m3u8", network)
    #expect(listener.programme.status.phase == .ended)
    #expect(listener.phases.contains { if case .stalled = $0 { true } else { false } })
    // Ten seconds are damaged, of which three are silence.
    #expect(abs(listener.frames - source.samples.count / 2 + 7 * 48_000) < 9600)
    #expect(listener.holes.isEmpty)
  }

  @Test func aVariantThatCannotBeHadIsLeftForAnother() throws {
    let source = try Streams.source.get()
    let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=600000\nhi.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=100000\nts.m3u8\n"
    let gone = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n" + (0..<6).map { "#EXTINF:2,\ngone\($0).ts\n" }.joined()
    for (hi, coded) in [(nil, ""), (gone + "#EXT-X-ENDLIST\n", ""), (nil, ",CODECS=\"ac-4\"")] as [(String?, String)] {
      let network = Streams.serve(source.folder) { path, _ in
        if path == "m.m3u8" {
          return .text(coded.isEmpty ? master : master.split(separator: "600000").joined(separator: "600000" + coded))
        }
        return path == "hi.m3u8" ? hi.map { .text($0) } ?? .status(404) : nil
      }
      let listener = play("m.m3u8", network)
      #expect(difference(listener.samples, source.samples) < 1e-6)
      #expect(coded.isEmpty || !network.requests.contains { $0.path == "hi.m3u8" })
    }
    let none = play(
      "m.m3u8", Streams.serve(source.folder) { path, _ in path == "m.m3u8" ? .text(master) : .status(404) })
    #expect(fault(none)?.code == "http-404")
  }

  /// Errors that may pass are not waited out where there is another variant, at the start or in the middle.
  @Test(arguments: [NetworkError.Kind.status(503), .timeout, .interrupted], [0, 3])
  func aVariantThatKeepsFailingIsLeftForAnother(_ kind: NetworkError.Kind, _ from: Int) throws {
    let source = try Streams.source.get()
    let list = String(decoding: source.folder.bytes("ts.m3u8") ?? [], as: UTF8.self)
    let other = list.split(separator: "\nts").joined(separator: "\nhi")
    let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=600000\nhi.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=100000\nts.m3u8\n"
    for failsAtOnce in [true, false] where !failsAtOnce || from == 0 {
      let network = Streams.serve(source.folder) { path, _ in
        if path == "m.m3u8" { return .text(master) }
        guard path.hasPrefix("hi") else { return nil }
        let number = Int(path.dropFirst(2).prefix { $0.isNumber })
        if number.map({ $0 >= from }) ?? failsAtOnce {
          return FakeNetwork.Answer(error: kind, delay: kind == .timeout ? .seconds(5) : .milliseconds(20))
        }
        return path == "hi.m3u8" ? .text(other) : source.folder.bytes("ts\(number ?? 0).ts").map { .bytes($0) }
      }
      let listener = play("m.m3u8", network)
      #expect(listener.programme.status.phase == .ended)
      #expect(difference(listener.samples, source.samples) < 1e-6)
      #expect(listener.firstSound.map { $0.seconds < 12 } == true)
    }
  }

  /// Where all fail, it waits, and goes on with whichever comes back.
  @Test func whenAllVariantsFailItWaits() throws {
    let source = try Streams.source.get()
    let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=600000\nhi.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=100000\nts.m3u8\n"
    let network = Streams.serve(source.folder) { path, now in
      path == "m.m3u8" ? .text(master) : now < .zero + .seconds(90) || path == "hi.m3u8" ? .status(503) : nil
    }
    let listener = play("m.m3u8", network, seconds: 300)
    #expect(listener.programme.status.phase == .ended)
    #expect(difference(listener.samples, source.samples) < 1e-6)
    // It was no hammer.
    #expect(network.requests.filter { $0.at < .zero + .seconds(90) }.count < 40)
  }

  @Test func aFirstSegmentThatIsGoneIsLeftOut() throws {
    let source = try Streams.source.get()
    let listener = play("ts.m3u8", Streams.serve(source.folder) { path, _ in path == "ts0.ts" ? .status(404) : nil })
    #expect(listener.programme.status.phase == .ended)
    #expect(abs(listener.frames - source.samples.count / 2 + 2 * 48_000) < 9600)
    let gone = play("ts.m3u8", Streams.serve(source.folder) { path, _ in path.hasSuffix(".ts") ? .status(404) : nil })
    #expect(fault(gone)?.code == "http-404" && gone.samples.isEmpty)
  }

  @Test func aKeyInTheAddressIsOne() throws {
    let source = try Streams.source.get()
    let folder = TemporaryFolder()
    folder.put("0123456789abcdef", "key.bin")
    for (name, address) in [
      ("a", "data:;base64,MDEyMzQ1Njc4OWFiY2RlZg=="), ("b", "data:text/plain,%30123456789abcdef"),
    ] {
      folder.put("\(address)\n\(folder.file("key.bin"))\n", "info")
      try Streams.hls(folder, source.folder.file("source.aac"), name, ["-hls_key_info_file", "info"])
      #expect(difference(play("\(name).m3u8", Streams.serve(folder)).samples, source.samples) < 1e-6)
    }
    #expect(DataAddress.bytes(of: "data:x") == nil && DataAddress.bytes(of: "data:,%zz") == nil)
  }

  /// Without a tag, in both directions.
  @Test(arguments: [-1.0, 0, 7, 40])
  func timeThatJumpsLosesNothing(_ offset: Double) throws {
    let source = try Streams.source.get()
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(6, from: 700) + ["-c:a", "aac", "-aac_pns", "0", "b.aac"])
    try Streams.hls(folder, "b.aac", "b", offset < 0 ? [] : ["-output_ts_offset", "\(offset + 12)"])
    var lines = "#EXTM3U\n#EXT-X-TARGETDURATION:3\n"
    for entry in Streams.entries(source.folder, "ts") + Streams.entries(folder, "b") {
      lines += entry.lines.joined(separator: "\n") + "\n"
    }
    let text = lines + "#EXT-X-ENDLIST\n"
    let network = Streams.serve(source.folder) { path, _ in
      path == "x.m3u8" ? .text(text) : path.hasPrefix("b") ? folder.bytes(path).map { .bytes($0) } : nil
    }
    let listener = play("x.m3u8", network)
    #expect(listener.holes.isEmpty)
    #expect(abs(listener.frames - 18 * 48_000) < 9600, "\(listener.frames)")
  }

  @Test func everySegmentMayBeginItsTimeAnew() throws {
    let source = try Streams.source.get()
    let folder = TemporaryFolder()
    try ffmpeg(
      folder,
      [
        "-i", source.folder.file("source.aac"), "-c", "copy", "-f", "segment", "-segment_format", "mpegts",
        "-segment_time",
        "2", "-reset_timestamps", "1", "r%d.ts",
      ])
    let lines = (0..<6).map { "#EXTINF:2,\nr\($0).ts\n" }.joined()
    folder.put("#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(lines)#EXT-X-ENDLIST\n", "x.m3u8")
    let listener = play("x.m3u8", Streams.serve(folder))
    #expect(abs(listener.frames - 12 * 48_000) < 9600, "\(listener.frames)")
  }

  /// The window goes on while nothing is taken; what is heard next is as far behind as the pause was long.
  @Test func theDistanceToTheEdgeGrowsInALongPause() throws {
    let source = try Streams.long.get()
    let entries = Streams.entries(source.folder, "s")
    let endless = (0..<200).map { entries[$0 % entries.count] }
    let network = Streams.serve(source.folder) { path, now in
      path == "live.m3u8"
        ? .text(Streams.window(endless, available: 5 + Int(now.seconds / 2), count: 5)) : nil
    }
    let programme = StreamProgramme(url: FakeNetwork.host + "live.m3u8", network: network) {}
    let listener = Listener(programme, network)
    listener.isPaced = true
    listener.run(4)
    let before = try #require(programme.status.behindLive)
    let paused = network.now
    while network.now < paused + .seconds(100) {
      _ = programme.step(now: network.now)
      network.now = network.now + .milliseconds(50)
    }
    let after = try #require(programme.status.behindLive)
    let grown: Int = after - before
    #expect(abs(grown - 100 * 48_000) < 5 * 48_000, "\(before) \(after)")
  }
}
