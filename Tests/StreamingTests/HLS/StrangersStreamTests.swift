import Hardware
import Media
import TestSupport
import Testing

@testable import Streaming

/// Streams of other people's tools: what is in them is heard, or the reason why not is told.
@Suite struct StrangersStreamTests: StreamListening {
  private static let folder: Result<TemporaryFolder, any Error> = Result {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(6) + ["-c:a", "pcm_s16le", "t.wav"])
    return folder
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

  /// Of PCM only its container says what it is.
  @Test func segmentsOfPCMMayHaveOtherRatesAndChannels() throws {
    let folder = TemporaryFolder()
    for (name, options) in [("0", ["-ac", "2"]), ("1", ["-ac", "1", "-ar", "16000"]), ("2", ["-ar", "44100"])] {
      try ffmpeg(folder, tones(2) + ["-c:a", "pcm_s16le"] + options + ["\(name).wav"])
    }
    folder.put(
      "#EXTM3U\n#EXT-X-TARGETDURATION:2\n"
        + (0..<3).map { "#EXT-X-DISCONTINUITY\n#EXTINF:2,\n\($0).wav\n" }.joined() + "#EXT-X-ENDLIST\n", "a.m3u8")
    let listener = play("a.m3u8", Streams.serve(folder))
    #expect(abs(listener.frames - 6 * 48_000) < 480, "\(listener.frames)")
  }

  /// The first sound of the table is silent in all of it: the second is heard, without a hole from segment to segment.
  @Test func aSecondSoundIsHeardWhereThereIsNothingOfTheFirst() throws {
    let source = try Self.folder.get()
    let folder = TemporaryFolder()
    try ffmpeg(
      folder,
      ["-i", source.file("t.wav"), "-map", "0:a", "-map", "0:a", "-c:a", "aac", "-f", "hls", "-hls_time", "2"]
        + ["-hls_playlist_type", "vod", "-hls_segment_filename", "two%d.ts", "x.m3u8"])
    let whole = play("x.m3u8", Streams.serve(folder)).samples
    let second = play(
      "x.m3u8",
      Streams.serve(folder) { path, _ in
        path.hasSuffix(".ts") ? folder.bytes(path).map { .bytes(Streams.withoutFirstSound($0)) } : nil
      })
    #expect(second.programme.status.phase == .ended)
    #expect(abs(second.frames - 6 * 48_000) < 9600, "\(second.frames)")
    #expect(difference(second.samples, whole) < 1e-6)
  }

  /// The table changes in the middle of a segment, and names another sound.
  @Test(arguments: ["aac", "mp2"])
  func soundMayMoveWithinASegment(_ codec: String) throws {
    let folder = TemporaryFolder()
    let options = ["-mpegts_pmt_start_pid", "0x1000", "-muxdelay", "0", "-muxpreload", "0"]
    try ffmpeg(folder, tones(4) + ["-c:a", "aac", "-mpegts_start_pid", "0x100"] + options + ["0.ts"])
    try ffmpeg(
      folder,
      tones(4, from: 700) + ["-c:a", codec, "-mpegts_start_pid", "0x200", "-output_ts_offset", "4"] + options + ["1.ts"]
    )
    let bytes = (folder.bytes("0.ts") ?? []) + (folder.bytes("1.ts") ?? [])
    let network = FakeNetwork()
    network.server = { path, _ in
      path == "x.ts" ? .bytes(bytes) : .text("#EXTM3U\n#EXT-X-TARGETDURATION:8\n#EXTINF:8,\nx.ts\n#EXT-X-ENDLIST\n")
    }
    let listener = play("x.m3u8", network)
    #expect(listener.programme.status.phase == .ended)
    #expect(abs(listener.frames - 8 * 48_000) < 9600, "\(listener.frames)")
    let end = listener.samples.suffix(6 * 48_000)
    #expect((end.reduce(0) { $0 + $1 * $1 } / Float(max(1, end.count))).squareRoot() > 0.2)
  }

