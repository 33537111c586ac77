import Hardware
import Media
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

  /// A connection that ends where no length was told: what ends in the middle of a packet or a box is asked for once more.
  @Test(arguments: ["ts", "mp4"])
  func aSegmentThatEndsInItsMiddleIsAskedForAgain(_ name: String) throws {
    let source = try Streams.source.get()
    func isSegment(_ path: String) -> Bool { path.hasSuffix(".ts") || path.hasSuffix(".m4s") }
    func half(_ path: String) -> FakeNetwork.Answer? {
      source.folder.bytes(path).map { .bytes(Array($0.prefix($0.count / 376 * 188 + 100))) }
    }
    var asked: Set<String> = []
    let once = play(
      "\(name).m3u8",
      Streams.serve(source.folder) { path, _ in
        isSegment(path) && asked.insert(path).inserted ? half(path) : nil
      })
    #expect(once.programme.status.phase == .ended)
    #expect(difference(once.samples, source.samples) < 1e-6)
    #expect(once.programme.status.lost == 0)
    // Where it is so, it is told, and not asked for again and again.
    let network = Streams.serve(source.folder) { path, _ in isSegment(path) ? half(path) : nil }
    let always = play("\(name).m3u8", network)
    #expect(always.programme.status.phase == .ended)
    #expect(abs(always.frames - source.samples.count / 2) < 3 * 48_000, "\(always.frames)")
    // Half of each is missing.
    #expect((3 * 48_000...9 * 48_000).contains(always.programme.status.lost), "\(always.programme.status.lost)")
    let paths = network.requests.map(\.path).filter(isSegment)
    #expect(paths.count == Set(paths).count + 1)
    var remarks: [String] = []
    while let remark = always.programme.nextRemark() { remarks.append(remark) }
    #expect(remarks.contains { $0.contains("not all of it has come") }, "\(remarks)")
  }

  /// Connections that break again and again, where no length was told: the rest is fetched until all of it is there,
  /// whether the server knows parts or not. What breaks between packets has fewer bytes than those before.
  @Test(arguments: [("ts", 100), ("ts", 0), ("mp4", 100)], [true, false])
  func theRestOfASegmentIsFetchedUntilItIsWhole(_ segments: (String, Int), _ hasRanges: Bool) throws {
    let (name, odd) = segments
    let source = try Streams.source.get()
    var asked: [String: Int] = [:]
    let network = Streams.serve(source.folder) { path, _ in
      guard path.hasSuffix(".ts") || path.hasSuffix(".m4s"), let bytes = source.folder.bytes(path) else { return nil }
      // There is nothing to compare the first one with, and little in the last.
      guard bytes.count > 10_000, odd > 0 || path != "ts0.ts" else { return nil }
      let part = bytes.count / 188 * 35 / 100 * 188 + odd
      let count = asked[path, default: 0]
      asked[path] = count + 1
      let end = hasRanges || count < 2 ? part : nil
      return FakeNetwork.Answer(bytes: bytes, hasLength: false, endsAfter: end, hasRanges: hasRanges)
    }
    let listener = play("\(name).m3u8", network)
    #expect(listener.programme.status.phase == .ended)
    #expect(difference(listener.samples, source.samples) < 1e-6)
    #expect(!asked.isEmpty && asked.values.allSatisfy { (2...4).contains($0) }, "\(asked)")
    #expect(listener.holes.isEmpty)
  }

  /// What was inflated has no rest that could be put behind it: all of it is asked for once more.
  @Test(arguments: ["ts", "mp4"])
  func whatComesCompressedIsAskedForWhole(_ name: String) throws {
    let source = try Streams.source.get()
    func isSegment(_ path: String) -> Bool { path.hasSuffix(".ts") || path.hasSuffix(".m4s") }
    func packed(_ path: String, isCut: Bool) -> FakeNetwork.Answer? {
      guard isSegment(path), let bytes = source.folder.bytes(path) else { return nil }
      let end = isCut ? bytes.count / 376 * 188 + 100 : nil
      return FakeNetwork.Answer(bytes: bytes, hasLength: false, endsAfter: end, isPacked: true)
    }
    var asked: Set<String> = []
    let network = Streams.serve(source.folder) { path, _ in packed(path, isCut: asked.insert(path).inserted) }
    let once = play("\(name).m3u8", network)
    #expect(once.programme.status.phase == .ended && once.programme.status.lost == 0)
    #expect(difference(once.samples, source.samples) < 1e-6)
    let paths = network.requests.map(\.path).filter(isSegment)
    // There may be little in the last.
    #expect(paths.count <= 2 * Set(paths).count + 1, "\(paths)")
    // Where it is so, it is told, and not asked for again and again.
    let other = Streams.serve(source.folder) { path, _ in packed(path, isCut: true) }
    let always = play("\(name).m3u8", other)
    #expect(always.programme.status.phase == .ended)
    #expect((3 * 48_000...9 * 48_000).contains(always.programme.status.lost), "\(always.programme.status.lost)")
    let again = other.requests.map(\.path).filter(isSegment)
    #expect(again.count <= 2 * Set(again).count, "\(again)")
  }

  /// A server that tells no lengths and breaks nothing is not asked twice for each segment.
  @Test func whereNothingIsMissingLittleIsAskedTwice() throws {
    let source = try Streams.source.get()
    let network = Streams.serve(source.folder) { path, _ in
      source.folder.bytes(path).map { FakeNetwork.Answer(bytes: $0, hasLength: false) }
    }
    let listener = play("ts.m3u8", network)
    #expect(difference(listener.samples, source.samples) < 1e-6)
    let paths = network.requests.map(\.path).filter { $0.hasSuffix(".ts") }
    #expect(paths.count <= Set(paths).count + 1, "\(paths)")
  }

  /// Nor is one whose segments differ much in size, and which knows no parts.
  @Test func segmentsOfUnevenSizeAreNotWaitedFor() throws {
    let source = try Streams.source.get()
    let packet = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
    let padding = Array(repeatElement(packet, count: 400).joined())
    let network = Streams.serve(source.folder) { path, _ in
      guard let bytes = source.folder.bytes(path) else { return nil }
      let isLarge = path.hasSuffix("0.ts") || path.hasSuffix("2.ts") || path.hasSuffix("4.ts")
      return FakeNetwork.Answer(bytes: bytes + (isLarge ? padding : []), hasLength: false, hasRanges: false)
    }
    let listener = play("ts.m3u8", network)
    #expect(difference(listener.samples, source.samples) < 1e-6)
    #expect(listener.programme.status.lost == 0)
    let paths = network.requests.map(\.path).filter { $0.hasSuffix(".ts") }
    #expect(paths.count <= Set(paths).count + 2, "\(paths)")
  }

  @Test func anEndInTheMiddleIsSeen() {
    let packets: [UInt8] = (0..<940).map { $0 % 188 == 0 ? 0x47 : 1 }
    var boxes: [UInt8] = [0, 0, 0, 16]
    boxes += Array("moof12345678".utf8)
    boxes += [0, 0, 0, 9]
    boxes += Array("mdat.".utf8)
    for (whole, step) in [(packets, 188), (boxes, 16)] {
      for count in (whole.count / 2 + 1)...whole.count {
        let isWhole = count == whole.count || count % step == 0
        #expect(SegmentEnd.isCut(Array(whole.prefix(count))) != isWhole, "\(count)")
      }
    }
    for other in ["", "RIFF....WAVE", "<html>", "\u{0}\u{0}"] { #expect(!SegmentEnd.isCut(Array(other.utf8))) }
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
    let pictures = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-I-FRAMES-ONLY\n#EXTINF:2,\nts0.ts\n#EXT-X-ENDLIST\n"
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

  /// What has been heard for four seconds of a stream without end, whose window slides on by the clock.
  private func fourSecondsOfLive() throws -> (StreamProgramme, FakeNetwork, Listener) {
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
    return (programme, network, listener)
  }

  /// The window goes on while nothing is taken; what is heard next is as far behind as the pause was long.
  @Test func theDistanceToTheEdgeGrowsInALongPause() throws {
    let (programme, network, _) = try fourSecondsOfLive()
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

  /// After a long pause what is heard first is from before it, and as far behind as the pause was long.
  @Test func whatALongPauseLeavesOutIsTold() throws {
    let (programme, network, listener) = try fourSecondsOfLive()
    let first = programme.status
    let before = try #require(first.behindLive) + first.decodedFrames
    let resumed = network.now + .seconds(60)
    let start = try #require(listener.blocks.last.map { $0.start + $0.frames })
    var (heard, distance, isBehind) = (start, 0, false)
    while network.now < resumed + .seconds(15) {
      _ = programme.step(now: network.now)
      let due = start + Int((network.now - resumed).inSeconds * 48_000)
      while heard < due, let block = programme.nextSound() { heard = block.start + block.frames }
      let status = programme.status
      let isBefore = status.leftOutAt.map { heard < $0 } ?? true
      distance = try #require(status.behindLive) + status.decodedFrames + (isBefore ? status.leftOut : 0)
      // A segment more may be left out later, near the edge.
      if status.leftOut > 10 * 48_000, isBefore {
        isBehind = true
        let grown = distance - before
        #expect(abs(grown - 60 * 48_000) < 5 * 48_000, "\(grown)")
      }
      network.now = network.now + .milliseconds(50)
    }
    // Then it goes on near the edge.
    #expect(isBehind && distance < 20 * 48_000, "\(distance)")
  }
}
