import Hardware
import TestSupport
import Testing

@testable import Streaming

/// Discontinuities, variants and subtitles.
@Suite struct SwitchingTests: TwoLanguages {
  @Test func aDiscontinuityBeginsAnEpochWithoutAHole() throws {
    let source = try Streams.source.get()
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(5, from: 700) + ["-c:a", "aac", "-aac_pns", "0", "b.aac"])
    try Streams.hls(folder, "b.aac", "b")
    let other = try reference(folder, "b.aac")
    var lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:3"]
    for entry in Streams.entries(source.folder, "ts") { lines += entry.lines }
    lines.append("#EXT-X-DISCONTINUITY")
    for entry in Streams.entries(folder, "b") { lines += entry.lines }
    lines.append("#EXT-X-ENDLIST")
    let text = lines.joined(separator: "\n")
    let network = Streams.serve(source.folder) { path, _ in
      path == "x.m3u8" ? .text(text) : folder.bytes(path).map { .bytes($0) }
    }
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "x.m3u8", network: network) {}, network)
    listener.run(60)
    #expect(listener.holes.isEmpty)
    #expect(Set(listener.blocks.map(\.epoch)) == [0, 1])
    #expect(listener.blocks.first { $0.epoch == 1 }?.start == source.samples.count / 2)
    #expect(listener.frames == (source.samples.count + other.count) / 2)
    #expect(difference(listener.samples.prefix(source.samples.count), source.samples) < 1e-6)
    // The first frame begins without one before it.
    let rest = listener.samples.dropFirst(source.samples.count)
    #expect(difference(rest.dropFirst(4096), other.dropFirst(4096)) < 1e-6)
  }

  /// Each part has a clock of its own: what a seek leaves out of the one says nothing of the other.
  @Test func aSeekToADiscontinuityLosesNothingBehindIt() throws {
    let source = try Streams.source.get()
    let part = Streams.entries(source.folder, "ts").flatMap(\.lines)
    let lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:3"] + part + ["#EXT-X-DISCONTINUITY"] + part + ["#EXT-X-ENDLIST"]
    let network = Streams.serve(source.folder) { path, _ in
      path == "x.m3u8" ? .text(lines.joined(separator: "\n")) : nil
    }
    let programme = StreamProgramme(url: FakeNetwork.host + "x.m3u8", network: network) {}
    let listener = Listener(programme, network)
    listener.run(10) { $0.frames > 48_000 }
    let before = listener.frames
    programme.seek(to: source.samples.count / 2 + 2400)
    listener.run(60)
    #expect(programme.status.phase == .ended)
    let heard = listener.frames - before
    #expect(abs(heard - source.samples.count / 2) < 14_400, "\(heard)")
  }

  /// Silence stands for what is missing there, and has no clock that anything else could be placed by.
  @Test func aSeekToWhatIsMissingTakesTheClockOfWhatFollows() throws {
    let source = try Streams.source.get()
    let part = Streams.entries(source.folder, "ts").flatMap(\.lines)
    let lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:3"] + part + ["#EXT-X-DISCONTINUITY"] + part + ["#EXT-X-ENDLIST"]
    var isGone = false
    let network = Streams.serve(source.folder) { path, _ in
      if path == "x.m3u8" { return .text(lines.joined(separator: "\n")) }
      return path == "ts0.ts" && isGone ? .status(404) : nil
    }
    let programme = StreamProgramme(url: FakeNetwork.host + "x.m3u8", network: network) {}
    let listener = Listener(programme, network)
    listener.run(10) { $0.frames > 48_000 }
    isGone = true
    programme.seek(to: source.samples.count / 2 + 24_000)
    listener.run(60)
    #expect(programme.status.phase == .ended)
    #expect(listener.blocks.contains { $0.epoch == 1 })
    let first = try #require(listener.blocks.first { $0.epoch == 2 })
    // The second segment of the second part.
    #expect(abs(first.sourceTime - 126_000 - 2 * 90_000) < 9000, "\(first.sourceTime)")
  }

  @Test func theVariantFollowsTheMeasuredBandwidthWithoutBeingHeard() throws {
    let source = try Streams.long.get()
    let (network, _, _) = try network { path, _ in
      guard path.hasPrefix("lo/") || path.hasPrefix("hi/") else { return nil }
      let name = path.hasSuffix("m3u8") ? "s.m3u8" : String(path.dropFirst(3))
      return source.folder.bytes(name).map { .bytes($0) }
    }
    network.bandwidth = 300_000
    let programme = StreamProgramme(url: FakeNetwork.host + "master.m3u8", network: network) {}
    let listener = Listener(programme, network)
    listener.isPaced = true
    listener.run(5)
    #expect(programme.status.variantBandwidth == 128_000)
    #expect(abs(programme.status.measuredBandwidth - 280_000) < 60_000)
    network.bandwidth = 5_000_000
    listener.run(20)
    #expect(programme.status.variantBandwidth == 800_000)
    #expect(network.requests.contains { $0.path.hasPrefix("hi/") && $0.path.hasSuffix(".ts") })
    // As whoever plays it asks for it, and from the next segment on.
    let asked = network.now
    (programme as any Programme).setLowPower(true)
    listener.run(5)
    #expect(programme.status.variantBandwidth == 128_000)
    let after = network.requests.filter { $0.at > asked && $0.path.hasSuffix(".ts") }
    #expect(after.first?.path.hasPrefix("lo/") == true)
    listener.run(25)
    #expect(listener.holes.isEmpty)
    #expect(difference(listener.samples, source.samples) < 1e-6)
  }

  /// What is gone from one variant another one may have: it is looked for there before it is left out.
  @Test func whatOneVariantHasLostIsHeardFromAnother() throws {
    let source = try Streams.long.get()
    var (first, come): (String?, Set<String>) = (nil, [])
    let (network, _, _) = try network { path, _ in
      guard path.hasPrefix("lo/") || path.hasPrefix("hi/") else { return nil }
      let name = path.hasSuffix("m3u8") ? "s.m3u8" : String(path.dropFirst(3))
      if path.hasSuffix(".ts") {
        let variant = String(path.prefix(2))
        first = first ?? variant
        if variant == first, come.count >= 2, !come.contains(path) { return .status(404) }
        come.insert(path)
      }
      return source.folder.bytes(name).map { .bytes($0) }
    }
    network.bandwidth = 300_000
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "master.m3u8", network: network) {}, network)
    listener.isPaced = true
    listener.run(120)
    #expect(listener.programme.status.phase == .ended && listener.programme.status.lost == 0)
    #expect(listener.holes.isEmpty && listener.frames == source.samples.count / 2, "\(listener.frames)")
  }

  /// Over a way that is too narrow the list goes on while a segment is under way: what is left out each time is counted.
  @Test func whatANarrowWayLeavesOutIsCounted() throws {
    let source = try Streams.long.get()
    let entries = Streams.entries(source.folder, "s")
    let network = Streams.serve(source.folder) { path, now in
      guard path == "l.m3u8" else { return nil }
      return .text(Streams.window(entries, available: min(entries.count, 4 + Int(now.seconds / 2)), count: 4))
    }
    network.bandwidth = 30_000
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "l.m3u8", network: network) {}, network)
    listener.isPaced = true
    listener.run(27)
    // Twice three segments.
    #expect(listener.programme.status.lost >= 11 * 48_000, "\(listener.programme.status.lost)")
  }

  /// What has no pictures, or too many lines, is better than nothing, from the beginning on or once the others are gone.
  @Test(arguments: ["CODECS=\"mp4a.40.2\"", "RESOLUTION=1920x1080"], [0.0, 8])
  func whatIsLeftOutIsHeardWhereNothingElseIs(_ spare: String, _ until: Double) throws {
    let source = try Streams.long.get()
    let network = Streams.serve(source.folder) { path, now in
      if path == "m.m3u8" {
        return .text(
          "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=200000,CODECS=\"avc1.42e00a,mp4a.40.2\",RESOLUTION=320x180\nhi/s.m3u8\n"
            + "#EXT-X-STREAM-INF:BANDWIDTH=128000,\(spare)\nlo/s.m3u8\n")
      }
      if path.hasPrefix("hi/"), now.seconds >= until { return .status(404) }
      return source.folder.bytes(String(path.dropFirst(3))).map { .bytes($0) }
    }
    let options = HLSOptions(pictures: true, mostLines: 480)
    let programme = StreamProgramme(url: FakeNetwork.host + "m.m3u8", network: network, options: options) {}
    let listener = Listener(programme, network)
    listener.isPaced = true
    listener.run(120)
    #expect(programme.status.phase == .ended && programme.status.lost == 0, "\(programme.status.phase)")
    #expect(network.requests.contains { $0.path.hasPrefix("hi/") && $0.path.hasSuffix(".ts") } == (until > 0))
    #expect(listener.holes.isEmpty)
  }

  /// Of live lists whose numbers have nothing to do with each other nothing is heard twice, or left out.
  @Test(arguments: [true, false])
  func anotherVariantWithOtherNumbersIsNotHeard(_ hasDates: Bool) throws {
    let source = try Streams.long.get()
    let entries = Streams.entries(source.folder, "s")
    let number = "#EXT-X-MEDIA-SEQUENCE:"
    let network = Streams.serve(source.folder) { path, now in
      if path == "m.m3u8" {
        return .text(
          "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=128000\nlo/l.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=800000\nhi/l.m3u8\n")
      }
      guard path.hasSuffix(".m3u8") else { return source.folder.bytes(String(path.dropFirst(3))).map { .bytes($0) } }
      let text = Streams.window(entries, available: min(entries.count, 6 + Int(now.seconds / 2)), count: 6)
      let lines = text.split(separator: "\n").filter { hasDates || !$0.hasPrefix("#EXT-X-PROGRAM") }.map { line in
        guard path.hasPrefix("hi/"), line.hasPrefix(number) else { return String(line) }
        return number + "\(5000 + (Int(line.dropFirst(number.count)) ?? 0))"
      }
      return .text(lines.joined(separator: "\n") + "\n")
    }
    let programme = StreamProgramme(url: FakeNetwork.host + "m.m3u8", network: network) {}
    let listener = Listener(programme, network)
    listener.isPaced = true
    var farthest = 0
    for isLow in [true, false, true] {
      programme.setLowPower(isLow)
      listener.run(7) { _ in
        farthest = max(farthest, programme.status.behindLive ?? 0)
        return false
      }
    }
    let segments = network.requests.map(\.path).filter { $0.hasSuffix(".ts") }
    #expect(segments.contains { $0.hasPrefix("hi/") } && segments.last?.hasPrefix("lo/") == true)
    #expect(farthest < 20 * 48_000, "\(farthest)")
    #expect(listener.holes.isEmpty && listener.blocks.allSatisfy { $0.epoch == 0 })
    // ffmpeg's transport streams begin at 1.4 s.
    let first = try #require(listener.blocks.first)
    let begin = Int(first.sourceTime - 126_000) * 8 / 15 * 2
    let samples = listener.samples
    #expect(samples.count > 2 * 48_000 * 15)
    #expect(difference(samples.dropFirst(4096), source.samples[(begin + 4096)..<(begin + samples.count)]) < 1e-6)
  }

  /// Such lists that stand still both: however much of the one is had again, none of it is heard again.
  @Test func anotherVariantThatStandsStillTooIsNotHeardAgain() throws {
    let source = try Streams.long.get()
    let network = Streams.serve(source.folder) { path, now in
      if path == "m.m3u8" {
        return .text(
          "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=128000\nlo/l.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=200000\nhi/l.m3u8\n")
      }
      guard path.hasSuffix(".m3u8") else {
        let index = Int(path.dropFirst(4).prefix { $0 != "." }) ?? 0
        let halves = [2 * index, 2 * index + 1].compactMap { source.folder.bytes("s\($0).ts") }
        return .bytes(halves.flatMap { $0 })
      }
      let available = 4 + Int((min(8, now.seconds) + max(0, now.seconds - 40)) / 4)
      let (first, end) = (max(0, available - 6), min(9, available))
      let number = first + (path.hasPrefix("hi/") ? 5000 : 0)
      var text = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:\(number)\n"
      for index in first..<end { text += "#EXTINF:4,\nc\(index).ts\n" }
      return .text(text)
    }
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "m.m3u8", network: network) {}, network)
    listener.isPaced = true
    listener.run(56)
    let segments = network.requests.map(\.path).filter { $0.hasSuffix(".ts") }
    #expect(segments.first?.hasPrefix("hi/") == true && segments.last?.hasPrefix("lo/") == true)
    let times = listener.blocks.map(\.sourceTime)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 } && listener.blocks.allSatisfy { $0.epoch == 0 })
    #expect(listener.frames >= 28 * 48_000, "\(listener.frames)")
  }

  @Test func subtitlesLieOnTheTimelineOnceEach() throws {
    let (network, _, _) = try network()
    let programme = StreamProgramme(url: FakeNetwork.host + "master.m3u8", network: network) {}
    let listener = Listener(programme, network)
    listener.run(60)
    #expect(programme.status.subtitleLanguages == ["es"])
    #expect(listener.cues.map(\.text) == ["hola", "en ambos", "hola"])
    #expect(listener.cues.map(\.start) == [96_000, 264_000, 336_000])
    #expect(listener.cues.map(\.end) == [144_000, 312_000, 396_000])
    #expect(listener.cues.allSatisfy { $0.language == "es" && $0.epoch == 0 })
  }

  /// Where subtitles cannot be had or read, the next of their language are; where none can, the reason is told.
  @Test(arguments: ["list", "gone", "page"], [true, false])
  func whereSubtitlesCannotBeReadTheNextAre(_ how: String, _ isThere: Bool) throws {
    let head = "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"x\""
    let text =
      "#EXTM3U\n\(head),LANGUAGE=\"es\",DEFAULT=YES,URI=\"bad.m3u8\"\n"
      + "\(head),LANGUAGE=\"de\",URI=\"other.m3u8\"\n\(head),LANGUAGE=\"es\",URI=\"subs.m3u8\"\n"
      + "#EXT-X-STREAM-INF:BANDWIDTH=128000,SUBTITLES=\"s\"\nlo/ts.m3u8\n"
    let (network, _, _) = try network { path, _ in
      switch path {
      case "master.m3u8": return .text(text)
      case "bad.m3u8":
        if how == "list" { return .status(404) }
        return .text("#EXTM3U\n#EXT-X-TARGETDURATION:12\n#EXTINF:12,\nbad.vtt\n#EXT-X-ENDLIST\n")
      case "bad.vtt": return how == "page" ? .text("<html>") : .status(404)
      case "subs.m3u8": return isThere ? nil : .status(404)
      default: return nil
      }
    }
    let options = HLSOptions(subtitleLanguages: ["es-MX"])
    let programme = StreamProgramme(url: FakeNetwork.host + "master.m3u8", network: network, options: options) {}
    let listener = Listener(programme, network)
    listener.isPaced = true
    listener.run(4)
    #expect(!network.requests.contains { $0.path == "other.m3u8" })
    #expect(network.requests.count { $0.path == "bad.m3u8" } == 1)
    #expect(listener.cues.contains { $0.text == "hola" } == isThere)
    let problem = programme.status.subtitleProblem
    #expect(isThere ? problem == nil : problem?.contains("404") == true, "\(problem ?? "")")
    var remarks: [String] = []
    while let remark = programme.nextRemark() { remarks.append(remark) }
    #expect(remarks.contains { $0.contains("bad.") }, "\(remarks)")
  }

  /// SRT has no map: its times are the programme's.
  @Test(arguments: [true, false])
  func subRipIsReadAndTTMLIsRefusedByName(_ isSubRip: Bool) throws {
    let text =
      isSubRip
      ? "1\n00:00:02,000 --> 00:00:03,000\nhola\n" : "<?xml version=\"1.0\"?><tt xmlns=\"http://www.w3.org/ns/ttml\"/>"
    let (network, _, _) = try network { path, _ in path.hasSuffix(".vtt") ? .text(text) : nil }
    let programme = StreamProgramme(url: FakeNetwork.host + "master.m3u8", network: network) {}
    let listener = Listener(programme, network)
    listener.isPaced = true
    listener.run(4)
    #expect(listener.cues.map(\.start) == (isSubRip ? [96_000] : []))
    let problem = programme.status.subtitleProblem
    #expect(isSubRip ? problem == nil : problem?.contains("TTML") == true, "\(problem ?? "")")
  }

  /// Whoever writes thousands of them into every segment does not keep the lane busy.
  @Test(.timeLimit(.minutes(10))) func manySubtitlesCostTimeByTheirNumber() throws {
    let lines = (0..<10_000).map { "00:05.\(($0 % 900) + 100) --> 00:06.999\nnumber \($0)\n" }.joined(separator: "\n")
    let text = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:126000,LOCAL:00:00:00.000\n\n" + lines
    let list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + (0..<12).map { "#EXTINF:1,\nsubs\($0).vtt\n" }.joined()
    let (network, _, _) = try network { path, _ in
      path.hasSuffix(".vtt") ? .text(text) : path == "subs.m3u8" ? .text(list + "#EXT-X-ENDLIST\n") : nil
    }
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "master.m3u8", network: network) {}, network)
    listener.run(60)
    #expect(listener.cues.count == 10_000)
  }

  @Test func whatCannotBePlayedSaysWhy() {
    for (path, text, word) in [
      ("gone.m3u8", nil, "404"), ("page.m3u8", "<html>", "#EXTM3U"),
      (
        "drm.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"\n#EXTINF:2,\na",
        "SAMPLE-AES"
      ),
    ] as [(String, String?, String)] {
      let network = FakeNetwork()
      network.server = { path, _ in text.map { .text($0) } }
      let programme = StreamProgramme(url: FakeNetwork.host + path, network: network) {}
      Listener(programme, network).run(5)
      guard case .failed(let reason) = programme.status.phase else { return #expect(Bool(false), "\(path)") }
      #expect(reason.text.contains(word))
    }
    let network = FakeNetwork()
    guard case .failed = StreamProgramme(url: "file:///etc/passwd", network: network, wake: {}).status.phase else {
      return #expect(Bool(false))
    }
  }

  @Test func damagedSegmentsAreSilenceAndDoNotTrap() throws {
    let source = try Streams.source.get()
    var dice = SeededGenerator(seed: 4)
    for name in ["ts", "mp4"] {
      for round in 0..<8 {
        let seed = dice.next()
        let network = Streams.serve(source.folder) { path, _ in
          guard path.hasSuffix("2.ts") || path.hasSuffix("2.m4s"), var bytes = source.folder.bytes(path) else {
            return nil
          }
          var dice = SeededGenerator(seed: seed)
          if round % 2 == 0 { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &dice)) }
          for _ in 0..<(round * 20) where !bytes.isEmpty {
            bytes[Int.random(in: 0..<bytes.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
          }
          return .bytes(bytes)
        }
        let listener = Listener(StreamProgramme(url: FakeNetwork.host + "\(name).m3u8", network: network) {}, network)
        listener.run(60)
        #expect(listener.programme.status.phase == .ended)
        #expect(listener.holes.isEmpty)
        #expect(listener.samples.allSatisfy { $0.isFinite })
      }
    }
  }
}