  /// Segments that are cut in the midst of a packet or a frame, or begin with what is none of it: sixteen bytes that another
  /// vector decrypts, something before it, zeros.
  @Test(arguments: [("ts", "aac"), ("aac", "aac"), ("mp3", "libmp3lame")])
  func segmentsNeedNotBeginWithAPacketOrAFrame(_ kind: String, _ codec: String) throws {
    let source = try Self.folder.get()
    let folder = TemporaryFolder()
    try ffmpeg(
      folder, ["-i", source.file("t.wav"), "-c:a", codec, "-f", "segment", "-segment_time", "2", "s%d.\(kind)"])
    let lines = (0..<3).map { "#EXTINF:2,\ns\($0).\(kind)\n" }.joined()
    folder.put("#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(lines)#EXT-X-ENDLIST\n", "x.m3u8")
    let changes: [([UInt8]) -> [UInt8]] = [
      { [1, 2, 3, 4, 5] + $0 }, { Array($0.dropFirst(70)) }, { $0.prefix(16).map { $0 ^ 0xA5 } + $0.dropFirst(16) },
      { [UInt8](repeating: 0, count: 1000) + $0 },
    ]
    for change in changes {
      let network = Streams.serve(folder) { path, _ in
        path.hasSuffix(kind) ? folder.bytes(path).map { .bytes(change($0)) } : nil
      }
      let listener = play("x.m3u8", network)
      #expect(listener.programme.status.phase == .ended)
      #expect(listener.holes.isEmpty)
      // A frame or two are lost with what was cut.
      #expect(abs(listener.frames - 6 * 48_000) < 14_400, "\(listener.frames)")
      #expect(loudness(listener) > 0.2)
    }
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
    #expect(abs(listener.programme.status.lost - 10 * 48_000) < 9600, "\(listener.programme.status.lost)")
    #expect(listener.holes.isEmpty)
  }

  /// Of a list that is at its end, good segments behind half a minute of bad ones are played; if none follow, or if it is
  /// live, the reason is told.
  @Test(arguments: [(16, true), (99, true), (99, false)])
  func longDamageInAFinishedListIsPassedOver(_ last: Int, _ isEnded: Bool) throws {
    let source = try Streams.long.get()
    let entries = Streams.entries(source.folder, "s")
    let network = Streams.serve(source.folder) { path, now in
      if path == "x.m3u8" {
        let count = isEnded ? entries.count : min(entries.count, 3 + Int(now.seconds / 2))
        return .text(Streams.window(entries, available: count, count: isEnded ? count : 5, isEnded: isEnded))
      }
      let number = Int(path.dropFirst().prefix { $0.isNumber }) ?? 0
      return (1...last).contains(number) ? .text("<html>") : nil
    }
    let listener = play("x.m3u8", network)
    #expect(listener.holes.isEmpty)
    guard last == 16 else { return #expect(fault(listener)?.code == "damaged") }
    #expect(listener.programme.status.phase == .ended)
    // Thirty-two seconds are damaged, of which three are silence.
    #expect(abs(listener.frames - source.samples.count / 2 + 29 * 48_000) < 9600, "\(listener.frames)")
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

  /// A default rendition that cannot be had is left for another one, then for the variant's own sound, and only then is the
  /// variant left.
  @Test(arguments: ["", "es"], ["gone", "empty", "page"])
  func aRenditionThatCannotBeHadIsLeftForAnother(_ other: String, _ how: String) throws {
    let source = try Streams.source.get()
    let head = "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"en\",DEFAULT=YES,URI=\"en.m3u8\"\n"
    let spanish = "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"es\",LANGUAGE=\"es\",URI=\"ts.m3u8\"\n"
    let own = other.isEmpty ? "ts.m3u8" : "own.m3u8"
    let variants =
      "#EXT-X-STREAM-INF:BANDWIDTH=200000,AUDIO=\"a\"\n\(own)\n#EXT-X-STREAM-INF:BANDWIDTH=100000\nlow.m3u8\n"
    let master = [head, other.isEmpty ? "" : spanish, variants].joined()
    let segments = (0..<6).map { "#EXTINF:2,\ngone\($0).ts\n" }.joined()
    let text = how == "page" ? "<html>" : "#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(segments)#EXT-X-ENDLIST\n"
    let network = Streams.serve(source.folder) { path, _ in
      switch path {
      case "m.m3u8": .text(master)
      case "en.m3u8": how == "gone" ? .status(404) : .text(text)
      default: nil
      }
    }
    let listener = play("m.m3u8", network)
    #expect(listener.programme.status.phase == .ended)
    #expect(difference(listener.samples, source.samples) < 1e-6)
    #expect(!network.requests.contains { $0.path == "low.m3u8" || $0.path == "own.m3u8" })
  }

  @Test func whereNoRenditionCanBeHadTheReasonIsTold() throws {
    let master =
      "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"en\",DEFAULT=YES,URI=\"en.m3u8\"\n"
      + "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"es\",URI=\"es.m3u8\"\n"
      + "#EXT-X-STREAM-INF:BANDWIDTH=200000,AUDIO=\"a\"\nown.m3u8\n"
    let network = FakeNetwork()
    network.server = { path, _ in path == "m.m3u8" ? .text(master) : nil }
    #expect(fault(play("m.m3u8", network))?.code == "http-404")
    #expect(network.requests.map(\.path) == ["m.m3u8", "en.m3u8", "es.m3u8", "own.m3u8"])
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

  /// A list that is at its end and empty is an error at once, and another variant is taken.
  @Test(arguments: ["", "base0.ts\n", "#EXT-X-STREAM-INF:BANDWIDTH=1\nts.m3u8\n"])
  func anEmptyListIsNotWaitedFor(_ content: String) throws {
    let source = try Streams.source.get()
    let empty = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(content)#EXT-X-ENDLIST\n"
    let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=600000\ne.m3u8\n"
    let network = Streams.serve(source.folder) { path, _ in
      switch path {
      case "e.m3u8": .text(empty)
      case "one.m3u8": .text(master)
      case "two.m3u8": .text(master + "#EXT-X-STREAM-INF:BANDWIDTH=100000\nts.m3u8\n")
      default: nil
      }
    }
    #expect(fault(play("one.m3u8", network))?.code == "malformed")
    #expect(difference(play("two.m3u8", network).samples, source.samples) < 1e-6)
  }

  /// A list that is only not filled yet is left for another variant, where there is one.
  @Test func aListThatStaysEmptyIsLeftForAnother() throws {
    let source = try Streams.source.get()
    let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=600000\ne.m3u8\n"
    let network = Streams.serve(source.folder) { path, _ in
      switch path {
      case "e.m3u8": .text("#EXTM3U\n#EXT-X-TARGETDURATION:2\n")
      case "one.m3u8": .text(master)
      case "two.m3u8": .text(master + "#EXT-X-STREAM-INF:BANDWIDTH=100000\nts.m3u8\n")
      default: nil
      }
    }
    #expect(difference(play("two.m3u8", network).samples, source.samples) < 1e-6)
    // Where there is none, patience is better.
    let alone = play("one.m3u8", network)
    guard case .stalled(let reason) = alone.programme.status.phase else {
      return #expect(Bool(false), "\(alone.programme.status.phase)")
    }
    #expect(reason.hasPrefix("its list is empty"))
  }

  /// Key pictures for fast forward have no sound, and another variant may have some.
  @Test func aListOfPicturesOnlyHasNoSound() throws {
    let source = try Streams.source.get()
    // Of the segment its tables only.
    let pictures =
      "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-I-FRAMES-ONLY\n#EXTINF:2,\n#EXT-X-BYTERANGE:564@0\nts0.ts\n"
      + "#EXT-X-ENDLIST\n"
    let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=600000\ni.m3u8\n"
    let network = Streams.serve(source.folder) { path, _ in
      switch path {
      case "i.m3u8": .text(pictures)
      case "one.m3u8": .text(master)
      case "two.m3u8": .text(master + "#EXT-X-STREAM-INF:BANDWIDTH=100000\nts.m3u8\n")
      default: nil
      }
    }
    for name in ["i.m3u8", "one.m3u8"] { #expect(fault(play(name, network))?.code == "no-sound") }
    #expect(difference(play("two.m3u8", network).samples, source.samples) < 1e-6)
  }

  /// ffmpeg's muxer can be told to call every list one of pictures only, and writes segments with sound below.
  @Test func aListThatIsCalledOneOfPicturesIsHeard() throws {
    let source = try Streams.source.get()
    let list = String(decoding: try #require(source.folder.bytes("ts.m3u8")), as: UTF8.self)
    let parts = list.split(separator: "\n", maxSplits: 1)
    let network = Streams.serve(source.folder) { path, _ in
      path == "i.m3u8" ? .text("\(parts[0])\n#EXT-X-I-FRAMES-ONLY\n\(parts[1])") : nil
    }
    #expect(difference(play("i.m3u8", network).samples, source.samples) < 1e-6)
  }

  /// Whatever stands in the place of a first segment, the others are tried.
  @Test(arguments: ["", "<html>sorry</html>"])
  func aFirstSegmentThatIsNoneIsLeftOut(_ content: String) throws {
    let source = try Streams.source.get()
    let listener = play(
      "ts.m3u8",
      Streams.serve(source.folder) { path, _ in
        ["ts0.ts", "ts1.ts"].contains(path) ? .text(content) : nil
      })
    #expect(listener.programme.status.phase == .ended)
    #expect(abs(listener.frames - source.samples.count / 2 + 4 * 48_000) < 9600, "\(listener.frames)")
  }

  @Test func aFirstSegmentThatIsGoneIsLeftOut() throws {
    let source = try Streams.source.get()
    let listener = play("ts.m3u8", Streams.serve(source.folder) { path, _ in path == "ts0.ts" ? .status(404) : nil })
    #expect(listener.programme.status.phase == .ended)
    #expect(abs(listener.frames - source.samples.count / 2 + 2 * 48_000) < 9600)
    let gone = play("ts.m3u8", Streams.serve(source.folder) { path, _ in path.hasSuffix(".ts") ? .status(404) : nil })
    #expect(fault(gone)?.code == "http-404" && gone.samples.isEmpty)
  }

  /// Servers that keep their lists compressed send them so to whoever asks.
  @Test func aListThatIsKeptCompressedIsPlayed() throws {
    let source = try Streams.source.get()
    let packed: [UInt8] = [0x1F, 0x8B, 8, 0] + (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    let network = Streams.serve(source.folder) { path, _ in
      path == "ts.m3u8" ? source.folder.bytes(path).map { FakeNetwork.Answer(bytes: $0, packed: packed) } : nil
    }
    let listener = play("ts.m3u8", network)
    #expect(listener.programme.status.phase == .ended)
    #expect(difference(listener.samples, source.samples) < 1e-6)
    #expect(network.requests.count { $0.path == "ts.m3u8" } == 2)
  }

  /// Fragments of one file, whose heads count from its beginning or from their own.
  @Test(arguments: ["frag_keyframe+empty_moov", "frag_keyframe+empty_moov+default_base_moof"])
  func rangesOfAFragmentedFileAreItsSegments(_ flags: String) throws {
    let source = try Self.folder.get()
    let folder = TemporaryFolder()
    try ffmpeg(
      folder,
      ["-i", source.file("t.wav"), "-c:a", "aac", "-frag_duration", "2000000", "-movflags", flags, "x.mp4"])
    folder.put(Streams.fragments(of: try #require(folder.bytes("x.mp4")), "x.mp4"), "x.m3u8")
    let listener = play("x.m3u8", Streams.serve(folder))
    #expect(listener.programme.status.phase == .ended)
    #expect(listener.holes.isEmpty)
    let expected = try reference(folder, "x.mp4")
    #expect(abs(listener.frames - expected.count / 2) <= 2048, "\(listener.frames)")
    let common = min(listener.samples.count, expected.count)
    #expect(difference(listener.samples.prefix(common), expected.prefix(common)) < 1e-5)
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
}
